//! Upstreams.

use schemascope_api::{ApiError, ListServers, ServerRow, ServersReply, UpstreamState};
use schemascope_proxy::{State, Status};

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
        state: match status.state {
            State::Idle => UpstreamState::Idle,
            State::Starting => UpstreamState::Starting,
            State::Ready => UpstreamState::Ready,
            State::Failed => UpstreamState::Failed,
            State::Disabled => UpstreamState::Disabled,
            State::Invalid => UpstreamState::Invalid,
        },
        reason: status.reason,
        tool_count: status.tools,
        pid: status.pid,
        since: status.since,
        protocol_version: status.protocol_version,
        log: status.log,
    }
}
