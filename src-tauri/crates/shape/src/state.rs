//! The written form of a shape: versioned, flat, the same bytes for the same counts.
//!
//! Nodes are listed parents first with their depth, so that neither writing nor reading nests.
//! Owns: that form. Refuses to know: what the counts mean.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::MAX_DEPTH;
use crate::format::Format;
use crate::node::{Node, Shape, Type};
use crate::rank::Rank;

/// Written into every state. One converter per bump.
const VERSION: u32 = 1;

/// Why a state cannot be read.
#[derive(Debug)]
pub enum InvalidState {
    /// Written by a newer Schemascope.
    Version(u32),
    /// Not a state, or damaged.
    Malformed(String),
}

impl fmt::Display for InvalidState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(found) => {
                write!(f, "shape state has version {found}; this program reads version {VERSION}")
            }
            Self::Malformed(reason) => write!(f, "shape state is damaged: {reason}"),
        }
    }
}

impl std::error::Error for InvalidState {}

#[derive(Serialize, Deserialize)]
struct State {
    version: u32,
    observations: u64,
    cap: usize,
    cut: Option<Rank>,
    nodes: Vec<Flat>,
}

/// A node: its depth, how it hangs off its parent, presence, counts, and, where there are any, the
/// counts of what was not kept below it and of string formats.
#[derive(Serialize, Deserialize)]
struct Flat(usize, Step, u64, Counts, Option<Counts>, Option<[u64; Format::ALL.len()]>);

type Counts = [u64; Type::ALL.len()];

/// How a node hangs off its parent: a field by its key, or the items of an array.
#[derive(Serialize, Deserialize)]
enum Step {
    #[serde(rename = "*")]
    Items,
    #[serde(rename = "k")]
    Field(Box<str>),
}

impl Shape {
    /// Writes the state. Equal shapes give equal bytes.
    pub fn to_state(&self) -> Vec<u8> {
        let mut state = State {
            version: VERSION,
            observations: self.observations,
            cap: self.cap,
            cut: self.cut,
            nodes: Vec::new(),
        };
        write(&self.root, Step::Items, 0, &mut state);
        serde_json::to_vec(&state).unwrap_or_default()
    }

    /// Reads what [`Shape::to_state`] wrote.
    pub fn from_state(bytes: &[u8]) -> Result<Self, InvalidState> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let malformed = |error: serde_json::Error| InvalidState::Malformed(error.to_string());
        let Version { version } = serde_json::from_slice(bytes).map_err(malformed)?;
        if version != VERSION {
            return Err(InvalidState::Version(version));
        }
        let state: State = serde_json::from_slice(bytes).map_err(malformed)?;
        let mut nodes = state.nodes.into_iter().peekable();
        let Some(Flat(0, _, present, counts, other, formats)) = nodes.next() else {
            return Err(InvalidState::Malformed("no root".into()));
        };
        let (other, formats) = (other.unwrap_or_default(), formats.unwrap_or_default());
        let mut root = Node { present, counts, other, formats, ..Node::default() };
        read(&mut root, 1, &mut nodes)?;
        if let Some(Flat(depth, ..)) = nodes.next() {
            return Err(InvalidState::Malformed(format!("a node at depth {depth} has no parent")));
        }
        let nodes = root.descendants();
        let mut shape =
            Self { observations: state.observations, root, nodes, cap: state.cap, cut: state.cut };
        // Changes nothing but in a state that nobody wrote.
        shape.fit_cap();
        Ok(shape)
    }
}

fn write(node: &Node, step: Step, depth: usize, state: &mut State) {
    let other = node.other.iter().any(|count| *count > 0).then_some(node.other);
    let formats = node.formats.iter().any(|count| *count > 0).then_some(node.formats);
    state.nodes.push(Flat(depth, step, node.present, node.counts, other, formats));
    for (key, field) in &node.fields {
        write(field, Step::Field(key.clone()), depth + 1, state);
    }
    if let Some(items) = &node.items {
        write(items, Step::Items, depth + 1, state);
    }
}

type Nodes = std::iter::Peekable<std::vec::IntoIter<Flat>>;

fn read(parent: &mut Node, depth: usize, nodes: &mut Nodes) -> Result<(), InvalidState> {
    while let Some(Flat(_, step, present, counts, other, formats)) = nodes.next_if(|flat| flat.0 == depth) {
        if depth > MAX_DEPTH {
            return Err(InvalidState::Malformed(format!("deeper than {MAX_DEPTH} levels")));
        }
        let child = match step {
            Step::Items => parent.items.get_or_insert_default(),
            Step::Field(key) => parent.fields.entry(key).or_default(),
        };
        (child.present, child.counts) = (present, counts);
        (child.other, child.formats) = (other.unwrap_or_default(), formats.unwrap_or_default());
        read(child, depth + 1, nodes)?;
    }
    Ok(())
}
