//! Commands about discovery: calling tools that the user lists, to learn what they return.

use schemascope_model::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::Command;

/// Text of a discovery file, and where it was read.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DiscoveryFile {
    /// Its path, for messages.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Reads a discovery file and checks its calls against what the servers list. Starts these servers, and calls nothing.
/// A file that cannot be used, or that names something unknown, is an error.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PlanDiscovery {
    /// The file; without one, `discovery_config.json` beside the `mcp.json` in use.
    #[serde(default)]
    pub file: Option<DiscoveryFile>,
    /// Only the tools of this server.
    #[serde(default)]
    pub server_name: Option<String>,
}

impl Command for PlanDiscovery {
    const NAME: &'static str = "plan_discovery";
    type Reply = DiscoveryPlan;
}

/// The calls of a discovery file, in its order.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DiscoveryPlan {
    /// Path of the file.
    pub file: String,
    /// Whether the file exists. A file that was named always does.
    pub exists: bool,
    /// The calls.
    pub calls: Vec<DiscoveryCall>,
}

/// One call for discovery, before it is made or after.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DiscoveryCall {
    /// `server__tool`.
    pub tool_id: String,
    /// Name of the server.
    pub server_name: String,
    /// Name of the tool at the server.
    pub tool_name: String,
    /// Arguments as a JSON object.
    pub arguments: Box<RawValue>,
    /// Whether the server declares that the tool may destroy something.
    pub destructive: bool,
    /// State of the call.
    pub state: DiscoveryState,
    /// Reason for the state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Time of the same call within the last day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Timestamp>,
    /// Time from request to answer, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_us: Option<u64>,
}

/// State of a call for discovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiscoveryState {
    /// The call returned a result.
    Ok,
    /// The call returned a result that is marked as an error.
    ToolError,
    /// The server answered with an error, or not at all.
    Error,
    /// The call was cancelled after its time limit.
    TimedOut,
    /// The call can be made.
    Ready,
    /// The same call succeeded within the last day, so it is not repeated.
    Recent,
    /// The call is not made because its server declares that the tool may destroy something.
    Destructive,
    /// The arguments do not fit the tool's input schema.
    Invalid,
    /// The server does not run.
    Unavailable,
}

impl DiscoveryState {
    /// Returns whether something must be done before the call can succeed.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Invalid | Self::Unavailable | Self::ToolError | Self::Error | Self::TimedOut)
    }
}

/// Makes one call for discovery, unless the same call succeeded within the last day. The arguments are checked against
/// the tool's input schema first.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunDiscovery {
    /// `server__tool`.
    pub tool_id: String,
    /// Arguments as a JSON object.
    pub arguments: Box<RawValue>,
}

impl Command for RunDiscovery {
    const NAME: &'static str = "run_discovery";
    type Reply = DiscoveryCall;
}

/// Proposes tools for the discovery file: those that their server declares to be read-only, with arguments that
/// worked before. Starts the servers, and calls nothing.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SuggestDiscovery {
    /// Only tools of this server.
    #[serde(default)]
    pub server_name: Option<String>,
}

impl Command for SuggestDiscovery {
    const NAME: &'static str = "suggest_discovery";
    type Reply = DiscoverySuggestions;
}

/// Proposals for the discovery file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DiscoverySuggestions {
    /// Path of `discovery_config.json` beside the `mcp.json` in use.
    pub file: String,
    /// The proposals, by server and tool.
    pub tools: Vec<DiscoverySuggestion>,
    /// Servers that could not be asked, each with the reason.
    pub unavailable: Vec<(String, String)>,
}

/// A tool that its server declares to be read-only.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DiscoverySuggestion {
    /// `server__tool`.
    pub tool_id: String,
    /// Name of the server.
    pub server_name: String,
    /// Name of the tool at the server.
    pub tool_name: String,
    /// Arguments that can be used; none if the tool needs some that no earlier call shows.
    pub arguments: Option<Box<RawValue>>,
    /// Whether the arguments are those of an earlier call that succeeded.
    pub earlier: bool,
}

/// Adds calls to `discovery_config.json` beside the `mcp.json` in use. Tools that it lists stay as they are.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct KeepDiscovery {
    /// The calls.
    pub calls: Vec<RunDiscovery>,
}

impl Command for KeepDiscovery {
    const NAME: &'static str = "keep_discovery";
    type Reply = KeptDiscovery;
}

/// Calls that were added to a discovery file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptDiscovery {
    /// Path of the file.
    pub file: String,
    /// Number of calls that were added.
    pub added: u64,
}
