//! Commands about command-line tools that are served like MCP servers.

use schemascope_model::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Command;

/// Lists the command-line tools, and requests for further ones.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ListCliTools {}

impl Command for ListCliTools {
    const NAME: &'static str = "list_cli_tools";
    type Reply = CliTools;
}

/// All command-line tools.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct CliTools {
    /// Path of `ai-tools.json`.
    pub file: String,
    /// Why the file cannot be used.
    pub problem: Option<String>,
    /// Tools by alias.
    pub tools: Vec<CliToolRow>,
    /// Requests of agents that await a decision, oldest first.
    pub requests: Vec<CliRequest>,
}

/// A command-line tool.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CliToolRow {
    /// Name of the server that it is.
    pub alias: String,
    /// The program, as the entry names it.
    pub command: String,
    /// State.
    pub state: CliState,
    /// Reason for the state.
    pub reason: Option<String>,
    /// Where the entry comes from.
    pub origin: CliOrigin,
    /// Path of the program, once it was found.
    pub program: Option<String>,
    /// Ids of its tools.
    pub tools: Vec<String>,
    /// Description in the entry.
    pub description: Option<String>,
    /// Instructions in the entry.
    pub system_prompt: Option<String>,
    /// Number of options that callers can use.
    pub offered: usize,
    /// Number of options withheld because they run programs.
    pub withheld: usize,
    /// What was left out, and what has no effect.
    pub notes: Vec<String>,
    /// Limits of a call.
    pub limits: CliLimits,
    /// What confines a call, in sentences.
    pub confinement: Vec<String>,
}

/// State of a command-line tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CliState {
    /// Its tools are served.
    Ready,
    /// Its help is being read.
    Reading,
    /// Switched off in the file.
    Disabled,
    /// It cannot be used.
    Failed,
}

/// Where an entry comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CliOrigin {
    /// `ai-tools.json`.
    File,
    /// The option `--cli`, for this run.
    CommandLine,
    /// An approved request, for this run.
    Approved,
}

/// Limits of a call.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct CliLimits {
    /// Seconds.
    pub timeout_seconds: u64,
    /// Bytes of output.
    pub max_output_bytes: usize,
    /// Bytes of memory of each process; as many as there are if none.
    #[serde(default)]
    pub max_memory_bytes: Option<u64>,
    /// Bytes of each file that a call writes; any number if none.
    #[serde(default)]
    pub max_file_bytes: Option<u64>,
    /// Calls at once.
    pub concurrency: usize,
    /// Folders in which paths must lie; anywhere if there are none.
    pub roots: Vec<String>,
}

/// An agent's request to use a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CliRequest {
    /// The alias it would have.
    pub alias: String,
    /// The program.
    pub command: String,
    /// Path of the program when it was requested.
    pub program: String,
    /// Description, in the agent's words.
    #[serde(default)]
    pub description: Option<String>,
    /// Instructions, in the agent's words.
    #[serde(default)]
    pub system_prompt: Option<String>,
    /// Whether it should be kept in the file.
    #[serde(default)]
    pub persist: bool,
    /// Name of the client that asked.
    #[serde(default)]
    pub client: Option<String>,
    /// Time of the request.
    pub at: Timestamp,
}

/// Gets a command-line tool with its definitions.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GetCliTool {
    /// The alias.
    pub alias: String,
}

impl Command for GetCliTool {
    const NAME: &'static str = "get_cli_tool";
    type Reply = CliToolDetail;
}

/// A command-line tool with its definitions.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CliToolDetail {
    /// The tool.
    #[serde(flatten)]
    pub row: CliToolRow,
    /// One for each tool.
    pub definitions: Vec<CliDefinition>,
}

/// What a program's help says, and what of it is offered.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CliDefinition {
    /// Id of the tool; empty for a preview.
    pub tool_id: String,
    /// The definition, as `cli read` prints it.
    pub definition: Value,
    /// Options and arguments, in order, with what they do.
    pub parameters: Vec<CliParameter>,
    /// The tool's input schema.
    pub input_schema: Value,
}

