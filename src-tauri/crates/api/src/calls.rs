//! Calls: listing, making, reading traces of them.

use schemascope_model::{CallId, CallRecord, Carrier, Outcome, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::Command;

/// Lists recorded calls, newest first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ListCalls {
    /// Only of this tool.
    #[serde(default)]
    pub tool_id: Option<String>,
    /// Only those that failed.
    #[serde(default)]
    pub failures: bool,
    /// Only older than this one, for the next page.
    #[serde(default)]
    pub before: Option<CallId>,
    /// At most this many; the engine gives 1,000 at most.
    pub limit: usize,
}

impl Command for ListCalls {
    const NAME: &'static str = "list_calls";
    type Reply = CallsPage;
}

/// Calls, and where the next page begins.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct CallsPage {
    /// Newest first. May be fewer than asked for although there are more.
    pub calls: Vec<CallRecord>,
    /// `before` of the next page; none when there is nothing more.
    pub next: Option<CallId>,
}

/// Lists recorded calls without their bodies, newest first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct BrowseCalls {
    /// Filter tokens, as [`crate::Filter`] reads them; empty for all.
    #[serde(default)]
    pub filter: String,
    /// Only older than this one, for the next page.
    #[serde(default)]
    pub before: Option<CallId>,
    /// At most this many; the engine gives 1,000 at most.
    pub limit: usize,
}

impl Command for BrowseCalls {
    const NAME: &'static str = "browse_calls";
    type Reply = RowsPage;
}

/// Calls, and where the next page begins.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RowsPage {
    /// Newest first. May be fewer than asked for although there are more.
    pub rows: Vec<CallRow>,
    /// `before` of the next page; none when there is nothing more to look at.
    pub next: Option<CallId>,
}

/// One call in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallRow {
    /// Its id.
    pub id: CallId,
    /// When it reached us.
    pub at: Timestamp,
    /// `server__tool`.
    pub tool_id: String,
    /// How it ended.
    pub outcome: Outcome,
    /// How what it taught was carried; none where it taught nothing.
    pub carrier: Option<Carrier>,
    /// Whether the observation fit the schema declared then.
    pub fits: Option<bool>,
    /// Microseconds from request to answer.
    pub total_us: Option<u64>,
    /// Bytes of the result or error.
    pub result_bytes: u64,
    /// Name of the client.
    pub client: Option<String>,
}

/// Gets one call with its bodies.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GetCall {
    /// Its id.
    pub id: CallId,
}

impl Command for GetCall {
    const NAME: &'static str = "get_call";
    type Reply = CallRecord;
}

/// Calls a tool, as a client would. Recorded as any call.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CallTool {
    /// `server__tool`.
    pub tool_id: String,
    /// The arguments, a JSON object.
    pub arguments: Box<RawValue>,
}

impl Command for CallTool {
    const NAME: &'static str = "call_tool";
    type Reply = CallReply;
}

/// What a call came to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CallReply {
    /// The upstream's `result`, as sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<RawValue>>,
    /// The JSON-RPC error in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Box<RawValue>>,
    /// An error, or a result that says it is one.
    pub is_error: bool,
}

/// Reads lines of a trace as if the calls were made now.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Backfill {
    /// Number of the first line, from 1, for error messages.
    pub first_line: u64,
    /// The lines.
    pub lines: Vec<String>,
    /// Only check them.
    #[serde(default)]
    pub dry_run: bool,
}

impl Command for Backfill {
    const NAME: &'static str = "backfill";
    type Reply = BackfillReply;
}

/// What became of the lines.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct BackfillReply {
    /// Calls recorded, or that would be.
    pub accepted: u64,
    /// Calls left out because they are recorded already.
    pub known: u64,
    /// Lines that are no calls.
    pub rejected: Vec<RejectedLine>,
    /// Tools the accepted calls are of.
    pub tools: Vec<String>,
}

/// A line that is no call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RejectedLine {
    /// Its number, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
}
