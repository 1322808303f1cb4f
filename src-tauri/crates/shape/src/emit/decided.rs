//! Hash of the decisions that determine a node's own part of the schema.
//!
//! While the hash stays the same, so does the node's own part. It comes with the placement of the
//! children's parts inside it.

use super::map::{counted_together, gather, is_map};
use super::object::{Certainty, Openness, certainty, openness, others};
use super::scalar::{enumerated, pattern};
use super::{Limits, Tuple, alternatives, are_integers, is_little_known};
use crate::characters::Pattern;
use crate::node::{Id, Type};
use crate::tree::ROOT;
use crate::view::View;

/// Placement of a child's part in its parent's part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Placement {
    /// The part does not occur.
    #[default]
    Absent,
    /// The part occurs once, at a place of its own.
    Direct,
    /// The part occurs several times, or only in part.
    Combined,
}

/// Placement of the parts of all children.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Placements {
    pub(super) fields: Placement,
    pub(super) items: Placement,
    pub(super) values: Placement,
}

impl Placements {
    /// Returns the children of a node whose parts occur.
    pub(super) fn children(self, tree: View<'_>, id: Id) -> impl Iterator<Item = (Id, Placement)> {
        let fields = (self.fields != Placement::Absent).then(|| tree.fields(id));
        let fields = fields.into_iter().flatten().map(move |(_, field)| (field, self.fields));
        let items = tree.items(id).map(|items| (items, self.items));
        let values = tree.values(id).map(|values| (values, self.values));
        fields.chain(items.into_iter().chain(values).filter(|(_, standing)| *standing != Placement::Absent))
    }
}

/// Decisions about a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct NodeDecisions {
    sum: u64,
    pub(super) form: Placements,
}

impl NodeDecisions {
    pub(super) fn of(tree: View<'_>, id: Id, limits: &Limits) -> Self {
        let node = tree.node(id);
        let mut sum = DecisionHash(0);
        let mut form = Placements::default();
        Type::ALL.into_iter().for_each(|kind| sum.add(u64::from(node.count(kind) > 0)));
        sum.add(u64::from(is_little_known(tree, node, limits)));
        sum.add(u64::from(are_integers(node, limits.integer_after)));
        if node.count(Type::Opaque) > 0 {
            return Self { sum: sum.0, form };
        }
        if node.count(Type::String) > 0 || node.count(Type::Integer) > 0 {
            add_scalars(&mut sum, tree, id, limits);
        }
        if node.count(Type::Array) > 0 {
            form.items = add_array(&mut sum, tree, id, limits);
        }
        if node.count(Type::Object) > 0 {
            if !is_map(tree, id) {
                form.fields = add_record(&mut sum, tree, id, limits);
            } else if counted_together(tree, id).is_some() {
                form.values = Placement::Direct;
            } else {
                let values = gather(tree, id);
                add_all(&mut sum, View::new(&values, &[]), ROOT, limits);
            }
        }
        Self { sum: sum.0, form }
    }
}

/// A hash that is good enough to distinguish decisions.
struct DecisionHash(u64);

impl DecisionHash {
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

/// Adds the decisions about a node and everything below it.
fn add_all(sum: &mut DecisionHash, tree: View<'_>, id: Id, limits: &Limits) {
    let decided = NodeDecisions::of(tree, id, limits);
    sum.add(decided.sum);
    for (child, _) in decided.form.children(tree, id) {
        add_all(sum, tree, child, limits);
    }
}

fn add_scalars(sum: &mut DecisionHash, tree: View<'_>, id: Id, limits: &Limits) {
    let strings = tree.strings(id).and_then(|strings| strings.format());
    let values = |kind| enumerated(tree, id, kind, limits).into_iter().flatten();
    match strings.filter(|_| tree.node(id).count(Type::String) >= limits.format_after) {
        Some(format) => sum.add(format as u64 + 1),
        None => {
            values(Type::String).for_each(|text| sum.add_text(text));
            if let Some(Pattern { kinds, length }) = pattern(tree, id, limits) {
                sum.add(u64::from(kinds) << 8 | u64::from(length));
            }
        }
    }
    values(Type::Integer).for_each(|text| sum.add_text(text));
}

fn add_array(sum: &mut DecisionHash, tree: View<'_>, id: Id, limits: &Limits) -> Placement {
    let tuple = Tuple::of(tree, id, limits);
    if let Some(tuple) = &tuple {
        sum.add(tuple.length as u64);
        tuple.positions.iter().flatten().for_each(|kinds| sum.add(u64::from(kinds.bits())));
    }
    match tree.items(id) {
        None => {
            // Of items that are not kept, the schema contains the types.
            tree.other(id).iter().for_each(|count| sum.add(u64::from(*count > 0)));
            Placement::Absent
        }
        Some(_) if tuple.is_some_and(|tuple| tuple.positions.is_some()) => Placement::Combined,
        Some(_) => Placement::Direct,
    }
}

fn add_record(sum: &mut DecisionHash, tree: View<'_>, id: Id, limits: &Limits) -> Placement {
    let objects = tree.node(id).count(Type::Object);
    sum.add(u64::from(certainty(tree, id, limits) == Certainty::Enough));
    for (_, field) in tree.fields(id) {
        let field = tree.node(field);
        sum.add(field.rank.hash ^ u64::from(field.present == objects));
    }
    sum.add(u64::from(matches!(openness(tree, id, limits), Openness::Closed(_))));
    let others = others(tree, id, limits);
    sum.add(u64::from(others.is_some()));
    others.iter().flatten().for_each(|count| sum.add(u64::from(*count > 0)));
    match alternatives(tree, id, limits) {
        Some(found) => {
            found.decisions(tree.node(id), limits, |decision| sum.add(decision));
            Placement::Combined
        }
        None => Placement::Direct,
    }
}
