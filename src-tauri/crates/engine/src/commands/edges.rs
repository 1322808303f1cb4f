//! Listing provides edges, and the part of the graph that a page shows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemascope_api::{
    ApiError, Edge, EdgeState, EdgeTotals, ErrorKind, GetGraph, GraphServer, GraphTool, GraphView, ListEdges,
    ServerLink, Subject,
};
use schemascope_compose::{Filter, Graph};
use schemascope_model::ToolId;

use super::{Handle, internal, nearest};
use crate::engine::Engine;
use crate::knowledge::edge_graph::{USUAL_CONFIDENCE, count};

handlers![ListEdges, GetGraph];

/// Edges in one part of the graph, unless another number is asked for.
const LIMIT: usize = 1_000;
/// Edges between the focus and the furthest tool, at most.
const MAX_HOPS: u8 = 6;

impl Handle<ListEdges> for Engine {
    async fn handle(&self, command: ListEdges) -> Result<Vec<Edge>, ApiError> {
        self.settled().await?;
        let filter = Filter {
            from: self.team_end(command.from.as_deref(), command.team)?,
            to: self.team_end(command.to.as_deref(), command.team)?,
            server: if command.team { command.server.map(Into::into) } else { self.server(command.server)? },
            min: confidence(command.min)?,
            seen: command.seen,
        };
        let edges = match command.team {
            true => self.team_edges(filter).await?,
            false => self.in_graph(move |graph| graph.edges(&filter)).await?,
        };
        self.threatened(edges).await
    }
}

impl Handle<GetGraph> for Engine {
    async fn handle(&self, command: GetGraph) -> Result<GraphView, ApiError> {
        self.settled().await?;
        let min = confidence(command.min)?;
        let focus = self.end(command.focus.as_deref())?;
        let expanded = command.expanded.iter().map(|tool| self.end(Some(tool)));
        let mut opened: BTreeSet<Box<str>> = expanded.flatten().flatten().collect();
        opened.extend(focus.clone());
        let hops = command.hops.unwrap_or(1).min(MAX_HOPS);
        let limit = command.limit.unwrap_or(LIMIT);
        // Which edges are threatened is found out later, of those that are shown.
        let filter = if command.filter.contains("threatened") { "" } else { command.filter.as_str() };
        let passing = schemascope_api::Filter::parse(filter, Subject::Edges).unwrap_or_default();
        let edges = Arc::clone(&self.knowledge.edges);
        let viewing = move || {
            let usual = edges.usual();
            edges.with(|graph| {
                let other =
                    (min != USUAL_CONFIDENCE).then(|| graph.edges(&Filter { min, ..Filter::default() }));
                let all = other.as_deref().unwrap_or(&usual);
                let shown = match &focus {
                    Some(focus) => around(all, focus, hops, &opened),
                    None => all.iter().filter(|edge| passing.edge(edge)).collect(),
                };
                view(graph, all, &shown, focus, limit)
            })
        };
        let mut view = tokio::task::spawn_blocking(viewing).await.map_err(internal)?;
        view.edges = self.threatened(view.edges).await?;
        Ok(view)
    }
}

