//! A JSON Schema as a graph: one node per subschema, with indices in place of subschemas and references.
//!
//! The validators of the wrappers read this form as JSON. It has no identifiers, anchors, pointers or drafts left, so
//! that each of them needs to know only assertions and applicators.

use serde_json::{Map, Value};

/// Index of a node.
pub type Index = usize;

/// How a keyword holds subschemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    One,
    List,
    Named,
}

/// Keywords of a node that hold indices. `true` marks those applied to the same value.
pub(crate) const APPLICATORS: [(&str, Holds, bool); 18] = [
    ("ref", Holds::One, true),
    ("allOf", Holds::List, true),
    ("anyOf", Holds::List, true),
    ("oneOf", Holds::List, true),
    ("not", Holds::One, true),
    ("if", Holds::One, true),
    ("then", Holds::One, true),
    ("else", Holds::One, true),
    ("dependentSchemas", Holds::Named, true),
    ("properties", Holds::Named, false),
    ("patternProperties", Holds::Named, false),
    ("additionalProperties", Holds::One, false),
    ("propertyNames", Holds::One, false),
    ("prefixItems", Holds::List, false),
    ("items", Holds::One, false),
    ("contains", Holds::One, false),
    ("unevaluatedProperties", Holds::One, false),
    ("unevaluatedItems", Holds::One, false),
];

/// One subschema.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Place in the schema it was read from, as a JSON Pointer.
    pub place: String,
    /// Keywords with their values; subschemas are indices.
    pub keywords: Map<String, Value>,
    /// Whether nothing fits: the schema `false`.
    pub never: bool,
    /// What the schema says about itself to people.
    pub description: String,
}

impl Node {
    pub(crate) fn one(&self, keyword: &str) -> Option<Index> {
        self.keywords.get(keyword).and_then(index)
    }

    pub(crate) fn list(&self, keyword: &str) -> Vec<Index> {
        let list = self.keywords.get(keyword).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(index).collect()
    }

    pub(crate) fn named(&self, keyword: &str) -> Vec<(&str, Index)> {
        let named = self.keywords.get(keyword).and_then(Value::as_object);
        named.into_iter().flatten().filter_map(|(name, at)| Some((name.as_str(), index(at)?))).collect()
    }

    pub(crate) fn number(&self, keyword: &str) -> Option<f64> {
        self.keywords.get(keyword).and_then(Value::as_f64)
    }

    pub(crate) fn has(&self, keyword: &str) -> bool {
        self.keywords.contains_key(keyword)
    }

    /// Names of the types it allows; `None` if it allows all.
    pub(crate) fn types(&self) -> Option<Vec<&str>> {
        let list = self.keywords.get("type")?.as_array()?;
        Some(list.iter().filter_map(Value::as_str).collect())
    }

    /// Every subschema, with its keyword and whether it applies to the same value.
    pub(crate) fn children(&self) -> Vec<(&'static str, bool, Index)> {
        let mut children = Vec::new();
        for (keyword, holds, in_place) in APPLICATORS {
            match holds {
                Holds::One => children.extend(self.one(keyword).map(|at| (keyword, in_place, at))),
                Holds::List => {
                    children.extend(self.list(keyword).into_iter().map(|at| (keyword, in_place, at)));
                }
                Holds::Named => {
                    children.extend(self.named(keyword).into_iter().map(|(_, at)| (keyword, in_place, at)));
                }
            }
        }
        children
    }
}

/// A rule of a schema that the wrappers do not check.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Unchecked {
    /// Place of the subschema, as a JSON Pointer.
    pub path: String,
    /// The keyword.
    pub keyword: String,
}

/// A compiled schema. Node 0 is the root.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// Rules that were left out.
    pub unchecked: Vec<Unchecked>,
    /// Reasons for what was left out, for people.
    pub notes: Vec<String>,
}

impl Graph {
    /// The graph of a schema that says nothing.
    pub fn anything() -> Self {
        let root =
            Node { place: String::new(), keywords: Map::new(), never: false, description: String::new() };
        Self { nodes: vec![root], unchecked: Vec::new(), notes: Vec::new() }
    }

    pub(crate) fn leave_out(&mut self, at: Index, keyword: &str, why: &str) {
        let path = self.nodes[at].place.clone();
        self.notes.push(format!("{} at {:?} is not checked: {why}", keyword, shortened(&path)));
        self.unchecked.push(Unchecked { path, keyword: keyword.to_owned() });
    }

    /// The JSON text that the validators read: a list of nodes.
    pub fn json(&self) -> String {
        let nodes: Vec<Value> = self
            .nodes
            .iter()
            .map(|node| if node.never { Value::Bool(false) } else { Value::Object(node.keywords.clone()) })
            .collect();
        Value::Array(nodes).to_string()
    }
}

fn index(value: &Value) -> Option<Index> {
    usize::try_from(value.as_u64()?).ok()
}

/// A place that fits on a line.
pub(crate) fn shortened(place: &str) -> String {
    const MAX: usize = 120;
    match place.char_indices().nth(MAX) {
        Some((end, _)) => format!("{}…", &place[..end]),
        None => place.to_owned(),
    }
}
