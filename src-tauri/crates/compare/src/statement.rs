//! Statements of changes: each with its sentence and the claims that the sentence makes.

use serde_json::{Map, Value, json};

use crate::claim::{Claim, Side, among, has, has_if_object, if_kind, lacks, not, only};
use crate::keyword::Kind;
use crate::number::is_unwieldy;
use crate::sentence::{article, either, example, listed, shown};

/// A type, and its name in sentences: `integer` if all its numbers are integers.
pub(crate) type Named = (Kind, &'static str);

/// A rule of one side: a keyword with its argument.
pub(crate) type Rule<'s> = (&'static str, &'s Value);

/// Statement about the values at a place.
pub(crate) enum Statement<'s> {
    /// A field was optional and is required.
    Required(&'s str),
    /// A field was required and is optional.
    Optional(&'s str),
    /// A field was not described and is; `closed` says whether it was not allowed before.
    NewField { name: &'s str, required: bool, closed: bool },
    /// A required field was not described and is.
    Described,
    /// A field is no longer allowed; `described` says whether it was described before.
    Removed { name: &'s str, described: bool },
    /// A field was described and is not.
    Undescribed { required: bool },
    /// Other types are allowed.
    Types { from: &'s [Named], to: &'s [Named] },
    /// The values of a kind were enumerated.
    WasLimited(Kind, &'s [&'s Value]),
    /// The values of a kind are now enumerated.
    Limited(Kind, &'s [&'s Value]),
    /// Enumerated values were added and removed.
    Values { added: &'s [&'s Value], removed: &'s [&'s Value] },
    /// Numbers were integers and need not be.
    Fraction,
    /// Numbers need not be integers and now are.
    Whole,
    /// A limit became stricter or looser.
    Limit {
        name: &'s str,
        word: &'s str,
        old: Option<(&'static str, Value)>,
        new: Option<(&'static str, Value)>,
    },
    /// Rules were added and removed.
    Rules { name: &'s str, added: &'s [Rule<'s>], removed: &'s [Rule<'s>] },
    /// Fields other than these are now allowed.
    Opened(&'s [&'s str]),
    /// Fields other than these are no longer allowed.
    Closed(&'s [&'s str]),
    /// All values are now allowed.
    Anything,
    /// All values were allowed.
    NotAnything,
    /// Fields that match a pattern are now, or no longer, described.
    Pattern(&'s str, &'static str),
    /// Objects whose field has a value are now allowed.
    WayAdded(&'s str, &'s Value),
    /// Objects whose field has a value are no longer allowed.
    WayRemoved(&'s str, &'s Value),
    /// A condition was added, removed or changed.
    Condition(&'s str, &'static str),
    /// A value is now allowed.
    Allows(&'s Value),
    /// A value is no longer allowed.
    Rejects(&'s Value),
    /// The comparison failed for this reason.
    Unknown(&'static str),
}

impl Statement<'_> {
    /// Returns the sentence about a subject; `alone` is the subject where only one type is meant.
    pub(crate) fn sentence(&self, it: &str, alone: &str) -> String {
        match self {
            Self::Required(_) => format!("{it} is now required: senders must set it"),
            Self::Optional(_) => format!("{it} is now optional: readers must check whether it is present"),
            Self::NewField { required, closed, .. } => {
                let must = if *required { "required " } else { "" };
                let before = if *closed { " and was not allowed before" } else { "" };
                format!("{it} is a new {must}field{before}")
            }
            Self::Described => format!("{it} is now described"),
            Self::Removed { described: true, .. } => format!("{it} was removed and is no longer allowed"),
            Self::Removed { described: false, .. } => format!("{it} is no longer allowed"),
            Self::Undescribed { required: true } => {
                format!("{it} is no longer described: it may have any value")
            }
            Self::Undescribed { required: false } => {
                format!("{it} is no longer described: it may be missing or have any value")
            }
            Self::Types { from, to } => types(it, from, to),
            Self::WasLimited(_, values) => {
                let values = listed(values.iter().copied());
                format!("{alone} was limited to {values} and can now have other values")
            }
            Self::Limited(_, values) => {
                format!("{alone} is now limited to {}", listed(values.iter().copied()))
            }
            Self::Values { added, removed } => {
                let (plus, minus) = (listed(added.iter().copied()), listed(removed.iter().copied()));
                match (added.is_empty(), removed.is_empty()) {
                    (_, true) => format!("{it} can now also be {plus}"),
                    (true, false) => format!("{it} can no longer be {minus}"),
                    (false, false) => format!("{it} can no longer be {minus}, but can now be {plus}"),
                }
            }
            Self::Fraction => format!("{alone} was an integer and can now have a fraction"),
            Self::Whole => format!("{alone} could have a fraction and is now an integer"),
            Self::Limit { name, word, .. } => format!("the {name} of {it} is now {word}"),
            Self::Rules { name, added, removed } => {
                let words = |rules: &[Rule<'_>]| {
                    listed(rules.iter().map(|(_, rule)| *rule).collect::<Vec<_>>().into_iter())
                };
                let (plus, minus) = (words(added), words(removed));
                match (added.is_empty(), removed.is_empty()) {
                    (_, true) => format!("{alone} now has the {name} {plus}"),
                    (true, false) => format!("{alone} no longer has the {name} {minus}"),
                    (false, false) => format!("the {name} of {it} changed from {minus} to {plus}"),
                }
            }
            Self::Opened(_) => format!("{it} can now have undescribed fields"),
            Self::Closed(_) => format!("{it} can no longer have undescribed fields"),
            Self::Anything => format!("{it} can now be anything"),
            Self::NotAnything => format!("{it} could be anything and now cannot"),
            Self::Pattern(pattern, word) => {
                format!("fields of {it} whose name matches {pattern:?} are {word} described")
            }
            Self::WayAdded(name, value) => {
                format!("{it} can now also be an object with `{name}` {}", shown(value))
            }
            Self::WayRemoved(name, value) => {
                format!("{it} can no longer be an object with `{name}` {}", shown(value))
            }
            Self::Condition(key, word) => format!("the condition `{key}` on {it} {word}"),
            Self::Allows(value) => format!("{it} allows other values, for example {}", example(value)),
            Self::Rejects(value) => {
                format!("{it} no longer allows some values, for example {}", example(value))
            }
            Self::Unknown(reason) => format!("{it} {reason}"),
        }
    }

    /// Returns the claims of the sentence about the values at its place. Claims about a field are
    /// about the object that has it.
    pub(crate) fn claims(&self) -> Vec<Claim> {
        let old = |test| Claim::every(Side::Old, test);
        let new = |test| Claim::every(Side::New, test);
        let some_old = |test: Value| Claim::some(Side::Old, &test);
        let some_new = |test: Value| Claim::some(Side::New, &test);
        match self {
            Self::Required(name) => vec![new(has_if_object(name)), some_old(without(name))],
            Self::Optional(name) => vec![old(has_if_object(name)), some_new(without(name))],
            Self::NewField { name, required, closed } => {
                let must = required.then(|| new(has_if_object(name)));
                let before = closed.then(|| old(lacks(name)));
                must.into_iter().chain(before).chain([some_new(has(name))]).collect()
            }
            Self::Removed { name, .. } => vec![new(lacks(name)), some_old(has(name))],
            Self::Types { from, to } => {
                let kinds = |names: &[Named]| names.iter().map(|(kind, _)| *kind).collect::<Vec<_>>();
                let (before, after) = (kinds(from), kinds(to));
                let of = |kind: &Kind| json!({"type": kind.name()});
                let added = after.iter().filter(|kind| !before.contains(kind)).map(|kind| some_new(of(kind)));
                let gone = before.iter().filter(|kind| !after.contains(kind)).map(|kind| some_old(of(kind)));
                added.chain(gone).chain([old(of_kinds(from)), new(of_kinds(to))]).collect()
            }
            Self::WasLimited(kind, values) => {
                let other = json!({"type": kind.name(), "not": among(values)});
                vec![old(if_kind(*kind, &among(values))), some_new(other)]
            }
            Self::Limited(kind, values) => {
                let other = json!({"type": kind.name(), "not": among(values)});
                vec![new(if_kind(*kind, &among(values))), some_old(other)]
            }
            Self::Values { added, removed } => {
                let plus =
                    added.iter().flat_map(|value| [old(not(&among(&[value]))), some_new(among(&[value]))]);
                let minus =
                    removed.iter().flat_map(|value| [new(not(&among(&[value]))), some_old(among(&[value]))]);
                plus.chain(minus).collect()
            }
            Self::Fraction => {
                let integer = if_kind(Kind::Number, &json!({"type": "integer"}));
                vec![some_new(not(&integer)), old(integer)]
            }
            Self::Whole => {
                let integer = if_kind(Kind::Number, &json!({"type": "integer"}));
                vec![some_old(not(&integer)), new(integer)]
            }
            Self::Limit { old: before, new: after, .. } => {
                let rule = |(key, limit): &(&'static str, Value)| keyword(key, limit);
                let before = before.as_ref().map(|limit| old(rule(limit)));
                before.into_iter().chain(after.as_ref().map(|limit| new(rule(limit)))).collect()
            }
            Self::Rules { added, removed, .. } => {
                let added = added.iter().map(|(key, rule)| new(keyword(key, rule)));
                added.chain(removed.iter().map(|(key, rule)| old(keyword(key, rule)))).collect()
            }
            Self::Opened(names) => vec![old(only(names)), some_new(not(&only(names)))],
            Self::Closed(names) => vec![new(only(names)), some_old(not(&only(names)))],
            Self::WayAdded(name, value) => {
                vec![old(not(&tagged(name, value))), some_new(tagged(name, value))]
            }
            Self::WayRemoved(name, value) => {
                vec![new(not(&tagged(name, value))), some_old(tagged(name, value))]
            }
            Self::Allows(value) if !is_unwieldy(value) => {
                vec![old(not(&among(&[value]))), some_new(among(&[value]))]
            }
            Self::Rejects(value) if !is_unwieldy(value) => {
                vec![new(not(&among(&[value]))), some_old(among(&[value]))]
            }
            // These describe the text of the schemas, or say that nothing is known.
            Self::Described
            | Self::Undescribed { .. }
            | Self::Anything
            | Self::NotAnything
            | Self::Pattern(..)
            | Self::Condition(..)
            | Self::Allows(_)
            | Self::Rejects(_)
            | Self::Unknown(_) => Vec::new(),
        }
    }

    /// Returns whether the sentence is about a field while its claims are about the whole object.
    pub(crate) fn is_about_field(&self) -> bool {
        matches!(self, Self::Required(_) | Self::Optional(_) | Self::NewField { .. } | Self::Removed { .. })
    }
}

fn types(it: &str, from: &[Named], to: &[Named]) -> String {
    let missing = |these: &[Named], others: &[Named]| -> Vec<&'static str> {
        let gone = these.iter().filter(|(kind, _)| !others.iter().any(|(own, _)| own == kind));
        gone.map(|(_, name)| article(name)).collect()
    };
    let all = |names: &[Named]| {
        if names.len() == Kind::ALL.len() {
            return "anything".to_owned();
        }
        either(&names.iter().map(|(_, name)| article(name)).collect::<Vec<_>>())
    };
    let (added, removed) = (missing(to, from), missing(from, to));
    let (before, after) = (all(from), all(to));
    match (added.is_empty(), removed.is_empty()) {
        (_, true) if to.len() == Kind::ALL.len() || from.is_empty() => {
            format!("{it} can now be {after}; it was {before}")
        }
        (_, true) => format!("{it} can now also be {}", either(&added)),
        (true, false) if from.len() == Kind::ALL.len() || to.is_empty() => {
            format!("{it} could be {before} and can now only be {after}")
        }
        (true, false) => format!("{it} can no longer be {}", either(&removed)),
        (false, false) => format!("{it} changed from {before} to {after}"),
    }
}

fn of_kinds(names: &[Named]) -> Value {
    if names.is_empty() {
        return Value::Bool(false);
    }
    json!({"type": names.iter().map(|(_, name)| name).collect::<Vec<_>>()})
}

fn without(name: &str) -> Value {
    json!({"type": "object", "properties": {name: false}})
}

fn tagged(name: &str, value: &Value) -> Value {
    json!({"type": "object", "required": [name], "properties": {name: {"const": value}}})
}

fn keyword(key: &str, argument: &Value) -> Value {
    Value::Object(Map::from_iter([(key.to_owned(), argument.clone())]))
}
