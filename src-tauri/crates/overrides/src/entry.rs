//! The overrides in a file, as data.

use std::collections::{BTreeMap, BTreeSet};

use schemascope_model::ToolId;
use serde_json::{Map, Value};

/// Name that stands for all tools.
pub const WILDCARD: &str = "*";

/// All overrides of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// Whether servers are shown that have no `enabled` of their own.
    pub enabled: Option<bool>,
    /// Defaults for all tools (`*`), and for tools with a name on any server.
    pub master: BTreeMap<Box<str>, Entry>,
    /// Overrides by server.
    pub servers: BTreeMap<Box<str>, Server>,
}

/// Overrides of one server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Server {
    /// Whether any of its tools are shown.
    pub enabled: Option<bool>,
    /// Entries by name of the tool; `*` applies to all tools of the server.
    pub tools: BTreeMap<Box<str>, Entry>,
}

/// Overrides of one tool. A missing field leaves the upstream's value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entry {
    /// Whether clients see the tool.
    pub enabled: Option<bool>,
    /// Name for clients.
    pub name: Option<Box<str>>,
    /// Description for clients.
    pub description: Option<Box<str>>,
    /// Annotations that replace the upstream's, key by key.
    pub annotations: Option<Map<String, Value>>,
    /// Schema of the arguments, as advertised to clients.
    pub input_schema: Option<Value>,
    /// Schema of the results.
    pub output_schema: Option<Value>,
    /// Schemas that only repeat what the upstream declares. They change when the upstream's do.
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
    /// Both schemas.
    pub const ALL: [Self; 2] = [Self::Input, Self::Output];

    /// Key of the schema in the file.
    pub fn key(self) -> &'static str {
        match self {
            Self::Input => "inputSchema",
            Self::Output => "outputSchema",
        }
    }
}

impl Entry {
    /// One of the schemas, whether it follows the upstream or not.
    pub fn schema(&self, field: Field) -> Option<&Value> {
        match field {
            Field::Input => self.input_schema.as_ref(),
            Field::Output => self.output_schema.as_ref(),
        }
    }

    /// One of the schemas, unless it only follows the upstream.
    pub fn overriding(&self, field: Field) -> Option<&Value> {
        self.schema(field).filter(|_| !self.follows.contains(&field))
    }
}

impl Overrides {
    /// Tools that have an entry of their own.
    pub fn tools(&self) -> impl Iterator<Item = ToolId> {
        self.servers.iter().flat_map(|(server, overrides)| {
            let named = overrides.tools.keys().filter(|tool| &***tool != WILDCARD);
            named.filter_map(|tool| ToolId::new(server, tool).ok())
        })
    }

    /// Entry of one tool.
    pub fn entry(&self, server: &str, tool: &str) -> Option<&Entry> {
        self.servers.get(server)?.tools.get(tool)
    }
}
