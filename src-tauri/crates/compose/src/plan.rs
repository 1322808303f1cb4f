//! Plans: the chain of calls that leads to a wanted tool or field.

mod steps;

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::rc::Rc;

use serde_json::Value;

use crate::graph::Graph;
use crate::model;
use crate::pair::Pair;
use crate::tool::{Place, hashed};
use schemascope_model::How;
pub use steps::{Argument, Missing, Plan, Plans, Step, Wanted};

/// Number of calls in one plan.
pub const MAX_STEPS: usize = 6;
/// Confidence below which a feeder is not used. Below it the bench finds more plans where there is no chain, and above
/// it fewer where there is one.
pub(crate) const MIN_FEEDER: f64 = 0.42;
/// Number of feeders that are tried for one input.
const FEEDERS: usize = 4;
/// Number of plans of which the best come first.
const COMPARED: usize = 5;
/// Number of partial plans that are looked at.
const MAX_WORK: usize = 4_000;
/// Cost of one more call.
const STEP: f64 = 0.25;
/// Cost of asking the person for what mostly came from them.
const ASKED_AS_USUAL: f64 = 0.3;
/// Why the person is asked for an input that results hardly ever gave.
const FROM_PERSON: &str = "so far, no result had its values";
/// Cost of a call that is not known to only read.
const WRITES: f64 = 6.0;

/// What is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Goal {
    /// A call of a tool.
    Tool(Box<str>),
    /// A field of a tool's result.
    Output(Box<str>, Box<str>),
}

/// What can feed the inputs of tools, best first. Drafts are copied often and share it.
type Feeders = BTreeMap<(Box<str>, Box<str>), Vec<Rc<Pair>>>;

#[derive(Debug, Clone)]
enum Fill {
    Node(usize, Rc<Pair>),
    Have(Box<str>),
    /// A tool whose result is at hand.
    Result(Rc<Pair>),
    Value(Value),
    Person(&'static str),
}

#[derive(Debug, Clone)]
struct Node {
    tool: Box<str>,
    read_only: bool,
    fills: BTreeMap<Box<str>, Fill>,
}

/// A plan in the making. Node 0 is the wanted call; the others serve it.
#[derive(Debug, Clone)]
struct Draft {
    cost: f64,
    confidence: f64,
    nodes: Vec<Node>,
    open: Vec<(usize, Box<str>)>,
    number: u64,
}

impl PartialEq for Draft {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Draft {}
impl PartialOrd for Draft {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Draft {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.cost.total_cmp(&self.cost).then_with(|| other.number.cmp(&self.number))
    }
}

impl Draft {
    /// Whether a node needs another one, directly or not.
    fn needs(&self, node: usize, other: usize) -> bool {
        node == other
            || self.nodes.get(node).is_some_and(|own| {
                own.fills.values().any(|fill| matches!(fill, Fill::Node(from, _) if self.needs(*from, other)))
            })
    }
}

impl Graph {
    /// Plans the calls that lead to a goal from what is at hand: names of fields, and ids of tools whose
    /// results are there. The goal's tool must be known.
    pub fn plan(&mut self, goal: &Goal, have: &[Box<str>], limit: usize) -> Plans {
        let (to, output) = match goal {
            Goal::Tool(to) => (to.clone(), Box::default()),
            Goal::Output(to, output) => (to.clone(), output.clone()),
        };
        let Some(known) = self.known(&to).cloned() else {
            return Plans { plans: Vec::new(), why_none: Some(format!("there is no tool {to}")) };
        };
        if !known.tool.usable {
            return Plans { plans: Vec::new(), why_none: Some(format!("{to} cannot be called now")) };
        }
        let mut open = BinaryHeap::new();
        let mut draft = Draft { cost: 0.0, confidence: 1.0, nodes: Vec::new(), open: Vec::new(), number: 0 };
        self.add_node(&mut draft, &to, known.tool.read_only);
        open.push(draft);
        let mut feeders: Feeders = BTreeMap::new();
        let (mut plans, mut work, mut blocked) = (Vec::new(), 0_u64, BTreeSet::new());
        let mut known_plans = BTreeSet::new();
        let (mut is_stopped, mut is_too_long) = (false, false);
        while let Some(mut draft) = open.pop() {
            // Drafts come by their cost, which is more than confidence: the best of a few is not the first.
            if plans.len() >= limit.max(COMPARED) {
                break;
            }
            if work > MAX_WORK as u64 {
                is_stopped = true;
                break;
            }
            let Some((node, input)) = draft.open.pop() else {
                let plan = finish(&draft, &output);
                let tools: Vec<Box<str>> = plan.steps.iter().map(|step| step.tool_id.clone()).collect();
                if known_plans.insert(tools) {
                    plans.push(plan);
                }
                continue;
            };
            let before = work;
            for mut next in self.fill(&draft, node, &input, have, &mut feeders) {
                work += 1;
                next.number = work;
                open.push(next);
            }
            if work == before {
                let tool = draft.nodes.get(node).map(|node| node.tool.clone()).unwrap_or_default();
                let key = (tool, input);
                let is_given = |pair: &Rc<Pair>| pair.usable && !pair.lost;
                let is_at_limit = draft.nodes.len() >= MAX_STEPS
                    && feeders.get(&key).is_some_and(|found| found.iter().any(is_given));
                if is_at_limit {
                    is_too_long = true;
                } else {
                    blocked.insert(key);
                }
            }
        }
        // What is at hand is there to be used.
        plans.sort_by(|a: &Plan, b| {
            let certain = b.confidence.total_cmp(&a.confidence);
            b.uses_what_is_at_hand()
                .cmp(&a.uses_what_is_at_hand())
                .then(certain)
                .then(a.steps.len().cmp(&b.steps.len()))
        });
        plans.truncate(limit);
        let has_no_source = blocked.iter().any(|(tool, _)| *tool == to);
        let why_none = plans.is_empty().then(|| match (is_stopped, is_too_long) {
            (true, _) => {
                format!("the search was stopped after {MAX_WORK} chains that do not lead to {to} yet")
            }
            (_, true) if !has_no_source => {
                format!("{to} takes more than {MAX_STEPS} calls, unless more values are at hand")
            }
            _ => self.why_none(&to, &blocked),
        });
        Plans { plans, why_none }
    }

