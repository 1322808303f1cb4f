//! Tools and their schemas.

use schemascope_model::{Quality, Source, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Command;

/// Lists all tools: those that were ever listed, or answered a call with a result.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ListTools {}

impl Command for ListTools {
    const NAME: &'static str = "list_tools";
    type Reply = Vec<ToolRow>;
}

/// One tool in a list.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ToolRow {
    /// `server__tool`.
    pub tool_id: String,
    /// The upstream's name.
    pub server_name: String,
    /// The tool's name there.
    pub tool_name: String,
    /// Where its schema comes from.
    pub source: Source,
    /// How far the schema can be trusted.
    pub quality: Quality,
    /// It declares a schema that less than 95 % of its observations fit.
    pub violated: bool,
    /// Calls whose result taught its shape.
    pub observation_count: u64,
    /// Calls, however they ended.
    pub call_count: u64,
    /// Calls that failed.
    pub failure_count: u64,
    /// Mean of its fields' consistency, 0 to 1; none before the first observation.
    pub mean_consistency: Option<f64>,
    /// The version in force; none as long as nothing was promoted or pinned.
    pub effective_version: Option<u32>,
    /// The latest observation.
    pub last_observed: Option<Timestamp>,
    /// The latest call.
    pub last_called: Option<Timestamp>,
    /// Whether its upstream lists it, as of the last listing.
    pub listed: bool,
}

/// Gets a tool's schema.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GetSchema {
    /// `server__tool`.
    pub tool_id: String,
    /// Which one.
    #[serde(default)]
    pub choice: SchemaChoice,
}

impl Command for GetSchema {
    const NAME: &'static str = "get_schema";
    type Reply = SchemaReply;
}

/// Which of a tool's schemas.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SchemaChoice {
    /// The effective one, else the inferred one.
    #[default]
    Best,
    /// What is held true of the tool.
    Effective,
    /// What was learned.
    Inferred,
    /// What its upstream declares.
    Declared,
}

/// A tool's schema and where it comes from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SchemaReply {
    /// `server__tool`.
    pub tool_id: String,
    /// Which schema this is: `declared` or `inferred`.
    pub source: Source,
    /// How far the tool's schema can be trusted.
    pub quality: Quality,
    /// Calls whose result taught its shape.
    pub observation_count: u64,
    /// JSON Schema 2020-12.
    pub schema: Value,
}
