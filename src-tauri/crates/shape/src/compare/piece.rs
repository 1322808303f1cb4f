//! One alternative of what a schema allows: values of one kind, and all that is known to hold of them.
//!
//! Owns: reading single keywords off a piece. A piece always stands for *at least* the values meant: what is
//! not understood is left out of it. Refuses to know: how pieces come about, and proofs.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::rc::Rc;

use serde_json::{Map, Value};

use super::document::Place;
use super::keyword::{Kind, additional, entries, further, list, names};
use super::number::{Num, count, equal};
use super::regular::finds;

/// The schema that allows nothing.
pub(super) static NEVER: Value = Value::Bool(false);
static NULL: Value = Value::Null;
static FALSE: Value = Value::Bool(false);
static TRUE: Value = Value::Bool(true);

/// Something that holds of a value.
#[derive(Clone, Copy)]
pub(super) enum Fact<'a> {
    /// The schema allows it.
    Is(Place<'a>),
    /// The schema refuses it.
    Not(Place<'a>),
    /// It is of this kind.
    Kind(Kind),
    /// It is this very value.
    Equals(&'a Value),
}

impl Fact<'_> {
    /// What tells this fact from others.
    pub(super) fn key(self) -> (u8, usize) {
        match self {
            Self::Is(place) => (0, place.address()),
            Self::Not(place) => (1, place.address()),
            Self::Kind(kind) => (3, kind as usize),
            Self::Equals(value) => (2, std::ptr::from_ref(value).addr()),
        }
    }
}

/// A schema object whose keywords all hold.
#[derive(Clone)]
pub(super) struct Part<'a> {
    /// Where it stands.
    pub(super) place: Place<'a>,
    /// Its keywords.
    pub(super) map: &'a Map<String, Value>,
    /// The only fields it leaves room for, where that takes looking around.
    pub(super) sealed: Option<Rc<BTreeSet<&'a str>>>,
}

/// Values of one kind that one alternative allows.
#[derive(Clone)]
pub(super) struct Piece<'a> {
    /// Their kind.
    pub(super) kind: Kind,
    /// Whether they are integers.
    pub(super) whole: bool,
    /// The values they are among, where those are few.
    pub(super) values: Option<Vec<&'a Value>>,
    /// Keywords that hold of them.
    pub(super) parts: Vec<Part<'a>>,
    /// Schemas that allow them, understood or not.
    pub(super) applied: Vec<Place<'a>>,
    /// Schemas that refuse them.
    pub(super) nots: Vec<Place<'a>>,
    /// What more is known of fields, where they are present.
    pub(super) pins: Vec<(&'a str, Fact<'a>)>,
    /// Whether every schema in it was understood as far as its types go.
    pub(super) exact: bool,
}

/// A limit of a range.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound {
    /// Where it is.
    pub(super) at: Num,
    /// Whether the limit itself is outside.
    pub(super) open: bool,
}

impl<'a> Piece<'a> {
    /// All values of a kind.
    pub(super) fn all(kind: Kind) -> Self {
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

    /// The keyword, wherever it holds, with the schema it stands in.
    pub(super) fn each(&self, key: &str) -> impl Iterator<Item = (Place<'a>, &'a Value)> {
        self.parts.iter().filter_map(move |part| part.map.get(key).map(|value| (part.place, value)))
    }

    /// Whether the keyword holds with just this value.
    pub(super) fn holds(&self, key: &str, value: &Value) -> bool {
        self.each(key).any(|(_, own)| equal(own, value) == Some(true))
    }

    /// The greatest lower count; 0 when there is none.
    pub(super) fn at_least(&self, key: &str) -> u64 {
        self.each(key).filter_map(|(_, value)| count(value)).max().unwrap_or(0)
    }

    /// The least upper count.
    pub(super) fn at_most(&self, key: &str) -> Option<u64> {
        self.each(key).filter_map(|(_, value)| count(value)).min()
    }

    /// The lowest number, as far as is known.
    pub(super) fn lower(&self) -> Option<Bound> {
        let bound =
            self.bounds("minimum", "exclusiveMinimum").reduce(|one, two| match one.at.order(two.at) {
                Ordering::Less => two,
                Ordering::Greater => one,
                Ordering::Equal => Bound { at: one.at, open: one.open || two.open },
            })?;
        Some(if self.whole { bound.tightened(1) } else { bound })
    }

    /// The highest number, as far as is known.
    pub(super) fn upper(&self) -> Option<Bound> {
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

    /// Fields some keyword names.
    pub(super) fn named(&self) -> BTreeSet<&'a str> {
        let named = self.parts.iter().flat_map(|part| entries(part.map, "properties").map(|(name, _)| name));
        named.chain(self.pins.iter().map(|(name, _)| *name)).collect()
    }

    /// Whether a field is always there.
    pub(super) fn requires(&self, name: &str) -> bool {
        self.parts.iter().any(|part| names(part.map, "required").any(|own| own == name))
    }

    /// Fields that are always there.
    pub(super) fn required(&self) -> BTreeSet<&'a str> {
        self.parts.iter().flat_map(|part| names(part.map, "required")).collect()
    }

    /// What holds of a field's value.
    pub(super) fn field(&self, name: &str) -> Vec<Fact<'a>> {
        let mut facts = Vec::new();
        for part in &self.parts {
            if part.sealed.as_ref().is_some_and(|names| !names.contains(name)) {
                facts.push(Fact::Is(part.place.at(&NEVER)));
            }
            let own = part.map.get("properties").and_then(|fields| fields.get(name));
            facts.extend(own.map(|schema| Fact::Is(part.place.at(schema))));
            let mut alone = Some(own.is_none());
            for (pattern, schema) in entries(part.map, "patternProperties") {
                match finds(pattern, name) {
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

    /// What holds of the value of a field no keyword names, one list of facts per way it can be there.
    ///
    /// Fields whose name matches one of `apart` are left out of the question.
    pub(super) fn others(&self, apart: &[&str]) -> Vec<Vec<Fact<'a>>> {
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

    /// What holds of the value of every field whose name matches a pattern and that no keyword names.
    pub(super) fn matching(&self, pattern: &str) -> Vec<Fact<'a>> {
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

    /// Positions that have a schema of their own.
    pub(super) fn positions(&self) -> usize {
        self.parts.iter().map(|part| list(part.map, "prefixItems").len()).max().unwrap_or(0)
    }

    /// What holds of the item at a position.
    pub(super) fn item(&self, position: usize) -> Vec<Fact<'a>> {
        let own = |part: &Part<'a>| {
            let schema = list(part.map, "prefixItems").get(position).or_else(|| further(part.map))?;
            Some(Fact::Is(part.place.at(schema)))
        };
        self.parts.iter().filter_map(own).collect()
    }

    /// Items there are at most.
    pub(super) fn longest(&self) -> Option<u64> {
        let closed = |part: &Part<'a>| {
            let length = list(part.map, "prefixItems").len();
            (further(part.map) == Some(&NEVER)).then_some(u64::try_from(length).unwrap_or(u64::MAX))
        };
        self.parts.iter().filter_map(closed).chain(self.at_most("maxItems")).min()
    }
}

impl Bound {
    /// The same limit for integers, seen from inside: `step` leads into the range.
    fn tightened(self, step: i128) -> Self {
        let at = match self.at {
            Num::Whole(whole) if self.open => whole + step,
            Num::Whole(whole) => whole,
            // A limit between two integers is the one inside. Beyond the exact ones nothing is gained.
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
        if Num::Whole(at).is_tame() { Self { at: Num::Whole(at), open: false } } else { self }
    }
}
