//! What wrappers are generated from, writing them, and the folders they are in.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemascope_api::{
    ApiError, ErrorKind, EvolveWrappers, EvolvedTarget, ForgetWrapperTarget, GetWrapperFolders,
    GetWrapperTools, ListWrapperTargets, SettleWrapper, WrapperFilter, WrapperFolder, WrapperTarget,
    WrapperTool, WrapperTools, WriteWrappers, WrittenWrappers,
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
        let only =
            command.tool_id.as_ref().and_then(|id| id.split_once("__")).map(|(server, _)| server.to_owned());
        let server = command.server.clone().or(only);
        let is_wanted = |name: &str| server.as_deref().is_none_or(|server| server == name);
        self.upstreams.hub.list(is_wanted).await;
        self.settled().await?;
        let wanted_tool = command.tool_id.as_deref().map(|id| self.find(id)).transpose()?;
        let model_from = command.model_from.unwrap_or_else(|| self.services.wrappers.least_quality());
        let status = self.upstreams.hub.status();
        let known = &self.services.wrappers.known;
        let all = known.names();
        if let Some(name) = &command.server {
            let names: Vec<&str> = status.iter().map(|server| server.name.as_str()).collect();
            if !names.contains(&name.as_str()) && !all.iter().any(|(server, _)| server == name) {
                let hint = nearest::suggestion(name, names.into_iter());
                return Err(ApiError::new(ErrorKind::NotFound, format!("there is no server {name:?}{hint}")));
            }
        }
        let wanted =
            known.tools(|id| is_wanted(id.server()) && wanted_tool.as_ref().is_none_or(|tool| tool == id));
        let tools: Vec<WrapperTool> =
            wanted.iter().map(|(id, tool)| known.wrapper_tool(id, tool, model_from)).collect();
        let failed = status.into_iter().filter(|server| is_wanted(&server.name)).filter_map(|server| {
            let broken = matches!(server.state, UpstreamState::Failed | UpstreamState::Invalid);
            broken.then(|| (server.name.clone(), server.reason.clone().unwrap_or_default()))
        });
        Ok(WrapperTools { tools, all, unlisted: failed.collect() })
    }
}

impl Handle<WriteWrappers> for Engine {
    async fn handle(&self, command: WriteWrappers) -> Result<WrittenWrappers, ApiError> {
        let WriteWrappers { path, languages: words, server, tool_id, model_from, force, prune } = command;
        let path = PathBuf::from(path);
        let wrappers = Arc::clone(&self.services.wrappers);
        let languages: BTreeSet<_> = languages(&words)?;
        let model_from = model_from.or(wrappers.model_from(&path)?);
        // Tools may be named as clients see them; the filter has the id.
        let known = GetWrapperTools { server: server.clone(), tool_id: tool_id.clone(), model_from };
        let WrapperTools { tools, unlisted, .. } = self.handle(known).await?;
        let tool_id = tool_id.and_then(|_| tools.first().map(|tool| tool.tool_id.clone()));
        let filter = WrapperFilter { server, tool_id };
        let failed = unlisted.iter().map(|(server, _)| server.clone()).collect();
        let wanted = Wanted { path, languages, filter, model_from, force, prune, unlisted: failed, tools };
        let written = tokio::task::spawn_blocking(move || wrappers.write(wanted)).await;
        Ok(WrittenWrappers { unlisted, ..written.map_err(internal)?? })
    }
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
