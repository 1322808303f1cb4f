//! The walk through unions of objects that one field, the tag, distinguishes.
//!
//! A field that is the same in all alternatives of a side is compared once. Every other field is
//! compared for each value of the tag.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::change::{ChangeKind, Classes};
use crate::claim::Step;
use crate::number::equal;
use crate::object::is_closed;
use crate::piece::{Fact, Piece};
use crate::sentence::field;
use crate::statement::Statement;
use crate::tags::tags;
use crate::walk::{Spot, Walk};
use crate::walk_fields::map_values;

/// Most values of a tag.
const MAX_GROUPS: usize = 1_000;

/// Alternatives of both sides by the values of a tag.
pub(crate) struct Tagging<'a> {
    /// Name of the tag.
    tag: &'a str,
    /// Whether every alternative of both sides has one value of the tag.
    complete: bool,
    groups: Vec<Group<'a>>,
}

/// Alternatives with one value of the tag.
struct Group<'a> {
    value: &'a Value,
    old: Vec<Piece<'a>>,
    new: Vec<Piece<'a>>,
}

/// Pieces of both sides.
type Sides<'s, 'a> = (&'s [Piece<'a>], &'s [Piece<'a>]);

/// Comparison of a part of two pieces.
type Alike<'a, 's> = &'s dyn Fn(&mut Walk<'a>, &Piece<'a>, &Piece<'a>) -> bool;

