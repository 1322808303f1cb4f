//! The event stream: what a front needs to show everything as it is now.
//!
//! A front's picture is the fold of the frames it got. A frame carries what changed since the cursor the
//! reader came with; a reader without one, with one of another engine, or too far behind gets a
//! snapshot that replaces its picture. Owns: those types. Refuses to know: how frames travel.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{CallRow, Command, Latency, RecorderReport, ServerRow, ToolRow};

/// How far a reader is: written `ENGINE-SEQUENCE`, both decimal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// Which run of the engine.
    pub engine: u64,
    /// The last event that was seen.
    pub sequence: u64,
}

/// What changed. At most ten a second; at least one a second.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Frame {
    /// Where the next one goes on.
    pub cursor: Cursor,
    /// Whether this replaces everything known, and about whom.
    pub snapshot: Option<Snapshot>,
    /// Numbers of now.
    pub pulse: Pulse,
    /// Calls recorded, oldest first.
    pub calls: Vec<CallRow>,
    /// Tools that changed, as they are now.
    pub tools: Vec<ToolRow>,
    /// Tools that are no more: listed no longer, and never seen to answer.
    pub gone: Vec<String>,
    /// Upstreams that changed, as they are now, without their logs.
    pub servers: Vec<ServerRow>,
    /// Somebody started the app once more: a window should come to the front.
    pub show_window: bool,
}

/// What does not change while an engine runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Its version.
    pub version: String,
    /// The configuration file.
    pub config: String,
    /// Why the configuration says nothing, if it does not.
    pub problem: Option<String>,
    /// The file of overrides, and what is wrong with it.
    #[serde(default)]
    pub overrides: (String, Vec<String>),
    /// The endpoint of all upstreams.
    pub mcp_url: Option<String>,
    /// What was mended when the engine started.
    pub recovery: Vec<String>,
}

/// Numbers of now.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Pulse {
    /// Calls recorded in the last five seconds, per second.
    pub calls_per_second: f64,
    /// Calls ever recorded that are kept in counts.
    pub call_count: u64,
    /// Those that failed.
    pub failure_count: u64,
    /// Times of calls since the engine started, from request to answer.
    pub latency: Latency,
    /// The recorder since the engine started.
    pub recorder: RecorderReport,
}

/// Asks a window that is open to come to the front.
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
