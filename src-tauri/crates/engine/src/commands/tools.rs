//! Listing tools.

use schemascope_api::{ApiError, ErrorKind, ListTools, ToolRow};
use schemascope_model::ToolId;
use schemascope_registry::Registry;

use super::{Handle, nearest};
use crate::engine::Engine;
use crate::views;

handlers![ListTools];

impl Handle<ListTools> for Engine {
    async fn handle(&self, _: ListTools) -> Result<Vec<ToolRow>, ApiError> {
        self.settled().await?;
        Ok(self
            .registry()
            .tools()
            .iter()
            .filter(|(id, tool)| self.upstreams.own_tools.counts(id, tool))
            .map(|(id, tool)| views::tool_row(id, tool, self.knowledge.decisions.summary(id, tool)))
            .collect())
    }
}

impl Engine {
    /// The tool with this id, or with this name for agents; an error that suggests similar ids.
    pub(super) fn find(&self, written: &str) -> Result<ToolId, ApiError> {
        let registry = self.registry();
        let id: Option<ToolId> = written.parse().ok();
        let is_public = |id: &&ToolId| schemascope_proxy::public_name(id.server(), id.tool()) == written;
        id.filter(|id| registry.tool(id).is_some())
            .or_else(|| self.knowledge.shown.named(written).filter(|id| registry.tool(id).is_some()))
            .or_else(|| registry.tools().keys().find(is_public).cloned())
            .ok_or_else(|| unknown(&registry, written))
    }
}

fn unknown(registry: &Registry, written: &str) -> ApiError {
    let known: Vec<String> =
        registry.tools().iter().filter(|(_, tool)| tool.exists()).map(|(id, _)| id.to_string()).collect();
    let hint = nearest::suggestion(written, known.iter().map(String::as_str));
    let hint = if known.is_empty() { "; no tool has been listed or called yet".into() } else { hint };
    ApiError::new(ErrorKind::NotFound, format!("there is no tool {written:?}{hint}"))
}
