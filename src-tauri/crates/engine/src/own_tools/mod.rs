//! Schemascope's own tools, which agents call to ask Schemascope itself.
//!
//! The proxy serves them as the upstream [`OWN_SERVER`]. They are always at `/mcp/schemascope`; which groups of them are
//! part of `/mcp` is the setting `own_tools`. A new tool is an entry of a group's `TOOLS`; a new group is a module
//! listed in [`tools`] and a variant of [`Group`].

mod arguments;
mod cli;
mod groups;
mod insight;
mod interviews;
mod plans;
mod surrogates;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard, RwLock, RwLockReadGuard};
use schemascope_api::{CliRequest, Groups};
use schemascope_model::{SEPARATOR, Timestamp, ToolId};
use schemascope_proxy::{BuiltInTools, CallContext, Calling, OWN_SERVER, ToolOutput};
use schemascope_registry::{Registry, Tool};
use serde_json::{Map, Value};

use crate::cli_tools::Wish;
use crate::interviews::Interviews;
use crate::knowledge::decisions::Decisions;
use crate::knowledge::edge_graph::EdgeGraph;
use crate::knowledge::overrides::shown::ShownTools;
use crate::recording::events::Events;
use crate::recording::recorder::Recorder;
use arguments::Arguments;
pub(crate) use groups::Group;

/// Bytes of English text and JSON per token of a language model, roughly.
const BYTES_PER_TOKEN: usize = 4;

/// A tool of our own.
struct OwnTool {
    name: &'static str,
    group: Group,
    /// Its entry in `tools/list`, without the name.
    definition: fn() -> Value,
    call: for<'a> fn(&'a Sources, Arguments, CallContext) -> Answering<'a>,
}

/// A call of a tool of our own, whose result becomes structured content.
type Answering<'a> = Pin<Box<dyn Future<Output = Result<Value, String>> + Send + 'a>>;

/// All tools of our own.
fn tools() -> impl Iterator<Item = &'static OwnTool> {
    insight::TOOLS.iter().chain(plans::TOOLS).chain(cli::TOOLS).chain(interviews::TOOLS)
}

impl OwnTool {
    fn definition(&self) -> Value {
        let mut definition = (self.definition)();
        definition["name"] = self.name.into();
        definition
    }

    /// Bytes its entry adds to `tools/list` of `/mcp`: with the longer name it has there, and a comma.
    fn listed_bytes(&self) -> usize {
        self.definition().to_string().len() + OWN_SERVER.len() + SEPARATOR.len() + 1
    }
}

/// What the tools report on.
pub(crate) struct Sources {
    pub(crate) registry: Arc<Mutex<Registry>>,
    pub(crate) decisions: Arc<Decisions>,
    pub(crate) recorder: Arc<Recorder>,
    pub(crate) shown: Arc<ShownTools>,
    pub(crate) edges: Arc<EdgeGraph>,
    pub(crate) interviews: Arc<Interviews>,
    /// Told when an interview proposes something to the user.
    pub(crate) events: Arc<Events>,
    /// Takes a request for a command-line tool.
    pub(crate) request_cli: RequestCli,
}

/// Takes a request for a command-line tool at a time, or says why it is rejected.
pub(crate) type RequestCli = Box<dyn Fn(Wish, Timestamp) -> Result<CliRequest, String> + Send + Sync>;

impl Sources {
    fn registry(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock()
    }
}

/// The tools, and which of them are part of `/mcp`.
pub(crate) struct OwnTools {
    sources: Sources,
    offered: RwLock<Groups>,
}

impl OwnTools {
    pub(crate) fn new(sources: Sources, offered: Groups) -> Arc<Self> {
        Arc::new(Self { sources, offered: RwLock::new(offered) })
    }

    /// Makes other groups part of `/mcp`. Returns whether that changes its list.
    pub(crate) fn offer(&self, offered: &Groups) -> bool {
        let mut now = self.offered.write();
        let is_change = *now != *offered;
        now.clone_from(offered);
        is_change
    }

    /// Whether a server's tools are part of `/mcp`, as far as it depends on the setting.
    pub(crate) fn offers_server(&self, server: &str) -> bool {
        server != OWN_SERVER || *self.offered() != Groups::Off
    }

