//! What a file of overrides says.
//!
//! Owns: the fields, and what they mean beside one another. Refuses to know: text.

use std::collections::{BTreeMap, BTreeSet};

use schemascope_model::ToolId;
use serde_json::{Map, Value};

/// Stands for all tools.
pub const WILDCARD: &str = "*";

/// A whole file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// Whether servers are shown that do not say so themselves.
    pub enabled: Option<bool>,
    /// Defaults: for all tools (`*`), and for tools of a name on any server.
    pub master: BTreeMap<Box<str>, Entry>,
    /// By server.
    pub servers: BTreeMap<Box<str>, Server>,
}

/// What is said about one server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Server {
    /// Whether its tools are shown at all.
    pub enabled: Option<bool>,
    /// By the name of the tool; `*` is for all of the server's.
    pub tools: BTreeMap<Box<str>, Entry>,
}

/// What is said about a tool. What is not said stays as the upstream says it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entry {
    /// Whether clients are shown it.
    pub enabled: Option<bool>,
    /// What clients call it.
    pub name: Option<Box<str>>,
    /// What clients read about it.
    pub description: Option<Box<str>>,
    /// Laid over the upstream's annotations, key by key.
    pub annotations: Option<Map<String, Value>>,
    /// What clients are told of its arguments.
    pub input_schema: Option<Value>,
    /// What is held true of its output.
    pub output_schema: Option<Value>,
    /// Schemas that only repeat what the upstream declares, and follow it.
    pub follows: BTreeSet<Field>,
}

/// A schema of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// `inputSchema`
    Input,
    /// `outputSchema`
    Output,
}

impl Field {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Input, Self::Output];

    /// Its key.
    pub fn key(self) -> &'static str {
        match self {
            Self::Input => "inputSchema",
            Self::Output => "outputSchema",
        }
    }
}

impl Entry {
    /// A schema, whether it follows the upstream or not.
    pub fn schema(&self, field: Field) -> Option<&Value> {
        match field {
            Field::Input => self.input_schema.as_ref(),
            Field::Output => self.output_schema.as_ref(),
        }
    }

    /// A schema that is an override: it does not merely repeat what the upstream declares.
    pub fn overriding(&self, field: Field) -> Option<&Value> {
        self.schema(field).filter(|_| !self.follows.contains(&field))
    }
}

impl Overrides {
    /// The tools something is said about by their names.
    pub fn tools(&self) -> impl Iterator<Item = ToolId> {
        self.servers.iter().flat_map(|(server, says)| {
            let named = says.tools.keys().filter(|tool| &***tool != WILDCARD);
            named.filter_map(|tool| ToolId::new(server, tool).ok())
        })
    }

    /// What is said about one tool by its name.
    pub fn entry(&self, server: &str, tool: &str) -> Option<&Entry> {
        self.servers.get(server)?.tools.get(tool)
    }
}
