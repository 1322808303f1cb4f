//! Events that report drift.

use schemascope_model::{CallId, Change, Ending, Share, Timestamp};
use serde::{Deserialize, Serialize};

/// One drift of one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriftEvent {
    /// Number of the event within one state, from 1. Drifts of other states are identified by [`DriftEvent::key`].
    pub id: u64,
    /// Where: `items[].name`, empty for the whole result; `…` stands for the beginning of a very long one and `{}`
    /// for the values of a map. Of a broken rule its place in the schema.
    pub path: String,
    /// What.
    #[serde(flatten)]
    pub change: Change,
    /// How many were as they used to be, of the observations before it: of a rule of the schema, of those that the
    /// schema was compared with; of none if it came into effect later.
    pub before: Share,
    /// How many still were, of the observations since.
    pub after: Share,
    /// When the first observation that shows it was made.
    pub since: Timestamp,
    /// Its number among all observations, from 1.
    pub began: u64,
    /// When there were enough.
    pub at: Timestamp,
    /// The first calls that show it, three at most.
    pub examples: Vec<CallId>,
}

/// What an observation led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A drift is certain enough to be reported. It is reported once while it lasts.
    Raised(DriftEvent),
    /// It is over.
    Ended(DriftEvent, Ending),
}

/// Identifies a drift on every machine and after every replay: its path and the first call that shows it.
pub type Key<'a> = (&'a str, Option<CallId>);

impl DriftEvent {
    /// What identifies it.
    pub fn key(&self) -> Key<'_> {
        (&self.path, self.examples.first().copied())
    }
}
