//! A schema that is kept up to date: after an observation, only the changed parts are written
//! again.

use serde_json::Value;

use super::refresh::{ChangedNodes, NodeStatus, Refresh};
use super::{Policy, Schema, nesting, varies_at};
use crate::node::Id;
use crate::shape::Shape;
use crate::tree::{ROOT, Tree};
use crate::view::View;

/// Schema of a shape, for callers that need it after every observation.
#[derive(Debug, Clone)]
pub struct Emission {
    policy: Policy,
    schema: Value,
    /// Document and change counters of the shape at the last update.
    as_of: Option<(u64, u64)>,
    tracking: Tracking,
}

/// State by node, valid as long as the nodes keep their places.
#[derive(Debug, Clone, Default)]
struct Tracking {
    /// State by node id.
    written: Vec<NodeStatus>,
    /// By node, whether it exceeds the bound; empty if none does.
    hidden: Vec<bool>,
    /// Depth of the deepest node.
    deepest: usize,
    /// A node which shows that observations differ.
    varies_at: Option<Id>,
    /// Schema before the limit on nesting was applied, if the limit may apply.
    unbounded: Option<Schema>,
}

impl Emission {
    /// Creates the schema of an empty shape.
    pub fn new(policy: Policy) -> Self {
        Self { policy, schema: Value::Bool(true), as_of: None, tracking: Tracking::default() }
    }

    /// Applies what the shape observed since the last call. Returns whether the schema changed.
    /// Every call must pass the same shape.
    pub fn update(&mut self, shape: &Shape) -> bool {
        let before = self.as_of.replace((shape.documents, shape.changes));
        let since = before.filter(|(_, changes)| *changes == shape.changes).map(|(document, _)| document);
        if since.is_none() {
            self.tracking = Tracking::default();
        }
        let tracking = &mut self.tracking;
        let new = shape.tree.nodes().iter().skip(tracking.written.len());
        tracking.deepest = tracking.deepest.max(nesting::deepest(new));
        tracking.written.resize(shape.tree.nodes().len(), NodeStatus::default());
        let before = std::mem::replace(&mut tracking.hidden, shape.hidden());
        let gone = newly_hidden(&tracking.hidden, &before);
        let tree = View::new(&shape.tree, &tracking.hidden);

        let varied = tracking.varies_at.is_some();
        tracking.varies_at = tracking.varies_at.filter(|id| tree.shows(*id)).or_else(|| varies_at(tree));
        let since = since.filter(|_| varied == tracking.varies_at.is_some());

        let mut refresh = Refresh {
            tree,
            policy: &self.policy,
            varied: tracking.varies_at.is_some(),
            written: &mut tracking.written,
        };
        let cut = above(&shape.tree, &gone);
        let met = since.map(|since| ChangedNodes { since, cut: &cut });
        if !self.schema.is_object() {
            self.schema = Value::Object(Schema::new());
        }
        let Value::Object(schema) = &mut self.schema else { return false };
        if !nesting::may_exceed(tracking.deepest) {
            return refresh.root(schema, met);
        }
        let unbounded = tracking.unbounded.get_or_insert_with(|| schema.clone());
        if !refresh.root(unbounded, met) {
            return false;
        }
        let mut bounded = unbounded.clone();
        nesting::bound(&mut bounded, tracking.deepest);
        let changed = *schema != bounded;
        *schema = bounded;
        changed
    }

    /// Returns the schema at the last update.
    pub fn schema(&self) -> &Value {
        &self.schema
    }
}

/// Returns the nodes that were visible before and are not now.
fn newly_hidden(hidden: &[bool], before: &[bool]) -> Vec<Id> {
    let went = |(at, hidden): &(usize, &bool)| **hidden && before.get(*at) != Some(&true);
    hidden.iter().enumerate().filter(went).map(|(at, _)| at as Id).collect()
}

/// Returns for each node whether it is above one of these; empty if there are none.
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
