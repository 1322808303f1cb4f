//! A schema that is kept up to date: after an observation, only the changed parts are written
//! again.

use serde_json::Value;

use super::refresh::{ChangedNodes, NodeStatus, Refresh};
use super::{Limits, MOST_VARIETY, Policy, Schema, nesting, variety, variety_at};
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
    /// A node which shows that enough observations differ.
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
        let mut stale = Vec::new();
        reduced(&tracking.kept, &before).for_each(|id| mark_above(&shape.tree, id, &mut stale));
        let tree = View::new(&shape.tree, &tracking.kept);

        let still = |id: &Id| tree.shows(*id) && !tree.is_bare(*id) && variety_at(tree, *id) == MOST_VARIETY;
        let known = tracking.varies_at.filter(still);
        let (most, at) = known.map_or_else(|| variety(tree), |id| (MOST_VARIETY, id));
        tracking.varies_at = (most == MOST_VARIETY).then_some(at);
        let limits = Limits::of(tree, &self.policy, most);
        let before = tracking.limits.replace(limits);
        let changed = before.and_then(|before| limits.nodes_decided_otherwise(tree, &before));
        let since = since.filter(|_| changed.is_some());
        for id in changed.unwrap_or_default() {
            mark_above(&shape.tree, id, &mut stale);
        }

        let mut refresh = Refresh { tree, limits: &limits, written: &mut tracking.written };
        let met = since.map(|since| ChangedNodes { since, stale: &stale });
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

/// Returns the nodes of which less is kept than before.
fn reduced(kept: &[Kept], before: &[Kept]) -> impl Iterator<Item = Id> {
    let before = before.iter().copied().chain(std::iter::repeat(Kept::Whole));
    (ROOT..).zip(kept).zip(before).filter(|((_, now), before)| *now > before).map(|((id, _), _)| id)
}

/// Marks a node and those above it.
fn mark_above(tree: &Tree, mut id: Id, marked: &mut Vec<bool>) {
    marked.resize(tree.nodes().len(), false);
    while !std::mem::replace(&mut marked[id as usize], true) && id != ROOT {
        id = tree.node(id).parent;
    }
}
