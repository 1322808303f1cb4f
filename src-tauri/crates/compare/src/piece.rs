//! Pieces: one alternative of a schema's values, of one kind, with everything known about them.
//!
//! A piece always includes *at least* the values meant: a keyword that is not understood is
//! ignored.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::rc::Rc;

use serde_json::{Map, Value};

use crate::document::Place;
use crate::keyword::{Kind, additional, entries, further, list, names};
use crate::number::{Num, count, equal};
use crate::regular::is_match;

/// Schema that rejects every value.
pub(crate) static NEVER: Value = Value::Bool(false);
static NULL: Value = Value::Null;
static FALSE: Value = Value::Bool(false);
static TRUE: Value = Value::Bool(true);

/// A fact about a value.
#[derive(Clone, Copy)]
pub(crate) enum Fact<'a> {
    /// The schema accepts the value.
    Is(Place<'a>),
    /// The schema rejects the value.
    Not(Place<'a>),
    /// The value is of this kind.
    Kind(Kind),
    /// The value equals this one.
    Equals(&'a Value),
}

impl Fact<'_> {
    /// Returns an identifier of this fact.
    pub(crate) fn key(self) -> (u8, usize) {
        match self {
            Self::Is(place) => (0, place.address()),
            Self::Not(place) => (1, place.address()),
            Self::Kind(kind) => (3, kind as usize),
            Self::Equals(value) => (2, std::ptr::from_ref(value).addr()),
        }
    }
}

/// A schema object all of whose keywords apply.
#[derive(Clone)]
pub(crate) struct Part<'a> {
    /// Place of the schema.
    pub(crate) place: Place<'a>,
    /// Keywords of the schema.
    pub(crate) map: &'a Map<String, Value>,
    /// Names of all possible fields, where `unevaluatedProperties` depends on neighbouring
    /// keywords.
    pub(crate) sealed: Option<Rc<BTreeSet<&'a str>>>,
}

/// Values of one kind that one alternative allows.
#[derive(Clone)]
pub(crate) struct Piece<'a> {
    /// Kind of the values.
    pub(crate) kind: Kind,
    /// Whether the values are integers.
    pub(crate) whole: bool,
    /// All values that are possible, if there are only a few.
    pub(crate) values: Option<Vec<&'a Value>>,
    /// Schemas whose keywords apply to the values.
    pub(crate) parts: Vec<Part<'a>>,
    /// Schemas that accept the values, understood or not.
    pub(crate) applied: Vec<Place<'a>>,
    /// Schemas that reject the values.
    pub(crate) nots: Vec<Place<'a>>,
    /// Further facts about fields, if they are present.
    pub(crate) pins: Vec<(&'a str, Fact<'a>)>,
    /// Whether the types of every schema in it were understood.
    pub(crate) exact: bool,
}

/// Limit of a range.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound {
    /// Value of the limit.
    pub(crate) at: Num,
    /// Whether the limit itself is excluded.
    pub(crate) open: bool,
}

impl<'a> Piece<'a> {
    /// Returns all values of a kind.
    pub(crate) fn all(kind: Kind) -> Self {
        let values = match kind {
            Kind::Null => Some(vec![&NULL]),
            Kind::Boolean => Some(vec![&FALSE, &TRUE]),
            _ => None,
        };
        Self {
            kind,
            whole: false,
            values,
            parts: Vec::new(),
            applied: Vec::new(),
            nots: Vec::new(),
            pins: Vec::new(),
            exact: true,
        }
    }

    /// Returns the keyword from every schema that has it, with that schema.
    pub(crate) fn each(&self, key: &str) -> impl Iterator<Item = (Place<'a>, &'a Value)> {
        self.parts.iter().filter_map(move |part| part.map.get(key).map(|value| (part.place, value)))
    }

    /// Returns whether the keyword applies with this value.
    pub(crate) fn holds(&self, key: &str, value: &Value) -> bool {
        self.each(key).any(|(_, own)| equal(own, value) == Some(true))
    }

    /// Returns the greatest lower count, or 0.
    pub(crate) fn at_least(&self, key: &str) -> u64 {
        self.each(key).filter_map(|(_, value)| count(value)).max().unwrap_or(0)
    }

    /// Returns the least upper count.
    pub(crate) fn at_most(&self, key: &str) -> Option<u64> {
        self.each(key).filter_map(|(_, value)| count(value)).min()
    }

    /// Returns the lower limit, as far as it is known.
    pub(crate) fn lower(&self) -> Option<Bound> {
        let bound =
            self.bounds("minimum", "exclusiveMinimum").reduce(|one, two| match one.at.order(two.at) {
                Ordering::Less => two,
                Ordering::Greater => one,
                Ordering::Equal => Bound { at: one.at, open: one.open || two.open },
            })?;
        Some(if self.whole { bound.tightened(1) } else { bound })
    }

    /// Returns the upper limit, as far as it is known.
    pub(crate) fn upper(&self) -> Option<Bound> {
        let bound =
            self.bounds("maximum", "exclusiveMaximum").reduce(|one, two| match one.at.order(two.at) {
                Ordering::Less => one,
                Ordering::Greater => two,
                Ordering::Equal => Bound { at: one.at, open: one.open || two.open },
            })?;
        Some(if self.whole { bound.tightened(-1) } else { bound })
    }

    fn bounds(&self, closed: &'static str, open: &'static str) -> impl Iterator<Item = Bound> {
        let bound = |open| move |(_, value)| Num::from_value(value).map(|at| Bound { at, open });
        self.each(closed).filter_map(bound(false)).chain(self.each(open).filter_map(bound(true)))
    }

