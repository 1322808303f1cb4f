//! Types of the values that fit a schema, by JSON type.
//!
//! A type may contain more values than its schema, never fewer. Arrays and objects are sets of nodes, so that a
//! recursive schema has a finite type.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::graph::Index;

/// Most alternatives of a union of arrays or objects.
const MAX_ALTERNATIVES: usize = 32;
/// Most values of an enumeration that a type lists.
const MAX_VALUES: usize = 100;

/// Nodes that apply together to one array or object.
pub type Nodes = BTreeSet<Index>;

/// Scalars of one JSON type.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalars {
    /// None.
    Never,
    /// All integers.
    Integers,
    /// All of them.
    All,
    /// These.
    Listed(Vec<Value>),
}

/// Arrays or objects.
#[derive(Debug, Clone, PartialEq)]
pub enum Containers {
    /// None.
    Never,
    /// All of them.
    All,
    /// Those that fit all nodes of an alternative.
    Either(Vec<Nodes>),
}

/// Values by JSON type.
#[derive(Debug, Clone, PartialEq)]
pub struct Type {
    /// Whether null belongs to it.
    pub null: bool,
    /// Its booleans.
    pub booleans: Scalars,
    /// Its numbers.
    pub numbers: Scalars,
    /// Its strings.
    pub strings: Scalars,
    /// Its arrays.
    pub arrays: Containers,
    /// Its objects.
    pub objects: Containers,
}

impl Type {
    /// All values.
    pub const ANY: Self = Self {
        null: true,
        booleans: Scalars::All,
        numbers: Scalars::All,
        strings: Scalars::All,
        arrays: Containers::All,
        objects: Containers::All,
    };
    /// No value.
    pub const NEVER: Self = Self {
        null: false,
        booleans: Scalars::Never,
        numbers: Scalars::Never,
        strings: Scalars::Never,
        arrays: Containers::Never,
        objects: Containers::Never,
    };

    /// Whether all values but objects belong to it, and some objects: its schema forgot to name its type.
    pub fn is_object_at_heart(&self) -> bool {
        matches!(self.objects, Containers::Either(_))
            && Self { objects: Containers::All, ..self.clone() } == Self::ANY
    }

    /// Whether only objects belong to it.
    pub fn is_object(&self) -> bool {
        self.objects != Containers::Never
            && Self { objects: Containers::Never, ..self.clone() } == Self::NEVER
    }

    /// The only text, if no other value belongs to it.
    pub fn only_text(&self) -> Option<&str> {
        let Scalars::Listed(texts) = &self.strings else { return None };
        let is_text = Self { strings: Scalars::Never, ..self.clone() } == Self::NEVER;
        texts.first().filter(|_| is_text && texts.len() == 1)?.as_str()
    }

    pub(crate) fn of(value: &Value) -> Self {
        let listed = || Scalars::Listed(vec![value.clone()]);
        match value {
            Value::Null => Self { null: true, ..Self::NEVER },
            Value::Bool(_) => Self { booleans: listed(), ..Self::NEVER },
            Value::Number(_) => Self { numbers: listed(), ..Self::NEVER },
            Value::String(_) => Self { strings: listed(), ..Self::NEVER },
            Value::Array(_) => Self { arrays: Containers::All, ..Self::NEVER },
            Value::Object(_) => Self { objects: Containers::All, ..Self::NEVER },
        }
    }

    pub(crate) fn named(types: &[&str]) -> Self {
        let mut all = Self::NEVER;
        for name in types {
            match *name {
                "null" => all.null = true,
                "boolean" => all.booleans = Scalars::All,
                "integer" if all.numbers == Scalars::Never => all.numbers = Scalars::Integers,
                "number" => all.numbers = Scalars::All,
                "string" => all.strings = Scalars::All,
                "array" => all.arrays = Containers::All,
                "object" => all.objects = Containers::All,
                _ => {}
            }
        }
        all
    }

    pub(crate) fn meet(self, other: Self) -> Self {
        Self {
            null: self.null && other.null,
            booleans: self.booleans.meet(other.booleans),
            numbers: self.numbers.meet(other.numbers),
            strings: self.strings.meet(other.strings),
            arrays: self.arrays.meet(other.arrays),
            objects: self.objects.meet(other.objects),
        }
    }

