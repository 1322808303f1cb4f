//! Alternatives that each have a field of their own: a step has `uses` or `run`.

use super::{Alternatives, Branch, Limits};
use crate::emit::object::{Openness, openness};
use crate::node::{Id, Type};
use crate::tags::Tags;
use crate::view::View;

/// Most alternatives that are distinguished by a field of their own.
const MAX_APART: usize = 4;

/// Returns the alternatives by fields of which each object has exactly one: those that determine most other fields.
/// Only a closed record is divided, and only if each alternative is known well: to exclude fields is the point of it.
pub(super) fn apart<'t>(tree: View<'t>, id: Id, tags: &Tags, policy: &Limits) -> Option<Alternatives<'t>> {
    let node = tree.node(id);
    let objects = node.count(Type::Object);
    if node.documents < policy.enum_after {
        return None;
    }
    let branch = |(_, field): (&str, Id)| {
        let field = tree.node(field);
        let place = field.place as usize;
        let companions = tags.companions().of(place)?;
        Some(Branch::Field { place, objects: field.present, documents: field.documents, companions })
    };
    // In the order of names, the most frequent first.
    let mut candidates: Vec<Branch<'_>> = tree.fields(id).filter_map(branch).collect();
    candidates.retain(|branch| branch.count() < objects && branch.is_known_well(node, policy));
    candidates.sort_by_key(|branch| std::cmp::Reverse(branch.count()));
    let mut best: Option<(usize, Vec<Branch<'_>>)> = None;
    for (at, first) in candidates.iter().enumerate() {
        let mut chosen = vec![*first];
        let mut left = objects - first.count();
        for other in &candidates[at + 1..] {
            let apart = |one: &Branch<'_>| matches!(other, Branch::Field { place, .. } if !one.has(*place));
            if other.count() <= left && chosen.len() < MAX_APART && chosen.iter().all(apart) {
                left -= other.count();
                chosen.push(*other);
            }
        }
        if left > 0 || chosen.len() < 2 {
            continue;
        }
        let certain =
            |place: usize| chosen.iter().all(|branch| !branch.has(place) || branch.always_has(place));
        let differs = |place: usize| !chosen.iter().all(|branch| branch.has(place));
        // Each own field is one of them, but not in a state that was edited by hand.
        let determined = (0..node.fields.len()).filter(|place| certain(*place) && differs(*place)).count();
        let determined = determined.saturating_sub(chosen.len());
        if best.as_ref().is_none_or(|(most, _)| determined > *most) {
            best = Some((determined, chosen));
        }
    }
    let (determined, mut branches) = best?;
    branches.sort_by_key(|branch| match branch {
        Branch::Field { place, .. } => node.fields.at(*place).0,
        Branch::Value(_) => "",
    });
    let closed = matches!(openness(tree, id, policy), Openness::Closed(_));
    closed.then_some(Alternatives { tag: None, branches, determined })
}
