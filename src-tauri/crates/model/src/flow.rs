//! What is stored with a call: which of its arguments came from which earlier results. Paths, tools
//! and call ids; no values and no hashes of values.

use crate::CallId;
use serde::{Deserialize, Serialize};

/// Form in which an output reached an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// The value itself.
    Same,
    /// A number as text, or the other way round.
    NumberText,
    /// A key of a map.
    Key,
    /// An item out of a list, or into one.
    Item,
    /// A part of the output: an id out of a text or link, a short form of a hash.
    Part,
    /// The input is a text or link that contains the output.
    Contains,
    /// A folder and a name, joined to a path; each is a source.
    Joined,
}

/// One value that an earlier result of the session gave and this call took.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Link {
    /// Call that gave the value.
    pub from: CallId,
    /// Its tool, as `server__tool`.
    pub tool: Box<str>,
    /// Path in its result.
    pub output: Box<str>,
    /// Path in the arguments of this call.
    pub input: Box<str>,
    /// Form in which the value was taken.
    pub how: How,
    /// Whether many fields have such values by accident: small numbers, short words, dates.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub weak: bool,
    /// Number of places that gave the value and share the credit.
    pub rivals: u16,
    /// Whether this is the first link between the two fields in the session.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub first: bool,
    /// Whether this is the first link between the two tools in the session.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub opens: bool,
}

/// An output that repeats an argument of its own call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Echo {
    /// Path in the result.
    pub output: Box<str>,
    /// Path in the arguments.
    pub input: Box<str>,
}

/// Everything about a call that only its session shows, computed once, before redaction.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    /// Values that came from earlier results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    /// Tools whose results the session had when the call began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<Box<str>>,
    /// Tool of the session's call before this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<Box<str>>,
    /// Outputs that only repeat arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub echoes: Vec<Echo>,
}

/// An edge that a change of a tool's results breaks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LostEdge {
    /// The tool that takes.
    pub to: String,
    /// Paths of its arguments that were fed.
    pub inputs: Vec<String>,
    /// Successful calls that took a value along it.
    pub flows: u64,
}

impl LostEdge {
    /// What breaks, for a sentence: "breaks the edge to shop__refund (id, 12 calls)". Empty without edges.
    pub fn sentence(edges: &[Self]) -> String {
        const NAMED: usize = 3;
        let one = |edge: &Self| {
            let calls = match edge.flows {
                0 => "not used yet".to_owned(),
                1 => "1 call".to_owned(),
                flows => format!("{flows} calls"),
            };
            format!("{} ({}, {calls})", edge.to, edge.inputs.join(", "))
        };
        let named: Vec<String> = edges.iter().take(NAMED).map(one).collect();
        match edges.len() {
            0 => String::new(),
            1 => format!("breaks the edge to {}", named.concat()),
            count if count <= NAMED => format!("breaks the edges to {}", named.join(", ")),
            count => format!("breaks the edges to {} and {} more", named.join(", "), count - NAMED),
        }
    }
}
