//! The walk, between two alternatives of the same kind.
//!
//! Owns: limits, formats, items and conditions. Refuses to know: fields.

use std::cmp::Ordering;

use serde_json::Value;

use super::array::{is_beyond, is_distinct};
use super::change::{Classes, What};
use super::fits::is_whole;
use super::keyword::{Kind, Standing, is_entangled, standing};
use super::number::{Num, equal};
use super::piece::{Bound, Piece};
use super::scalar::fits_scalar;
use super::sentence::{items, listed, position};
use super::walk::{Spot, Walk};

/// Keywords that are conditions on the whole value.
const CONDITIONS: &[(&str, Option<Kind>)] = &[
    ("contains", Some(Kind::Array)),
    ("not", None),
    ("if", None),
    ("dependentRequired", Some(Kind::Object)),
    ("dependentSchemas", Some(Kind::Object)),
    ("propertyNames", Some(Kind::Object)),
];

impl<'a> Walk<'a> {
    /// Compares two pieces of the same kind.
    pub(super) fn pieces(&mut self, spot: Spot<'_>, old: &Piece<'a>, new: &Piece<'a>) -> Classes {
        let own = match old.kind {
            Kind::Null | Kind::Boolean => Classes::NONE,
            Kind::Number => self.numbers(spot, old, new),
            Kind::String => self.texts(spot, old, new),
            Kind::Array => self.arrays(spot, old, new),
            Kind::Object => self.objects(spot, old, new),
        };
        own.worst(self.conditions(spot, old, new))
    }

    fn numbers(&mut self, spot: Spot<'_>, old: &Piece<'a>, new: &Piece<'a>) -> Classes {
        let whole = match (is_whole(old), is_whole(new)) {
            (true, false) => self.note(spot, What::TypeWidened, Classes::LOOSER, |it| {
                format!("{it} was an integer and can now have a fraction")
            }),
            (false, true) => self.note(spot, What::TypeNarrowed, Classes::TIGHTER, |it| {
                format!("{it} could have a fraction and is now an integer")
            }),
            _ => Classes::NONE,
        };
        let lower = self.limit(spot, "minimum", tighter(old.lower(), new.lower(), |old, new| new.order(old)));
        let upper = self.limit(spot, "maximum", tighter(old.upper(), new.upper(), |old, new| old.order(new)));
        let rules = self.rules(spot, "multipleOf", old, new).worst(self.rules(spot, "format", old, new));
        whole.worst(lower).worst(upper).worst(rules)
    }

    fn texts(&mut self, spot: Spot<'_>, old: &Piece<'a>, new: &Piece<'a>) -> Classes {
        let least = new.at_least("minLength").cmp(&old.at_least("minLength"));
        let most = (old.at_most("maxLength"), new.at_most("maxLength"));
        let lengths = self.limit(spot, "minimum length", least).worst(self.limit(
            spot,
            "maximum length",
            fewer(most.0, most.1),
        ));
        lengths.worst(self.rules(spot, "pattern", old, new)).worst(self.rules(spot, "format", old, new))
    }

    /// Reports a limit that became tighter, looser or stayed.
    pub(super) fn limit(&mut self, spot: Spot<'_>, name: &str, tighter: Ordering) -> Classes {
        let (classes, word) = match tighter {
            Ordering::Equal => return Classes::NONE,
            Ordering::Greater => (Classes::TIGHTER, "stricter"),
            Ordering::Less => (Classes::LOOSER, "looser or gone"),
        };
        self.note(spot, What::BoundsChanged, classes, |it| format!("the {name} of {it} is now {word}"))
    }

