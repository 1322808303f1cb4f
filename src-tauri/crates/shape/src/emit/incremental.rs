//! A schema kept up to date: emitted anew only when a decision changed.
//!
//! Which decisions a node leads to is summed up in one number. After an observation only the nodes it met
//! are summed up again; while all sums stay the same, so does the schema. Owns: those sums. Refuses to know:
//! how schemas are written.

use std::borrow::Cow;

use serde_json::Value;

use super::map::MapValues;
use super::object::{Openness, openness, required};
use super::scalar::enumerated;
use super::{Policy, Tuple, alternatives, varies};
use crate::node::{Id, Node, Type};
use crate::shape::Shape;
use crate::tree::Tree;

/// A shape's schema, for those who ask after every observation.
#[derive(Debug, Clone)]
pub struct Emission {
    policy: Policy,
    schema: Value,
    /// By node.
    sums: Vec<u64>,
    varied: bool,
    /// The shape's document and merge this is as of.
    as_of: Option<(u64, u64)>,
}

impl Emission {
    /// The schema of nothing yet.
    pub fn new(policy: Policy) -> Self {
        Self { policy, schema: Value::Bool(true), sums: Vec::new(), varied: false, as_of: None }
    }

    /// Takes in what the shape observed since this was last called; whether the schema is another one now.
    /// Must be called with the same shape each time.
    pub fn update(&mut self, shape: &Shape) -> bool {
        let tree = shape.tree();
        let nodes = tree.nodes();
        let before = self.as_of.replace((shape.documents, shape.changes));
        let merged = before.is_none_or(|(_, changes)| changes != shape.changes);
        // Where the tree had to be cut for us, places are not those of before.
        // Once observations differ, they always will.
        let varied = self.varied || varies(&tree);
        let merged = merged || varied != std::mem::replace(&mut self.varied, varied);
        let anew = merged || self.sums.len() != nodes.len() || matches!(tree, Cow::Owned(_));
        let document = before.map_or(0, |(document, _)| document);
        let mut changed = anew;
        self.sums.resize(nodes.len(), 0);
        for (id, node) in nodes.iter().enumerate() {
            if anew || node.mark.document > document {
                let sum = sum(&tree, id as Id, &self.policy, varied);
                changed |= sum.is_none() || sum != self.sums.get(id).copied();
                self.sums[id] = sum.unwrap_or_default();
            }
        }
        if !changed {
            return false;
        }
        let schema = shape.schema(&self.policy);
        let another = schema != self.schema;
        self.schema = schema;
        another
    }

    /// The schema as of the last update.
    pub fn schema(&self) -> &Value {
        &self.schema
    }
}

/// A hash good enough to tell decisions apart.
struct Sum(u64);

impl Sum {
    fn add(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 ^= self.0 >> 29;
    }

    fn add_text(&mut self, text: &str) {
        for chunk in text.as_bytes().chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word));
        }
        self.add(text.len() as u64);
    }
}

/// All that a node's own part of the schema depends on; none where that takes writing it.
fn sum(tree: &Tree, id: Id, policy: &Policy, varied: bool) -> Option<u64> {
    let node = tree.node(id);
    let mut sum = Sum(0);
    for kind in Type::ALL {
        sum.add(u64::from(node.count(kind) > 0));
    }
    add_scalars(&mut sum, node, policy, varied);
    if let Some(tuple) = Tuple::of(node, policy) {
        sum.add(tuple.length as u64);
        tuple.positions.iter().flatten().for_each(|kinds| sum.add(u64::from(kinds.bits())));
    }
    // Of an array whose items are not kept their types are told.
    node.other.iter().for_each(|count| sum.add(u64::from(*count > 0)));
    if node.count(Type::Object) > 0 {
        match MapValues::of(tree, id) {
            Some(values) if values.is_gathered() => return None,
            Some(_) => sum.add(1),
            None => add_object(&mut sum, tree, id, policy),
        }
    }
    Some(sum.0)
}

fn add_scalars(sum: &mut Sum, node: &Node, policy: &Policy, varied: bool) {
    let strings = node.strings.as_ref().and_then(|strings| strings.format());
    match strings.filter(|_| node.count(Type::String) >= policy.format_after) {
        Some(format) => sum.add(format as u64 + 1),
        None => add_enum(sum, node, Type::String, policy, varied),
    }
    add_enum(sum, node, Type::Integer, policy, varied);
}

fn add_enum(sum: &mut Sum, node: &Node, kind: Type, policy: &Policy, varied: bool) {
    for text in enumerated(node, kind, policy, varied).into_iter().flatten() {
        sum.add_text(text);
    }
}

fn add_object(sum: &mut Sum, tree: &Tree, id: Id, policy: &Policy) {
    let node = tree.node(id);
    sum.add(node.fields.len() as u64);
    sum.add(u64::from(matches!(openness(tree, id, policy), Openness::Closed(_))));
    for name in required(tree, id, policy) {
        sum.add_text(name);
    }
    if let Some(found) = alternatives(tree, id, policy) {
        found.decisions(node, policy, |decision| sum.add(decision));
    }
}
