//! What is told of drift.
//!
//! Owns: its form. No value stands in it: paths and call ids only.

use schemascope_model::{CallId, Change, Ending, Share, Timestamp};
use serde::{Deserialize, Serialize};

/// One drift of one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriftEvent {
    /// Numbers what one state told, from 1. What is known of another state's drifts is known by
    /// [`DriftEvent::key`].
    pub id: u64,
    /// Where: `$.items[].name`; `{}` stands for the values of a map. Of a broken rule its place in the schema.
    pub path: String,
    /// What.
    #[serde(flatten)]
    pub change: Change,
    /// How many were as they used to be, of the observations before it (the latest few hundred).
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
    /// A drift is certain enough to be told. It is told once while it lasts.
    Raised(DriftEvent),
    /// It is over.
    Ended(DriftEvent, Ending),
}

/// The same for one drift whoever counts, and however often: its path and the first call that shows it.
pub type Key<'a> = (&'a str, Option<CallId>);

impl DriftEvent {
    /// What identifies it.
    pub fn key(&self) -> Key<'_> {
        (&self.path, self.examples.first().copied())
    }
}
