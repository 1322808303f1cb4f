//! Thresholds of one shape: those of the policy, raised where so many decisions are made that some would be wrong.
//!
//! A threshold that is right for one record is too low for a document of hundreds: if each is wrong about the next
//! document with a chance of one in a hundred, hardly any document fits. The number of decisions that are expected to be
//! wrong about the next document is therefore bounded for the schema as a whole, and the least certain ones are not made.
//! Among many records, one alone says little about a document, so it must be all the more certain.

use std::ops::Deref;

use super::Policy;
use super::map::{counted_together, is_map};
use crate::node::{Id, Type};
use crate::tree::ROOT;
use crate::view::View;

/// Thresholds for the emission of one shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Limits {
    policy: Policy,
    /// Estimated number of observations that differ, if they are few: the same call may have been made repeatedly.
    pub(super) variety: u64,
    /// [Mistaken](mistaken) fields of a record from which on none is required and none excluded.
    pub(super) mistaken: f64,
    /// The same for a record, divided by the number of its fields.
    mistaken_a_field: f64,
    /// Integers required at a path before other numbers are excluded.
    pub(super) integer_after: u64,
}

impl Deref for Limits {
    type Target = Policy;

    fn deref(&self) -> &Policy {
        &self.policy
    }
}

impl Limits {
    pub(super) fn of(tree: View<'_>, policy: &Policy, variety: u64) -> Self {
        let mut limits = Self {
            policy: *policy,
            variety,
            mistaken: f64::MAX,
            mistaken_a_field: f64::MAX,
            integer_after: 1,
        };
        if policy.mistakes == f64::MAX {
            return limits;
        }
        let Emitted { nodes, records, .. } = Emitted::of(tree);
        let fields: usize = records.iter().map(|id| tree.fields(*id).count()).sum();
        limits.mistaken_a_field = rounded(policy.mistakes_by_share / fields as f64);
        let risks = records.into_iter().map(|id| mistaken(tree, id));
        let mut risks: Vec<f64> = risks.filter(|risk| *risk > 0.0).collect();
        risks.sort_by(f64::total_cmp);
        let beyond = first_beyond(risks.into_iter().map(|risk| (risk, risk)), policy.mistakes);
        limits.mistaken = beyond.map_or(f64::MAX, rounded);
        // That numbers are integers says little, so less is lost without it than without a field.
        limits.integer_after = integer_after(tree, &nodes, policy.mistakes / 50.0);
        limits
    }

    /// Returns the nodes of which the decisions may differ between these thresholds and others, or `None` if those of
    /// any node may.
    pub(super) fn nodes_decided_otherwise(&self, tree: View<'_>, other: &Self) -> Option<Vec<Id>> {
        if self == other {
            return Some(Vec::new());
        }
        let Self { mistaken, mistaken_a_field, .. } = *other;
        if (Self { mistaken, mistaken_a_field, ..*self }) != *other {
            return None;
        }
        let Emitted { records, gathered, .. } = Emitted::of(tree);
        let records = records.into_iter().filter(|id| self.doubts(tree, *id) != other.doubts(tree, *id));
        Some(records.chain(gathered).collect())
    }

    /// Returns whether a record may be mistaken about the next document, while others are less so.
    pub(super) fn doubts(&self, tree: View<'_>, record: Id) -> bool {
        let risk = mistaken(tree, record);
        let highest = self.mistaken_a_field * tree.fields(record).count() as f64;
        risk > 0.0 && (risk >= self.mistaken || risk > highest)
    }
}

/// Returns a threshold rounded down by an eighth at most: it rarely changes, so decisions elsewhere stay as they are.
fn rounded(threshold: f64) -> f64 {
    f64::from_bits(threshold.to_bits() >> 49 << 49)
}

/// Returns the expected number of fields of a record that were always there, and that the next document lacks. As many
/// are expected that it has and none had before. If every probability of presence from 0 to 1 is equally likely, an
/// optional field is n times less often present in all of n objects, or in none, than in some of them. Such a field is
/// absent from the next object, or present, with probability 1/(n + 2) (Laplace). Objects of one document count as one.
fn mistaken(tree: View<'_>, id: Id) -> f64 {
    let node = tree.node(id);
    let objects = node.count(Type::Object);
    let independent = node.documents.min(objects);
    let optional = tree.fields(id).filter(|(_, field)| tree.node(*field).present < objects).count();
    optional as f64 / independent as f64 / (independent + 2) as f64
}

/// Nodes that have a place of their own in the schema.
#[derive(Default)]
struct Emitted {
    nodes: Vec<Id>,
    /// Those among them that are records.
    records: Vec<Id>,
    /// Those among them that are maps whose values are merged for the schema.
    gathered: Vec<Id>,
}

impl Emitted {
    fn of(tree: View<'_>) -> Self {
        let mut emitted = Self { nodes: vec![ROOT], ..Self::default() };
        let mut at = 0;
        while let Some(id) = emitted.nodes.get(at).copied() {
            at += 1;
            let is_object = tree.node(id).count(Type::Object) > 0;
            let is_map = is_object && is_map(tree, id);
            if is_map {
                match counted_together(tree, id) {
                    Some(values) => emitted.nodes.push(values),
                    None => emitted.gathered.push(id),
                }
            } else if is_object {
                emitted.records.push(id);
                emitted.nodes.extend(tree.fields(id).map(|(_, field)| field));
            }
            emitted.nodes.extend(tree.items(id));
        }
        emitted
    }
}

/// Returns the number of integers that are required at a path. Where numbers occur of which some are not integers, the
/// share of integers among them shows how often such a path would have integers only.
fn integer_after(tree: View<'_>, nodes: &[Id], mistakes: f64) -> u64 {
    let documents = tree.node(ROOT).documents as f64;
    let (mut mixed, mut integers, mut all) = (0.0, 0.0, 0.0);
    // Number of integers at a path that has no other numbers, and chance that the next document has the path.
    let mut pure: Vec<(u64, f64)> = Vec::new();
    for id in nodes {
        let node = tree.node(*id);
        let (whole, other) = (node.count(Type::Integer), node.count(Type::Number));
        if other > 0 {
            mixed += 1.0;
            integers += whole as f64;
            all += (whole + other) as f64;
        } else if whole > 0 {
            pure.push((whole, node.documents as f64 / documents));
        }
    }
    if integers == 0.0 {
        return 1;
    }
    let share: f64 = integers / all;
    let odds = mixed / pure.len() as f64;
    let risk = |(count, chance): (u64, f64)| {
        let odds = odds * share.powi(count.min(1_000) as i32);
        (count as f64, odds / (1.0 + odds) * (1.0 - share) * chance)
    };
    pure.sort_unstable_by_key(|(count, _)| std::cmp::Reverse(*count));
    first_beyond(pure.into_iter().map(risk), mistakes).map_or(1, |count| count as u64 + 1)
}

/// Returns the value at which the sum of the risks exceeds a limit.
fn first_beyond(risks: impl Iterator<Item = (f64, f64)>, limit: f64) -> Option<f64> {
    let mut sum = 0.0;
    for (value, risk) in risks {
        sum += risk;
        if sum > limit {
            return Some(value);
        }
    }
    None
}
