//! What is shown of a view: the edges that pass the filter and hang together, and the tools at their ends.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemascope_api::{Edge, EdgeCoverage, EdgeState, Filter, GraphServer, GraphView, ServerLink};

/// Number of tools above which the page asks before it draws them.
pub const MANY: usize = 60;
/// Number of edges shown without a tool in the middle and without a filter.
pub const STRONGEST: usize = 48;

/// What is asked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Request {
    /// Tool in the middle.
    pub focus: Option<String>,
    /// How many edges away from it a tool may be.
    pub hops: usize,
    /// Tools whose neighbours are shown as well.
    pub open: Vec<String>,
    /// Which edges are shown.
    pub filter: Filter,
    /// Edges of a plan. They are shown in any case, by the ids of their tools.
    pub chain: Vec<(String, String)>,
}

/// A tool that is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneTool {
    /// `server__tool`.
    pub id: Box<str>,
    /// Whether its server says that it only reads; unknown for tools that are gone.
    pub read_only: Option<bool>,
    /// Paths of its required inputs.
    pub required: Vec<Box<str>>,
    /// Number of its neighbours that the view leaves out.
    pub hidden: u64,
    /// Whether its neighbours were asked for.
    pub is_open: bool,
}

/// An edge that is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneEdge {
    /// The edge.
    pub edge: Arc<Edge>,
    /// Number of the tool that gives.
    pub from: usize,
    /// Number of the tool that takes.
    pub to: usize,
}

/// What is shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scene {
    /// Number of the tool in the middle.
    pub focus: Option<usize>,
    /// Tools, those of the strongest edges first.
    pub tools: Vec<SceneTool>,
    /// Edges, the strongest first.
    pub edges: Vec<SceneEdge>,
    /// Servers, by name; empty with a tool in the middle.
    pub servers: Vec<GraphServer>,
    /// Numbers of edges between servers; empty with a tool in the middle.
    pub links: Vec<ServerLink>,
    /// Edges that pass the filter and are not shown.
    pub left_out: u64,
}

/// Chooses what is shown of a view.
pub fn scene(view: &GraphView, request: &Request) -> Scene {
    let chain: BTreeSet<(&str, &str)> =
        request.chain.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
    let in_chain = |edge: &Edge| chain.contains(&(&*edge.from, &*edge.to));
    let mut edges: Vec<&Edge> =
        view.edges.iter().filter(|edge| request.filter.edge(edge) || in_chain(edge)).collect();
    // Edges of a chain were asked for apart, and come last.
    let mut known: BTreeSet<(&str, &str)> = BTreeSet::new();
    edges.retain(|edge| known.insert((&edge.from, &edge.to)));
    edges.sort_by(|a, b| rank(a).cmp(&rank(b)));
    let mut scene = Scene::default();
    if let Some(focus) = &request.focus {
        let centers = centers(&edges, focus, request);
        edges.retain(|edge| in_chain(edge) || centers.contains(&*edge.from) || centers.contains(&*edge.to));
        scene.left_out = view.omitted;
    } else {
        let all = edges.len();
        if request.filter.is_empty() {
            limit(&mut edges);
        }
        scene.left_out = view.omitted + (all - edges.len()) as u64;
        by_server(&mut edges);
        scene.servers.clone_from(&view.servers);
        scene.links.clone_from(&view.links);
    }
    fill(&mut scene, view, request, &edges);
    if !request.filter.is_empty() {
        // A filter leaves out servers whose edges it leaves out.
        let named: BTreeSet<String> = scene.tools.iter().map(|tool| server(&tool.id).to_owned()).collect();
        scene.servers.retain(|server| named.contains(&server.name));
        scene.links.retain(|link| named.contains(&link.from) && named.contains(&link.to));
    }
    scene
}

/// Order of edges: by confidence in tenths, so that small changes move nothing, by coverage, then by tools.
fn rank(edge: &Edge) -> (u8, u8, u8, &str, &str) {
    let broken = u8::from(edge.state == EdgeState::Broken);
    let tenths = (edge.confidence.clamp(0.0, 1.0) * 10.0).round() as u8;
    let coverage = match edge.coverage {
        EdgeCoverage::Strict => 0,
        EdgeCoverage::Partial => 1,
        EdgeCoverage::Optional => 2,
    };
    (broken, 10 - tenths, coverage, &edge.from, &edge.to)
}

/// The server of a tool.
pub fn server(id: &str) -> &str {
    id.split_once("__").map_or("", |(server, _)| server)
}

