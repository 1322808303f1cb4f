//! The source of effective schemas and overrides, which the engine implements.

use std::sync::Arc;

use schemascope_model::{Presented, Rung, ToolId};

pub use crate::adapt::{Adapting, Effective, Mode, Schema, SuspensionChange, advertised};

/// Answers questions about tools. Called for every call and every list, so it must not block.
pub trait Schemas: Send + Sync + 'static {
    /// The effective schema of a tool.
    fn effective(&self, tool: &ToolId) -> Effective;

    /// The user's overrides for a tool on `/mcp`.
    fn presented(&self, tool: &ToolId) -> Presented {
        let _ = tool;
        Presented::default()
    }

    /// Whether a tool is hidden from clients of `/mcp`.
    fn is_hidden(&self, tool: &ToolId) -> bool {
        let _ = tool;
        false
    }

    /// Whether a server's tools are part of `/mcp`. If they are not, clients of `/mcp` do not start the server, and its
    /// changes are not announced there.
    fn is_offered(&self, server: &str) -> bool {
        let _ = server;
        true
    }

    /// The tool that the user gave this name.
    fn named(&self, name: &str) -> Option<ToolId> {
        let _ = name;
        None
    }

    /// The value that is learned from a result of a tool, as JSON, if it was read from inside another value or from text
    /// that is not JSON.
    fn read_inside(&self, tool: &ToolId, result: &[u8]) -> Option<String> {
        let _ = (tool, result);
        None
    }

    /// Whether the user counts a result that is text as a failure, so that it says nothing about the schema.
    fn is_failing_text(&self, tool: &ToolId, result: &[u8]) -> bool {
        let _ = (tool, result);
        false
    }

    /// Number of generic results in a row that a tool had under the schema with this digest when the previous run ended.
    fn remembered(&self, tool: &ToolId, schema: Option<&str>) -> u32 {
        let _ = (tool, schema);
        0
    }
}

/// The adapter's state for a tool after its latest result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdapterStatus {
    /// The rung that was taken.
    pub rung: Rung,
    /// Number of generic results in a row, including this one.
    pub consecutive_generic: u32,
    /// Digest of the effective schema, which that number is about.
    pub schema: Option<Arc<str>>,
    /// The change of the tool's schema that follows: a decision by policy, which belongs in the audit log.
    pub change: Option<SuspensionChange>,
}
