//! Equality of two schemas, except for annotations and the place of referenced schemas. It lets two
//! schemas agree even on keywords that are not understood.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::document::Place;
use crate::fuel::Fuel;
use crate::keyword::{Understanding, understanding};
use crate::number::equal;

/// Returns whether both schemas allow the same values because they have the same keywords.
pub(crate) fn same(one: Place<'_>, two: Place<'_>, fuel: &mut Fuel) -> bool {
    SameCheck { met: HashSet::new() }.schemas(one, two, fuel)
}

struct SameCheck {
    /// Pairs of referenced schemas under comparison. A pair that is met again adds nothing.
    met: HashSet<(usize, usize)>,
}

impl SameCheck {
    fn schemas(&mut self, one: Place<'_>, two: Place<'_>, fuel: &mut Fuel) -> bool {
        if one.address() == two.address() {
            return true;
        }
        match (one.value, two.value) {
            (Value::Bool(first), Value::Bool(second)) => first == second,
            (Value::Object(first), Value::Object(second)) => {
                // Comparing the number of keywords is cheap and usually sufficient.
                if assertions(first).count() != assertions(second).count() || !fuel.enter() {
                    return false;
                }
                let agree = assertions(first).all(|(key, argument)| {
                    second
                        .get(key)
                        .is_some_and(|other| self.arguments(key, (one, argument), (two, other), fuel))
                });
                fuel.leave();
                agree
            }
            _ => false,
        }
    }

    fn arguments(
        &mut self,
        key: &str,
        one: (Place<'_>, &Value),
        two: (Place<'_>, &Value),
        fuel: &mut Fuel,
    ) -> bool {
        let ((one, first), (two, second)) = (one, two);
        match key {
            "$ref" => first == second && self.references(one, two, fuel),
            "$dynamicRef" | "$recursiveRef" => false,
            "not"
            | "if"
            | "then"
            | "else"
            | "items"
            | "contains"
            | "additionalProperties"
            | "propertyNames"
            | "unevaluatedItems"
            | "unevaluatedProperties"
            | "additionalItems"
                if !first.is_array() && !second.is_array() =>
            {
                self.schemas(Place { value: first, ..one }, Place { value: second, ..two }, fuel)
            }
            "allOf" | "anyOf" | "oneOf" | "prefixItems" | "items" => {
                match (first.as_array(), second.as_array()) {
                    (Some(first), Some(second)) => {
                        first.len() == second.len()
                            && first.iter().zip(second).all(|(first, second)| {
                                self.schemas(
                                    Place { value: first, ..one },
                                    Place { value: second, ..two },
                                    fuel,
                                )
                            })
                    }
                    _ => false,
                }
            }
            "properties" | "patternProperties" | "dependentSchemas" => {
                match (first.as_object(), second.as_object()) {
                    (Some(first), Some(second)) => {
                        first.len() == second.len()
                            && first.iter().all(|(name, value)| {
                                second.get(name).is_some_and(|other| {
                                    self.schemas(Place { value, ..one }, Place { value: other, ..two }, fuel)
                                })
                            })
                    }
                    _ => false,
                }
            }
            _ => fuel.spend(1) && equal(first, second) == Some(true),
        }
    }

    fn references(&mut self, one: Place<'_>, two: Place<'_>, fuel: &mut Fuel) -> bool {
        match (one.target(), two.target()) {
            (Some(one), Some(two)) => {
                !self.met.insert((one.address(), two.address())) || self.schemas(one, two, fuel)
            }
            // A reference outside both documents has the same target, unless one of them has its
            // own id.
            (None, None) => {
                let outside = |place: Place<'_>| {
                    let reference = place.value.get("$ref").and_then(Value::as_str).unwrap_or("#");
                    place.home.is_plain() && reference.contains("://") && place.home.id().is_none()
                };
                outside(one) && outside(two)
            }
            _ => false,
        }
    }
}

/// Returns the keywords that affect which values are allowed.
fn assertions(map: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    map.iter().filter(|(key, value)| understanding(key, value) != Understanding::Annotation)
}

/// Returns whether two documents are the same JSON except for descriptions, at any depth.
pub(crate) fn identical(one: &Value, two: &Value) -> bool {
    let mut open = vec![(one, two, true)];
    while let Some((one, two, schema)) = open.pop() {
        match (one, two) {
            (Value::Array(one), Value::Array(two)) if one.len() == two.len() => {
                open.extend(one.iter().zip(two).map(|(one, two)| (one, two, schema)));
            }
            (Value::Object(one), Value::Object(two)) => {
                // A field may be called `title`; its schema is not a text.
                let words = |(key, value): &(&String, &Value)| {
                    schema
                        && value.is_string()
                        && matches!(key.as_str(), "title" | "description" | "$comment")
                };
                let count = two.iter().filter(|entry| !words(entry)).count();
                let mut met = 0;
                for (key, value) in one.iter().filter(|entry| !words(entry)) {
                    let Some(other) = two.get(key) else { return false };
                    met += 1;
                    // Inside data, every text counts.
                    let data = matches!(key.as_str(), "const" | "enum" | "default" | "examples");
                    open.push((value, other, schema && !data));
                }
                if met != count {
                    return false;
                }
            }
            (Value::Array(_) | Value::Object(_), _) | (_, Value::Array(_) | Value::Object(_)) => {
                return false;
            }
            (one, two) if one != two => return false,
            _ => {}
        }
    }
    true
}
