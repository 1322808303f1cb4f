//! Commands about drift: lasting changes in what tools return.

use schemascope_model::{ActorKind, CallId, Change, LostEdge, Share, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Command, Decided};

/// Lists drift: unresolved before resolved, unacknowledged before acknowledged, then newest first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ListDrift {
    /// Only drift of this tool.
    #[serde(default)]
    pub tool_id: Option<String>,
    /// Whether resolved drift is listed, too.
    #[serde(default)]
    pub all: bool,
}

impl Command for ListDrift {
    const NAME: &'static str = "list_drift";
    type Reply = Vec<DriftRow>;
}

/// Marks a drift as seen, or takes the mark back. A marked one stays listed and no longer needs attention.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AcknowledgeDrift {
    /// `server__tool`.
    pub tool_id: String,
    /// Number of the drift.
    pub drift: u64,
    /// Reason, at most 1,000 bytes.
    #[serde(default)]
    pub reason: Option<String>,
    /// Whether the reason is left out on purpose. An acknowledgement needs a reason or this.
    #[serde(default)]
    pub no_reason: bool,
    /// Name of the user; by default, of the user that runs the engine.
    #[serde(default)]
    pub person: Option<String>,
    /// Takes the mark back instead. This needs no reason.
    #[serde(default)]
    pub undo: bool,
}

impl Command for AcknowledgeDrift {
    const NAME: &'static str = "acknowledge_drift";
    type Reply = DriftRow;
}

/// Decides which results of a tool its schema is learned from. Stored results are read again; calls and versions stay.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Relearn {
    /// `server__tool`.
    pub tool_id: String,
    /// Which results.
    pub from: LearnFrom,
    /// Reason, at most 1,000 bytes.
    #[serde(default)]
    pub reason: Option<String>,
    /// Whether the reason is left out on purpose. The decision needs a reason or this.
    #[serde(default)]
    pub no_reason: bool,
    /// Name of the user; by default, of the user that runs the engine.
    #[serde(default)]
    pub person: Option<String>,
}

/// Results of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LearnFrom {
    /// All results.
    All,
    /// Those that come from now on.
    Now,
    /// Those since a time.
    Time(Timestamp),
    /// Those since a drift began.
    Drift(u64),
}

impl Command for Relearn {
    const NAME: &'static str = "relearn";
    type Reply = Decided;
}

/// One drift.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriftRow {
    /// `server__tool`.
    pub tool_id: String,
    /// Number of the drift, from 1 for each tool.
    pub drift: u64,
    /// Path of the field: `orders[].customer`, `stock{}` for the values of a map; empty for the whole value. For a
    /// violated rule, its place in the schema.
    pub path: String,
    /// Kind of change.
    #[serde(flatten)]
    pub change: Change,
    /// The change as a sentence.
    pub sentence: String,
    /// Share of observations with the old shape before the change (of the latest few hundred).
    pub before: Share,
    /// Share of observations with the old shape since the change; current while the drift is followed, else as of the
    /// report.
    pub after: Share,
    /// Time of the first observation that shows it.
    pub since: Timestamp,
    /// Number of observations of the tool up to that one.
    pub began: u64,
    /// Time at which the evidence was sufficient and the drift was reported.
    pub told: Timestamp,
    /// First calls that show it, at most three.
    pub examples: Vec<CallId>,
    /// Acknowledgement; `None` while the drift needs attention.
    pub acknowledged: Option<AcknowledgedRow>,
    /// Resolution; `None` while the drift is active.
    pub resolved: Option<ResolvedRow>,
    /// Edges that it breaks while it is active, the most used first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaks: Vec<LostEdge>,
}

/// Acknowledgement of a drift.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcknowledgedRow {
    /// Time of the acknowledgement.
    pub at: Timestamp,
    /// Kind of actor.
    pub actor: ActorKind,
    /// Name of the actor, if it is known.
    pub name: Option<String>,
    /// Reason, if one was given.
    pub reason: Option<String>,
}

/// Resolution of a drift.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedRow {
    /// Time at which the resolution was noted.
    pub at: Timestamp,
    /// `returned`, `other_schema`, `taken_in`, `withdrawn`.
    pub how: String,
    /// For `taken_in`, the version that allows the new shape.
    pub version: Option<u32>,
    /// The resolution as a sentence.
    pub sentence: String,
}
