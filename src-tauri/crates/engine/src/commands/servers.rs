//! Upstreams.

use schemascope_api::{ApiError, ListServers, ServerRow, ServersReply};
use schemascope_proxy::Status;

use super::Handle;
use crate::engine::Engine;

impl Handle<ListServers> for Engine {
    async fn handle(&self, _: ListServers) -> Result<ServersReply, ApiError> {
        Ok(ServersReply {
            config: self.config.path.display().to_string(),
            problem: self.config.problem.clone(),
            servers: self.hub.status().into_iter().map(row).collect(),
        })
    }
}

fn row(status: Status) -> ServerRow {
    ServerRow {
        server_name: status.name,
        state: status.state,
        reason: status.reason,
        tool_count: status.tools,
        pid: status.pid,
        since: status.since,
        protocol_version: status.protocol_version,
        log: status.log,
    }
}