impl<'a> Walk<'a> {
    /// Returns the alternatives by the values of the field that distinguishes them best.
    pub(crate) fn tagging(&mut self, old: &[Piece<'a>], new: &[Piece<'a>]) -> Option<Tagging<'a>> {
        let found = [old, new].map(constants);
        let count =
            |name: &str| found.iter().filter_map(|own| own.get(name)).map(Vec::len).max().unwrap_or(0);
        let shared = |name: &str| found.iter().all(|own| own.contains_key(name));
        let names = found.iter().flat_map(BTreeMap::keys).copied();
        let tag = names.filter(|name| (2..=MAX_GROUPS).contains(&count(name))).max_by_key(|name| {
            // The first of several equally good names.
            (shared(name), count(name), std::cmp::Reverse(*name))
        })?;
        let mut groups: Vec<Group<'a>> = Vec::new();
        for value in found.iter().filter_map(|own| own.get(tag)).flatten() {
            if !groups.iter().any(|group| equal(group.value, value) == Some(true)) {
                let (old, new) = (self.narrowed(old, tag, value), self.narrowed(new, tag, value));
                groups.push(Group { value, old, new });
            }
        }
        Some(Tagging { tag, complete: shared(tag), groups })
    }

    /// Returns the alternatives in which the tag can have this value.
    fn narrowed(&mut self, pieces: &[Piece<'a>], tag: &'a str, value: &'a Value) -> Vec<Piece<'a>> {
        let mut narrowed = Vec::new();
        for piece in pieces {
            let own = tags(piece).into_iter().find(|(name, _)| *name == tag);
            match own.map(|(_, own)| equal(own, value)) {
                Some(Some(false)) => {}
                Some(_) => narrowed.push(piece.clone()),
                None => {
                    let mut pinned = piece.clone();
                    pinned.pins.push((tag, Fact::Equals(value)));
                    if !self.ask(|prover| prover.is_absent(&pinned, tag)) {
                        narrowed.push(pinned);
                    }
                }
            }
        }
        narrowed
    }

    /// Compares objects that a tag distinguishes.
    pub(crate) fn tagged(
        &mut self,
        spot: Spot<'_>,
        tagging: &Tagging<'a>,
        names: &[&'a str],
        (old, new): Sides<'_, 'a>,
    ) -> Classes {
        let mut worst = Classes::NONE;
        if tagging.complete {
            for Group { value, .. } in tagging.groups.iter().filter(|group| group.old.is_empty()) {
                let classes = self.unless_spent(Classes::LOOSER);
                let said = Statement::WayAdded(tagging.tag, value);
                worst = worst.worst(self.note(spot, ChangeKind::AlternativeAdded, classes, &said));
            }
            for Group { value, .. } in tagging.groups.iter().filter(|group| group.new.is_empty()) {
                let classes = self.unless_spent(Classes::TIGHTER);
                let said = Statement::WayRemoved(tagging.tag, value);
                worst = worst.worst(self.note(spot, ChangeKind::AlternativeRemoved, classes, &said));
            }
        } else {
            worst = worst.worst(self.field(spot, tagging.tag, old, new));
        }
        for name in names.iter().filter(|name| **name != tagging.tag) {
            let alike = |walk: &mut Self, one: &Piece<'a>, two: &Piece<'a>| walk.alike_in(one, two, name);
            for (spot_values, pair) in self.classes(tagging, (old, new), &alike) {
                let found = self.at_values(spot, tagging.tag, &spot_values, |walk, spot| {
                    walk.field(spot, name, pair.0, pair.1)
                });
                worst = worst.worst(found);
            }
        }
        let alike = |walk: &mut Self, one: &Piece<'a>, two: &Piece<'a>| walk.alike_beside(one, two);
        for (spot_values, pair) in self.classes(tagging, (old, new), &alike) {
            let found = self.at_values(spot, tagging.tag, &spot_values, |walk, spot| {
                walk.others(spot, names, pair.0, pair.1)
            });
            worst = worst.worst(found);
        }
        worst
    }

    /// Runs a comparison for objects whose tag has these values; for all objects if there are none.
    fn at_values(
        &mut self,
        spot: Spot<'_>,
        tag: &str,
        values: &[&'a Value],
        run: impl FnOnce(&mut Self, Spot<'_>) -> Classes,
    ) -> Classes {
        if values.is_empty() {
            return run(self, spot);
        }
        let path = field(spot.path, tag);
        let trail = spot.step(Step::Where { field: tag, path: &path, values });
        run(self, Spot { trail: Some(&trail), ..spot })
    }

    /// Returns the comparisons to make, each with the values of the tag that it is about: one
    /// without values if each side's pieces are alike, else one for each class of alike groups.
    fn classes<'s>(
        &mut self,
        tagging: &'s Tagging<'a>,
        (old, new): Sides<'s, 'a>,
        alike: Alike<'a, '_>,
    ) -> Vec<(Vec<&'a Value>, Sides<'s, 'a>)> {
        let mut uniform = |pieces: &[Piece<'a>]| {
            pieces
                .split_first()
                .is_none_or(|(first, rest)| rest.iter().all(|piece| alike(self, first, piece)))
        };
        if uniform(old) && uniform(new) {
            return vec![(Vec::new(), (&old[..old.len().min(1)], &new[..new.len().min(1)]))];
        }
        let both = |group: &&Group<'a>| !group.old.is_empty() && !group.new.is_empty();
        let mut classes: Vec<(Vec<&'a Value>, &'s Group<'a>)> = Vec::new();
        for group in tagging.groups.iter().filter(both) {
            let mut equal = |one: &[Piece<'a>], two: &[Piece<'a>]| {
                one.len() == two.len() && one.iter().zip(two).all(|(one, two)| alike(self, one, two))
            };
            let known = classes
                .iter_mut()
                .find(|(_, first)| equal(&first.old, &group.old) && equal(&first.new, &group.new));
            match known {
                Some((values, _)) => values.push(group.value),
                None => classes.push((vec![group.value], group)),
            }
        }
        if classes.is_empty() {
            return vec![(Vec::new(), (old, new))];
        }
        classes.into_iter().map(|(values, group)| (values, (&group.old[..], &group.new[..]))).collect()
    }

    /// Returns whether two alternatives say the same about a field.
    fn alike_in(&mut self, one: &Piece<'a>, two: &Piece<'a>, name: &str) -> bool {
        one.requires(name) == two.requires(name)
            && one.names(name) == two.names(name)
            && self.ask(|prover| {
                let (one, two) = (prover.field(one, name), prover.field(two, name));
                prover.alike(&one, &two)
            })
    }

    /// Returns whether two alternatives say the same about the fields that they do not name.
    fn alike_beside(&mut self, one: &Piece<'a>, two: &Piece<'a>) -> bool {
        if is_closed(one) || is_closed(two) {
            return is_closed(one) && is_closed(two);
        }
        match (map_values(std::slice::from_ref(one)), map_values(std::slice::from_ref(two))) {
            (Some(one), Some(two)) => self.ask(|prover| {
                one.len() == two.len() && one.iter().zip(&two).all(|(one, two)| prover.alike(one, two))
            }),
            _ => false,
        }
    }
}

/// Returns the required fields that have one fixed value in every alternative, with these values.
fn constants<'a>(pieces: &[Piece<'a>]) -> BTreeMap<&'a str, Vec<&'a Value>> {
    let mut found: BTreeMap<&'a str, Vec<&'a Value>> = BTreeMap::new();
    for (at, piece) in pieces.iter().enumerate() {
        let own = tags(piece);
        if at > 0 {
            found.retain(|name, _| own.iter().any(|(tag, _)| tag == name));
        }
        for (name, value) in own {
            if at == 0 || found.contains_key(name) {
                let values = found.entry(name).or_default();
                if !values.iter().any(|known| equal(known, value) == Some(true)) {
                    values.push(value);
                }
            }
        }
    }
    found
}