    /// Adds a call, with its required inputs open.
    fn add_node(&self, draft: &mut Draft, tool: &str, read_only: bool) -> usize {
        let number = draft.nodes.len();
        draft.nodes.push(Node { tool: tool.into(), read_only, fills: BTreeMap::new() });
        if let Some(known) = self.known(tool) {
            // The first of the signature is filled last: by then its place in the chain may be known.
            draft.open.extend(known.required().map(|input| (number, Box::from(&*input.path))));
        }
        number
    }

    /// Returns the drafts in which an input is filled, each in another way.
    fn fill(
        &mut self,
        draft: &Draft,
        node: usize,
        input: &str,
        have: &[Box<str>],
        feeders: &mut Feeders,
    ) -> Vec<Draft> {
        let Some(own) = draft.nodes.get(node) else { return Vec::new() };
        let tool = own.tool.clone();
        let Some(known) = self.known(&tool).cloned() else { return Vec::new() };
        let Some(place) = known.input(input) else { return Vec::new() };
        let set = |mut next: Draft, fill: Fill| {
            if let Some(own) = next.nodes.get_mut(node) {
                own.fills.insert(input.into(), fill);
            }
            next
        };
        if let Some(name) = have.iter().find(|name| at_hand(name, place)) {
            return vec![set(draft.clone(), Fill::Have(name.clone()))];
        }
        if let Some(value) = fixed(known.tool.input.as_deref(), input) {
            return vec![set(draft.clone(), Fill::Value(value))];
        }
        let key = (tool.clone(), Box::from(input));
        if !feeders.contains_key(&key) {
            let mut found = self.feeders(&tool, input);
            // A result at hand is there to be used: what its fields are called counts, not how often they were taken.
            for pair in found.iter_mut().filter(|pair| have.iter().any(|name| **name == *pair.from)) {
                pair.confidence = pair.confidence.max(self.by_names(pair, &tool, input));
                pair.echo = false;
            }
            found.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
            found.retain(|pair| {
                !pair.echo
                    && *pair.from != *tool
                    && pair.confidence >= MIN_FEEDER
                    && !matches!(pair.how, How::Contains | How::Joined)
                    // Which item of a tuple is meant is not known.
                    && !self.known(&pair.from).and_then(|from| from.output(&pair.output)).is_some_and(|own| own.tuple)
            });
            feeders.insert(key.clone(), found.into_iter().map(Rc::new).collect());
        }
        let all = feeders.get(&key).map_or(&[][..], Vec::as_slice);
        let best = all.first().cloned();
        let (there, found): (Vec<&Rc<Pair>>, Vec<&Rc<Pair>>) = all
            .iter()
            .filter(|pair| !pair.lost)
            .partition(|pair| have.iter().any(|name| **name == *pair.from));
        let found: Vec<&Rc<Pair>> = found.into_iter().filter(|pair| pair.usable).collect();
        let mut next = Vec::new();
        for pair in there.into_iter().take(FEEDERS) {
            let mut fed = draft.clone();
            fed.cost -= pair.confidence.ln();
            fed.confidence *= pair.confidence;
            next.push(set(fed, Fill::Result(pair.clone())));
        }
        // `origin` and `destination` are not one result of a call for one city.
        let is_taken = |other: usize, pair: &Pair| {
            let takes = |fill: &Fill| matches!(fill, Fill::Node(from, own) if *from == other && own.output == pair.output);
            let is_source = self.known(&pair.from).is_some_and(|from| from.source);
            !is_source && own.fills.values().any(takes)
        };
        for pair in &found {
            for other in 0..draft.nodes.len() {
                if *draft.nodes[other].tool == *pair.from
                    && !draft.needs(other, node)
                    && !is_taken(other, pair)
                {
                    let mut reused = draft.clone();
                    reused.cost -= pair.confidence.ln();
                    reused.confidence *= pair.confidence;
                    next.push(set(reused, Fill::Node(other, (*pair).clone())));
                }
            }
        }
        let mut fresh = 0;
        let reads = found.iter().any(|pair| pair.read_only && pair.confidence >= 0.5);
        for pair in &found {
            let calls = || draft.nodes.iter().enumerate().filter(|(_, node)| *node.tool == *pair.from);
            let there = calls().any(|(other, _)| !is_taken(other, pair)) || calls().count() > 1;
            if fresh >= FEEDERS || draft.nodes.len() >= MAX_STEPS || there {
                continue;
            }
            fresh += 1;
            let mut longer = draft.clone();
            longer.cost += STEP - pair.confidence.ln();
            if !pair.read_only {
                longer.cost += if reads { WRITES } else { WRITES / 2.0 };
            }
            longer.confidence *= pair.confidence;
            let other = self.add_node(&mut longer, &pair.from, pair.read_only);
            next.push(set(longer, Fill::Node(other, (*pair).clone())));
        }
        if let Some(why) = self.person_supplies(&tool, place, best.as_deref()) {
            let mut asked = draft.clone();
            asked.cost += if why == FROM_PERSON { ASKED_AS_USUAL } else { 1.0 };
            next.push(set(asked, Fill::Person(why)));
        }
        next
    }

