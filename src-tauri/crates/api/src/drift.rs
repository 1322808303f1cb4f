//! Drift: what tools return that is not what it was.

use schemascope_model::{ActorKind, CallId, Change, Share, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Command;

/// Lists drifts: those that go on first, of these the ones nobody acknowledged, then the newest.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ListDrift {
    /// Only of this tool.
    #[serde(default)]
    pub tool_id: Option<String>,
    /// Those that are over too.
    #[serde(default)]
    pub all: bool,
}

impl Command for ListDrift {
    const NAME: &'static str = "list_drift";
    type Reply = Vec<DriftRow>;
}

/// Says that a person has seen a drift. It goes on, and no longer waits for anybody.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AcknowledgeDrift {
    /// `server__tool`.
    pub tool_id: String,
    /// Its number.
    pub drift: u64,
    /// What they say of it; 1,000 bytes at most.
    #[serde(default)]
    pub reason: Option<String>,
    /// Who.
    #[serde(default)]
    pub person: Option<String>,
}

impl Command for AcknowledgeDrift {
    const NAME: &'static str = "acknowledge_drift";
    type Reply = DriftRow;
}

/// One drift.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriftRow {
    /// `server__tool`.
    pub tool_id: String,
    /// Its number, from 1 for each tool.
    pub drift: u64,
    /// Where: `orders[].customer`, `stock{}` for the values of a map; empty for the whole. Of a broken rule its
    /// place in the schema.
    pub path: String,
    /// What.
    #[serde(flatten)]
    pub change: Change,
    /// In words.
    pub sentence: String,
    /// How many were as they used to be, of the observations before it (the latest few hundred).
    pub before: Share,
    /// How many still are, of the observations since: as of now while it goes on and is followed, else as it was told.
    pub after: Share,
    /// When the first observation that shows it was made.
    pub since: Timestamp,
    /// Observations of the tool up to that one.
    pub began: u64,
    /// When there was enough to tell it.
    pub told: Timestamp,
    /// The first calls that show it, three at most.
    pub examples: Vec<CallId>,
    /// Who has seen it; none while it waits for somebody.
    pub acknowledged: Option<AcknowledgedRow>,
    /// How it ended; none while it goes on.
    pub resolved: Option<ResolvedRow>,
}

/// That somebody has seen a drift.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcknowledgedRow {
    /// When.
    pub at: Timestamp,
    /// What kind of actor.
    pub actor: ActorKind,
    /// Their name, where that is known.
    pub name: Option<String>,
    /// What they say of it.
    pub reason: Option<String>,
}

/// How a drift ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedRow {
    /// When that was noted.
    pub at: Timestamp,
    /// `returned`, `other_schema`, `taken_in`.
    pub how: String,
    /// Of one that was taken in: the version.
    pub version: Option<u32>,
    /// In words.
    pub sentence: String,
}
