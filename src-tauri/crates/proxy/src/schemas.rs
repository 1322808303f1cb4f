//! What the proxy asks of the rest of the app: which schema is in force, and how tools are shown.
//!
//! Owns: the trait. Refuses to know: who decides, and where decisions are kept.

use schemascope_model::{Presented, Rung, ToolId};

pub use crate::adapt::{Adapting, Effective, Mode, Schema, Turn, advertised};

/// Knows what is held true of tools. Asked with every call and every list: it answers at once.
pub trait Schemas: Send + Sync + 'static {
    /// What is held true of a tool's output now.
    fn effective(&self, tool: &ToolId) -> Effective;

    /// How a tool is shown on `/mcp`.
    fn presented(&self, tool: &ToolId) -> Presented {
        let _ = tool;
        Presented::default()
    }

    /// Whether a tool is kept from clients of `/mcp`.
    fn is_hidden(&self, tool: &ToolId) -> bool {
        let _ = tool;
        false
    }

    /// The tool people gave this name.
    fn named(&self, name: &str) -> Option<ToolId> {
        let _ = name;
        None
    }

    /// Generic results in a row a tool had when an earlier run ended.
    fn remembered(&self, tool: &ToolId) -> u32 {
        let _ = tool;
        0
    }
}

/// How the latest result of a tool was adapted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdapterStatus {
    /// How.
    pub rung: Rung,
    /// Generic results in a row, this one included.
    pub consecutive_generic: u32,
    /// What follows for the tool's schema: a decision by policy, which belongs in an audit log.
    pub turn: Option<Turn>,
}
