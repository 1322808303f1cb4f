//! Listing and restarting upstreams.

use schemascope_api::{ApiError, ErrorKind, ListServers, RestartServer, ServerRow, ServersReply};

use super::{Handle, nearest};
use crate::engine::Engine;

handlers![ListServers, RestartServer];

impl Handle<ListServers> for Engine {
    async fn handle(&self, command: ListServers) -> Result<ServersReply, ApiError> {
        let redactor = self.files.redaction.now();
        let config = self.config();
        Ok(ServersReply {
            config: config.path.display().to_string(),
            problem: config.problem.as_ref().map(|problem| redactor.text(problem).into_owned()),
            overrides: self.services.overrides.warnings(),
            servers: self
                .upstreams
                .server_rows(&self.files)
                .into_iter()
                .filter(|row| command.server_name.as_ref().is_none_or(|name| *name == row.server_name))
                .map(|row| ServerRow {
                    log: redactor.lines(&self.upstreams.hub.log(&row.server_name)),
                    ..row
                })
                .collect(),
        })
    }
}

impl Handle<RestartServer> for Engine {
    async fn handle(&self, command: RestartServer) -> Result<(), ApiError> {
        if self.upstreams.hub.restart(&command.server_name) {
            return Ok(());
        }
        let name = &command.server_name;
        let servers = self.upstreams.hub.status();
        Err(match servers.iter().find(|server| server.name == *name) {
            Some(_) => ApiError::new(
                ErrorKind::Invalid,
                format!(
                    "{name} cannot be started: it is disabled, or its entry in the configuration is invalid"
                ),
            ),
            None => {
                let hint = nearest::suggestion(name, servers.iter().map(|server| server.name.as_str()));
                ApiError::new(ErrorKind::NotFound, format!("there is no server {name:?}{hint}"))
            }
        })
    }
}
