//! Overrides of how a tool is presented to clients.

use serde_json::{Map, Value};

/// Presentation of a tool to clients. Fields that are not set stay as the upstream declares them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Presented {
    /// Whether the tool is hidden: not listed, and not callable.
    pub hidden: bool,
    /// Name used by clients.
    pub name: Option<Box<str>>,
    /// Description shown to clients.
    pub description: Option<Box<str>>,
    /// Annotations that replace the upstream's, key by key.
    pub annotations: Map<String, Value>,
    /// Schema of the arguments advertised to clients.
    pub input_schema: Option<Value>,
}
