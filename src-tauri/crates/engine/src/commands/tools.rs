//! Tools and schemas.

use schemascope_api::{ApiError, ErrorKind, GetSchema, ListTools, SchemaChoice, SchemaReply, ToolRow};
use schemascope_model::{Source, ToolId};
use schemascope_registry::{Registry, Tool};
use schemascope_shape::Policy;

use super::{Handle, nearest};
use crate::engine::Engine;
use crate::views;

impl Handle<ListTools> for Engine {
    async fn handle(&self, _: ListTools) -> Result<Vec<ToolRow>, ApiError> {
        self.recorder.settle().await;
        Ok(self
            .registry()
            .tools()
            .iter()
            .filter(|(_, tool)| tool.exists())
            .map(|(id, tool)| views::tool_row(id, tool))
            .collect())
    }
}

impl Handle<GetSchema> for Engine {
    async fn handle(&self, command: GetSchema) -> Result<SchemaReply, ApiError> {
        self.recorder.settle().await;
        let registry = self.registry();
        let tool = find(&registry, &command.tool_id)?;
        let declared = tool.declaration.as_ref().and_then(|declaration| declaration.output_schema());
        let declared = declared.map(|declared| declared.schema.as_ref());
        let inferred = || (tool.shape.observations() > 0).then(|| tool.shape.schema(&Policy::default()));
        // Until something is promoted or pinned, what is declared is what holds.
        let found = match command.choice {
            SchemaChoice::Effective | SchemaChoice::Declared => {
                declared.cloned().map(|schema| (Source::Declared, schema))
            }
            SchemaChoice::Inferred => inferred().map(|schema| (Source::Inferred, schema)),
            SchemaChoice::Best => declared
                .cloned()
                .map(|schema| (Source::Declared, schema))
                .or_else(|| inferred().map(|schema| (Source::Inferred, schema))),
        };
        let Some((source, schema)) = found else {
            let missing = match command.choice {
                SchemaChoice::Effective => {
                    "has no effective schema: its upstream declares none and none was promoted; the inferred one is --version inferred"
                }
                SchemaChoice::Declared => "declares no output schema; the inferred one is --version inferred",
                SchemaChoice::Inferred | SchemaChoice::Best => {
                    "has no schema yet: no successful call has been observed"
                }
            };
            return Err(ApiError::new(ErrorKind::NotFound, format!("{} {missing}", command.tool_id)));
        };
        Ok(SchemaReply {
            tool_id: command.tool_id,
            source,
            quality: tool.standing().quality,
            observation_count: tool.shape.observations(),
            schema,
        })
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