    /// Compares a keyword that may stand several times, each with a rule that all must follow.
    fn rules(&mut self, spot: Spot<'_>, key: &str, old: &Piece<'a>, new: &Piece<'a>) -> Classes {
        let missing = |one: &Piece<'a>, other: &Piece<'a>| -> Vec<&'a Value> {
            let rules = one.each(key).map(|(_, rule)| rule);
            rules.filter(|rule| !fits_scalar(other, key, rule)).take(10).collect()
        };
        let (added, removed) = (missing(new, old), missing(old, new));
        let what = if key == "format" { What::FormatChanged } else { What::BoundsChanged };
        let name = if key == "multipleOf" { "step" } else { key };
        let (plus, minus) = (listed(added.iter().copied()), listed(removed.iter().copied()));
        match (added.is_empty(), removed.is_empty()) {
            (true, true) => Classes::NONE,
            (false, true) => {
                self.note(spot, what, Classes::TIGHTER, |it| format!("{it} now has the {name} {plus}"))
            }
            (true, false) => {
                self.note(spot, what, Classes::LOOSER, |it| format!("{it} no longer has the {name} {minus}"))
            }
            (false, false) => self.note(spot, what, Classes::OTHER, |it| {
                format!("the {name} of {it} was {minus} and is now {plus}")
            }),
        }
    }

    fn arrays(&mut self, spot: Spot<'_>, old: &Piece<'a>, new: &Piece<'a>) -> Classes {
        let least = new.at_least("minItems").cmp(&old.at_least("minItems"));
        let mut worst = self.limit(spot, "least number of items", least);
        let most = fewer(old.longest(), new.longest());
        worst = worst.worst(self.limit(spot, "greatest number of items", most));
        let distinct = is_distinct(new).cmp(&is_distinct(old));
        worst = worst.worst(self.limit(spot, "rule on repeated items", distinct));
        let positions = old.positions().max(new.positions());
        for at in 0..=positions {
            if is_beyond(old, at) || is_beyond(new, at) {
                break;
            }
            let path = if at == positions { items(spot.path) } else { position(spot.path, at) };
            let (before, after) = (old.item(at), new.item(at));
            worst = worst.worst(self.pair(Spot { path: &path, ..spot }, &before, &after));
        }
        worst
    }

    fn conditions(&mut self, spot: Spot<'_>, old: &Piece<'a>, new: &Piece<'a>) -> Classes {
        let mut worst = Classes::NONE;
        for (key, kind) in CONDITIONS {
            if kind.is_some_and(|kind| kind != old.kind) {
                continue;
            }
            let (added, removed) = (self.has_more(key, new, old), self.has_more(key, old, new));
            let (classes, word) = match (added, removed) {
                (false, false) => continue,
                (true, false) => (Classes::TIGHTER, "is new"),
                (false, true) => (Classes::LOOSER, "is gone"),
                (true, true) => (Classes::UNSURE, "changed"),
            };
            let words = |it| format!("the condition `{key}` on {it} {word}");
            worst = worst.worst(self.note(spot, What::ConditionChanged, classes, words));
        }
        let (before, after) = (obscure(old), obscure(new));
        let alike = |((one, first), (two, second)): ((&str, &Value), (&str, &Value))| {
            one == two && equal(first, second) == Some(true)
        };
        if before.len() != after.len() || !before.into_iter().zip(after).all(alike) {
            let words = |it| format!("{it} uses keywords that are not understood here");
            worst = worst.worst(self.note(spot, What::Other, Classes::UNSURE, words));
        }
        worst
    }

    /// Whether a keyword of one piece does not follow from the other piece.
    fn has_more(&mut self, key: &str, one: &Piece<'a>, other: &Piece<'a>) -> bool {
        let given: Vec<_> = one.each(key).collect();
        given.into_iter().any(|(place, argument)| {
            let Some(map) = place.value.as_object() else { return true };
            !self.ask(|prover| prover.fits_keyword(other, place, map, key, argument))
        })
    }
}

/// Keywords nobody understands, with their values.
fn obscure<'a>(piece: &Piece<'a>) -> Vec<(&'a str, &'a Value)> {
    let mut obscure = Vec::new();
    for part in &piece.parts {
        let unknown = part.map.iter().filter(|(key, value)| standing(key, value) == Standing::Unknown);
        obscure.extend(unknown.map(|(key, value)| (key.as_str(), value)).take(10));
        if is_entangled(part.map) {
            let keys = ["unevaluatedProperties", "unevaluatedItems"];
            obscure.extend(keys.iter().filter_map(|key| part.map.get(*key).map(|value| (*key, value))));
        }
    }
    obscure.sort_by_key(|(key, _)| *key);
    obscure
}

/// How much tighter a limit is than it was, given which of two different ones is the tighter.
fn tighter(old: Option<Bound>, new: Option<Bound>, order: fn(Num, Num) -> Ordering) -> Ordering {
    match (old, new) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(old), Some(new)) => order(old.at, new.at).then(new.open.cmp(&old.open)),
    }
}

/// How much tighter an upper count is than it was.
pub(super) fn fewer(old: Option<u64>, new: Option<u64>) -> Ordering {
    let place = |count: Option<u64>| count.unwrap_or(u64::MAX);
    place(old).cmp(&place(new))
}
