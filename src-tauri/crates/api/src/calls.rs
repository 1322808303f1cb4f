//! Commands about calls: listing them, making one, and reading traces.

use schemascope_model::{CallId, CallRecord, Carrier, Outcome, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::Command;

/// Lists recorded calls, newest first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ListCalls {
    /// Only calls of this tool.
    #[serde(default)]
    pub tool_id: Option<String>,
    /// Filter tokens, as [`crate::Filter`] reads them; empty for all.
    #[serde(default)]
    pub filter: String,
    /// Only calls older than this one, for the next page.
    #[serde(default)]
    pub before: Option<CallId>,
    /// Only this call and newer ones.
    #[serde(default)]
    pub since: Option<CallId>,
    /// Largest number of calls; the engine returns at most 1,000.
    pub limit: usize,
}

impl Command for ListCalls {
    const NAME: &'static str = "list_calls";
    type Reply = CallsPage;
}

/// A page of calls.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct CallsPage {
    /// Calls, newest first. There may be more, even if these are fewer than the limit.
    pub calls: Vec<CallRecord>,
    /// `before` of the next page; `None` at the end.
    pub next: Option<CallId>,
}

/// Lists recorded calls without their bodies, newest first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct BrowseCalls {
    /// Filter tokens, as [`crate::Filter`] reads them; empty for all.
    #[serde(default)]
    pub filter: String,
    /// Only calls older than this one, for the next page.
    #[serde(default)]
    pub before: Option<CallId>,
    /// Only this call and newer ones.
    #[serde(default)]
    pub since: Option<CallId>,
    /// Largest number of calls; the engine returns at most 1,000.
    pub limit: usize,
}

impl Command for BrowseCalls {
    const NAME: &'static str = "browse_calls";
    type Reply = RowsPage;
}

/// A page of calls without their bodies.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RowsPage {
    /// Calls, newest first. There may be more, even if these are fewer than the limit.
    pub rows: Vec<CallRow>,
    /// `before` of the next page; `None` at the end.
    pub next: Option<CallId>,
}

/// One call in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallRow {
    /// Call id.
    pub id: CallId,
    /// Time at which the request arrived.
    pub at: Timestamp,
    /// `server__tool`.
    pub tool_id: String,
    /// Outcome of the call.
    pub outcome: Outcome,
    /// Form in which the result carried its structure; `None` if the call is not an observation.
    pub carrier: Option<Carrier>,
    /// Whether the observation fit the schema that was effective then.
    pub fits: Option<bool>,
    /// Microseconds from request to answer.
    pub total_us: Option<u64>,
    /// Size of the result or error in bytes.
    pub result_bytes: u64,
    /// Name of the client.
    pub client: Option<String>,
}

/// Lists calls that have no answer yet.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ListRunning {}

impl Command for ListRunning {
    const NAME: &'static str = "list_running";
    type Reply = RunningCalls;
}

/// Calls that take a second or more so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunningCalls {
    /// Number of these calls.
    pub count: u64,
    /// The longest, at most 20, longest first.
    pub calls: Vec<RunningCall>,
}

/// A call that has no answer yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunningCall {
    /// `server__tool`.
    pub tool_id: String,
    /// Time at which the request arrived.
    pub at: Timestamp,
    /// Name of the client.
    pub client: Option<String>,
}

/// Gets one call with its bodies.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GetCall {
    /// Call id.
    pub id: CallId,
}

impl Command for GetCall {
    const NAME: &'static str = "get_call";
    type Reply = CallRecord;
}

/// Calls a tool, as a client would. The call is recorded like any other.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CallTool {
    /// `server__tool`.
    pub tool_id: String,
    /// Arguments as a JSON object.
    pub arguments: Box<RawValue>,
}

impl Command for CallTool {
    const NAME: &'static str = "call_tool";
    type Reply = CallReply;
}

/// Result of a call.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CallReply {
    /// `result` of the upstream, unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<RawValue>>,
    /// JSON-RPC error of the upstream, if there is no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Box<RawValue>>,
    /// Whether this is an error, or a result marked as one.
    pub is_error: bool,
}

/// Records the calls of a trace.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Backfill {
    /// Number of the first line, from 1, for error messages.
    pub first_line: u64,
    /// Numbers of the lines, if they do not follow one another.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<u64>,
    /// The lines.
    pub lines: Vec<String>,
    /// Whether the lines are only checked.
    #[serde(default)]
    pub dry_run: bool,
}

impl Command for Backfill {
    const NAME: &'static str = "backfill";
    type Reply = BackfillReply;
}

/// Counts of accepted and rejected lines.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct BackfillReply {
    /// Number of calls that were recorded, or would be.
    pub accepted: u64,
    /// Number of calls left out because they are recorded already, or were.
    pub known: u64,
    /// How many of these were removed since.
    pub removed: u64,
    /// Lines that are not calls.
    pub rejected: Vec<RejectedLine>,
    /// Ids of the tools of the accepted calls.
    pub tools: Vec<String>,
}

/// A line that is not a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RejectedLine {
    /// Line number, from 1.
    pub line: u64,
    /// Why it was rejected.
    pub reason: String,
}
