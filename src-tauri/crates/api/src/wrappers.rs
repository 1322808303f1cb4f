//! What wrappers are generated from.

use schemascope_model::{Quality, Source, Strategy, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Command;

/// Gets what is known of tools, for wrappers. Lists the servers first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GetWrapperTools {
    /// Only tools of this server.
    #[serde(default)]
    pub server: Option<String>,
    /// Only this tool.
    #[serde(default)]
    pub tool_id: Option<String>,
    /// Least quality at which an inferred schema is used; the setting `model_from` by default.
    #[serde(default)]
    pub model_from: Option<Quality>,
}

impl GetWrapperTools {
    /// Whether tools of this server are wanted.
    pub fn includes(&self, server: &str) -> bool {
        let of_tool = || self.tool_id.as_ref()?.split_once("__").map(|(server, _)| server);
        self.server.as_deref().or_else(of_tool).is_none_or(|wanted| wanted == server)
    }
}

impl Command for GetWrapperTools {
    const NAME: &'static str = "get_wrapper_tools";
    type Reply = WrapperTools;
}

/// Tools as wrappers need them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct WrapperTools {
    /// The wanted tools, by id.
    pub tools: Vec<WrapperTool>,
    /// Server and name of every tool known, wanted or not.
    pub all: Vec<(String, String)>,
    /// Servers that could not be listed, with reasons.
    pub unlisted: Vec<(String, String)>,
}

/// A tool as its wrapper needs it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WrapperTool {
    /// `server__tool`.
    pub tool_id: String,
    /// Description that clients see.
    pub description: String,
    /// How far the result's type binds.
    pub strategy: Strategy,
    /// Where the schema comes from.
    pub source: Source,
    /// How far it can be trusted.
    pub quality: Quality,
    /// Number of observations.
    pub observation_count: u64,
    /// Version in effect.
    pub version: Option<u32>,
    /// Schema of the arguments that clients see.
    pub input_schema: Value,
    /// Schema of the results, unless nothing is known.
    pub output_schema: Option<Value>,
    /// Whether all results are text without structure.
    pub is_text: bool,
    /// Whether the server lists the tool.
    pub listed: bool,
}

/// Gets the wrapper of a tool, as `generate` would write it now. Nothing is written.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GetWrapper {
    /// `server__tool`.
    pub tool_id: String,
    /// `python`, `typescript` or `rust`.
    pub lang: String,
}

impl Command for GetWrapper {
    const NAME: &'static str = "get_wrapper";
    type Reply = WrapperText;
}

/// The wrapper of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrapperText {
    /// Path in the folder of wrappers.
    pub path: String,
    /// The whole file.
    pub text: String,
    /// How far the result's type binds.
    pub strategy: Strategy,
    /// Why.
    pub reason: String,
    /// What else a reader should know.
    pub notes: Vec<String>,
}

/// Writes the wrappers of tools into a folder and remembers the folder, so that they are kept current. Lists the
/// servers first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct WriteWrappers {
    /// Absolute path of the folder.
    pub path: String,
    /// Languages, such as `python`; those that the folder has if empty, and Python if it has none.
    #[serde(default)]
    pub languages: Vec<String>,
    /// Only tools of this server.
    #[serde(default)]
    pub server: Option<String>,
    /// Only this tool.
    #[serde(default)]
    pub tool_id: Option<String>,
    /// Least quality at which an inferred schema is used; that of the folder's previous run by default, else the setting
    /// `model_from`.
    #[serde(default)]
    pub model_from: Option<Quality>,
    /// Whether wrappers that were edited by hand are replaced.
    #[serde(default)]
    pub force: bool,
    /// Whether the wrappers of tools that their servers no longer list are removed.
    #[serde(default)]
    pub prune: bool,
}

impl Command for WriteWrappers {
    const NAME: &'static str = "write_wrappers";
    type Reply = WrittenWrappers;
}

/// Wrappers that were written.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct WrittenWrappers {
    /// Number of wrappers in the folder.
    pub wrapper_count: u64,
    /// Wanted tools by how far the type of their result binds: typed, inferred, helper.
    pub strategies: [u64; 3],
    /// New or changed files.
    pub files_written: u64,
    /// Files that were current.
    pub files_current: u64,
    /// Wrappers whose text changed.
    pub changes: Vec<WrapperChange>,
    /// Paths of wrappers that were edited by hand.
    pub edited: Vec<String>,
    /// Paths of wrappers that were removed, because their tools are no longer listed.
    #[serde(default)]
    pub pruned: Vec<String>,
    /// Paths of wrappers of such tools that stay, because they have text of the user.
    #[serde(default)]
    pub kept: Vec<String>,
    /// Servers that could not be listed, with reasons.
    pub unlisted: Vec<(String, String)>,
}