    /// What names and types alone say about a field of a result at hand, as a probability. That it repeats an argument of
    /// its own call does not matter.
    fn by_names(&self, pair: &Pair, to: &str, input: &str) -> f64 {
        let mut measured = self.names_of(pair, to, input);
        let repeats =
            measured.iter_mut().zip(model::NAMES).find(|(_, name)| **name == model::REPEATS_BY_NAME);
        repeats.into_iter().for_each(|(measure, _)| *measure = 0.0);
        model::probability(model::sum(&self.model.names, &measured))
    }

    /// Says why a person supplies an input, unless it identifies something that tools should give.
    fn person_supplies(&mut self, tool: &str, place: &Place, best: Option<&Pair>) -> Option<&'static str> {
        let taken = self.known(tool).and_then(|known| self.taken(known, place));
        let calls = taken.as_ref().map_or(0, |taken| taken.calls);
        let flows = taken.iter().flat_map(|taken| taken.from.values()).flat_map(|outputs| outputs.values());
        let from_tools = flows.map(|seen| seen.flows).max().unwrap_or(0) * 4 >= calls;
        let is_by_person = calls >= 3 && !from_tools;
        let is_guess = best.is_none_or(|best| best.seen.is_none());
        if best.is_some_and(|best| best.confidence >= 0.5) && !(is_by_person && is_guess) {
            return None;
        }
        let plain = place.amount || place.text || place.listed || place.types.is_boolean() || place.date;
        if is_by_person && (is_guess || !plain) {
            Some(FROM_PERSON)
        } else if plain {
            Some(match from_tools && calls > 0 {
                true => "a choice of the person",
                false => "a choice of the person: no tool gives it",
            })
        } else if calls >= 3 && self.is_given_by_tools(tool, &place.path) {
            None
        } else if !place.id || place.leaf() == hashed(&["name".to_owned()]) {
            Some("no tool is known to give it")
        } else {
            None
        }
    }

