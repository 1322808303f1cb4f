//! A schema that is kept up to date: after an observation, only the changed parts are written
//! again.

use serde_json::Value;

use super::refresh::{ChangedNodes, NodeStatus, Refresh};
use super::{Limits, Policy, Schema, nesting, varies_at};
use crate::node::Id;
use crate::shape::Shape;
use crate::tree::{Kept, ROOT, Tree};
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
    /// By node, how much of it is within the bound; empty if all nodes are.
    kept: Vec<Kept>,
    /// Depth of the deepest node.
    deepest: usize,
    /// A node which shows that observations differ.
    varies_at: Option<Id>,
    /// Thresholds at the last update.
    limits: Option<Limits>,
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
        let before = std::mem::replace(&mut tracking.kept, shape.kept());
        let cut = above_reduced(&shape.tree, &tracking.kept, &before);
        let tree = View::new(&shape.tree, &tracking.kept);

        tracking.varies_at =
            tracking.varies_at.filter(|id| tree.shows(*id) && !tree.is_bare(*id)).or_else(|| varies_at(tree));
        let limits = Limits::of(tree, &self.policy, tracking.varies_at.is_some());
        let before = tracking.limits.replace(limits);
        let since = since.filter(|_| before == Some(limits));

        let mut refresh = Refresh { tree, limits: &limits, written: &mut tracking.written };
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

/// Returns for each node whether less is kept of it, or of a node below it, than before; empty if that is true of none.
fn above_reduced(tree: &Tree, kept: &[Kept], before: &[Kept]) -> Vec<bool> {
    let mut above = Vec::new();
    for (at, kept) in kept.iter().enumerate() {
        if *kept <= before.get(at).copied().unwrap_or(Kept::Whole) {
            continue;
        }
        above.resize(tree.nodes().len(), false);
        let mut id = at as Id;
        while !std::mem::replace(&mut above[id as usize], true) && id != ROOT {
            id = tree.node(id).parent;
        }
    }
    above
}
