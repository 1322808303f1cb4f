//! What wrappers are generated from.

use schemascope_api::{ApiError, ErrorKind, GetWrapperTools, ModelFrom, WrapperTool, WrapperTools};
use schemascope_model::{Quality, Source, Strategy, ToolId, UpstreamState};
use schemascope_registry::Tool;
use schemascope_registry::versions::InForce;
use schemascope_shape::Policy;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Handle, nearest};
use crate::engine::Engine;

handlers![GetWrapperTools];

impl Handle<GetWrapperTools> for Engine {
    async fn handle(&self, command: GetWrapperTools) -> Result<WrapperTools, ApiError> {
        let only =
            command.tool_id.as_ref().and_then(|id| id.split_once("__")).map(|(server, _)| server.to_owned());
        let server = command.server.clone().or(only);
        let is_wanted = |name: &str| server.as_deref().is_none_or(|server| server == name);
        self.upstreams.hub.list(is_wanted).await;
        self.settled().await?;
        let wanted_tool = command.tool_id.as_deref().map(|id| self.find(id)).transpose()?;
        let model_from = command.model_from.unwrap_or(match self.files.settings.now().model_from {
            ModelFrom::Low => Quality::Low,
            ModelFrom::Medium => Quality::Medium,
            ModelFrom::High => Quality::High,
        });
        let status = self.upstreams.hub.status();
        let own = self.upstreams.own_tools.clone();
        // Copied, so that the registry is not locked while schemas are emitted.
        let known: Vec<(ToolId, Tool)> = self
            .registry()
            .tools()
            .iter()
            .filter(|(id, tool)| own.counts(id, tool) && tool.exists())
            .map(|(id, tool)| (id.clone(), tool.clone()))
            .collect();
        let all = known.iter().map(|(id, _)| (id.server().to_owned(), id.tool().to_owned())).collect();
        if let Some(name) = &command.server {
            let names: Vec<&str> = status.iter().map(|server| server.name.as_str()).collect();
            if !names.contains(&name.as_str()) && !known.iter().any(|(id, _)| id.server() == name) {
                let hint = nearest::suggestion(name, names.into_iter());
                return Err(ApiError::new(ErrorKind::NotFound, format!("there is no server {name:?}{hint}")));
            }
        }
        let wanted = known
            .into_iter()
            .filter(|(id, _)| is_wanted(id.server()) && wanted_tool.as_ref().is_none_or(|tool| tool == id));
        let tools = wanted.map(|(id, tool)| self.wrapper_tool(&id, &tool, model_from)).collect();
        let failed = status.into_iter().filter(|server| is_wanted(&server.name)).filter_map(|server| {
            let broken = matches!(server.state, UpstreamState::Failed | UpstreamState::Invalid);
            broken.then(|| (server.name.clone(), server.reason.clone().unwrap_or_default()))
        });
        Ok(WrapperTools { tools, all, unlisted: failed.collect() })
    }
}

impl Engine {
    pub(super) fn wrapper_tool(&self, id: &ToolId, tool: &Tool, model_from: Quality) -> WrapperTool {
        #[derive(Default, Deserialize)]
        struct Definition {
            description: Option<String>,
            #[serde(rename = "inputSchema")]
            input_schema: Option<Value>,
        }
        let definition: Definition = tool
            .declaration
            .as_ref()
            .and_then(|declaration| serde_json::from_str(declaration.definition.get()).ok())
            .unwrap_or_default();
        let presented = self.knowledge.shown.presented(id);
        let standing = tool.standing();
        let declared = tool.declaration.as_ref().and_then(|declaration| declaration.output_schema());
        let versions = self.knowledge.decisions.tool(id);
        let in_force = versions.in_force();
        let version = in_force.as_ref().map(|in_force| in_force.version().number);
        let (strategy, output_schema) = match (&in_force, declared) {
            (Some(in_force), _) => {
                let enforced = matches!(in_force, InForce::Enforced(_));
                let strategy = if enforced { Strategy::Typed } else { Strategy::Inferred };
                (strategy, Some((*in_force.version().schema).clone()))
            }
            (None, Some(declared)) => {
                let strategy = if standing.violated { Strategy::Inferred } else { Strategy::Typed };
                (strategy, Some((*declared.schema).clone()))
            }
            (None, None) if standing.source == Source::Inferred && standing.quality >= model_from => {
                (Strategy::Inferred, Some(tool.shape.schema(&Policy::default())))
            }
            (None, None) => (Strategy::Helper, None),
        };
        WrapperTool {
            tool_id: id.to_string(),
            description: presented
                .description
                .map(String::from)
                .or(definition.description)
                .unwrap_or_default(),
            strategy,
            source: standing.source,
            quality: standing.quality,
            observation_count: tool.shape.observations(),
            version,
            input_schema: presented
                .input_schema
                .or(definition.input_schema)
                .unwrap_or_else(|| json!({"type": "object"})),
            output_schema,
            is_text: standing.form.is_some(),
            listed: tool.declaration.is_some(),
        }
    }
}
