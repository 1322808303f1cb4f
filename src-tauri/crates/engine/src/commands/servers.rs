//! Upstreams.

use schemascope_api::{ApiError, ErrorKind, ListServers, RestartServer, ServerRow, ServersReply};

use super::{Handle, nearest};
use crate::engine::Engine;
use crate::views;

impl Handle<ListServers> for Engine {
    async fn handle(&self, command: ListServers) -> Result<ServersReply, ApiError> {
        let redactor = self.redaction.now();
        let config = self.config();
        Ok(ServersReply {
            config: config.path.display().to_string(),
            problem: config.problem.as_ref().map(|problem| redactor.text(problem).into_owned()),
            overrides: self.overrides.warnings(),
            servers: self
                .hub
                .status()
                .into_iter()
                .filter(|status| command.server_name.as_ref().is_none_or(|name| *name == status.name))
                .map(|status| {
                    let log = redactor.lines(&self.hub.log(&status.name));
                    ServerRow { log, ..views::server_row(status, &redactor) }
                })
                .collect(),
        })
    }
}

impl Handle<RestartServer> for Engine {
    async fn handle(&self, command: RestartServer) -> Result<(), ApiError> {
        if self.hub.restart(&command.server_name) {
            return Ok(());
        }
        let name = &command.server_name;
        let servers = self.hub.status();
        Err(match servers.iter().find(|server| server.name == *name) {
            Some(_) => ApiError::new(
                ErrorKind::Invalid,
                format!(
                    "{name} cannot be started: it is disabled, or its entry in the configuration is wrong"
                ),
            ),
            None => {
                let hint = nearest::suggestion(name, servers.iter().map(|server| server.name.as_str()));
                ApiError::new(ErrorKind::NotFound, format!("there is no server {name:?}{hint}"))
            }
        })
    }
}
