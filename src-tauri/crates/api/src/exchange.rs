//! Commands that export and import what was learned and decided.

use serde::{Deserialize, Serialize};

use crate::Command;

/// Form of an exported or imported file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// `type_registry.json`.
    Registry,
    /// `tool_overrides.json`.
    Overrides,
    /// One JSON Schema per tool.
    Schemas,
    /// A bundle, for a team.
    Bundle,
}

/// Returns what is known in the form of files.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Export {
    /// Form of the files.
    pub form: Form,
    /// Globs of tool ids, with `*` and `?`; every tool if empty.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Whether a bundle has the observed values of shapes, schemas and evidence.
    #[serde(default)]
    pub with_values: bool,
    /// Whether counts of other machines of the team are added.
    #[serde(default)]
    pub team: bool,
}

impl Command for Export {
    const NAME: &'static str = "export";
    type Reply = ExportReply;
}

/// Exported files.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExportReply {
    /// Files; one, except for schemas.
    pub files: Vec<ExportedFile>,
    /// Number of tools.
    pub tool_count: u64,
    /// Number of machines.
    pub machine_count: u64,
}

/// An exported file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExportedFile {
    /// Suggested name.
    pub name: String,
    /// Content.
    pub text: String,
}

/// Imports a file. An invalid file changes nothing.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Import {
    /// Form of the file.
    pub form: Form,
    /// Name of the file; for a schema, the tool id and `.json`.
    pub name: String,
    /// Content.
    pub text: String,
    /// Whether the reply only says what would change.
    #[serde(default)]
    pub dry_run: bool,
    /// Whether a bundle without a signature is imported. The user vouches for it.
    #[serde(default)]
    pub unsigned: bool,
    /// Reason, for the audit log.
    #[serde(default)]
    pub reason: Option<String>,
    /// Name of the user.
    #[serde(default)]
    pub person: Option<String>,
}

impl Command for Import {
    const NAME: &'static str = "import";
    type Reply = ImportReply;
}

/// Changes that were made, or would be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportReply {
    /// Changes by tool, in the order of ids.
    pub tools: Vec<ImportedTool>,
    /// Imported counts by machine.
    pub machines: Vec<ImportedMachine>,
    /// Parts of the file that cannot be true and were not imported.
    pub set_aside: Vec<SetAsidePart>,
    /// What else the file has, and why it is not imported.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Whether nothing was changed because of a dry run.
    pub dry_run: bool,
}

/// Imported schema of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedTool {
    /// `server__tool`.
    pub tool_id: String,
    /// Its version here.
    pub version: Option<u32>,
    /// Whether the version was created by the import.
    pub cut: bool,
    /// Whether the version became effective. Never: a person decides about it.
    pub put_in_force: bool,
    /// What was done, or why nothing was done.
    pub what: String,
}

/// Imported counts of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedMachine {
    /// Id of the machine.
    pub machine: String,
    /// Number of calls that it counted.
    pub call_count: u64,
    /// What was done: `added`, `replaced`, `unchanged`, `older`, `own`, or `copied` if the counts have this machine's id
    /// but are not its own.
    pub what: String,
}

/// A part of a file that was not imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAsidePart {
    /// Id of the machine that counted it; none if it is no count.
    pub machine: Option<String>,
    /// `server__tool`; none for all tools of the machine.
    pub tool_id: Option<String>,
    /// Why.
    pub reason: String,
}
