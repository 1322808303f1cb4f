//! The walk through the alternatives of one kind: limits, formats, items and conditions.

use std::cmp::Ordering;

use serde_json::Value;

use crate::array::{is_beyond, is_distinct};
use crate::change::{ChangeKind, Classes};
use crate::claim::Step;
use crate::fits::is_whole;
use crate::keyword::{Kind, Understanding, is_entangled, understanding};
use crate::number::{Num, equal};
use crate::piece::{Bound, Piece};
use crate::scalar::fits_scalar;
use crate::sentence::{items, position};
use crate::statement::{Rule, Statement};
use crate::walk::{Spot, Walk, Ways};

/// Most rules and alternatives compared with each other.
const MAX_RULES: usize = 20;

/// Keywords that are conditions on the whole value.
const CONDITIONS: &[(&str, Option<Kind>)] = &[
    ("contains", Some(Kind::Array)),
    ("not", None),
    ("if", None),
    ("dependentRequired", Some(Kind::Object)),
    ("dependentSchemas", Some(Kind::Object)),
    ("propertyNames", Some(Kind::Object)),
];

/// A limit of both sides.
struct Limit<'s> {
    name: &'s str,
    old: Option<(&'static str, Value)>,
    new: Option<(&'static str, Value)>,
    /// Whether the new limit is stricter (`Greater`) or looser (`Less`).
    tighter: Ordering,
}

impl<'a> Walk<'a> {
    /// Compares the alternatives of one kind. A statement about a side is true for all of them.
    pub(crate) fn pieces(&mut self, spot: Spot<'_>, old: &[Piece<'a>], new: &[Piece<'a>]) -> Classes {
        let kind = old.first().map_or(Kind::Null, |piece| piece.kind);
        let own = match kind {
            Kind::Null | Kind::Boolean => Classes::NONE,
            Kind::Number => self.numbers(spot, old, new),
            Kind::String => self.texts(spot, old, new),
            Kind::Array => self.arrays(spot, old, new),
            Kind::Object => self.objects(spot, old, new),
        };
        own.worst(self.conditions(spot, old, new))
    }

    fn numbers(&mut self, spot: Spot<'_>, old: &[Piece<'a>], new: &[Piece<'a>]) -> Classes {
        let whole = match (old.iter().all(is_whole), new.iter().all(is_whole)) {
            (true, false) => self.note(spot, ChangeKind::TypeWidened, Classes::LOOSER, &Statement::Fraction),
            (false, true) => self.note(spot, ChangeKind::TypeNarrowed, Classes::TIGHTER, &Statement::Whole),
            _ => Classes::NONE,
        };
        let lowest =
            |pieces: &[Piece<'a>]| loosest(pieces.iter().map(Piece::lower), |one, two| two.order(one));
        let highest =
            |pieces: &[Piece<'a>]| loosest(pieces.iter().map(Piece::upper), |one, two| one.order(two));
        let (least, most) = ((lowest(old), lowest(new)), (highest(old), highest(new)));
        let rule = |closed, open| {
            move |bound: Bound| Some((if bound.open { open } else { closed }, bound.at.to_value()?))
        };
        let minimum = rule("minimum", "exclusiveMinimum");
        let limit = Limit {
            name: "minimum",
            old: least.0.and_then(minimum),
            new: least.1.and_then(minimum),
            tighter: tighter(least.0, least.1, |old, new| new.order(old)),
        };
        let lower = self.limit(spot, limit);
        let maximum = rule("maximum", "exclusiveMaximum");
        let limit = Limit {
            name: "maximum",
            old: most.0.and_then(maximum),
            new: most.1.and_then(maximum),
            tighter: tighter(most.0, most.1, |old, new| old.order(new)),
        };
        let upper = self.limit(spot, limit);
        let rules = self.rules(spot, "multipleOf", old, new).worst(self.rules(spot, "format", old, new));
        whole.worst(lower).worst(upper).worst(rules)
    }

    fn texts(&mut self, spot: Spot<'_>, old: &[Piece<'a>], new: &[Piece<'a>]) -> Classes {
        let lengths = self
            .counts(
                spot,
                ("minimum length", "minLength"),
                (lowest(old, "minLength"), lowest(new, "minLength")),
            )
            .worst(self.counts(
                spot,
                ("maximum length", "maxLength"),
                (
                    highest(old, |piece| piece.at_most("maxLength")),
                    highest(new, |piece| piece.at_most("maxLength")),
                ),
            ));
        lengths.worst(self.rules(spot, "pattern", old, new)).worst(self.rules(spot, "format", old, new))
    }

    /// Reports a lower or upper count that became stricter or looser.
    pub(crate) fn counts(
        &mut self,
        spot: Spot<'_>,
        (name, key): (&str, &'static str),
        (old, new): (Option<u64>, Option<u64>),
    ) -> Classes {
        let tighter = if key.starts_with("min") {
            new.unwrap_or(0).cmp(&old.unwrap_or(0))
        } else {
            old.unwrap_or(u64::MAX).cmp(&new.unwrap_or(u64::MAX))
        };
        let rule = |count: u64| (key, Value::from(count));
        self.limit(spot, Limit { name, old: old.map(rule), new: new.map(rule), tighter })
    }

    /// Reports a limit that became stricter or looser.
    fn limit(&mut self, spot: Spot<'_>, limit: Limit<'_>) -> Classes {
        let (classes, word) = match limit.tighter {
            Ordering::Equal => return Classes::NONE,
            Ordering::Greater => (Classes::TIGHTER, "stricter"),
            Ordering::Less => (Classes::LOOSER, "looser or removed"),
        };
        let said = Statement::Limit { name: limit.name, word, old: limit.old, new: limit.new };
        self.note(spot, ChangeKind::BoundsChanged, classes, &said)
    }

    /// Compares a keyword that can occur several times, each with a rule that all must follow.
    fn rules(&mut self, spot: Spot<'_>, key: &'static str, old: &[Piece<'a>], new: &[Piece<'a>]) -> Classes {
        let follow =
            |pieces: &[Piece<'a>], rule: &Value| pieces.iter().all(|piece| fits_scalar(piece, key, rule));
        let missing = |these: &[Piece<'a>], others: &[Piece<'a>]| -> Vec<Rule<'a>> {
            let mut rules: Vec<Rule<'a>> = Vec::new();
            for (_, rule) in these.iter().flat_map(|piece| piece.each(key)).take(MAX_RULES) {
                let known = rules.iter().any(|(_, own)| equal(own, rule) == Some(true));
                if !known && follow(these, rule) && !follow(others, rule) {
                    rules.push((key, rule));
                }
            }
            rules
        };
        let (added, removed) = (missing(new, old), missing(old, new));
        let what = if key == "format" { ChangeKind::FormatChanged } else { ChangeKind::BoundsChanged };
        let name = if key == "multipleOf" { "step" } else { key };
        let classes = match (added.is_empty(), removed.is_empty()) {
            (true, true) => return Classes::NONE,
            (false, true) => Classes::TIGHTER,
            (true, false) => Classes::LOOSER,
            (false, false) => Classes::OTHER,
        };
        self.note(spot, what, classes, &Statement::Rules { name, added: &added, removed: &removed })
    }

    fn arrays(&mut self, spot: Spot<'_>, old: &[Piece<'a>], new: &[Piece<'a>]) -> Classes {
        let least = (lowest(old, "minItems"), lowest(new, "minItems"));
        let mut worst = self.counts(spot, ("minimum number of items", "minItems"), least);
        let most = (highest(old, Piece::longest), highest(new, Piece::longest));
        worst = worst.worst(self.counts(spot, ("maximum number of items", "maxItems"), most));
        let distinct = |pieces: &[Piece<'a>]| {
            pieces.iter().all(is_distinct).then_some(("uniqueItems", Value::Bool(true)))
        };
        let (before, after) = (distinct(old), distinct(new));
        let tighter = after.is_some().cmp(&before.is_some());
        let limit = Limit { name: "rule on repeated items", old: before, new: after, tighter };
        worst = worst.worst(self.limit(spot, limit));
        let positions = old.iter().chain(new).map(Piece::positions).max().unwrap_or(0);
        for at in 0..=positions {
            let ways = |pieces: &[Piece<'a>]| -> Ways<'a> {
                let reaching = pieces.iter().filter(|piece| !is_beyond(piece, at));
                reaching.map(|piece| piece.item(at)).collect()
            };
            let (before, after) = (self.distinct(ways(old)), self.distinct(ways(new)));
            if before.is_empty() || after.is_empty() {
                break;
            }
            let (path, step) = if at == positions {
                (items(spot.path), Step::Items(at))
            } else {
                (position(spot.path, at), Step::Position(at))
            };
            worst = worst.worst(self.pair(spot.inside(&path, &spot.step(step)), &before, &after));
        }
        worst
    }

    /// Returns the alternatives without those that equal an earlier one.
    pub(crate) fn distinct(&mut self, ways: Ways<'a>) -> Ways<'a> {
        if ways.len() < 2 {
            return ways;
        }
        self.ask(|prover| {
            let mut distinct: Ways<'a> = Vec::new();
            for way in ways {
                let known = distinct.iter().take(MAX_RULES).any(|own| prover.alike(own, &way));
                if !known {
                    distinct.push(way);
                }
            }
            distinct
        })
    }

    fn conditions(&mut self, spot: Spot<'_>, old: &[Piece<'a>], new: &[Piece<'a>]) -> Classes {
        let of = old.first().map(|piece| piece.kind);
        let mut worst = Classes::NONE;
        for (key, kind) in CONDITIONS {
            if kind.is_some_and(|kind| Some(kind) != of) {
                continue;
            }
            let (added, removed) = (self.has_more(key, new, old), self.has_more(key, old, new));
            let (classes, word) = match (added, removed) {
                (false, false) => continue,
                (true, false) => (Classes::TIGHTER, "was added"),
                (false, true) => (Classes::LOOSER, "was removed"),
                (true, true) => (Classes::UNSURE, "changed"),
            };
            let said = Statement::Condition(key, word);
            worst = worst.worst(self.note(spot, ChangeKind::ConditionChanged, classes, &said));
        }
        let (before, after) = (obscure(old), obscure(new));
        let alike = |((one, first), (two, second)): ((&str, &Value), (&str, &Value))| {
            one == two && equal(first, second) == Some(true)
        };
        if before.len() != after.len() || !before.into_iter().zip(after).all(alike) {
            let said = Statement::Unknown("uses keywords that the comparison does not understand");
            worst = worst.worst(self.note(spot, ChangeKind::Other, Classes::UNSURE, &said));
        }
        worst
    }

    /// Returns whether a keyword of one side applies to all of it and does not follow from the other
    /// side.
    fn has_more(&mut self, key: &str, one: &[Piece<'a>], other: &[Piece<'a>]) -> bool {
        let given: Vec<_> = one.iter().flat_map(|piece| piece.each(key)).take(MAX_RULES).collect();
        given.into_iter().any(|(place, argument)| {
            let Some(map) = place.value.as_object() else { return true };
            self.ask(|prover| {
                let mut follow = |pieces: &[Piece<'a>]| {
                    pieces.iter().all(|piece| prover.fits_keyword(piece, place, map, key, argument))
                };
                (one.len() == 1 || follow(one)) && !follow(other)
            })
        })
    }
}

/// Returns keywords that are not understood, with their values.
fn obscure<'a>(pieces: &[Piece<'a>]) -> Vec<(&'a str, &'a Value)> {
    let mut obscure = Vec::new();
    for part in pieces.iter().flat_map(|piece| &piece.parts) {
        let unknown =
            part.map.iter().filter(|(key, value)| understanding(key, value) == Understanding::Unknown);
        obscure.extend(unknown.map(|(key, value)| (key.as_str(), value)).take(10));
        if is_entangled(part.map) {
            let keys = ["unevaluatedProperties", "unevaluatedItems"];
            obscure.extend(keys.iter().filter_map(|key| part.map.get(*key).map(|value| (*key, value))));
        }
    }
    obscure.sort_by_key(|(key, _)| *key);
    obscure.dedup_by(|(one, first), (two, second)| one == two && equal(first, second) == Some(true));
    obscure
}

/// Compares the strictness of a limit before and after. `order` says which of two limits is
/// stricter.
fn tighter(old: Option<Bound>, new: Option<Bound>, order: fn(Num, Num) -> Ordering) -> Ordering {
    match (old, new) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(old), Some(new)) => order(old.at, new.at).then(new.open.cmp(&old.open)),
    }
}

/// Returns the loosest of the limits of several alternatives, if all have one. `order` says which of
/// two limits is looser.
fn loosest(limits: impl Iterator<Item = Option<Bound>>, order: fn(Num, Num) -> Ordering) -> Option<Bound> {
    let looser = |one: Bound, two: Bound| match order(one.at, two.at).then(two.open.cmp(&one.open)) {
        Ordering::Less => two,
        _ => one,
    };
    let limits: Vec<Bound> = limits.collect::<Option<_>>()?;
    limits.into_iter().reduce(looser)
}

/// Returns the smallest lower count of several alternatives, if it is above 0.
pub(crate) fn lowest(pieces: &[Piece<'_>], key: &str) -> Option<u64> {
    pieces.iter().map(|piece| piece.at_least(key)).min().filter(|least| *least > 0)
}

/// Returns the largest upper count of several alternatives, if all have one.
pub(crate) fn highest<'a>(pieces: &[Piece<'a>], most: impl Fn(&Piece<'a>) -> Option<u64>) -> Option<u64> {
    pieces.iter().map(most).collect::<Option<Vec<u64>>>()?.into_iter().max()
}