impl Engine {
    /// Does something with the graph on a thread of its own.
    pub(super) async fn in_graph<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Graph) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let edges = Arc::clone(&self.knowledge.edges);
        tokio::task::spawn_blocking(move || edges.with(work)).await.map_err(internal)
    }

    /// Edges with what would break them.
    pub(super) async fn threatened(&self, mut edges: Vec<Edge>) -> Result<Vec<Edge>, ApiError> {
        let graph = Arc::clone(&self.knowledge.edges);
        let threatening = move || {
            graph.threaten(&mut edges);
            edges
        };
        tokio::task::spawn_blocking(threatening).await.map_err(internal)
    }

    /// All edges of the usual confidence, if they are wanted: of thousands of tools that takes seconds.
    pub(super) async fn usual_edges(&self, are_wanted: bool) -> Result<Arc<[Edge]>, ApiError> {
        if !are_wanted {
            return Ok(Arc::default());
        }
        let edges = Arc::clone(&self.knowledge.edges);
        tokio::task::spawn_blocking(move || edges.usual()).await.map_err(internal)
    }

    /// Edges that this machine and the others of its team saw together.
    async fn team_edges(&self, filter: Filter) -> Result<Vec<Edge>, ApiError> {
        let key = self.data.hash_key().map_err(internal)?;
        let node = self.data.node().map_err(internal)?;
        let (edges, team) = (Arc::clone(&self.knowledge.edges), Arc::clone(&self.knowledge.team));
        let listing = move || {
            let others = team.read(key).map_err(internal)?;
            let mut graph = edges.of_team(node, &others, key).map_err(internal)?;
            Ok(graph.edges(&filter))
        };
        tokio::task::spawn_blocking(listing).await.map_err(internal)?
    }

    /// Numbers of all edges.
    pub(super) async fn edge_totals(&self) -> Result<EdgeTotals, ApiError> {
        let edges = Arc::clone(&self.knowledge.edges);
        tokio::task::spawn_blocking(move || edges.totals()).await.map_err(internal)
    }

    /// The id of a tool at an end of an edge.
    fn end(&self, written: Option<&str>) -> Result<Option<Box<str>>, ApiError> {
        written.map(|written| Ok(self.find(written)?.to_string().into())).transpose()
    }

    /// The same; a tool that only other machines know is named by its id.
    fn team_end(&self, written: Option<&str>, team: bool) -> Result<Option<Box<str>>, ApiError> {
        match (self.end(written), written) {
            (Err(_), Some(id)) if team && id.parse::<ToolId>().is_ok() => Ok(Some(id.into())),
            (end, _) => end,
        }
    }

    /// The name of a server with tools.
    fn server(&self, written: Option<String>) -> Result<Option<Box<str>>, ApiError> {
        let Some(written) = written else { return Ok(None) };
        let registry = self.registry();
        let known: BTreeSet<&str> = registry.tools().keys().map(ToolId::server).collect();
        if known.contains(written.as_str()) {
            return Ok(Some(written.into()));
        }
        let hint = nearest::suggestion(&written, known.iter().copied());
        let message = format!("no tool of a server {written:?} is known{hint}");
        Err(ApiError::new(ErrorKind::NotFound, message))
    }
}

fn confidence(min: Option<f64>) -> Result<f64, ApiError> {
    let min = min.unwrap_or(USUAL_CONFIDENCE);
    if (0.0..=1.0).contains(&min) {
        return Ok(min);
    }
    let message = format!("{min} is not a confidence; expected a number from 0 to 1, for example 0.5");
    Err(ApiError::new(ErrorKind::Invalid, message))
}

/// The edges of tools that are open: the focus, tools nearer to it than `hops`, and those that were opened. Those nearest
/// to the focus come first, so that a limit cuts none of them off from it; otherwise the order stays.
fn around<'e>(edges: &'e [Edge], focus: &str, hops: u8, opened: &BTreeSet<Box<str>>) -> Vec<&'e Edge> {
    let mut frontier: BTreeSet<&str> = [focus].into();
    let mut distances: BTreeMap<&str, u8> = [(focus, 0)].into();
    for distance in 1..hops.max(1) {
        let mut next = BTreeSet::new();
        for edge in edges {
            for (one, other) in [(&*edge.from, &*edge.to), (&*edge.to, &*edge.from)] {
                if frontier.contains(one) && !distances.contains_key(other) {
                    next.insert(other);
                }
            }
        }
        distances.extend(next.iter().map(|tool| (*tool, distance)));
        frontier = next;
    }
    let distance = |tool: &str| distances.get(tool).copied();
    let nearest = |edge: &&Edge| [distance(&edge.from), distance(&edge.to)].into_iter().flatten().min();
    let is_shown =
        |edge: &&Edge| nearest(edge).is_some() || opened.contains(&edge.from) || opened.contains(&edge.to);
    let mut shown: Vec<&Edge> = edges.iter().filter(is_shown).collect();
    shown.sort_by_key(|edge| nearest(edge).unwrap_or(u8::MAX));
    shown
}

