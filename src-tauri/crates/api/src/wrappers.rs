//! What wrappers are generated from.

use schemascope_model::{Quality, Source, Strategy};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Command;

/// Gets what is known of tools, for wrappers. Lists the servers first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GetWrapperTools {
    /// Only tools of this server.
    #[serde(default)]
    pub server: Option<String>,
    /// Only this tool.
    #[serde(default)]
    pub tool_id: Option<String>,
    /// Least quality at which an inferred schema is used; the setting `model_from` by default.
    #[serde(default)]
    pub model_from: Option<Quality>,
}

impl Command for GetWrapperTools {
    const NAME: &'static str = "get_wrapper_tools";
    type Reply = WrapperTools;
}

/// Tools as wrappers need them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct WrapperTools {
    /// The wanted tools, by id.
    pub tools: Vec<WrapperTool>,
    /// Server and name of every tool known, wanted or not.
    pub all: Vec<(String, String)>,
    /// Servers that could not be listed, with reasons.
    pub unlisted: Vec<(String, String)>,
}

/// A tool as its wrapper needs it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WrapperTool {
    /// `server__tool`.
    pub tool_id: String,
    /// Description that clients see.
    pub description: String,
    /// How far the result's type binds.
    pub strategy: Strategy,
    /// Where the schema comes from.
    pub source: Source,
    /// How far it can be trusted.
    pub quality: Quality,
    /// Number of observations.
    pub observation_count: u64,
    /// Version in effect.
    pub version: Option<u32>,
    /// Schema of the arguments that clients see.
    pub input_schema: Value,
    /// Schema of the results, unless nothing is known.
    pub output_schema: Option<Value>,
    /// Whether all results are text without structure.
    pub is_text: bool,
    /// Whether the server lists the tool.
    pub listed: bool,
}

/// Gets the wrapper of a tool, as `generate` would write it now. Nothing is written.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GetWrapper {
    /// `server__tool`.
    pub tool_id: String,
    /// `python` or `typescript`.
    pub lang: String,
}

impl Command for GetWrapper {
    const NAME: &'static str = "get_wrapper";
    type Reply = WrapperText;
}

/// The wrapper of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrapperText {
    /// Path in the folder of wrappers.
    pub path: String,
    /// The whole file.
    pub text: String,
    /// How far the result's type binds.
    pub strategy: Strategy,
    /// Why.
    pub reason: String,
    /// What else a reader should know.
    pub notes: Vec<String>,
}
