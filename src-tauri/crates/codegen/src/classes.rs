//! Names of the classes that a schema's objects become, and which of them are still to be printed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use schemascope_model::Strategy;
use serde_json::{Map, Value, json};

use crate::graph::{Graph, Index, Node, Unchecked};
use crate::literal::line;
use crate::names::pascal;
use crate::types::Nodes;
use crate::typing::Types;

/// Most classes of one schema.
const MAX_CLASSES: usize = 1_000;
/// Longest name of a class.
const MAX_NAME: usize = 100;
/// Most types that are written for one schema, with those inside of others.
const MAX_TYPES: usize = 20_000;
/// Most bytes of these types.
const MAX_TYPE_BYTES: usize = 1 << 20;
/// Most notes about one schema's types.
const MAX_NOTES: usize = 100;

/// Which of a tool's schemas it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Params,
    Result,
}

impl Part {
    /// Name of its class after the tool's.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::Params => "Params",
            Self::Result => "Result",
        }
    }
}

/// The classes of one schema.
#[derive(Debug)]
pub(crate) struct Classes<'a> {
    pub(crate) part: Part,
    /// Names of classes in the file.
    used: &'a mut BTreeSet<String>,
    names: BTreeMap<Nodes, String>,
    waiting: VecDeque<Nodes>,
    notes: Vec<String>,
    /// Arrays and objects without a class whose types are being written.
    open: BTreeSet<(Container, Nodes)>,
    types: usize,
    type_bytes: usize,
}

/// What has a type inside but no class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Container {
    Array,
    Object,
}

impl<'a> Classes<'a> {
    pub(crate) fn new(part: Part, used: &'a mut BTreeSet<String>) -> Self {
        Self {
            part,
            used,
            names: BTreeMap::new(),
            waiting: VecDeque::new(),
            notes: Vec::new(),
            open: BTreeSet::new(),
            types: 0,
            type_bytes: 0,
        }
    }

    /// Gives the class of the whole value its name.
    pub(crate) fn insert_root(&mut self, nodes: Nodes, name: &str) {
        self.names.insert(nodes, name.to_owned());
    }

    /// The class of objects, which is printed later; `None` if there are too many. `name` is where they occur.
    pub(crate) fn of(&mut self, types: &Types<'_>, nodes: &Nodes, name: &str) -> Option<String> {
        if let Some(known) = self.names.get(nodes) {
            return Some(known.clone());
        }
        if self.names.len() >= MAX_CLASSES {
            self.note("the schema has too many different objects for a class each".to_owned());
            return None;
        }
        let definition = nodes.iter().find_map(|at| {
            let place = &types.graph().nodes[*at].place;
            let rest = place.strip_prefix("/$defs/").or_else(|| place.strip_prefix("/definitions/"))?;
            (!rest.contains('/')).then_some(rest)
        });
        let suffix = self.part.suffix();
        let wanted = match definition {
            Some(rest) => format!(
                "{}{suffix}{}",
                name.split_once(suffix).map_or(name, |(title, _)| title),
                pascal(rest)
            ),
            None => name.to_owned(),
        };
        let class = self.fresh(&wanted);
        self.names.insert(nodes.clone(), class.clone());
        self.waiting.push_back(nodes.clone());
        Some(class)
    }

    /// A name like the wanted one that no other type of the file has.
    pub(crate) fn fresh(&mut self, wanted: &str) -> String {
        let wanted: String = wanted.chars().take(MAX_NAME).collect();
        let (mut name, mut number) = (wanted.clone(), 2);
        while !self.used.insert(name.clone()) {
            name = format!("{wanted}{number}");
            number += 1;
        }
        name
    }

    /// The next class to print.
    pub(crate) fn next(&mut self) -> Option<(String, Nodes)> {
        let nodes = self.waiting.pop_front()?;
        Some((self.names[&nodes].clone(), nodes))
    }

    /// Starts an array or object without a class. Returns `false` inside the same one: its type would not end.
    pub(crate) fn enter(&mut self, container: Container, nodes: &Nodes) -> bool {
        let is_new = self.open.insert((container, nodes.clone()));
        if !is_new {
            self.note("types that contain themselves are written to the first repetition only".to_owned());
        }
        is_new
    }

    /// Ends what [`Self::enter`] started.
    pub(crate) fn leave(&mut self, container: Container, nodes: &Nodes) {
        self.open.remove(&(container, nodes.clone()));
    }

    /// Counts a type that is about to be written. Returns `false` if there are too many.
    pub(crate) fn count(&mut self) -> bool {
        self.types += 1;
        let fits = self.types <= MAX_TYPES && self.type_bytes <= MAX_TYPE_BYTES;
        if !fits {
            self.note("the schema has too many types to write all of them".to_owned());
        }
        fits
    }

    /// Counts the text of a type.
    pub(crate) fn written(&mut self, text: String) -> String {
        self.type_bytes += text.len();
        text
    }

    pub(crate) fn note(&mut self, text: String) {
        if self.notes.len() < MAX_NOTES && !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }

    /// Every class except that of the whole value, with a node that means all of its nodes.
    pub(crate) fn bound(&self, graph: &mut Graph, root: &str) -> Vec<(String, Index)> {
        let mut bound = Vec::new();
        for (nodes, class) in self.names.iter().filter(|(_, class)| *class != root) {
            let mut each = nodes.iter().copied();
            let at = match (each.next(), each.next()) {
                (Some(single), None) => single,
                _ => {
                    let keywords = Map::from_iter([("allOf".to_owned(), json!(nodes))]);
                    graph.nodes.push(Node {
                        place: String::new(),
                        keywords,
                        never: false,
                        description: String::new(),
                    });
                    graph.nodes.len() - 1
                }
            };
            bound.push((class.clone(), at));
        }
        bound
    }
}

/// What is left when a schema's classes are printed.
#[derive(Debug)]
pub(crate) struct Finished {
    /// Code that gives the classes their schema.
    pub(crate) binding: String,
    pub(crate) unchecked: Vec<Unchecked>,
    pub(crate) notes: Vec<String>,
}

impl Finished {
    pub(crate) fn new(binding: String, graph: Graph, classes: &Classes<'_>) -> Self {
        let part = match classes.part {
            Part::Params => "parameters",
            Part::Result => "result",
        };
        let notes =
            graph.notes.iter().chain(&classes.notes).map(|note| format!("{part}: {}", line(note))).collect();
        Self { binding, unchecked: graph.unchecked, notes }
    }
}

/// The schema of results that a wrapper knows: nothing for helpers.
pub(crate) fn output(tool: &crate::Tool) -> Value {
    match (&tool.output_schema, tool.strategy) {
        (Some(schema), Strategy::Typed | Strategy::Inferred) => schema.clone(),
        _ => Value::Bool(true),
    }
}

/// The alternatives of a union, each once.
pub(crate) fn union(mut parts: Vec<String>, never: &str) -> String {
    let mut seen = BTreeSet::new();
    parts.retain(|part| seen.insert(part.clone()));
    if parts.is_empty() { never.to_owned() } else { parts.join(" | ") }
}
