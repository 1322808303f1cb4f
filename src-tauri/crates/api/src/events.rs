//! The event stream, from which a front shows the current state.
//!
//! A front applies the frames it receives in order. A frame has the changes since the cursor of the reader. A reader
//! without a cursor, with a cursor of another engine, or too far behind receives a snapshot that replaces its state.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{
    CallRow, CliRequest, Command, DescriptionProposal, Latency, RecorderReport, RunningCalls, ServerRow,
    ToolRow, WrapperEvent,
};

/// Position of a reader, written `ENGINE-SEQUENCE` with decimal numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// Run of the engine.
    pub engine: u64,
    /// Last event that was received.
    pub sequence: u64,
}

/// Changes since a cursor. At least one and at most ten frames are sent per second.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Frame {
    /// Cursor for the next frame.
    pub cursor: Cursor,
    /// Facts about the engine, if this frame replaces everything received before.
    pub snapshot: Option<Snapshot>,
    /// Current numbers.
    pub pulse: Pulse,
    /// Recorded calls, oldest first.
    pub calls: Vec<CallRow>,
    /// Changed tools in their current state.
    pub tools: Vec<ToolRow>,
    /// Ids of tools that were removed: no longer listed and never observed.
    pub gone: Vec<String>,
    /// Changed upstreams in their current state, without logs.
    pub servers: Vec<ServerRow>,
    /// Wrappers that were kept current, oldest first. A snapshot has the latest ones since the engine started.
    #[serde(default)]
    pub wrappers: Vec<WrapperEvent>,
    /// Whether the window should come to the front, because the app was started again.
    pub show_window: bool,
}

/// Facts that do not change while an engine runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Version of the program.
    pub version: String,
    /// Name of the user that runs the engine, who takes decisions without another name.
    #[serde(default)]
    pub user: Option<String>,
    /// Path of the configuration file.
    pub config: String,
    /// Why the configuration cannot be used.
    pub problem: Option<String>,
    /// Path of the overrides file, and its problems.
    #[serde(default)]
    pub overrides: (String, Vec<String>),
    /// URL of the endpoint of all upstreams.
    pub mcp_url: Option<String>,
    /// Repairs that were made when the engine started.
    pub recovery: Vec<String>,
    /// Requests for command-line tools that await a decision.
    #[serde(default)]
    pub requests: Vec<CliRequest>,
    /// Descriptions of fields that interviews propose and no one decided about, at most 50.
    #[serde(default)]
    pub proposals: Vec<DescriptionProposal>,
}

/// Current numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Pulse {
    /// Calls per second, over the last five seconds.
    pub calls_per_second: f64,
    /// Number of calls.
    pub call_count: u64,
    /// Number of failed calls.
    pub failure_count: u64,
    /// Durations of calls since the engine started, from request to answer.
    pub latency: Latency,
    /// State of the recorder since the engine started.
    pub recorder: RecorderReport,
    /// Calls that have no answer yet.
    #[serde(default)]
    pub running: RunningCalls,
}

/// Brings an open window to the front.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ShowWindow {}

impl Command for ShowWindow {
    const NAME: &'static str = "show_window";
    type Reply = ();
}

/// A text that is not a cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidCursor(String);

impl fmt::Display for InvalidCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not a cursor such as 1763683200000-42", self.0)
    }
}

impl std::error::Error for InvalidCursor {}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.engine, self.sequence)
    }
}

impl FromStr for Cursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        let parts = text.split_once('-').and_then(|(engine, sequence)| {
            Some(Self { engine: engine.parse().ok()?, sequence: sequence.parse().ok()? })
        });
        parts.ok_or_else(|| InvalidCursor(text.to_owned()))
    }
}

impl Serialize for Cursor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Cursor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}
