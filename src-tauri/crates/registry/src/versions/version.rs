//! One version of a tool's schema.

use std::sync::Arc;

use schemascope_model::{Evidence, Timestamp, VersionOrigin};
use serde_json::Value;

/// An immutable schema of one tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Version {
    /// Counted from 1, for each tool.
    pub number: u32,
    /// Where it comes from.
    pub origin: VersionOrigin,
    /// When it was cut.
    pub created: Timestamp,
    /// The same for the same content.
    pub digest: Box<str>,
    /// JSON Schema 2020-12.
    pub schema: Arc<Value>,
    /// What was known at the time.
    pub evidence: Evidence,
    /// Bytes it takes, about.
    pub(crate) size: usize,
}
