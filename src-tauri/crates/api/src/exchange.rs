//! Files of what is known and decided, to and from elsewhere.

use serde::{Deserialize, Serialize};

use crate::Command;

/// A form of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// `type_registry.json`.
    Registry,
    /// `tool_overrides.json`.
    Overrides,
    /// A JSON Schema a tool.
    Schemas,
    /// What a team merges.
    Bundle,
}

/// Writes what is known into files of a form. Nothing changes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Export {
    /// Which form.
    pub form: Form,
    /// Tools wanted, by id, with `*` and `?`; none for all.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Of a bundle: with the observed values that shapes, schemas and evidence keep.
    #[serde(default)]
    pub with_values: bool,
    /// What the other machines of the team counted is added to what was counted here.
    #[serde(default)]
    pub team: bool,
}

impl Command for Export {
    const NAME: &'static str = "export";
    type Reply = ExportReply;
}

/// What is written.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExportReply {
    /// Files: one, but for schemas.
    pub files: Vec<ExportedFile>,
    /// Tools in them.
    pub tool_count: u64,
    /// Machines in them.
    pub machine_count: u64,
}

/// A file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExportedFile {
    /// A name for it.
    pub name: String,
    /// What is in it.
    pub text: String,
}

/// Takes what a file says. A file that is wrong changes nothing.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Import {
    /// Its form.
    pub form: Form,
    /// Its name; of a schema, the tool's id and `.json`.
    pub name: String,
    /// What is in it.
    pub text: String,
    /// Only say what would change.
    #[serde(default)]
    pub dry_run: bool,
    /// Why, for the audit log.
    #[serde(default)]
    pub reason: Option<String>,
    /// Who asks for it.
    #[serde(default)]
    pub person: Option<String>,
}

impl Command for Import {
    const NAME: &'static str = "import";
    type Reply = ImportReply;
}

/// What changed, or would.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportReply {
    /// By tool, in order of id.
    pub tools: Vec<ImportedTool>,
    /// What other machines counted, by machine.
    pub machines: Vec<ImportedMachine>,
    /// It changed nothing, but would have.
    pub dry_run: bool,
}

/// What became of a tool's schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedTool {
    /// `server__tool`.
    pub tool_id: String,
    /// The version it is here.
    pub version: Option<u32>,
    /// The version is new here.
    pub cut: bool,
    /// It is put in force.
    pub put_in_force: bool,
    /// What was done, or why nothing was.
    pub what: String,
}

/// What became of what a machine counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedMachine {
    /// Its number.
    pub machine: String,
    /// Calls it counted.
    pub call_count: u64,
    /// `added`, `replaced`, `unchanged`, `older` or `own`.
    pub what: String,
}
