//! Whether two schemas say the same in the same words.
//!
//! Owns: equality up to annotations and up to where referenced schemas stand. This is what lets two schemas
//! agree on what nobody here understands. Refuses to know: what any keyword means.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::document::Place;
use super::fuel::Fuel;
use super::keyword::{Standing, standing};
use super::number::equal;

/// Whether both allow the same values because both say the same.
pub(super) fn same(one: Place<'_>, two: Place<'_>, fuel: &mut Fuel) -> bool {
    Twins { met: HashSet::new() }.schemas(one, two, fuel)
}

struct Twins {
    /// Pairs of referenced schemas that are being compared: meeting them again tells nothing new.
    met: HashSet<(usize, usize)>,
}

impl Twins {
    fn schemas(&mut self, one: Place<'_>, two: Place<'_>, fuel: &mut Fuel) -> bool {
        if one.address() == two.address() {
            return true;
        }
        match (one.value, two.value) {
            (Value::Bool(first), Value::Bool(second)) => first == second,
            (Value::Object(first), Value::Object(second)) => {
                // A look at the number of keywords is cheap and most often enough.
                if spoken(first).count() != spoken(second).count() || !fuel.enter() {
                    return false;
                }
                let agree = spoken(first).all(|(key, argument)| {
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
            // Outside both documents there is one and the same schema, unless one of them brings its own.
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

/// Keywords that say something.
fn spoken(map: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    map.iter().filter(|(key, value)| standing(key, value) != Standing::Silent)
}

/// Whether two documents are the same JSON up to words for people, however deep they are.
pub(super) fn identical(one: &Value, two: &Value) -> bool {
    let mut open = vec![(one, two, true)];
    while let Some((one, two, schema)) = open.pop() {
        match (one, two) {
            (Value::Array(one), Value::Array(two)) if one.len() == two.len() => {
                open.extend(one.iter().zip(two).map(|(one, two)| (one, two, schema)));
            }
            (Value::Object(one), Value::Object(two)) => {
                // A field may be called `title`; its schema is no text.
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
                    // Inside data every word counts.
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
