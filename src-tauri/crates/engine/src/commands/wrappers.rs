//! What wrappers are generated from, writing them, and the folders they are in.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemascope_api::{
    ApiError, ErrorKind, EvolveWrappers, EvolvedTarget, ForgetWrapperTarget, GetWrapperFolders,
    GetWrapperTools, ListWrapperTargets, SettleWrapper, WrapperFilter, WrapperFolder, WrapperTarget,
    WrapperTools, WriteWrappers, WrittenWrappers,
};
use schemascope_model::UpstreamState;

use super::{Handle, internal, nearest};
use crate::engine::Engine;
use crate::wrappers::{Look, Wanted, languages};

handlers![
    GetWrapperTools,
    WriteWrappers,
    ListWrapperTargets,
    ForgetWrapperTarget,
    EvolveWrappers,
    GetWrapperFolders,
    SettleWrapper
];

impl Handle<GetWrapperTools> for Engine {
    async fn handle(&self, command: GetWrapperTools) -> Result<WrapperTools, ApiError> {
        self.list_for_wrappers(&command).await?;
        self.wrapper_tools(&command)
    }
}

impl Handle<WriteWrappers> for Engine {
    async fn handle(&self, command: WriteWrappers) -> Result<WrittenWrappers, ApiError> {
        let WriteWrappers { path, languages: words, server, tool_id, model_from, force, prune } = command;
        let path = PathBuf::from(path);
        let wrappers = Arc::clone(&self.services.wrappers);
        let languages: BTreeSet<_> = languages(&words)?;
        let model_from = model_from.or(wrappers.model_from(&path)?);
        let known = GetWrapperTools { server: server.clone(), tool_id, model_from };
        self.list_for_wrappers(&known).await?;
        // Tools may be named as clients see them; the filter has the id.
        let tool_id = known.tool_id.as_deref().map(|id| self.find(id)).transpose()?;
        let filter = WrapperFilter { server, tool_id: tool_id.map(|id| id.to_string()) };
        let event = *self.records.events.changes().borrow();
        let unlisted = self.unlisted(&known);
        if !force && !prune {
            let (wrappers, path, languages, filter) =
                (Arc::clone(&wrappers), path.clone(), languages.clone(), filter.clone());
            let unchanged = move || wrappers.unchanged(&path, &languages, &filter, model_from);
            if let Some(written) = tokio::task::spawn_blocking(unchanged).await.map_err(internal)?? {
                return Ok(WrittenWrappers { unlisted: told(unlisted, &known), ..written });
            }
        }
        let WrapperTools { tools, .. } = self.wrapper_tools(&known)?;
        let failed = unlisted.iter().map(|(server, _)| server.clone()).collect();
        let wanted =
            Wanted { path, languages, filter, model_from, force, prune, unlisted: failed, tools, event };
        let written = tokio::task::spawn_blocking(move || wrappers.write(wanted)).await;
        Ok(WrittenWrappers { unlisted: told(unlisted, &known), ..written.map_err(internal)?? })
    }
}

impl Engine {
    /// Has the servers of the wanted tools list them, and waits until that is recorded.
    async fn list_for_wrappers(&self, wanted: &GetWrapperTools) -> Result<(), ApiError> {
        self.list_servers(|name| wanted.includes(name)).await;
        self.settled().await
    }

    /// Servers of the wanted tools that could not be listed, with reasons.
    fn unlisted(&self, wanted: &GetWrapperTools) -> Vec<(String, String)> {
        let status = self.upstreams.hub.status().into_iter();
        let unlisted = status.filter(|server| wanted.includes(&server.name) && !server.lists_tools());
        unlisted
            .map(|server| {
                let reason = server.reason.unwrap_or_else(|| match server.state {
                    UpstreamState::Disabled => DISABLED.to_owned(),
                    state => format!("it is {state}"),
                });
                (server.name, reason)
            })
            .collect()
    }

