//! Evidence for a version: what was known when it was created, and which observations break it.

use serde::{Deserialize, Serialize};

use crate::{CallId, Quality, Timestamp};

/// Evidence at the time when a version was created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Number of calls whose results were observed.
    pub observation_count: u64,
    /// Number of calls, whatever their outcome.
    pub call_count: u64,
    /// Time of the latest call whose result was observed. Versions before had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_observed: Option<Timestamp>,
    /// Time from which results were learned from, if a user decided so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned_since: Option<Timestamp>,
    /// Quality of the inferred schema.
    pub quality: Quality,
    /// Mean consistency of the fields in millionths; `None` before the first observation.
    pub mean_consistency: Option<u32>,
    /// Named fields, ordered by path.
    pub fields: Vec<FieldEvidence>,
    /// Number of fields omitted for lack of room.
    #[serde(default)]
    pub fields_left_out: u64,
    /// Some of the latest observations.
    pub examples: Vec<Example>,
    /// Some of the latest observations that this version allows and the previous one does not.
    pub counter_examples: Vec<ImpactedCall>,
}

/// Numbers of one field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldEvidence {
    /// Path from the root: `orders[].customer`.
    pub path: String,
    /// Types of the field in display form, most frequent first.
    pub kinds: Vec<String>,
    /// Number of parent objects that have the field.
    pub present: u64,
    /// Number of parent objects observed.
    pub parents: u64,
    /// Consistency of the field in millionths.
    pub consistency: u32,
    /// Whether the schema requires the field.
    pub required: bool,
}

/// An observation, redacted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// Id of the call.
    pub id: CallId,
    /// Value as JSON, truncated to 2,000 bytes. A truncated value is not valid JSON.
    pub json: String,
}

/// Rule that an observation breaks, and where.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Violation {
    /// Place in the notation of schemas: `orders[].customer`, `stock{}` for the values of a map,
    /// empty for the whole value.
    pub path: String,
    /// Keyword: `required`, `type`, `enum`, …
    pub rule: String,
}

/// A call whose result does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImpactedCall {
    /// Id of the call.
    pub id: CallId,
    /// Time of the call.
    pub at: Timestamp,
    /// First rule that its result breaks.
    #[serde(flatten)]
    pub violation: Violation,
}

/// Number of times a rule was broken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleCount {
    /// Rule that was broken.
    #[serde(flatten)]
    pub violation: Violation,
    /// Number of observations that break it.
    pub count: u64,
    /// Some of the calls.
    pub calls: Vec<CallId>,
}
