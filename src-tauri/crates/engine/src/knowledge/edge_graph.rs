//! The graph of provides edges, brought up to date whenever it is asked.
//!
//! What tools look like comes from the registry, the decisions and the overrides; evidence comes from the recorder.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use schemascope_api::{EdgeState, EdgeTotals, breaks, lost_edges};
use schemascope_compose::{All, Edge, Evidence, Filter, Graph, Lost, Model, Tool as GraphTool, is_within};
use schemascope_model::{Change, LostEdge, Timestamp, ToolId, TypeName};
use schemascope_proxy::{OWN_SERVER, ServerEntry};
use schemascope_registry::drift::DriftEvent;
use schemascope_registry::exchange::{Bundle, Position, Team, machine_name};
use schemascope_registry::versions::ToolVersions;
use schemascope_registry::{Registry, Tool};
use schemascope_shape::{HashKey, InvalidState};
use serde::Deserialize;
use serde_json::Value;

use super::decisions::Decisions;
use super::overrides::shown::ShownTools;
use crate::config::UserFiles;
use crate::config::mcp_json::{ActiveConfig, LoadedConfig};
use crate::recording::Records;
use crate::recording::events::Events;
use crate::recording::flows::Flows;

/// Least confidence of edges that are listed unless another one is asked for.
pub(crate) const USUAL_CONFIDENCE: f64 = 0.5;

/// Shortest time between two counts of all edges.
const TOTALS_INTERVAL: Duration = Duration::from_millis(500);

/// Number of times longer than counting all edges took that the count is used.
const TOTALS_SHARE: u32 = 20;

/// Adds an edge to numbers of edges.
pub(crate) fn count(totals: &mut EdgeTotals, edge: &Edge) {
    *match edge.state {
        EdgeState::Seen => &mut totals.seen,
        EdgeState::Possible => &mut totals.possible,
        EdgeState::Broken => &mut totals.broken,
    } += 1;
}

/// The graph, with what it is made from.
pub(crate) struct EdgeGraph {
    registry: Arc<Mutex<Registry>>,
    flows: Arc<Mutex<Flows>>,
    events: Arc<Events>,
    decisions: Arc<Decisions>,
    shown: Arc<ShownTools>,
    config: Arc<ActiveConfig>,
    known: Mutex<Known>,
}

/// The graph as of the last look.
struct Known {
    graph: Graph,
    /// The latest event that it includes.
    seen: Option<u64>,
    /// All edges of the usual confidence, as long as nothing changes.
    usual: Option<Arc<[Edge]>>,
    /// Their numbers, and until when these are good enough.
    totals: Option<(Instant, EdgeTotals)>,
}

impl EdgeGraph {
    pub(super) fn new(
        records: &Records,
        files: &UserFiles,
        decisions: Arc<Decisions>,
        shown: Arc<ShownTools>,
    ) -> Self {
        Self {
            registry: Arc::clone(&records.registry),
            flows: Arc::clone(&records.flows),
            events: Arc::clone(&records.events),
            decisions,
            shown,
            config: Arc::clone(&files.config),
            known: Mutex::new(Known {
                graph: Graph::new(Model::default()),
                seen: None,
                usual: None,
                totals: None,
            }),
        }
    }