    /// Whether a tool is part of `/mcp`, as far as it depends on the setting.
    pub(crate) fn offers(&self, tool: &ToolId) -> bool {
        tool.server() != OWN_SERVER
            || tools().any(|own| own.name == tool.tool() && self.offered().contains(own.group.name()))
    }

    /// Whether a tool belongs into lists and totals: it exists, and if it is one of our own, it is part of `/mcp` or
    /// was called. Own tools that no one uses would only distort the numbers about the user's servers.
    pub(crate) fn counts(&self, id: &ToolId, tool: &Tool) -> bool {
        tool.exists() && (tool.calls > 0 || self.offers(id))
    }

    /// Says by how much the tools make `tools/list` of `/mcp` longer, or would if all were part of it.
    pub(crate) fn cost(&self) -> String {
        let offered = self.offered().clone();
        let size = |offered: &Groups| {
            let sizes = tools().filter(|own| offered.contains(own.group.name())).map(OwnTool::listed_bytes);
            sizes.fold((0, 0), |(count, bytes), size| (count + 1, bytes + size))
        };
        let words = |(count, bytes): (usize, usize)| {
            let tokens = bytes / BYTES_PER_TOKEN;
            format!("{count} tools, {bytes} bytes, about {tokens} tokens at {BYTES_PER_TOKEN} bytes each")
        };
        match offered {
            Groups::Off => format!("all would add to the tool list of /mcp: {}", words(size(&Groups::All))),
            offered => format!("adds to the tool list of /mcp: {}", words(size(&offered))),
        }
    }

    /// Describes the upstream to the user.
    pub(crate) fn about(&self) -> String {
        let offered = self.offered();
        format!(
            "Schemascope's own tools, always at /mcp/{OWN_SERVER}; on /mcp: {offered} (setting own_tools)"
        )
    }

    fn offered(&self) -> RwLockReadGuard<'_, Groups> {
        self.offered.read()
    }
}

impl BuiltInTools for OwnTools {
    fn instructions(&self) -> String {
        "Schemascope records the calls that pass between agents and MCP servers and learns what tools return. Ask \
         get_tool_schema for the fields of a tool's results before writing code that reads them, and \
         get_quality_report for how far schemas can be trusted. suggest_next_tools says which tools take what the \
         last results gave, and plan_tools which calls lead to a tool or a field. register_cli_tool asks the user \
         for a command-line program as a tool. The prompt interview says how to interview a person with \
         start_interview and the tools beside it."
            .to_owned()
    }

    fn definitions(&self) -> Vec<Value> {
        tools().map(OwnTool::definition).collect()
    }

    fn prompts(&self) -> Vec<Value> {
        interviews::prompts()
    }

    fn prompt(&self, name: &str, arguments: &Map<String, Value>) -> Option<String> {
        interviews::prompt(&self.sources, name, arguments)
    }

    fn call(&self, name: &str, arguments: Map<String, Value>, context: CallContext) -> Calling<'_> {
        match tools().find(|own| own.name == name) {
            Some(own) => Box::pin(async move {
                let answer = (own.call)(&self.sources, Arguments::new(arguments), context);
                answer.await.map(ToolOutput::from)
            }),
            None => {
                let message = format!("there is no tool {name:?}");
                Box::pin(std::future::ready(Err(message)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_closed_and_say_whether_they_only_read() {
        let names: Vec<&str> = tools().map(|own| own.name).collect();
        let expected = [
            "get_tool_schema",
            "get_quality_report",
            "suggest_next_tools",
            "plan_tools",
            "register_cli_tool",
        ];
        assert_eq!(names[..5], expected);
        assert_eq!(names[5..], schemascope_interview::TOOL_NAMES);
        for own in tools() {
            let definition = own.definition();
            let is_reader = matches!(own.group, Group::Insight | Group::Plans);
            let says = definition["annotations"]["readOnlyHint"] == true;
            assert!(says || !is_reader, "{definition}");
            assert_eq!(definition["inputSchema"]["additionalProperties"], false, "{definition}");
            assert_eq!(definition["outputSchema"]["type"], "object", "{definition}");
            assert!(definition["description"].as_str().unwrap().len() > 100, "{definition}");
        }
    }
}