/// A wrapper whose text changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrapperChange {
    /// `server__tool`.
    pub tool_id: String,
    /// Language of the wrapper.
    pub lang: String,
    /// Path of the wrapper in the folder.
    pub file: String,
    /// Why it changed.
    pub why: String,
    /// Whether it was edited by hand, so that the new text is in a file beside it that ends in `.new`.
    pub edited: bool,
}

/// A change that was made to keep a wrapper current.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrapperEvent {
    /// When it was made.
    pub at: Timestamp,
    /// Absolute path of the folder.
    pub folder: String,
    /// What changed.
    #[serde(flatten)]
    pub change: WrapperChange,
}

/// Lists the folders whose wrappers are kept current.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ListWrapperTargets {}

impl Command for ListWrapperTargets {
    const NAME: &'static str = "list_wrapper_targets";
    type Reply = Vec<WrapperTarget>;
}

/// A folder whose wrappers are kept current.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrapperTarget {
    /// Absolute path.
    pub path: String,
    /// Languages, such as `python`.
    pub languages: Vec<String>,
    /// Which tools are written; a tool that one of these names is.
    pub filters: Vec<WrapperFilter>,
    /// Least quality at which an inferred schema is used; the setting `model_from` if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_from: Option<Quality>,
}

/// Tools of one server, one tool, or all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrapperFilter {
    /// Only tools of this server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Only this tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_id: Option<String>,
}

impl WrapperFilter {
    /// Whether a tool is written.
    pub fn includes(&self, server: &str, tool_id: &str) -> bool {
        self.server.as_deref().is_none_or(|wanted| wanted == server)
            && self.tool_id.as_deref().is_none_or(|wanted| wanted == tool_id)
    }
}

/// Stops keeping the wrappers of a folder current. Returns whether it was one of the targets.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ForgetWrapperTarget {
    /// Absolute path of the folder.
    pub path: String,
}

impl Command for ForgetWrapperTarget {
    const NAME: &'static str = "forget_wrapper_target";
    type Reply = bool;
}

/// Brings the wrappers of all targets up to date.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct EvolveWrappers {
    /// Whether changes are only reported.
    #[serde(default)]
    pub dry_run: bool,
    /// Whether that is done which the engine would do by itself in a moment: nothing if the setting `evolve` is off,
    /// else only wrappers of tools that changed. The reply is empty.
    #[serde(default)]
    pub due: bool,
}

impl Command for EvolveWrappers {
    const NAME: &'static str = "evolve_wrappers";
    type Reply = Vec<EvolvedTarget>;
}

/// A target that was brought up to date.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvolvedTarget {
    /// Absolute path of the folder.
    pub path: String,
    /// Whether the folder no longer exists, or has no wrappers, so that it is no target any more.
    pub gone: bool,
    /// Why nothing could be written.
    pub problem: Option<String>,
    /// Wrappers whose text changed.
    pub changes: Vec<WrapperChange>,
    /// Paths of wrappers that were edited by hand.
    pub edited: Vec<String>,
}

/// Gets the state of the folders whose wrappers are kept current. Nothing is written.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GetWrapperFolders {}

impl Command for GetWrapperFolders {
    const NAME: &'static str = "get_wrapper_folders";
    type Reply = Vec<WrapperFolder>;
}

/// The state of a folder of wrappers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrapperFolder {
    /// Where it is, and what is written there.
    #[serde(flatten)]
    pub target: WrapperTarget,
    /// Whether the folder no longer exists, or has no wrappers.
    pub gone: bool,
    /// Why it cannot be kept current.
    pub problem: Option<String>,
    /// Number of wrappers.
    pub wrapper_count: u64,
    /// Wrappers that are not current, and why.
    pub behind: Vec<WrapperChange>,
    /// Wrappers that were edited by hand.
    pub edited: Vec<EditedWrapper>,
    /// Wrappers whose text changed last, the latest first.
    pub latest: Vec<LatestWrapper>,
}

/// A wrapper that was edited by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditedWrapper {
    /// Path in the folder.
    pub file: String,
    /// What the text beside it would change: lines that begin with ` `, `-` or `+`. None if there is no text beside it.
    pub difference: Option<Vec<String>>,
}

/// A wrapper, and why its text changed last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatestWrapper {
    /// Path in the folder.
    pub file: String,
    /// When it was written.
    pub at: Timestamp,
    /// Why.
    pub why: String,
}

/// Decides about the text beside a wrapper that was edited by hand.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SettleWrapper {
    /// Absolute path of the folder.
    pub path: String,
    /// Path of the wrapper in the folder.
    pub file: String,
    /// Whether the text beside it replaces the edited region. Otherwise the edited one stays until the tool changes again.
    pub take: bool,
}

impl Command for SettleWrapper {
    const NAME: &'static str = "settle_wrapper";
    type Reply = ();
}