    /// Does something with the graph as it is now. Takes up to seconds for thousands of tools.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut Graph) -> T) -> T {
        let mut known = self.known.lock();
        self.update(&mut known);
        work(&mut known.graph)
    }

    /// All edges of the usual confidence, the strongest first.
    pub(crate) fn usual(&self) -> Arc<[Edge]> {
        let mut known = self.known.lock();
        self.update(&mut known);
        if let Some(usual) = &known.usual {
            return Arc::clone(usual);
        }
        let filter = Filter { min: USUAL_CONFIDENCE, ..Filter::default() };
        let usual: Arc<[Edge]> = known.graph.edges(&filter).into();
        known.usual = Some(Arc::clone(&usual));
        usual
    }

    /// Numbers of edges, counted twice a second at most: reports are asked for often.
    pub(crate) fn totals(&self) -> EdgeTotals {
        let counted = self.known.lock().totals.filter(|(until, _)| Instant::now() < *until);
        if let Some((_, totals)) = counted {
            return totals;
        }
        let began = Instant::now();
        let mut totals = EdgeTotals::default();
        let filter = Filter { min: USUAL_CONFIDENCE, ..Filter::default() };
        self.with(|graph| graph.each_edge(&filter, |edge| count(&mut totals, &edge)));
        // Of thousands of tools it takes seconds, which may not become most of the work.
        let pause = TOTALS_INTERVAL.max(began.elapsed() * TOTALS_SHARE);
        self.known.lock().totals = Some((Instant::now() + pause, totals));
        totals
    }

    /// Edges from a tool under two schemas of its results, with any confidence.
    pub(crate) fn under(&self, id: &ToolId, old: &Value, new: &Value) -> (Vec<Edge>, Vec<Edge>) {
        let name: Box<str> = id.to_string().into();
        let filter = Filter { from: Some(name.clone()), ..Filter::default() };
        self.with(|graph| {
            let Some(now) = graph.tool(&name).cloned() else { return Default::default() };
            let mut edges = |schema: &Value| {
                let output = Some(Arc::new(schema.clone()));
                graph.set(GraphTool { output, lost: Vec::new(), open_since: None, ..now.clone() });
                graph.edges(&filter)
            };
            let found = (edges(old), edges(new));
            graph.set(now);
            found
        })
    }

    /// Whether a drift takes something away, and can break edges.
    pub(crate) fn may_break(event: &DriftEvent) -> bool {
        lost_by(event).is_some() || matches!(event.change, Change::BecameNull)
    }

    /// Those of the edges that a drift breaks.
    pub(crate) fn broken_by(usual: &[Edge], id: &ToolId, event: &DriftEvent) -> Vec<LostEdge> {
        let Some(path) = field_path(event).filter(|_| Self::may_break(event)) else { return Vec::new() };
        let from = id.to_string();
        let edges: Vec<Edge> = usual.iter().filter(|edge| *edge.from == *from).cloned().collect();
        lost_edges(&edges, path)
    }

    /// Notes of each edge which pending versions and open drifts would break it.
    pub(crate) fn threaten(&self, edges: &mut [Edge]) {
        let mut by_tool: BTreeMap<Box<str>, Vec<&mut Edge>> = BTreeMap::new();
        for edge in edges.iter_mut().filter(|edge| edge.state != EdgeState::Broken) {
            by_tool.entry(edge.from.clone()).or_default().push(edge);
        }
        for (name, edges) in by_tool {
            let Ok(id) = name.parse::<ToolId>() else { continue };
            let versions = self.decisions.tool(&id);
            let outputs: BTreeSet<&str> =
                edges.iter().flat_map(|edge| &edge.fields).map(|field| &*field.output).collect();
            let candidates = versions.candidates().filter_map(|number| versions.version(number).ok());
            let candidates: Vec<(u32, BTreeSet<String>)> = candidates
                .filter_map(|version| {
                    let now = self.known.lock().graph.tool(&name)?.clone();
                    let output = Some(Arc::clone(&version.schema));
                    let then = GraphTool { output, lost: Vec::new(), ..now };
                    let lacking = then.lacks(outputs.clone()).into_iter().map(str::to_owned).collect();
                    Some((version.number, lacking))
                })
                .collect();
            let drifts: Vec<(String, &str)> = versions
                .drifts()
                .open()
                .filter(|drift| matches!(drift.event.change, Change::BecameNull | Change::Retyped { .. }))
                .filter_map(|drift| {
                    Some((format!("drift {} of {name}", drift.event.id), field_path(&drift.event)?))
                })
                .collect();
            for edge in edges {
                for (number, lacking) in &candidates {
                    if breaks(edge, |output| lacking.contains(output)) {
                        edge.threatened_by.push(format!("version {number} of {name}").into());
                    }
                }
                for (drift, path) in &drifts {
                    if breaks(edge, |output| is_within(output, path)) {
                        edge.threatened_by.push(drift.as_str().into());
                    }
                }
            }
        }
    }

    fn update(&self, known: &mut Known) {
        let (changed, latest) = self.events.tools_since(known.seen);
        let evidence = {
            let mut flows = self.flows.lock();
            let changed = flows.take_changed();
            let evidence = known.graph.evidence_mut();
            for tool in &changed {
                evidence.take(tool, flows.evidence());
            }
            changed
        };
        if !evidence.is_empty() || changed.as_ref().is_none_or(|changed| !changed.is_empty()) {
            known.usual = None;
        }
        known.seen = Some(latest);
        let config = self.config.now();
        let mut tools = match changed {
            Some(changed) => changed,
            None => {
                let tools: Vec<ToolId> = self.registry.lock().tools().keys().cloned().collect();
                let gone: Vec<Box<str>> = known.graph.tools().map(Into::into).collect();
                tools.into_iter().chain(gone.iter().filter_map(|tool| tool.parse().ok())).collect()
            }
        };
        tools.extend(self.unlisted_beside(&tools, &known.graph));
        // What is known of the arguments of a tool may come from its evidence.
        tools.extend(evidence.iter().filter_map(|tool| tool.parse().ok()));
        tools.sort();
        tools.dedup();
        for id in tools {
            match self.tool(&id, &known.graph, &config) {
                Some(tool) => known.graph.set(tool),
                None => known.graph.remove(&id.to_string()),
            }
        }
    }

    /// Tools that are known from calls alone, of the servers whose first tool was listed or whose last one is gone: they
    /// belong to the graph only where no tool of the server is listed.
    fn unlisted_beside(&self, changed: &[ToolId], graph: &Graph) -> Vec<ToolId> {
        let registry = self.registry.lock();
        let is_listed = |id: &ToolId| registry.tool(id).is_some_and(|tool| tool.declaration.is_some());
        let is_known = |id: &ToolId| graph.tool(&id.to_string()).is_some();
        let stays = |id: &ToolId| {
            let mut beside =
                registry.tools().keys().filter(|other| other.server() == id.server() && *other != id);
            // Where another tool is known without being listed, this one was as well.
            !is_listed(id) && beside.any(|other| !is_listed(other) && is_known(other))
        };
        let changes = |id: &&ToolId| id.server() != OWN_SERVER && is_listed(id) != is_known(id) && !stays(id);
        let servers: BTreeSet<&str> = changed.iter().filter(changes).map(|id| id.server()).collect();
        if servers.is_empty() {
            return Vec::new();
        }
        let beside = registry.tools().keys().filter(|id| servers.contains(id.server()) && !is_listed(id));
        beside.cloned().collect()
    }

    /// A tool as the graph sees it; none if it is gone, or our own.
    fn tool(&self, id: &ToolId, graph: &Graph, config: &LoadedConfig) -> Option<GraphTool> {
        if id.server() == OWN_SERVER {
            return None;
        }
        let (tool, server_lists) = {
            let registry = self.registry.lock();
            let tool = registry.tool(id).filter(|tool| tool.exists())?.clone();
            let lists =
                |(other, tool): (&ToolId, &Tool)| other.server() == id.server() && tool.declaration.is_some();
            let server_lists = tool.declaration.is_some() || registry.tools().iter().any(lists);
            (tool, server_lists)
        };
        (tool.declaration.is_some() || !server_lists).then(|| self.shown(id, &tool, graph, config))
    }

    /// The graph of a team: what this machine and the others that sent bundles saw together.
    pub(crate) fn of_team(
        &self,
        own: u64,
        others: &BTreeMap<String, Bundle>,
        key: HashKey,
    ) -> Result<Graph, InvalidState> {
        // Before the registry, so that it has no call that the registry lacks.
        let evidence = self.flows.lock().evidence().clone();
        let tools = self.registry.lock().tools().clone();
        let config = self.config.now();
        let mut ids: BTreeSet<&ToolId> =
            tools.iter().filter(|(_, tool)| tool.exists()).map(|(id, _)| id).collect();
        ids.extend(others.values().flat_map(|bundle| bundle.tools.keys()));
        ids.retain(|id| id.server() != OWN_SERVER);
        let mut graph = Graph::new(Model::default());
        for id in &ids {
            let name = id.to_string();
            for (json, calls, latest) in shares(id, tools.get(*id), own, others, &evidence) {
                // Shares of others were checked when they were read.
                if let Err(reason) =
                    graph.evidence_mut().add_share(&name, &json, (calls, latest), (key.0, key.1))
                {
                    tracing::warn!(tool = name, %reason, "evidence of another machine is left out");
                }
            }
        }
        for id in ids {
            let mut team = Team::with_key(key);
            if let Some(tool) = tools.get(id) {
                team.add_own(tool, own);
            }
            others.values().for_each(|bundle| bundle.add_to(id, &mut team));
            let tool = self.shown(id, &team.tool()?, &graph, &config);
            graph.set(tool);
        }
        Ok(graph)
    }

    fn shown(&self, id: &ToolId, tool: &Tool, graph: &Graph, config: &LoadedConfig) -> GraphTool {
        let definition = Definition::of(tool);
        let versions = self.decisions.tool(id);
        let (output, open_since) = output(tool, &versions);
        let name = id.to_string();
        let input = definition.input.filter(says_fields);
        GraphTool {
            input: input.or_else(|| graph.evidence().input_schema(&name)).map(Arc::new),
            output,
            lost: lost(&versions),
            open_since: open_since.map(Timestamp::as_millis),
            text: tool.carriers.text_form().is_some(),
            read_only: definition.annotations.read_only,
            usable: !self.shown.is_hidden(id) && is_configured(config, id, tool),
            id: name.into(),
        }
    }
}

