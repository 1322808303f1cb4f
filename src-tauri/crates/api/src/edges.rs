//! Commands about provides edges: which tool's output can feed which tool's input, and the plans that follow.

use schemascope_compose::is_within;
pub use schemascope_compose::{
    Argument, Counts as EdgeEvidence, Coverage as EdgeCoverage, Edge, EdgeField, How, Missing, Plan, Plans,
    State as EdgeState, Step, Wanted, is_single,
};
use schemascope_model::{CallId, LostEdge, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{ChangeRow, Command};

/// Lists edges, the strongest first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ListEdges {
    /// Only edges from this tool.
    #[serde(default)]
    pub from: Option<String>,
    /// Only edges to this tool.
    #[serde(default)]
    pub to: Option<String>,
    /// Only edges from or to tools of this server.
    #[serde(default)]
    pub server: Option<String>,
    /// Least confidence, 0 to 1; .5 by default. Broken edges are listed at any confidence.
    #[serde(default)]
    pub min: Option<f64>,
    /// Only edges along which values were seen to flow.
    #[serde(default)]
    pub seen: bool,
    /// Whether evidence and results of other machines of the team count, too.
    #[serde(default)]
    pub team: bool,
}

impl Command for ListEdges {
    const NAME: &'static str = "list_edges";
    type Reply = Vec<Edge>;
}

/// The part of the graph that a page shows.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GetGraph {
    /// Tool in the middle. Without one, the reply has the servers and the strongest edges.
    #[serde(default)]
    pub focus: Option<String>,
    /// How many edges away from the focus a tool may be; 1 by default.
    #[serde(default)]
    pub hops: Option<u8>,
    /// Tools whose neighbours are wanted as well.
    #[serde(default)]
    pub expanded: Vec<String>,
    /// Least confidence, 0 to 1; .5 by default.
    #[serde(default)]
    pub min: Option<f64>,
    /// Filter of edges, where no tool is in the middle. One that cannot be read leaves all.
    #[serde(default)]
    pub filter: String,
    /// Most edges in the reply; 1,000 by default.
    #[serde(default)]
    pub limit: Option<usize>,
}

impl Command for GetGraph {
    const NAME: &'static str = "get_graph";
    type Reply = GraphView;
}

/// A part of the graph, with the counts of all of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GraphView {
    /// Edges, the strongest first; with a tool in the middle, those nearest to it first.
    pub edges: Vec<Edge>,
    /// Edges that the limit leaves out.
    pub omitted: u64,
    /// Tools at the ends of these edges and the focus, by id.
    pub tools: Vec<GraphTool>,
    /// All servers, by name.
    pub servers: Vec<GraphServer>,
    /// Numbers of edges between servers, and within one.
    pub links: Vec<ServerLink>,
    /// Numbers of all edges.
    pub totals: EdgeTotals,
}

/// A tool of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphTool {
    /// `server__tool`.
    pub tool_id: String,
    /// Whether its server says that it only reads.
    pub read_only: bool,
    /// Number of tools that feed it.
    pub fed_by: u64,
    /// Number of tools that it feeds.
    pub feeds: u64,
    /// Paths of its required inputs, in the order of its schema.
    #[serde(default)]
    pub required: Vec<Box<str>>,
}

/// A server of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphServer {
    /// Name.
    pub name: String,
    /// Number of its tools.
    pub tools: u64,
}

/// Edges from the tools of one server to those of another or of the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerLink {
    /// Server whose tools give.
    pub from: String,
    /// Server whose tools take.
    pub to: String,
    /// Numbers of edges.
    #[serde(flatten)]
    pub totals: EdgeTotals,
}

/// Numbers of edges by what is known of them, at a confidence of .5 and more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeTotals {
    /// Values were seen to flow.
    pub seen: u64,
    /// Names, types or the rest of the evidence suggest it.
    pub possible: u64,
    /// Values were seen to flow between fields that do not exist now.
    pub broken: u64,
}

/// A confidence as it is shown: with two digits, and never as more than it is, so that an edge below a limit does not look
/// as if it reached it.
pub fn shown_confidence(confidence: f64) -> String {
    // Decimal numbers have no exact value: 0.29 is a little less.
    const LESS: f64 = 1e-9;
    format!("{:.2}", ((confidence + LESS) * 100.0).floor() / 100.0)
}

/// Confidence at which a field makes an edge.
const LIKELY: f64 = 0.5;

