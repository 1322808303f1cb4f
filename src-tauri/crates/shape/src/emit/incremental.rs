//! A schema kept up to date: after an observation only what it changed is written anew.
//!
//! Owns: what has to be looked at since the last time, and the schema as it was then. Refuses to know: how
//! the schema is gone through.

use serde_json::Value;

use super::refresh::{Met, Refresh, Written};
use super::{Policy, Schema, nesting, varies_at};
use crate::node::Id;
use crate::rank::Rank;
use crate::shape::Shape;
use crate::tree::{ROOT, Tree};
use crate::view::View;

/// A shape's schema, for those who ask after every observation.
#[derive(Debug, Clone)]
pub struct Emission {
    policy: Policy,
    schema: Value,
    /// The shape's document and merge this is as of.
    as_of: Option<(u64, u64)>,
    followed: Followed,
}

/// What is known of the nodes, as long as they keep their places.
#[derive(Debug, Clone, Default)]
struct Followed {
    /// By node.
    written: Vec<Written>,
    /// The lowest rank that its bound leaves out.
    cut: Option<Rank>,
    /// Levels of the deepest node.
    deepest: usize,
    /// A node that tells that observations differ.
    varies_at: Option<Id>,
    /// The schema before it gave way to the bound on nesting, where it may have to.
    unbounded: Option<Schema>,
}

impl Emission {
    /// The schema of nothing yet.
    pub fn new(policy: Policy) -> Self {
        Self { policy, schema: Value::Bool(true), as_of: None, followed: Followed::default() }
    }

    /// Takes in what the shape observed since this was last called; whether the schema is another one now.
    /// Must be called with the same shape each time.
    pub fn update(&mut self, shape: &Shape) -> bool {
        let before = self.as_of.replace((shape.documents, shape.changes));
        let since = before.filter(|(_, changes)| *changes == shape.changes).map(|(document, _)| document);
        if since.is_none() {
            self.followed = Followed::default();
        }
        let followed = &mut self.followed;
        let new = shape.tree.nodes().iter().skip(followed.written.len());
        followed.deepest = followed.deepest.max(nesting::deepest(new));
        followed.written.resize(shape.tree.nodes().len(), Written::default());
        let cut = shape.tree.first_out(shape.cap);
        let gone = between(&shape.tree, cut, std::mem::replace(&mut followed.cut, cut));
        let tree = View::new(&shape.tree, cut);

        let varied = followed.varies_at.is_some();
        followed.varies_at = followed.varies_at.filter(|id| tree.shows(*id)).or_else(|| varies_at(tree));
        let since = since.filter(|_| varied == followed.varies_at.is_some());

        let mut refresh = Refresh {
            tree,
            policy: &self.policy,
            varied: followed.varies_at.is_some(),
            written: &mut followed.written,
        };
        let cut = above(&shape.tree, &gone);
        let met = since.map(|since| Met { since, cut: &cut });
        if !self.schema.is_object() {
            self.schema = Value::Object(Schema::new());
        }
        let Value::Object(schema) = &mut self.schema else { return false };
        if !nesting::may_exceed(followed.deepest) {
            return refresh.root(schema, met);
        }
        let unbounded = followed.unbounded.get_or_insert_with(|| schema.clone());
        if !refresh.root(unbounded, met) {
            return false;
        }
        let mut bounded = unbounded.clone();
        nesting::bound(&mut bounded, followed.deepest);
        let changed = *schema != bounded;
        *schema = bounded;
        changed
    }

    /// The schema as of the last update.
    pub fn schema(&self) -> &Value {
        &self.schema
    }
}

/// The nodes that are seen up to the second of two cuts, but not up to the first.
fn between(tree: &Tree, cut: Option<Rank>, before: Option<Rank>) -> Vec<Id> {
    let Some(cut) = cut.filter(|_| before != cut) else { return Vec::new() };
    let went = |rank: Rank| rank >= cut && before.is_none_or(|before| rank < before);
    (0..).zip(tree.nodes()).filter(|(_, node)| went(node.rank)).map(|(id, _)| id).collect()
}

/// By node, whether it is above one of these; empty if they are none.
fn above(tree: &Tree, nodes: &[Id]) -> Vec<bool> {
    let mut above = if nodes.is_empty() { Vec::new() } else { vec![false; tree.nodes().len()] };
    for id in nodes {
        let mut id = *id;
        while id != ROOT {
            id = tree.node(id).parent;
            if std::mem::replace(&mut above[id as usize], true) {
                break;
            }
        }
    }
    above
}