    /// What is known of the wanted tools.
    fn wrapper_tools(&self, wanted: &GetWrapperTools) -> Result<WrapperTools, ApiError> {
        let tool = wanted.tool_id.as_deref().map(|id| self.find(id)).transpose()?;
        let model_from = wanted.model_from.unwrap_or_else(|| self.services.wrappers.least_quality());
        let known = &self.services.wrappers.known;
        let all = known.names();
        if let Some(name) = &wanted.server {
            let status = self.upstreams.hub.status();
            let names: Vec<&str> = status.iter().map(|server| server.name.as_str()).collect();
            if !names.contains(&name.as_str()) && !all.iter().any(|(server, _)| server == name) {
                let hint = nearest::suggestion(name, names.into_iter());
                return Err(ApiError::new(ErrorKind::NotFound, format!("there is no server {name:?}{hint}")));
            }
        }
        let tools =
            known.tools(|id| wanted.includes(id.server()) && tool.as_ref().is_none_or(|tool| tool == id));
        if let Some(wanted) = tool.filter(|_| tools.is_empty()) {
            let names: Vec<String> = all.iter().map(|(server, tool)| format!("{server}__{tool}")).collect();
            let hint = nearest::suggestion(&wanted.to_string(), names.iter().map(String::as_str));
            let message = format!("there is no tool {wanted}{hint}");
            return Err(ApiError::new(ErrorKind::NotFound, message));
        }
        let tools = tools.iter().map(|(id, tool)| known.wrapper_tool(id, tool, model_from)).collect();
        Ok(WrapperTools { tools, all, unlisted: told(self.unlisted(wanted), wanted) })
    }
}

/// Why a server lists nothing that its user has switched off.
const DISABLED: &str = "it is disabled";

/// Servers that could not be listed, without those that were switched off and not asked for.
fn told(unlisted: Vec<(String, String)>, wanted: &GetWrapperTools) -> Vec<(String, String)> {
    let is_told = |(_, reason): &(String, String)| reason != DISABLED || wanted.server.is_some();
    unlisted.into_iter().filter(is_told).collect()
}

impl Handle<ListWrapperTargets> for Engine {
    async fn handle(&self, _: ListWrapperTargets) -> Result<Vec<WrapperTarget>, ApiError> {
        Ok(self.services.wrappers.targets()?)
    }
}

impl Handle<ForgetWrapperTarget> for Engine {
    async fn handle(&self, command: ForgetWrapperTarget) -> Result<bool, ApiError> {
        Ok(self.services.wrappers.forget(Path::new(&command.path))?)
    }
}

impl Handle<EvolveWrappers> for Engine {
    async fn handle(&self, command: EvolveWrappers) -> Result<Vec<EvolvedTarget>, ApiError> {
        self.settled().await?;
        if command.due {
            let evolver = Arc::clone(&self.services.evolver);
            tokio::task::spawn_blocking(move || evolver.look(Look::Changed)).await.map_err(internal)?;
            return Ok(Vec::new());
        }
        let wrappers = Arc::clone(&self.services.wrappers);
        let evolved = tokio::task::spawn_blocking(move || wrappers.evolve(None, command.dry_run)).await;
        Ok(evolved.map_err(internal)??)
    }
}

impl Handle<GetWrapperFolders> for Engine {
    async fn handle(&self, _: GetWrapperFolders) -> Result<Vec<WrapperFolder>, ApiError> {
        self.settled().await?;
        let wrappers = Arc::clone(&self.services.wrappers);
        Ok(tokio::task::spawn_blocking(move || wrappers.folders()).await.map_err(internal)??)
    }
}

impl Handle<SettleWrapper> for Engine {
    async fn handle(&self, command: SettleWrapper) -> Result<(), ApiError> {
        let wrappers = Arc::clone(&self.services.wrappers);
        Ok(tokio::task::spawn_blocking(move || wrappers.settle(&command)).await.map_err(internal)??)
    }
}