fn view(graph: &Graph, all: &[Edge], shown: &[&Edge], focus: Option<Box<str>>, limit: usize) -> GraphView {
    let (mut fed_by, mut feeds) = (BTreeMap::<&str, u64>::new(), BTreeMap::<&str, u64>::new());
    let mut links: BTreeMap<(&str, &str), EdgeTotals> = BTreeMap::new();
    let mut totals = EdgeTotals::default();
    for edge in all {
        let link = links.entry((server(&edge.from), server(&edge.to))).or_default();
        for totals in [&mut totals, link] {
            count(totals, edge);
        }
        if edge.from != edge.to && edge.state != EdgeState::Broken {
            *feeds.entry(&edge.from).or_default() += 1;
            *fed_by.entry(&edge.to).or_default() += 1;
        }
    }
    let edges: Vec<Edge> = shown.iter().take(limit).map(|edge| (*edge).clone()).collect();
    let ends = edges.iter().flat_map(|edge| [edge.from.clone(), edge.to.clone()]);
    let ends: BTreeSet<Box<str>> = ends.chain(focus).collect();
    let mut servers: BTreeMap<&str, u64> = BTreeMap::new();
    for tool in graph.tools() {
        *servers.entry(server(tool)).or_default() += 1;
    }
    GraphView {
        omitted: (shown.len() - edges.len()) as u64,
        tools: ends
            .into_iter()
            .map(|tool| GraphTool {
                read_only: graph.tool(&tool).is_some_and(|tool| tool.read_only),
                fed_by: fed_by.get(&*tool).copied().unwrap_or(0),
                feeds: feeds.get(&*tool).copied().unwrap_or(0),
                required: graph.required(&tool),
                tool_id: tool.into(),
            })
            .collect(),
        servers: servers
            .into_iter()
            .map(|(name, tools)| GraphServer { name: name.to_owned(), tools })
            .collect(),
        links: links
            .into_iter()
            .map(|((from, to), totals)| ServerLink { from: from.to_owned(), to: to.to_owned(), totals })
            .collect(),
        totals,
        edges,
    }
}

fn server(tool: &str) -> &str {
    tool.split_once("__").map_or("", |(server, _)| server)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn edge(from: &str, to: &str) -> Edge {
        let evidence = json!({"flows": 0, "values": 0, "sessions": 0, "last_at": null});
        let edge = json!({
            "from": from, "to": to, "coverage": "strict", "confidence": 0.9, "state": "possible", "echo": false,
            "fields": [{"output": "id", "input": "id", "how": "same", "confidence": 0.9, "echo": false,
                "broken": false, "evidence": evidence}],
            "needs": [], "evidence": evidence, "threatened_by": [],
        });
        serde_json::from_value(edge).unwrap()
    }

    /// Many strong edges far away once left out those of the tool in the middle.
    #[test]
    fn edges_near_the_focus_come_first() {
        let edges =
            [edge("s__b", "s__c"), edge("s__x", "s__y"), edge("s__c", "s__d"), edge("s__focus", "s__b")];
        let opened = BTreeSet::from(["s__x".into()]);
        let found = |hops| -> Vec<String> {
            let shown = around(&edges, "s__focus", hops, &opened);
            shown.iter().map(|edge| format!("{}{}", &edge.from[3..], &edge.to[3..])).collect()
        };
        assert_eq!(found(1), ["focusb", "xy"]);
        assert_eq!(found(2), ["focusb", "bc", "xy"]);
        assert_eq!(found(3), ["focusb", "bc", "cd", "xy"]);
    }
}
