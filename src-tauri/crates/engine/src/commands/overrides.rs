//! Reading and filling the file of overrides.

use std::collections::BTreeSet;
use std::sync::Arc;

use schemascope_api::{
    ApiError, ErrorKind, FilledRow, GetOverrides, OverrideRow, OverridesReply, PopulateOverrides,
    PopulateReply, UpstreamState,
};
use schemascope_model::{SEPARATOR, ToolId};
use schemascope_overrides::{Entry, Field, Overrides, WILDCARD};
use schemascope_proxy::OWN_SERVER;

use super::{Handle, internal, nearest};
use crate::engine::Engine;

handlers![GetOverrides, PopulateOverrides];

impl Handle<GetOverrides> for Engine {
    async fn handle(&self, _: GetOverrides) -> Result<OverridesReply, ApiError> {
        let overrides = Arc::clone(&self.services.overrides);
        let looked = tokio::task::spawn_blocking(move || {
            overrides.reconcile();
            (overrides.in_effect(), overrides.problems())
        });
        let (says, mut problems) = looked.await.map_err(internal)?;
        let status = self.upstreams.hub.status();
        let servers = || status.iter().map(|server| server.name.as_str());
        let called: BTreeSet<String> =
            self.registry().tools().keys().map(|tool| tool.server().to_owned()).collect();
        let is_known = |name: &str| called.contains(name) || servers().any(|known| known == name);
        let unknown = says.servers.keys().filter(|name| !is_known(name));
        problems.extend(
            unknown.map(|name| {
                format!("there is no server {:?}{}", &**name, nearest::suggestion(name, servers()))
            }),
        );
        let version =
            |tool: &ToolId| self.knowledge.decisions.tool(tool).in_force().map(|one| one.version().number);
        Ok(OverridesReply {
            file: self.services.overrides.path.display().to_string(),
            exists: self.services.overrides.path.exists(),
            problems,
            entries: rows(&says, version),
        })
    }
}

fn rows(says: &Overrides, version: impl Fn(&ToolId) -> Option<u32>) -> Vec<OverrideRow> {
    let mut rows = Vec::new();
    if says.enabled.is_some() {
        rows.push(row(WILDCARD.to_owned(), &Entry { enabled: says.enabled, ..Entry::default() }));
    }
    for (tool, entry) in &says.master {
        let id = if **tool == *WILDCARD { WILDCARD.to_owned() } else { format!("*__{tool}") };
        rows.push(row(id, entry));
    }
    for (name, server) in &says.servers {
        if server.enabled.is_some() {
            let entry = Entry { enabled: server.enabled, ..Entry::default() };
            rows.push(row(format!("{name}__*"), &entry));
        }
        for (tool, entry) in &server.tools {
            let mut row = row(format!("{name}__{tool}"), entry);
            if entry.overriding(Field::Output).is_some() {
                row.version = ToolId::new(name, tool).ok().and_then(|id| version(&id));
            }
            rows.push(row);
        }
    }
    rows
}

fn row(tool_id: String, entry: &Entry) -> OverrideRow {
    let (follows, overrides): (Vec<Field>, Vec<Field>) = Field::ALL
        .into_iter()
        .filter(|field| entry.schema(*field).is_some())
        .partition(|field| entry.follows.contains(field));
    OverrideRow {
        tool_id,
        enabled: entry.enabled,
        name: entry.name.as_deref().map(str::to_owned),
        description: entry.description.as_deref().map(str::to_owned),
        annotations: entry.annotations.clone().unwrap_or_default(),
        schemas: keys(&overrides),
        follows_upstream: keys(&follows),
        version: None,
    }
}

fn keys(fields: &[Field]) -> Vec<String> {
    fields.iter().map(|field| field.key().to_owned()).collect()
}

impl Handle<PopulateOverrides> for Engine {
    async fn handle(&self, command: PopulateOverrides) -> Result<PopulateReply, ApiError> {
        let status = self.upstreams.hub.status();
        for server in &command.servers {
            if !status.iter().any(|known| known.name == *server) {
                let hint = nearest::suggestion(server, status.iter().map(|known| known.name.as_str()));
                let message = format!("there is no server {server:?}{hint}");
                return Err(ApiError::new(ErrorKind::NotFound, message));
            }
        }
        let of_tool =
            |server: &str, tool: &String| tool.split_once(SEPARATOR).is_some_and(|(of, _)| of == server);
        let named = |server: &str| {
            command.servers.iter().any(|name| name == server)
                || command.tools.iter().any(|tool| of_tool(server, tool))
        };
        // Our own tools are left alone unless they are named or part of `/mcp`.
        let left_out =
            Some(OWN_SERVER).filter(|own| !named(own) && !self.upstreams.own_tools.offers_server(own));
        let is_asked = |server: &str| {
            (command.servers.is_empty() || command.servers.iter().any(|name| name == server))
                && (command.tools.is_empty() || command.tools.iter().any(|tool| of_tool(server, tool)))
                && left_out != Some(server)
        };
        // Lists again, so that current declarations are written.
        self.upstreams.hub.list(is_asked).await;
        self.records.recorder.settle().await;
        let mut wanted = BTreeSet::new();
        for tool in &command.tools {
            wanted.insert(self.find(tool)?);
        }
        let unavailable = self.upstreams.hub.status().into_iter().filter(|server| {
            !server.lists_tools() && server.state != UpstreamState::Disabled && is_asked(&server.name)
        });
        let unavailable = unavailable
            .map(|server| {
                let reason = server.reason.unwrap_or_else(|| server.state.to_string());
                format!("{}: {}", server.name, self.files.redaction.now().text(&reason))
            })
            .collect();
        let servers = command.servers;
        let is_wanted = move |tool: &ToolId| {
            (wanted.is_empty() || wanted.contains(tool))
                && (servers.is_empty() || servers.iter().any(|name| name == tool.server()))
                && left_out != Some(tool.server())
        };
        let (overrides, dry_run) = (Arc::clone(&self.services.overrides), command.dry_run);
        let populating = move || overrides.populate(is_wanted, dry_run);
        let filled = tokio::task::spawn_blocking(populating).await.map_err(internal)?;
        let filled = filled.map_err(|error| {
            let file = self.services.overrides.path.display();
            ApiError::new(ErrorKind::Invalid, format!("{file}: {error}"))
        })?;
        Ok(PopulateReply {
            file: self.services.overrides.path.display().to_string(),
            written: !dry_run && !filled.is_empty(),
            filled: filled
                .iter()
                .map(|(tool, fields)| FilledRow { tool_id: tool.to_string(), schemas: keys(fields) })
                .collect(),
            unavailable,
        })
    }
}
