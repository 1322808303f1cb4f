//! What is told of drift.
//!
//! Owns: the words. No value stands in them: paths and call ids only.

use schemascope_model::{CallId, Timestamp};
use serde::{Deserialize, Serialize};

use super::scan::Kind;

/// A type of JSON, as schemas name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TypeName {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// Whole or not.
    Number,
    /// Text.
    String,
    /// An object.
    Object,
    /// An array.
    Array,
}

/// What changed at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "change")]
pub enum Change {
    /// The field is there no more.
    Removed,
    /// The field is there under another name.
    Renamed {
        /// Its new path.
        to: String,
    },
    /// There is a new field.
    Appeared,
    /// It is null now, mostly.
    BecameNull,
    /// It has another type.
    Retyped {
        /// The type it mostly had.
        from: TypeName,
        /// The type it mostly has.
        to: TypeName,
    },
    /// Results break a rule of the effective schema that they kept; the path is the rule.
    Violated,
}

/// So many of so many observations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Those that are as they were before the change.
    pub count: u32,
    /// All that were looked at.
    pub of: u32,
}

/// One drift of one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriftEvent {
    /// Numbers a tool's events, from 1.
    pub id: u64,
    /// Where: `$.items[].name`; `{}` stands for the values of a map.
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
    /// When there were enough.
    pub at: Timestamp,
    /// The first calls that show it, three at most.
    pub examples: Vec<CallId>,
    /// A person has seen it.
    pub acknowledged: bool,
}

/// What an observation led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A drift is certain enough to be told. It is told once while it lasts.
    Raised(DriftEvent),
    /// Results are again as they were before it.
    Returned(DriftEvent),
}

impl TypeName {
    pub(super) fn of(kind: Kind) -> Self {
        match kind {
            Kind::Nowhere | Kind::Absent | Kind::Null => Self::Null,
            Kind::Boolean => Self::Boolean,
            Kind::Number => Self::Number,
            Kind::String => Self::String,
            Kind::Object => Self::Object,
            Kind::Array => Self::Array,
        }
    }
}
