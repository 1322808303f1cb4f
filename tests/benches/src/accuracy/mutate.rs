//! Realistic damage to a valid instance, kept only if the true schema rejects it. *Frozen*, as the generator is.

use std::fmt;

use jsonschema::Validator;
use schemascope_benches::random::Random;
use schemascope_benches::text::text;
use schemascope_benches::words::WORDS;
use serde_json::{Map, Value, json};

use crate::damage::{another_value, break_format, item, rename};
use crate::places::{Place, members, objects, places};
use crate::swap;

/// What can go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Type,
    Null,
    Drop,
    Unknown,
    Value,
    Format,
    Item,
    Swap,
    Wrap,
    Stringify,
    Rename,
    Empty,
    Root,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Type,
        Self::Null,
        Self::Drop,
        Self::Unknown,
        Self::Value,
        Self::Format,
        Self::Item,
        Self::Swap,
        Self::Wrap,
        Self::Stringify,
        Self::Rename,
        Self::Empty,
        Self::Root,
    ];
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Type => "another type",
            Self::Null => "null",
            Self::Drop => "field dropped",
            Self::Unknown => "unknown field",
            Self::Value => "another value",
            Self::Format => "format broken",
            Self::Item => "item changed",
            Self::Swap => "alternatives mixed",
            Self::Wrap => "(un)wrapped",
            Self::Stringify => "(un)quoted",
            Self::Rename => "field renamed",
            Self::Empty => "emptied",
            Self::Root => "another root",
        })
    }
}

/// Tries per kind before it counts as not applicable.
const TRIES: usize = 24;

/// A damaged instance that the truth rejects; none if there is no way. `others` lend what is mixed in.
pub fn mutate(
    instance: &Value,
    others: &[Value],
    truth: &Validator,
    random: &mut Random,
) -> Option<(Kind, Value)> {
    let mut kinds = Kind::ALL;
    random.shuffle(&mut kinds);
    for kind in kinds {
        for _ in 0..TRIES {
            let Some(damaged) = propose(kind, instance, others, random) else { break };
            if !truth.is_valid(&damaged) {
                return Some((kind, damaged));
            }
        }
    }
    None
}

/// One random damage of a kind; none where the instance has no place for it.
fn propose(kind: Kind, instance: &Value, others: &[Value], random: &mut Random) -> Option<Value> {
    let anywhere = |_: &Value| true;
    match kind {
        Kind::Type => at(instance, random, anywhere, |value, random| {
            let candidates = [
                json!(text("word", random)),
                json!(random.within(0, 500)),
                json!(random.within(0, 500) as f64 + 0.5),
                json!(random.chance(0.5)),
                json!([text("word", random)]),
                json!({"value": random.within(0, 500)}),
            ];
            let others: Vec<&Value> =
                candidates.iter().filter(|other| type_of(other) != type_of(value)).collect();
            *value = (random.one(&others)).clone();
        }),
        Kind::Null => at(instance, random, |value| !value.is_null(), |value, _| *value = Value::Null),
        Kind::Drop => member(instance, random, |object, key, _| {
            object.shift_remove(key);
        }),
        Kind::Unknown => at(instance, random, Value::is_object, |value, random| {
            let known = ["debug", "extra", "_links", "legacy_id", "internal", "trace", "rank2"];
            let names = if random.chance(0.5) { &known[..] } else { WORDS };
            let name = random.one(names);
            if value.get(name).is_none() {
                value[name] = if random.chance(0.5) {
                    json!(text("word", random))
                } else {
                    json!(random.within(0, 99))
                };
            }
        }),
        Kind::Value => at(instance, random, |value| value.is_string() || value.is_i64(), another_value),
        Kind::Format => at(instance, random, formatted, |value, random| {
            *value = json!(break_format(value.as_str().unwrap_or_default(), random));
        }),
        Kind::Item => {
            at(instance, random, |value| value.as_array().is_some_and(|items| !items.is_empty()), item)
        }
        Kind::Swap => swap::propose(instance, others, random),
        Kind::Wrap => at(instance, random, anywhere, |value, random| match value.as_array() {
            Some(items) if !items.is_empty() && random.chance(0.7) => *value = items[0].clone(),
            _ => *value = json!([value.take()]),
        }),
        Kind::Stringify => at(
            instance,
            random,
            |value| value.is_number() || value.is_boolean() || digits(value),
            |value, _| {
                *value = match value.as_str() {
                    Some(text) => text.parse::<i64>().map_or(Value::Null, Value::from),
                    None => json!(value.to_string()),
                };
            },
        ),
        Kind::Rename => member(instance, random, rename),
        Kind::Empty => at(
            instance,
            random,
            |value| !empty(value),
            |value, random| {
                *value = random.pick(&[json!({}), json!([]), json!("")]).clone();
            },
        ),
        Kind::Root => {
            let candidates = [
                json!([instance]),
                json!({"data": instance}),
                json!({"error": text("sentence", random)}),
                json!(text("sentence", random)),
                json!(random.within(0, 500)),
                json!(true),
                json!({}),
                json!([]),
                Value::Null,
            ];
            Some(random.pick(&candidates).clone())
        }
    }
}

/// Damages one random value that fits.
fn at(
    instance: &Value,
    random: &mut Random,
    fits: impl Fn(&Value) -> bool,
    damage: impl FnOnce(&mut Value, &mut Random),
) -> Option<Value> {
    let found: Vec<Place> = places(instance)
        .into_iter()
        .filter(|place| instance.pointer(&place.pointer).is_some_and(&fits))
        .collect();
    let place = (!found.is_empty()).then(|| random.pick(&found))?;
    let mut damaged = instance.clone();
    damage(damaged.pointer_mut(&place.pointer)?, random);
    Some(damaged)
}

/// Damages one random field of one random object.
fn member(
    instance: &Value,
    random: &mut Random,
    damage: impl FnOnce(&mut Map<String, Value>, &str, &mut Random),
) -> Option<Value> {
    let found = members(&objects(instance), instance);
    let (place, key) = (!found.is_empty()).then(|| random.pick(&found))?;
    let mut damaged = instance.clone();
    damage(damaged.pointer_mut(place)?.as_object_mut()?, key, random);
    Some(damaged)
}

/// The JSON types, with whole numbers apart.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn empty(value: &Value) -> bool {
    match value {
        Value::Object(object) => object.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

fn digits(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| !text.is_empty() && text.len() < 16 && text.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether a text may have a format: more than a word.
fn formatted(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.len() > 5 && text.contains(['-', ':', '@', '/', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{CLASSES, schema};
    use crate::instances::draw;
    use crate::judge::compile;

    #[test]
    fn mutations_are_rejected_by_the_true_schema_and_repeat_by_seed() {
        for (class, make) in CLASSES {
            let once = || {
                let mut random = Random::new(3, class);
                let schema = schema(*make, &mut random);
                let truth = compile(&schema).unwrap();
                let instances: Vec<Value> = (0..10).map(|_| draw(&schema, &mut random)).collect();
                let mutants: Vec<Value> = instances
                    .iter()
                    .map(|instance| {
                        mutate(instance, &instances, &truth, &mut random).expect("something can go wrong").1
                    })
                    .collect();
                assert!(mutants.iter().all(|mutant| !truth.is_valid(mutant)), "{class}");
                mutants
            };
            assert_eq!(once(), once());
        }
    }
}