    /// Whether values of an input came from tools, and not by accident: from one that is gone, or that can feed it.
    fn is_given_by_tools(&mut self, tool: &str, input: &str) -> bool {
        let pairs = self.feeders(tool, input);
        pairs
            .iter()
            .any(|pair| pair.seen.is_some() && (pair.lost || !pair.usable || pair.confidence >= MIN_FEEDER))
    }

    fn why_none(&mut self, to: &str, blocked: &BTreeSet<(Box<str>, Box<str>)>) -> String {
        // Every chain has the inputs of the wanted tool.
        let own = blocked.iter().find(|(tool, _)| **tool == *to);
        let Some((tool, input)) = own.or_else(|| blocked.first()).cloned() else {
            return format!("no chain of at most {MAX_STEPS} calls leads to {to}");
        };
        let is_there = |pair: &Pair| pair.usable && !pair.lost && !pair.echo && *pair.from != *tool;
        let nearest = self.feeders(&tool, &input).into_iter().find(is_there);
        let nearest = nearest.map_or(String::new(), |pair| {
            let output = if pair.output.is_empty() { "the whole result" } else { &pair.output };
            format!("; the nearest is {output} of {} ({:.2})", pair.from, pair.confidence)
        });
        format!("no tool gives {input} of {tool}{nearest}")
    }
}

/// Whether something at hand is what an input takes.
pub(crate) fn at_hand(name: &str, place: &Place) -> bool {
    if *name == *place.path || place.steps().last().is_some_and(|step| step.is_named(name)) {
        return true;
    }
    if name.contains("__") {
        return false;
    }
    let words = crate::words::split(name.rsplit('.').next().unwrap_or(name));
    let nouns = crate::words::nouns(&words);
    let (words, nouns) = (hashed(&words), hashed(&nouns));
    !words.is_empty() && words == place.leaf()
        || (!nouns.is_empty() && nouns == place.entity() && (place.id || nouns == place.leaf()))
}

/// Returns the value that a schema fixes for an input.
fn fixed(schema: Option<&Value>, input: &str) -> Option<Value> {
    let own = schema?.get("properties")?.get(input)?;
    own.get("const").or_else(|| own.get("default")).cloned()
}

/// Puts the calls of a draft in order.
fn finish(draft: &Draft, output: &str) -> Plan {
    let mut order: Vec<usize> = Vec::new();
    fn visit(draft: &Draft, node: usize, order: &mut Vec<usize>) {
        if order.contains(&node) {
            return;
        }
        for fill in draft.nodes.get(node).into_iter().flat_map(|own| own.fills.values()) {
            if let Fill::Node(from, _) = fill {
                visit(draft, *from, order);
            }
        }
        order.push(node);
    }
    visit(draft, 0, &mut order);
    let number = |node: usize| order.iter().position(|other| *other == node).map_or(0, |at| at + 1);
    let mut missing = Vec::new();
    let mut steps = Vec::new();
    for node in &order {
        let Some(own) = draft.nodes.get(*node) else { continue };
        let mut arguments = BTreeMap::new();
        for (input, fill) in &own.fills {
            let argument = match fill {
                Fill::Node(from, pair) => {
                    Argument::Step { step: number(*from), output: (&*pair.output).into(), how: pair.how }
                }
                Fill::Have(name) => Argument::Have { have: name.clone(), output: None, how: None },
                Fill::Result(pair) => Argument::Have {
                    have: (&*pair.from).into(),
                    output: Some((&*pair.output).into()),
                    how: Some(pair.how),
                },
                Fill::Value(value) => Argument::Value { value: value.clone() },
                Fill::Person(why) => {
                    missing.push(Missing { step: number(*node), input: input.clone(), why: (*why).into() });
                    continue;
                }
            };
            arguments.insert(input.clone(), argument);
        }
        steps.push(Step {
            step: number(*node),
            tool_id: own.tool.clone(),
            arguments,
            read_only: own.read_only,
        });
    }
    Plan { confidence: draft.confidence, steps, missing, wanted: Wanted { output: output.into() } }
}