/// Sorts edges by server: those with the most edges in use first, edges between servers last.
fn by_server(edges: &mut [&Edge]) {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let own = |edge: &Edge| server(&edge.from) == server(&edge.to);
    for edge in edges.iter().filter(|edge| own(edge)) {
        let (seen, all) = counts.entry(server(&edge.from)).or_default();
        *seen += usize::from(edge.state == EdgeState::Seen);
        *all += 1;
    }
    edges.sort_by_key(|edge| {
        let name = server(&edge.from);
        (!own(edge), std::cmp::Reverse(counts.get(name).copied().unwrap_or_default()), name)
    });
}

/// Tools whose edges are shown: those fewer than `hops` edges away from the focus, and those that were opened.
fn centers<'a>(edges: &[&'a Edge], focus: &'a str, request: &'a Request) -> BTreeSet<&'a str> {
    let mut near: BTreeSet<&str> = [focus].into();
    for _ in 1..request.hops {
        let next: Vec<&str> = edges
            .iter()
            .filter(|edge| near.contains(&*edge.from) || near.contains(&*edge.to))
            .flat_map(|edge| [&*edge.from, &*edge.to])
            .collect();
        near.extend(next);
    }
    // A tool that was opened counts while something joins it to the others.
    let mut waiting: Vec<&str> = request.open.iter().map(String::as_str).collect();
    loop {
        let is_joined = |tool: &str, near: &BTreeSet<&str>| {
            edges.iter().any(|edge| {
                (&*edge.from == tool && near.contains(&*edge.to))
                    || (&*edge.to == tool && near.contains(&*edge.from))
            })
        };
        let (joined, rest): (Vec<&str>, Vec<&str>) = waiting.iter().partition(|tool| is_joined(tool, &near));
        if joined.is_empty() {
            return near;
        }
        near.extend(joined);
        waiting = rest;
    }
}

/// Keeps the strongest edges, of few enough tools that the page need not ask.
fn limit(edges: &mut Vec<&Edge>) {
    let mut tools = BTreeSet::new();
    let kept = edges.iter().take(STRONGEST).take_while(|edge| {
        tools.extend([&edge.from, &edge.to]);
        tools.len() <= MANY
    });
    let kept = kept.count();
    edges.truncate(kept);
}

fn fill(scene: &mut Scene, view: &GraphView, request: &Request, edges: &[&Edge]) {
    let known: BTreeMap<&str, _> = view.tools.iter().map(|tool| (&*tool.tool_id, tool)).collect();
    let mut in_view: BTreeMap<&str, BTreeSet<(&str, bool)>> = BTreeMap::new();
    // As the counts of neighbours: without broken edges and those of a tool to itself.
    for edge in view.edges.iter().filter(|edge| edge.from != edge.to && edge.state != EdgeState::Broken) {
        in_view.entry(&edge.from).or_default().insert((&edge.to, true));
        in_view.entry(&edge.to).or_default().insert((&edge.from, false));
    }
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let ends = edges.iter().flat_map(|edge| [&*edge.from, &*edge.to]);
    for id in request.focus.as_deref().into_iter().chain(ends) {
        if numbers.contains_key(id) {
            continue;
        }
        numbers.insert(id, scene.tools.len());
        let tool = known.get(id);
        let neighbours = tool.map_or(0, |tool| tool.fed_by + tool.feeds);
        let shown = in_view.get(id).map_or(0, BTreeSet::len) as u64;
        scene.tools.push(SceneTool {
            id: id.into(),
            read_only: tool.map(|tool| tool.read_only),
            required: tool.map(|tool| tool.required.clone()).unwrap_or_default(),
            hidden: neighbours.saturating_sub(shown),
            is_open: request.open.iter().any(|open| open == id),
        });
    }
    scene.focus = request.focus.as_ref().map(|_| 0);
    for edge in edges {
        if let (Some(from), Some(to)) = (numbers.get(&*edge.from), numbers.get(&*edge.to)) {
            scene.edges.push(SceneEdge { edge: Arc::new((*edge).clone()), from: *from, to: *to });
        }
    }
}

impl Scene {
    /// Number of an edge, by the ids of its tools.
    pub fn edge(&self, from: &str, to: &str) -> Option<usize> {
        self.edges.iter().position(|known| &*known.edge.from == from && &*known.edge.to == to)
    }

    /// Number of a tool.
    pub fn tool(&self, id: &str) -> Option<usize> {
        self.tools.iter().position(|tool| &*tool.id == id)
    }
}

/// Data for tests.
#[cfg(test)]
pub mod samples {
    use schemascope_api::{GraphView, Subject};

    use super::*;

    /// An edge in JSON with one field.
    pub fn edge(from: &str, to: &str, confidence: f64, state: &str) -> Edge {
        let evidence = serde_json::json!({"flows": 3, "values": 2, "sessions": 1, "last_at": 5});
        serde_json::from_value(serde_json::json!({
            "from": from, "to": to, "coverage": "strict", "confidence": confidence, "state": state, "echo": false,
            "fields": [{"output": "id", "input": "id", "how": "same", "confidence": confidence, "echo": false,
                "broken": state == "broken", "evidence": evidence}],
            "needs": [], "evidence": evidence, "threatened_by": [],
        }))
        .unwrap()
    }