    /// The values of both.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self {
            null: self.null || other.null,
            booleans: self.booleans.join(other.booleans),
            numbers: self.numbers.join(other.numbers),
            strings: self.strings.join(other.strings),
            arrays: self.arrays.join(other.arrays),
            objects: self.objects.join(other.objects),
        }
    }
}

fn is_integral(value: &Value) -> bool {
    value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// Whether two values are equal in JSON Schema. Integers are compared exactly: `f64` would make large ones the same.
fn same(one: &Value, other: &Value) -> bool {
    let is_integer = |value: &Value| value.is_i64() || value.is_u64();
    one == other
        || (one.is_number() && one.as_f64() == other.as_f64() && !(is_integer(one) && is_integer(other)))
}

impl Scalars {
    pub(crate) fn meet(self, other: Self) -> Self {
        match (self, other) {
            (Self::Never, _) | (_, Self::Never) => Self::Never,
            (Self::All, other) | (other, Self::All) => other,
            (Self::Integers, Self::Integers) => Self::Integers,
            (Self::Integers, Self::Listed(values)) | (Self::Listed(values), Self::Integers) => {
                Self::listed(values.into_iter().filter(is_integral).collect())
            }
            (Self::Listed(values), Self::Listed(others)) => Self::listed(
                values.into_iter().filter(|value| others.iter().any(|other| same(value, other))).collect(),
            ),
        }
    }

    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Never, other) | (other, Self::Never) => other,
            (Self::All, _) | (_, Self::All) => Self::All,
            (Self::Integers, Self::Integers) => Self::Integers,
            (Self::Integers, Self::Listed(values)) | (Self::Listed(values), Self::Integers) => {
                if values.iter().all(is_integral) { Self::Integers } else { Self::All }
            }
            (Self::Listed(mut values), Self::Listed(others)) => {
                for other in others {
                    if values.len() > MAX_VALUES {
                        break;
                    }
                    if !values.iter().any(|value| same(value, &other)) {
                        values.push(other);
                    }
                }
                Self::listed(values)
            }
        }
    }

    fn listed(values: Vec<Value>) -> Self {
        match values.len() {
            0 => Self::Never,
            count if count > MAX_VALUES => {
                if values.iter().all(|value| value.is_number() && is_integral(value)) {
                    Self::Integers
                } else {
                    Self::All
                }
            }
            _ => Self::Listed(values),
        }
    }
}

impl Containers {
    pub(crate) fn meet(self, other: Self) -> Self {
        match (self, other) {
            (Self::Never, _) | (_, Self::Never) => Self::Never,
            (Self::All, other) | (other, Self::All) => other,
            (Self::Either(some), Self::Either(others)) => {
                let pairs = some.iter().flat_map(|one| others.iter().map(move |other| one | other));
                Self::either(pairs.collect())
            }
        }
    }

    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Never, other) | (other, Self::Never) => other,
            (Self::All, _) | (_, Self::All) => Self::All,
            (Self::Either(mut some), Self::Either(others)) => {
                some.extend(others);
                Self::either(some)
            }
        }
    }

    fn either(mut alternatives: Vec<Nodes>) -> Self {
        let mut seen = BTreeSet::new();
        alternatives.retain(|alternative| seen.insert(alternative.clone()));
        if alternatives.len() > MAX_ALTERNATIVES { Self::All } else { Self::Either(alternatives) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn large_integers_of_enumerations_stay_distinct() {
        let listed = |values: &[Value]| Scalars::Listed(values.to_vec());
        let (one, two) = (json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992_u64));
        let both = listed(std::slice::from_ref(&one)).join(listed(std::slice::from_ref(&two)));
        assert_eq!(both, listed(&[one.clone(), two.clone()]));
        assert_eq!(listed(&[one]).meet(listed(&[two])), Scalars::Never);
        assert_eq!(listed(&[json!(1)]).join(listed(&[json!(1.0)])), listed(&[json!(1)]));
    }
}
