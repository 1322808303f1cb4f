//! Suggestions: the tools that an agent is likely to want next.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::edge::{Edge, Filter, State};
use crate::graph::Graph;
use crate::plan::at_hand;

/// A tool that can take what was given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Suggestion {
    /// Tool.
    pub tool: Box<str>,
    /// How likely it is wanted, between 0 and 1; only the order means something.
    pub confidence: f64,
    /// Which outputs of the last tools feed it.
    pub feeds: Vec<Feed>,
    /// Required inputs that remain.
    pub still_needed: Vec<Box<str>>,
    /// Whether such a flow was seen.
    pub seen_in_use: bool,
}

/// One output that feeds one input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feed {
    /// Path in the result.
    pub output: Box<str>,
    /// Path in the arguments.
    pub input: Box<str>,
}

/// Number of the last calls that suggestions are made from.
const LAST_CALLS: usize = 4;
/// Weight of what is usual on the servers in use, in calls.
const USUAL: f64 = 4.0;
/// Confidence at which an edge counts.
const MIN_EDGE: f64 = 0.4;

impl Graph {
    /// Suggests tools after calls of others, the latest last: those that usually come next, those that
    /// what was given can feed, and best those that are both.
    /// Only the bench uses it without what is at hand.
    pub fn suggest(&mut self, after: &[Box<str>], limit: usize) -> Vec<Suggestion> {
        self.suggest_with(after, &[], limit)
    }

    /// The same with names of fields that are at hand. Without calls, what is usual on all servers counts.
    #[expect(clippy::cast_precision_loss, reason = "counts far below 2^53")]
    pub fn suggest_with(&mut self, after: &[Box<str>], have: &[Box<str>], limit: usize) -> Vec<Suggestion> {
        let mut last: Vec<Box<str>> = Vec::new();
        for tool in after.iter().rev() {
            if last.len() < LAST_CALLS && !last.contains(tool) {
                last.push(tool.clone());
            }
        }
        let mut edges: BTreeMap<Box<str>, Vec<Edge>> = BTreeMap::new();
        for from in &last {
            let filter = Filter { from: Some(from.clone()), min: MIN_EDGE, ..Filter::default() };
            for mut edge in self.edges(&filter).into_iter().filter(|edge| edge.state != State::Broken) {
                edge.fields.retain(|field| !field.broken);
                edges.entry(edge.to.clone()).or_default().push(edge);
            }
        }
        let latest = last.first().cloned().unwrap_or_default();
        let next: BTreeMap<Box<str>, u64> =
            self.evidence().next(&latest).map(|(tool, count)| (tool.into(), count)).collect();
        let total: u64 = next.values().sum();
        let server = |id: &str| id.split_once("__").map_or("", |(server, _)| server).to_owned();
        let home = server(&latest);
        let usual: Vec<(Box<str>, u64)> = self
            .tools()
            .filter(|tool| latest.is_empty() || server(tool) == home)
            .map(|tool| (tool.into(), self.evidence().calls(tool)))
            .collect();
        let calls: u64 = usual.iter().map(|(_, calls)| calls).sum();
        let mut pool: BTreeMap<Box<str>, f64> = BTreeMap::new();
        for (tool, own) in usual {
            // Without any calls, all tools are equally usual.
            let share = (own as f64 + 0.5) / (calls as f64 + 1.0);
            pool.insert(tool, USUAL * share);
        }
        for (tool, count) in &next {
            *pool.entry(tool.clone()).or_default() += *count as f64;
        }
        for tool in edges.keys() {
            pool.entry(tool.clone()).or_default();
        }
        let mut found: Vec<Suggestion> = Vec::new();
        for (tool, habit) in pool {
            let Some(known) = self.known(&tool).filter(|known| known.tool.usable) else { continue };
            let own = edges.get(&tool).map_or(&[][..], Vec::as_slice);
            let required: Vec<&str> = known
                .required()
                .filter(|input| !input.amount && !input.text && !input.listed)
                .map(|input| &*input.path)
                .collect();
            let fed = |input: &str| {
                let fields = own.iter().flat_map(|edge| &edge.fields).filter(|field| &*field.input == input);
                let place = known.input(input);
                let at_hand = place.is_some_and(|place| have.iter().any(|name| at_hand(name, place)));
                fields.map(|field| field.confidence).fold(if at_hand { 1.0 } else { 0.0 }, f64::max)
            };
            let ready: f64 = required.iter().map(|input| 0.35 + 0.65 * fed(input)).product();
            let best = own.iter().map(|edge| edge.confidence).fold(0.0, f64::max);
            let score = (habit / (total as f64 + USUAL) + 0.02 * best) * ready;
            let mut feeds: Vec<Feed> = Vec::new();
            for field in own.iter().flat_map(|edge| &edge.fields) {
                let feed = Feed { output: field.output.clone(), input: field.input.clone() };
                if !feeds.contains(&feed) {
                    feeds.push(feed);
                }
            }
            found.push(Suggestion {
                still_needed: required
                    .iter()
                    .filter(|input| fed(input) < MIN_EDGE)
                    .map(|input| (*input).into())
                    .collect(),
                seen_in_use: own.iter().flat_map(|edge| &edge.fields).any(|field| field.evidence.flows > 0),
                confidence: score.min(1.0),
                tool,
                feeds,
            });
        }
        found.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then_with(|| a.tool.cmp(&b.tool)));
        found.truncate(limit);
        found
    }
}
