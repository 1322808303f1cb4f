//! What is known of tools, as wrappers need it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use parking_lot::Mutex;
use schemascope_api::WrapperTool;
use schemascope_model::{Quality, Source, Strategy, ToolId};
use schemascope_proxy::Hub;
use schemascope_registry::versions::InForce;
use schemascope_registry::{Registry, Tool};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::interviews::Interviews;
use crate::interviews::describe::describe;
use crate::knowledge::Knowledge;
use crate::knowledge::decisions::Decisions;
use crate::knowledge::overrides::shown::ShownTools;
use crate::own_tools::OwnTools;
use crate::recording::Records;
use crate::upstreams::Upstreams;

/// Where what is known of tools comes from.
pub(crate) struct KnownTools {
    registry: Arc<Mutex<Registry>>,
    decisions: Arc<Decisions>,
    shown: Arc<ShownTools>,
    own_tools: Arc<OwnTools>,
    hub: Arc<Hub>,
    interviews: Arc<Interviews>,
}

/// What decides how a result is typed, without the schema that was learned.
struct Binding {
    strategy: Strategy,
    source: Source,
    quality: Quality,
    version: Option<u32>,
    is_text: bool,
    /// The schema in effect, unless it is the one that was learned.
    schema: Option<Arc<Value>>,
    is_learned: bool,
}

impl KnownTools {
    pub(crate) fn new(records: &Records, knowledge: &Knowledge, upstreams: &Upstreams) -> Self {
        Self {
            registry: Arc::clone(&records.registry),
            decisions: Arc::clone(&knowledge.decisions),
            shown: Arc::clone(&knowledge.shown),
            own_tools: Arc::clone(&upstreams.own_tools),
            hub: Arc::clone(&upstreams.hub),
            interviews: Arc::clone(&upstreams.interviews),
        }
    }

    /// Tools that wrappers are written for: those of `/mcp`, which wrappers call. Copied, so that the registry is not
    /// locked while schemas are emitted.
    pub(crate) fn tools(&self, is_wanted: impl Fn(&ToolId) -> bool) -> Vec<(ToolId, Tool)> {
        let registry = self.registry.lock();
        let tools = registry.tools().iter();
        let tools = tools.filter(|(id, tool)| is_wanted(id) && self.can_be_called(id, tool));
        tools.map(|(id, tool)| (id.clone(), tool.clone())).collect()
    }

    /// Server and name of every tool that wrappers are written for.
    pub(crate) fn names(&self) -> Vec<(String, String)> {
        let registry = self.registry.lock();
        let tools = registry.tools().iter();
        let tools = tools.filter(|(id, tool)| self.can_be_called(id, tool));
        tools.map(|(id, _)| (id.server().to_owned(), id.tool().to_owned())).collect()
    }

    /// Not so the tools of a server that was removed from the configuration.
    fn can_be_called(&self, id: &ToolId, tool: &Tool) -> bool {
        self.own_tools.offers(id) && tool.exists() && self.hub.may_serve(id.server())
    }

    /// A tool as its wrapper needs it.
    pub(crate) fn wrapper_tool(&self, id: &ToolId, tool: &Tool, model_from: Quality) -> WrapperTool {
        #[derive(Default, Deserialize)]
        struct Definition {
            description: Option<String>,
            #[serde(rename = "inputSchema")]
            input_schema: Option<Value>,
        }
        // What a tool took when it was listed stays what its wrapper takes.
        let definition: Definition = tool
            .latest_declaration()
            .and_then(|declaration| serde_json::from_str(declaration.definition.get()).ok())
            .unwrap_or_default();
        let presented = self.shown.presented(id);
        let Binding { strategy, source, quality, version, is_text, schema, is_learned } =
            self.binding(id, tool, model_from);
        let learned = || is_learned.then(|| tool.inferred_schema());
        let mut output_schema = schema.map(|schema| (*schema).clone()).or_else(learned);
        if let Some(schema) = &mut output_schema {
            describe(schema, &self.interviews.descriptions(&id.to_string()));
        }
        WrapperTool {
            tool_id: id.to_string(),
            description: presented
                .description
                .map(String::from)
                .or(definition.description)
                .unwrap_or_default(),
            strategy,
            source,
            quality,
            observation_count: tool.shape.observations(),
            version,
            input_schema: presented
                .input_schema
                .or(definition.input_schema)
                .unwrap_or_else(|| json!({"type": "object"})),
            output_schema,
            is_text,
            listed: tool.declaration.is_some(),
        }
    }

    /// A number that changes when the tool's quality, version in effect or declaration does, or how it is shown. It
    /// does not depend on what the learned schema says.
    pub(crate) fn digest(&self, id: &ToolId, tool: &Tool) -> u64 {
        let binding = self.binding(id, tool, Quality::Low);
        let presented = self.shown.presented(id);
        let mut hasher = DefaultHasher::new();
        (binding.strategy, binding.source, binding.quality, binding.version, binding.is_text)
            .hash(&mut hasher);
        tool.declaration.is_some().hash(&mut hasher);
        tool.latest_declaration().map(|declaration| declaration.definition.get()).hash(&mut hasher);
        presented.description.map(String::from).hash(&mut hasher);
        self.interviews.descriptions(&id.to_string()).hash(&mut hasher);
        presented.input_schema.map(|schema| schema.to_string()).hash(&mut hasher);
        hasher.finish()
    }

    fn binding(&self, id: &ToolId, tool: &Tool, model_from: Quality) -> Binding {
        let standing = tool.standing();
        let declared = tool.latest_declaration().and_then(|declaration| declaration.output_schema());
        let versions = self.decisions.tool(id);
        let in_force = versions.in_force();
        let version = in_force.as_ref().map(|in_force| in_force.version().number);
        let is_learned = in_force.is_none()
            && declared.is_none()
            && standing.source == Source::Inferred
            && standing.quality >= model_from;
        let (strategy, schema) = match (&in_force, declared) {
            (Some(in_force), _) => {
                let enforced = matches!(in_force, InForce::Enforced(_));
                let strategy = if enforced { Strategy::Typed } else { Strategy::Inferred };
                (strategy, Some(Arc::clone(&in_force.version().schema)))
            }
            (None, Some(declared)) => {
                let strategy = if standing.violated { Strategy::Inferred } else { Strategy::Typed };
                (strategy, Some(Arc::clone(&declared.schema)))
            }
            (None, None) if is_learned => (Strategy::Inferred, None),
            (None, None) => (Strategy::Helper, None),
        };
        Binding {
            strategy,
            source: standing.source,
            quality: standing.quality,
            version,
            is_text: standing.form.is_some(),
            schema,
            is_learned,
        }
    }
}
