//! Simulated MCP servers that agree with themselves, sessions of agents that use them, and labels
//! that say which output can feed which input.
//!
//! Every field of every tool is written down with what it means (`spec`). The labels follow from
//! these meanings by the rules in `labels`; they know nothing of names, types or values. An id that
//! a server hands out works in its other tools, any other id is an error.

mod agent;
mod data;
mod labels;
mod servers;
mod spec;

pub use agent::{Call, Source, Traffic, traffic};
pub use data::Data;
pub use labels::{Label, Labels, Truth, labels};
pub use servers::all;
pub use spec::{Field, Meaning, Tool, values_at};

use serde_json::Value;

/// Handles one call of a tool: its answer, or the text of its error.
pub type Handler = fn(&mut Data, &str, &Value) -> Result<Value, String>;

/// Style of a server's ids, which decides the row of the bench its pairs count in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Ids that no other field has by accident.
    Distinctive,
    /// Small integers of several kinds, or fields with generic names.
    Colliding,
}

/// One simulated server.
#[derive(Debug, Clone)]
pub struct Server {
    /// Name in the registry.
    pub name: &'static str,
    /// Style of its ids.
    pub style: Style,
    /// Its tools.
    pub tools: Vec<Tool>,
    /// Its data at the start.
    pub data: Data,
    /// What it does with a call.
    pub run: Handler,
    /// Where the valid ids of each kind are: kind, table, column.
    pub kinds: &'static [(&'static str, &'static str, &'static str)],
}

impl Server {
    /// Returns every valid id of a kind.
    pub fn ids(&self, kind: &str) -> Vec<Value> {
        self.kinds
            .iter()
            .filter(|(name, ..)| *name == kind)
            .flat_map(|(_, table, column)| self.data.column(table, column))
            .collect()
    }

    /// Answers a call. Arguments that a required input lacks, or that are of the wrong type, are
    /// errors.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, String> {
        let Some(known) = self.tools.iter().find(|known| known.name == tool) else {
            return Err(format!("unknown tool {tool}"));
        };
        for field in &known.inputs {
            field.check(arguments)?;
        }
        (self.run)(&mut self.data, tool, arguments)
    }

    /// Returns a tool by name.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}