    /// Returns the fields named by a keyword.
    pub(crate) fn named(&self) -> BTreeSet<&'a str> {
        let named = self.parts.iter().flat_map(|part| entries(part.map, "properties").map(|(name, _)| name));
        named.chain(self.pins.iter().map(|(name, _)| *name)).collect()
    }

    /// Returns whether a keyword names a field.
    pub(crate) fn names(&self, name: &str) -> bool {
        let named = |part: &Part<'a>| part.map.get("properties").is_some_and(|map| map.get(name).is_some());
        self.parts.iter().any(named) || self.pins.iter().any(|(pinned, _)| *pinned == name)
    }

    /// Returns whether a field is always present.
    pub(crate) fn requires(&self, name: &str) -> bool {
        self.parts.iter().any(|part| names(part.map, "required").any(|own| own == name))
    }

    /// Returns the fields that are always present.
    pub(crate) fn required(&self) -> BTreeSet<&'a str> {
        self.parts.iter().flat_map(|part| names(part.map, "required")).collect()
    }

    /// Returns the facts about a field's value.
    pub(crate) fn field(&self, name: &str) -> Vec<Fact<'a>> {
        let mut facts = Vec::new();
        for part in &self.parts {
            if part.sealed.as_ref().is_some_and(|names| !names.contains(name)) {
                facts.push(Fact::Is(part.place.at(&NEVER)));
            }
            let own = part.map.get("properties").and_then(|fields| fields.get(name));
            facts.extend(own.map(|schema| Fact::Is(part.place.at(schema))));
            let mut alone = Some(own.is_none());
            for (pattern, schema) in entries(part.map, "patternProperties") {
                match is_match(pattern, name) {
                    Some(true) => {
                        facts.push(Fact::Is(part.place.at(schema)));
                        alone = Some(false);
                    }
                    Some(false) => {}
                    None => alone = alone.filter(|alone| !alone),
                }
            }
            if alone == Some(true) {
                facts.extend(additional(part.map).map(|schema| Fact::Is(part.place.at(schema))));
            }
        }
        facts.extend(self.pins.iter().filter(|(pinned, _)| *pinned == name).map(|(_, fact)| *fact));
        facts
    }

    /// Returns the facts about the value of a field that no keyword names: one list for each way it
    /// can be present.
    ///
    /// Fields whose name matches one of `apart` are not considered.
    pub(crate) fn others(&self, apart: &[&str]) -> Vec<Vec<Fact<'a>>> {
        let mut common = Vec::new();
        let mut ways: Option<Vec<Vec<Fact<'a>>>> = None;
        for part in &self.parts {
            let mut patterns = entries(part.map, "patternProperties").peekable();
            if part.sealed.is_some() {
                common.push(Fact::Is(part.place.at(&NEVER)));
            }
            let rest = additional(part.map).map(|schema| Fact::Is(part.place.at(schema)));
            if patterns.peek().is_none() {
                common.extend(rest);
            } else if ways.is_none() {
                let matched = patterns.filter(|(pattern, _)| !apart.contains(pattern));
                let matched = matched.map(|(_, schema)| vec![Fact::Is(part.place.at(schema))]);
                ways = Some(matched.chain([rest.into_iter().collect()]).collect());
            }
        }
        let mut ways = ways.unwrap_or_else(|| vec![Vec::new()]);
        for way in &mut ways {
            way.extend(&common);
        }
        ways
    }

    /// Returns the facts about the value of every field whose name matches a pattern and that no
    /// keyword names.
    pub(crate) fn matching(&self, pattern: &str) -> Vec<Fact<'a>> {
        let mut facts = Vec::new();
        for part in &self.parts {
            let patterns = part.map.get("patternProperties").and_then(Value::as_object);
            match patterns.filter(|patterns| !patterns.is_empty()) {
                None => facts.extend(additional(part.map).map(|schema| Fact::Is(part.place.at(schema)))),
                Some(patterns) => {
                    facts.extend(patterns.get(pattern).map(|schema| Fact::Is(part.place.at(schema))));
                }
            }
        }
        facts
    }

    /// Returns the number of positions with their own schema.
    pub(crate) fn positions(&self) -> usize {
        self.parts.iter().map(|part| list(part.map, "prefixItems").len()).max().unwrap_or(0)
    }

    /// Returns the facts about the item at a position.
    pub(crate) fn item(&self, position: usize) -> Vec<Fact<'a>> {
        let own = |part: &Part<'a>| {
            let schema = list(part.map, "prefixItems").get(position).or_else(|| further(part.map))?;
            Some(Fact::Is(part.place.at(schema)))
        };
        self.parts.iter().filter_map(own).collect()
    }

    /// Returns the largest possible number of items.
    pub(crate) fn longest(&self) -> Option<u64> {
        let closed = |part: &Part<'a>| {
            let length = list(part.map, "prefixItems").len();
            (further(part.map) == Some(&NEVER)).then_some(u64::try_from(length).unwrap_or(u64::MAX))
        };
        self.parts.iter().filter_map(closed).chain(self.at_most("maxItems")).min()
    }
}

impl Bound {
    /// Converts the limit to one for integers; `step` points into the range.
    fn tightened(self, step: i128) -> Self {
        let at = match self.at {
            Num::Whole(whole) if self.open => whole + step,
            Num::Whole(whole) => whole,
            // A limit between two integers becomes the integer inside the range. Beyond the exact
            // integers nothing is gained.
            #[expect(clippy::cast_possible_truncation, reason = "small")]
            Num::Real(real) if real.abs() < 1e15 => {
                if step > 0 {
                    real.ceil() as i128
                } else {
                    real.floor() as i128
                }
            }
            Num::Real(_) => return self,
        };
        if Num::Whole(at).is_precise() { Self { at: Num::Whole(at), open: false } } else { self }
    }
}
