//! Tools.

use schemascope_api::{ApiError, ErrorKind, ListTools, ToolRow};
use schemascope_model::ToolId;
use schemascope_registry::{Registry, Tool};

use super::{Handle, nearest};
use crate::engine::Engine;
use crate::views;

impl Handle<ListTools> for Engine {
    async fn handle(&self, _: ListTools) -> Result<Vec<ToolRow>, ApiError> {
        self.settled().await?;
        Ok(self
            .registry()
            .tools()
            .iter()
            .filter(|(_, tool)| tool.exists())
            .map(|(id, tool)| views::tool_row(id, tool, self.decisions.numbers(id, tool)))
            .collect())
    }
}

/// The tool of a written id, or an error that names those that may have been meant.
pub(super) fn find<'a>(registry: &'a Registry, written: &str) -> Result<&'a Tool, ApiError> {
    let id: Option<ToolId> = written.parse().ok();
    id.and_then(|id| registry.tool(&id)).ok_or_else(|| {
        let known: Vec<String> =
            registry.tools().iter().filter(|(_, tool)| tool.exists()).map(|(id, _)| id.to_string()).collect();
        let hint = nearest::suggestion(written, known.iter().map(String::as_str));
        let hint = if known.is_empty() { "; no tool has been listed or called yet".into() } else { hint };
        ApiError::new(ErrorKind::NotFound, format!("there is no tool {written:?}{hint}"))
    })
}