/// Evidence of a tool by machine, as JSON, with the calls that it comes from and the time of the latest. Of two shares of
/// one machine, the later one counts.
fn shares(
    id: &ToolId,
    own_tool: Option<&Tool>,
    own: u64,
    others: &BTreeMap<String, Bundle>,
    evidence: &Evidence,
) -> Vec<(String, u64, u64)> {
    let mut latest: BTreeMap<String, (Position, String)> = BTreeMap::new();
    for (machine, json) in evidence.shares(&id.to_string(), own, &All) {
        let position = own_tool.map(|tool| tool.position_of(machine)).unwrap_or_default();
        latest.insert(machine_name(machine), (position, json));
    }
    for (machine, node) in others.values().flat_map(|bundle| &bundle.nodes) {
        let Some(share) = node.tools.get(id).filter(|_| *machine != machine_name(own)) else { continue };
        let Some(json) = share.edges() else { continue };
        if latest.get(machine).is_none_or(|(known, _)| *known < share.position()) {
            latest.insert(machine.clone(), (share.position(), json.to_owned()));
        }
    }
    let time = |position: &Position| position.latest.unwrap_or_default().as_millis();
    latest.into_values().map(|(position, json)| (json, position.calls, time(&position))).collect()
}

/// What a tool's definition says that the graph looks at.
#[derive(Default, Deserialize)]
struct Definition {
    #[serde(rename = "inputSchema", default)]
    input: Option<Value>,
    #[serde(default)]
    annotations: Annotations,
}

