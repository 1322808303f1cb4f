//! How a tool is shown to clients.
//!
//! Owns: the fields. Refuses to know: who says so, and where.

use serde_json::{Map, Value};

/// What people say of a tool instead of its upstream. What is not said stays as the upstream says it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Presented {
    /// Clients are not shown it, and cannot call it.
    pub hidden: bool,
    /// What clients call it.
    pub name: Option<Box<str>>,
    /// What clients read about it.
    pub description: Option<Box<str>>,
    /// Laid over the upstream's annotations, key by key.
    pub annotations: Map<String, Value>,
    /// What clients are told of its arguments.
    pub input_schema: Option<Value>,
}