/// An option or argument.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CliParameter {
    /// Its property in the input schema.
    pub property: String,
    /// Its spellings; the name of an argument.
    pub flags: Vec<String>,
    /// Value as the help names it.
    pub value_name: String,
    /// Description.
    pub description: String,
    /// What else it does.
    pub effects: Vec<String>,
    /// Why it is not offered; none if it is.
    pub withheld: Option<String>,
}

/// Reads a program's help without adding it. Runs the program.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ProbeCliTool {
    /// Name of the program in PATH, or its path.
    pub command: String,
    /// Subcommand, such as `remote add`.
    #[serde(default)]
    pub subcommand: String,
}

impl Command for ProbeCliTool {
    const NAME: &'static str = "probe_cli_tool";
    type Reply = CliPreview;
}

/// What a program's help says.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CliPreview {
    /// Path of the program.
    pub program: String,
    /// What was understood.
    pub definition: CliDefinition,
    /// Names of its subcommands.
    pub subcommands: Vec<String>,
}

/// Adds a command-line tool to `ai-tools.json`, or replaces the entry of the same alias.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct AddCliTool {
    /// The entry, in the form of the file.
    pub entry: Map<String, Value>,
    /// Why.
    #[serde(default)]
    pub reason: Option<String>,
    /// Name of the person.
    #[serde(default)]
    pub person: Option<String>,
    /// Whether an entry of the same alias is kept, and this one rejected.
    #[serde(default)]
    pub only_new: bool,
}

impl Command for AddCliTool {
    const NAME: &'static str = "add_cli_tool";
    type Reply = CliToolRow;
}

/// Removes a command-line tool from `ai-tools.json`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RemoveCliTool {
    /// The alias.
    pub alias: String,
    /// Why.
    #[serde(default)]
    pub reason: Option<String>,
    /// Name of the person.
    #[serde(default)]
    pub person: Option<String>,
}

impl Command for RemoveCliTool {
    const NAME: &'static str = "remove_cli_tool";
    type Reply = ();
}

/// Reads the help of a program again.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RefreshCliTool {
    /// The alias.
    pub alias: String,
}

impl Command for RefreshCliTool {
    const NAME: &'static str = "refresh_cli_tool";
    type Reply = CliToolRow;
}

/// Approves an agent's request. The program's help is read.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ApproveCliTool {
    /// The alias.
    pub alias: String,
    /// Flags to offer although they run programs.
    #[serde(default)]
    pub allow: Vec<String>,
    /// Why.
    #[serde(default)]
    pub reason: Option<String>,
    /// Whether the reason is left out on purpose.
    #[serde(default)]
    pub no_reason: bool,
    /// Name of the person.
    #[serde(default)]
    pub person: Option<String>,
}

impl Command for ApproveCliTool {
    const NAME: &'static str = "approve_cli_tool";
    type Reply = CliToolRow;
}

/// Rejects an agent's request.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RejectCliTool {
    /// The alias.
    pub alias: String,
    /// Why.
    #[serde(default)]
    pub reason: Option<String>,
    /// Whether the reason is left out on purpose.
    #[serde(default)]
    pub no_reason: bool,
    /// Name of the person.
    #[serde(default)]
    pub person: Option<String>,
}

impl Command for RejectCliTool {
    const NAME: &'static str = "reject_cli_tool";
    type Reply = ();
}

/// Makes the argument vector of a call without running it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PreviewCliCall {
    /// Id of the tool.
    pub tool_id: String,
    /// Arguments.
    pub arguments: Map<String, Value>,
}

impl Command for PreviewCliCall {
    const NAME: &'static str = "preview_cli_call";
    type Reply = CliCallPreview;
}

/// The argument vector of a call.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CliCallPreview {
    /// The program's name and its arguments.
    pub argv: Vec<String>,
    /// Text for standard input.
    pub stdin: Option<String>,
}
