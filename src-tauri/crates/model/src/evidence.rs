//! What a version rests on, and what it would have made of observations.
//!
//! Owns: the form of it. Refuses to know: how it is found, and bounds (see `registry`).

use serde::{Deserialize, Serialize};

use crate::{CallId, Quality, Timestamp};

/// What was known when a version was cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Calls whose result taught the shape.
    pub observation_count: u64,
    /// Calls, however they ended.
    pub call_count: u64,
    /// How far what was inferred could be trusted.
    pub quality: Quality,
    /// Mean of the fields' consistency in millionths; none before the first observation.
    pub mean_consistency: Option<u32>,
    /// Named fields, in order of path.
    pub fields: Vec<FieldEvidence>,
    /// Fields there is no room for.
    #[serde(default)]
    pub fields_left_out: u64,
    /// Some of the latest observations.
    pub examples: Vec<Example>,
    /// Latest observations that the version before does not allow, and this one does.
    pub counter_examples: Vec<ImpactedCall>,
}

/// A field's numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldEvidence {
    /// Path from the root: `orders[].customer`.
    pub path: String,
    /// Its types for people, the most frequent first.
    pub kinds: Vec<String>,
    /// Parent objects that have it.
    pub present: u64,
    /// Parent objects seen.
    pub parents: u64,
    /// Its consistency in millionths.
    pub consistency: u32,
    /// The schema requires it.
    pub required: bool,
}

/// An observation, redacted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// The call.
    pub id: CallId,
    /// The value as JSON. Cut at 2,000 bytes, and then no longer JSON.
    pub json: String,
}

/// What of an observation breaks which rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Violation {
    /// Where, as the schema has it: `orders[].customer`, `stock{}` for the values of a map; empty for the whole.
    pub path: String,
    /// The keyword: `required`, `type`, `enum`, …
    pub rule: String,
}

/// An observation that does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImpactedCall {
    /// The call.
    pub id: CallId,
    /// When it was made.
    pub at: Timestamp,
    /// The first thing that does not fit.
    #[serde(flatten)]
    pub violation: Violation,
}

/// How often a rule was broken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleCount {
    /// Which.
    #[serde(flatten)]
    pub violation: Violation,
    /// Observations.
    pub count: u64,
    /// Some of them.
    pub calls: Vec<CallId>,
}
