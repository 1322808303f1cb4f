//! Upstreams and their states.

use schemascope_model::{Timestamp, UpstreamState};
use serde::{Deserialize, Serialize};

use crate::Command;

/// Lists the upstreams of the configuration.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ListServers {
    /// Only this one.
    #[serde(default)]
    pub server_name: Option<String>,
}

impl Command for ListServers {
    const NAME: &'static str = "list_servers";
    type Reply = ServersReply;
}

/// All upstreams, and what is wrong with the configuration as a whole.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ServersReply {
    /// The configuration file.
    pub config: String,
    /// Why it says nothing, if it does not.
    pub problem: Option<String>,
    /// What is wrong with the file of overrides, in sentences that name it.
    #[serde(default)]
    pub overrides: Vec<String>,
    /// Its upstreams, by name.
    pub servers: Vec<ServerRow>,
}

/// One upstream.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ServerRow {
    /// Its name in the configuration.
    pub server_name: String,
    /// What it is doing.
    pub state: UpstreamState,
    /// Why, in plain words.
    pub reason: Option<String>,
    /// Tools it lists, while it is ready.
    pub tool_count: Option<usize>,
    /// Its process, while it is ready.
    pub pid: Option<u32>,
    /// Since when it is ready.
    pub since: Option<Timestamp>,
    /// Protocol version spoken with it, while it is ready.
    pub protocol_version: Option<String>,
    /// The last lines it wrote to stderr, and to stdout where they were no messages.
    pub log: Vec<String>,
}

/// Ends an upstream's process, if there is one, and starts it anew, without waiting for back-off.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RestartServer {
    /// Its name in the configuration.
    pub server_name: String,
}

impl Command for RestartServer {
    const NAME: &'static str = "restart_server";
    type Reply = ();
}
