//! The file of overrides.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Command;

/// Looks at the file, brings it in line with decisions, and tells what it says.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GetOverrides {}

impl Command for GetOverrides {
    const NAME: &'static str = "get_overrides";
    type Reply = OverridesReply;
}

/// What the file says, as it is in force.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OverridesReply {
    /// The file.
    pub file: String,
    /// Whether there is one.
    pub exists: bool,
    /// What is wrong with it, in sentences.
    pub problems: Vec<String>,
    /// Its entries.
    pub entries: Vec<OverrideRow>,
}

/// One entry. What is not there it does not say.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OverrideRow {
    /// The tool; `SERVER__*` for all of a server, `*` and `*__TOOL` for all servers.
    pub tool_id: String,
    /// Whether clients are shown it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// What clients call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What clients read about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Laid over the upstream's annotations.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub annotations: Map<String, Value>,
    /// Schemas that override the upstream's: `inputSchema`, `outputSchema`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub schemas: Vec<String>,
    /// Schemas that only repeat what the upstream declares.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub follows_upstream: Vec<String>,
    /// The version in force, which its `outputSchema` is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
}

/// Fills gaps of the file: schemas that upstreams declare and entries do not have. What is there stays.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PopulateOverrides {
    /// Only of these servers; all when there are none.
    #[serde(default)]
    pub servers: Vec<String>,
    /// Only of these tools; all when there are none.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Whether nothing is to be written.
    #[serde(default)]
    pub dry_run: bool,
}

impl Command for PopulateOverrides {
    const NAME: &'static str = "populate_overrides";
    type Reply = PopulateReply;
}

/// What was filled.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PopulateReply {
    /// The file.
    pub file: String,
    /// By tool.
    pub filled: Vec<FilledRow>,
    /// Servers that could not be asked, with the reason.
    pub unavailable: Vec<String>,
    /// Whether it was written; not when nothing was to be filled, or nothing was to be written.
    pub written: bool,
}

/// Schemas that came into one entry.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FilledRow {
    /// The tool.
    pub tool_id: String,
    /// `inputSchema`, `outputSchema`.
    pub schemas: Vec<String>,
}