/// Whether an edge breaks when results lose some outputs: if all its fields in use are lost or, where none is in use, all
/// that make it an edge. Of an edge that is not broken, fields that do not exist anyway do not count.
pub fn breaks(edge: &Edge, is_lost: impl Fn(&str) -> bool) -> bool {
    let counts = |field: &&EdgeField| !field.broken || edge.state == EdgeState::Broken;
    let intact = || edge.fields.iter().filter(counts);
    let is_used = intact().any(|field| field.evidence.flows > 0);
    let likely = edge.confidence.min(LIKELY);
    let mut fields = intact().filter(|field| match is_used {
        true => field.evidence.flows > 0,
        false => field.confidence >= likely,
    });
    fields.clone().next().is_some() && fields.all(|field| is_lost(&field.output))
}

/// Returns the edges that break when results lose what is at a path: those whose fields in use are lost, or all fields
/// if none is in use. The most used first, at most 32.
pub fn lost_edges(edges: &[Edge], path: &str) -> Vec<LostEdge> {
    const MAX: usize = 32;
    let is_lost = |output: &str| is_within(output, path);
    let lost = |edge: &Edge| {
        let mut inputs: Vec<String> = edge
            .fields
            .iter()
            .filter(|field| is_lost(&field.output))
            .map(|field| field.input.to_string())
            .collect();
        inputs.sort();
        inputs.dedup();
        breaks(edge, is_lost).then(|| LostEdge {
            to: edge.to.to_string(),
            inputs,
            flows: edge.evidence.flows,
        })
    };
    let mut found: Vec<LostEdge> = edges.iter().filter_map(lost).collect();
    found.sort_by(|a, b| b.flows.cmp(&a.flows).then_with(|| a.to.cmp(&b.to)));
    found.truncate(MAX);
    found
}

/// Explains why two tools are joined.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExplainEdge {
    /// Tool that gives.
    pub from: String,
    /// Tool that takes.
    pub to: String,
}

impl Command for ExplainEdge {
    const NAME: &'static str = "explain_edge";
    type Reply = EdgeExplanation;
}

/// Why two tools are joined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EdgeExplanation {
    /// The edge, with fields of any confidence.
    pub edge: Edge,
    /// Reasons by field, in the order of the edge's fields.
    pub fields: Vec<FieldReasons>,
}

/// Why an output is taken to feed an input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldReasons {
    /// Path in the result of the tool that gives.
    pub output: String,
    /// Path in the arguments of the tool that takes.
    pub input: String,
    /// What speaks for it, in words.
    pub supporting: Vec<String>,
    /// What speaks against it, in words.
    pub opposing: Vec<String>,
    /// Share of calls in which such values agree by accident; `None` without calls.
    pub chance: Option<f64>,
    /// The newest pairs of calls, at most five.
    pub calls: Vec<FlowCall>,
}

/// One value that a call gave and a later one took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowCall {
    /// Call that gave it.
    pub from: CallId,
    /// Call that took it.
    pub to: CallId,
    /// Time of the later call.
    pub at: Timestamp,
    /// The argument as stored; where the path leads into a list or a map, that as a whole. `None` if it is not stored.
    pub value: Option<serde_json::Value>,
}

/// Plans the calls that lead to a tool or a field.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PlanCalls {
    /// `server__tool`, `server__tool:PATH` for a field of its result, or the name of a field of any tool.
    pub to: String,
    /// Names of fields at hand, and ids of tools whose results are there.
    #[serde(default)]
    pub have: Vec<String>,
    /// Most plans; 3 by default.
    #[serde(default)]
    pub limit: Option<usize>,
}

impl Command for PlanCalls {
    const NAME: &'static str = "plan_calls";
    type Reply = Plans;
}

/// Compares the edges of a tool under two of its versions.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DiffEdges {
    /// `server__tool`.
    pub tool_id: String,
    /// Older version: a number, `declared`, `inferred` or `effective`.
    pub a: String,
    /// Newer version.
    pub b: String,
}

impl Command for DiffEdges {
    const NAME: &'static str = "diff_edges";
    type Reply = EdgeDiff;
}

/// What a change of a tool's schema does to its edges, those in use first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EdgeDiff {
    /// Edges that are lost.
    pub broken: Vec<ChangedEdge>,
    /// Edges that are less sure.
    pub weakened: Vec<ChangedEdge>,
    /// Edges that are new.
    pub new: Vec<ChangedEdge>,
}

/// An edge that a change of a schema concerns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangedEdge {
    /// The edge: as it was if it is lost, else as it is.
    pub edge: Edge,
    /// Confidence before; `None` if it is new.
    pub before: Option<f64>,
    /// Confidence after; `None` if it is lost.
    pub after: Option<f64>,
    /// The changes of the schema that do it.
    pub changes: Vec<ChangeRow>,
}
