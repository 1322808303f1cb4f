//! Commands about the overrides file.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Command;

/// Reads the overrides file, reconciles it with decisions, and returns its entries.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GetOverrides {}

impl Command for GetOverrides {
    const NAME: &'static str = "get_overrides";
    type Reply = OverridesReply;
}

/// Entries of the overrides file that are in effect.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OverridesReply {
    /// Path of the file.
    pub file: String,
    /// Whether the file exists.
    pub exists: bool,
    /// Problems of the file, in sentences.
    pub problems: Vec<String>,
    /// Entries of the file.
    pub entries: Vec<OverrideRow>,
}

/// One entry. A missing field overrides nothing.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OverrideRow {
    /// Tool id; `SERVER__*` for every tool of a server, `*` and `*__TOOL` for every server.
    pub tool_id: String,
    /// Whether clients see the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Name of the tool for clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Description of the tool for clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Annotations that replace those of the upstream.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub annotations: Map<String, Value>,
    /// Schemas that replace those of the upstream: `inputSchema`, `outputSchema`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub schemas: Vec<String>,
    /// Schemas that repeat what the upstream declares.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub follows_upstream: Vec<String>,
    /// Effective version, if `outputSchema` is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
}

/// Fills gaps of the file with the schemas that upstreams declare. Existing entries stay.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PopulateOverrides {
    /// Only tools of these servers; every server if empty.
    #[serde(default)]
    pub servers: Vec<String>,
    /// Only these tools; every tool if empty.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Whether the file is left unchanged.
    #[serde(default)]
    pub dry_run: bool,
}

impl Command for PopulateOverrides {
    const NAME: &'static str = "populate_overrides";
    type Reply = PopulateReply;
}

/// Filled entries.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PopulateReply {
    /// Path of the file.
    pub file: String,
    /// Filled entries by tool.
    pub filled: Vec<FilledRow>,
    /// Servers that are not available, with the reason.
    pub unavailable: Vec<String>,
    /// Whether the file was written.
    pub written: bool,
}

/// Schemas filled into one entry.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FilledRow {
    /// Tool id.
    pub tool_id: String,
    /// `inputSchema`, `outputSchema`.
    pub schemas: Vec<String>,
}