    /// A view of these edges, with every tool knowing one more neighbour than is in it.
    pub fn view(edges: Vec<Edge>) -> GraphView {
        let ids: BTreeSet<Box<str>> =
            edges.iter().flat_map(|edge| [edge.from.clone(), edge.to.clone()]).collect();
        let tool = |id: &str| schemascope_api::GraphTool {
            tool_id: id.to_owned(),
            read_only: true,
            fed_by: edges.iter().filter(|edge| &*edge.to == id).count() as u64,
            feeds: edges.iter().filter(|edge| &*edge.from == id).count() as u64 + 1,
            required: vec!["id".into()],
        };
        let tools = ids.iter().map(|id| tool(id)).collect();
        let names: BTreeSet<&str> =
            ids.iter().filter_map(|id| id.split_once("__")).map(|(name, _)| name).collect();
        let servers = names.iter().map(|name| GraphServer { name: (*name).to_owned(), tools: 3 }).collect();
        GraphView { edges, tools, servers, ..GraphView::default() }
    }

    /// Asks for a tool in the middle.
    pub fn around(focus: &str) -> Request {
        Request { focus: Some(focus.to_owned()), hops: 1, ..Request::default() }
    }

    /// A filter of edges.
    pub fn filter(text: &str) -> Filter {
        Filter::parse(text, Subject::Edges).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::samples::*;
    use super::*;

    fn ids(scene: &Scene) -> Vec<&str> {
        scene.tools.iter().map(|tool| &*tool.id).collect()
    }

    fn chain_of_four() -> GraphView {
        view(vec![
            edge("s__a", "s__b", 0.9, "seen"),
            edge("s__b", "s__c", 0.7, "possible"),
            edge("s__c", "s__d", 0.8, "seen"),
            edge("s__x", "s__y", 1.0, "seen"),
        ])
    }

    #[test]
    fn one_hop_shows_neighbours_of_the_focus_only() {
        let scene = scene(&chain_of_four(), &around("s__b"));
        assert_eq!(ids(&scene), ["s__b", "s__a", "s__c"]);
        assert_eq!(scene.edges.len(), 2);
        assert_eq!(scene.focus, Some(0));
    }

    #[test]
    fn hops_and_opened_tools_show_more() {
        let two = Request { hops: 2, ..around("s__b") };
        assert_eq!(scene(&chain_of_four(), &two).tools.len(), 4);
        let open = Request { open: vec!["s__c".to_owned(), "s__x".to_owned()], ..around("s__b") };
        assert_eq!(ids(&scene(&chain_of_four(), &open)), ["s__b", "s__a", "s__c", "s__d"]);
    }

    #[test]
    fn filter_leaves_out_edges_but_not_those_of_a_plan() {
        let seen = Request { filter: filter("state:seen"), ..around("s__b") };
        assert_eq!(ids(&scene(&chain_of_four(), &seen)), ["s__b", "s__a"]);
        let planned = Request { chain: vec![("s__b".to_owned(), "s__c".to_owned())], ..seen };
        assert_eq!(ids(&scene(&chain_of_four(), &planned)), ["s__b", "s__a", "s__c"]);
    }

    #[test]
    fn without_focus_the_strongest_edges_are_shown_unless_filtered() {
        let edges = (0..100).map(|n| edge(&format!("s__a{n}"), "s__hub", 0.9, "seen")).collect();
        let view = view(edges);
        let overview = scene(&view, &Request::default());
        assert_eq!((overview.edges.len(), overview.left_out), (STRONGEST, 52));
        assert_eq!(overview.servers.len(), 1);
        let filtered = scene(&view, &Request { filter: filter("server:s"), ..Request::default() });
        assert_eq!((filtered.edges.len(), filtered.left_out), (100, 0));
    }

    #[test]
    fn unknown_focus_is_a_tool_without_edges() {
        let scene = scene(&chain_of_four(), &around("s__gone"));
        assert_eq!(ids(&scene), ["s__gone"]);
        assert!(scene.edges.is_empty() && scene.tools[0].read_only.is_none());
    }

    #[test]
    fn small_changes_of_confidence_keep_the_order() {
        let order = |first, second| {
            let view = view(vec![edge("s__a", "s__b", first, "seen"), edge("s__a", "s__c", second, "seen")]);
            ids(&scene(&view, &around("s__a"))).join(" ")
        };
        assert_eq!(order(0.91, 0.93), order(0.93, 0.91));
    }
}