#[derive(Default, Deserialize)]
struct Annotations {
    #[serde(rename = "readOnlyHint", default)]
    read_only: bool,
}

impl Definition {
    fn of(tool: &Tool) -> Self {
        let declaration = tool.declaration.as_ref();
        declaration
            .and_then(|declaration| serde_json::from_str(declaration.definition.get()).ok())
            .unwrap_or_default()
    }
}

/// Whether a schema says which fields there are, and not only that there is an object.
fn says_fields(schema: &Value) -> bool {
    const WORDS: [&str; 4] = ["properties", "items", "additionalProperties", "$ref"];
    let object = schema.as_object();
    let empty = |value: &Value| value.as_object().is_none_or(serde_json::Map::is_empty) && !value.is_string();
    object.is_some_and(|object| {
        WORDS.iter().any(|word| object.get(*word).is_some_and(|value| !empty(value)))
            || ["anyOf", "oneOf", "allOf"].iter().any(|word| object.contains_key(*word))
    })
}

/// The schema of a tool's results: effective, else declared or inferred. Also from when on results may have more than
/// it says.
fn output(tool: &Tool, versions: &ToolVersions) -> (Option<Arc<Value>>, Option<Timestamp>) {
    if let Some(in_force) = versions.in_force() {
        return (Some(Arc::clone(&in_force.version().schema)), None);
    }
    let declaration = tool.declaration.as_ref();
    let declared = declaration.and_then(|own| Some((own.output_schema()?, own.at)));
    if let Some((declared, at)) = declared.filter(|(declared, _)| says_fields(&declared.schema)) {
        return (Some(Arc::clone(&declared.schema)), Some(at));
    }
    let inferred = (tool.shape.observations() > 0).then(|| Arc::new(tool.inferred_schema()));
    (inferred, Some(Timestamp::default()))
}

/// What open drifts have taken away from a tool's results.
fn lost(versions: &ToolVersions) -> Vec<Lost> {
    versions.drifts().open().filter_map(|drift| lost_by(&drift.event)).collect()
}

fn lost_by(event: &DriftEvent) -> Option<Lost> {
    let path = field_path(event)?;
    match event.change {
        Change::Removed | Change::Renamed { .. } => Some(Lost::Field(path.into())),
        Change::Retyped { from: TypeName::Object, .. } => Some(Lost::Members(path.into())),
        Change::Retyped { from: TypeName::Array, .. } => Some(Lost::Items(path.into())),
        Change::Retyped { to: TypeName::Object | TypeName::Array, .. } => Some(Lost::Value(path.into())),
        _ => None,
    }
}

/// The path of a drift as edges write it, if it is known in full.
fn field_path(event: &DriftEvent) -> Option<&str> {
    Some(&*event.path).filter(|path| !path.starts_with('…'))
}

/// Whether a tool's server can be reached, as far as the configuration says.
fn is_configured(config: &LoadedConfig, id: &ToolId, tool: &Tool) -> bool {
    match config.config.servers.get(id.server()) {
        Some(entry) => !matches!(entry, ServerEntry::Disabled | ServerEntry::Invalid(_)),
        // Known from a trace alone, or the configuration is unknown.
        None => tool.declaration.is_none() || config.problem.is_some(),
    }
}
