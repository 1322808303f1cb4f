//! Commands about upstreams.

use schemascope_model::{Timestamp, UpstreamState};
use serde::{Deserialize, Serialize};

use crate::Command;

/// Lists the upstreams of the configuration.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ListServers {
    /// Only this upstream.
    #[serde(default)]
    pub server_name: Option<String>,
}

impl Command for ListServers {
    const NAME: &'static str = "list_servers";
    type Reply = ServersReply;
}

/// All upstreams, and problems of the configuration.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ServersReply {
    /// Path of the configuration file.
    pub config: String,
    /// Why the configuration cannot be used.
    pub problem: Option<String>,
    /// Problems of the overrides file, in sentences.
    #[serde(default)]
    pub overrides: Vec<String>,
    /// Upstreams by name.
    pub servers: Vec<ServerRow>,
}

/// One upstream.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ServerRow {
    /// Name in the configuration.
    pub server_name: String,
    /// Whether Schemascope serves it itself, whatever the configuration says.
    #[serde(default)]
    pub built_in: bool,
    /// State.
    pub state: UpstreamState,
    /// Reason for the state.
    pub reason: Option<String>,
    /// Number of tools that it lists, while it is ready.
    pub tool_count: Option<usize>,
    /// Process id, while it is ready.
    pub pid: Option<u32>,
    /// Time at which it became ready, or at which it began to fail.
    pub since: Option<Timestamp>,
    /// Protocol version in use, while it is ready.
    pub protocol_version: Option<String>,
    /// Last lines that it wrote to stderr, and lines on stdout that are not messages.
    pub log: Vec<String>,
}

/// Restarts an upstream without waiting for its back-off. Ends its process, if there is one.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RestartServer {
    /// Name in the configuration.
    pub server_name: String,
}

impl Command for RestartServer {
    const NAME: &'static str = "restart_server";
    type Reply = ();
}
