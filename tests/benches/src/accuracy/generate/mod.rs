//! True schemas: what JSON APIs return, by class, as JSON Schema with `x-` notes on frequencies.
//!
//! *Frozen*: a change here changes what every published number means. It models APIs and must stay independent of
//! every learner: do not change these files while tuning the inference. If a class is found to be unfair, say so in
//! public and publish all numbers again.

mod many;
mod nested;
mod parts;
mod plain;
mod vocabulary;

use schemascope_benches::random::Random;
use serde_json::{Value, json};

/// Draws one true schema.
type Maker = fn(&mut Random) -> Value;

/// All classes.
pub const CLASSES: &[(&str, Maker)] = &[
    ("records", plain::records),
    ("optional-heavy", plain::optional_heavy),
    ("maps", many::maps),
    ("unions", many::unions),
    ("enums", plain::enums),
    ("arrays", nested::arrays),
    ("deep", nested::deep),
    ("formats", plain::formats),
    ("roots", many::roots),
    ("closed-open", plain::closed_open),
    ("mixed", nested::mixed),
];

/// One true schema of a class. Half of the APIs document that nothing else comes; the others are silent.
pub fn schema(make: Maker, random: &mut Random) -> Value {
    let mut schema = make(random);
    if random.chance(0.5) {
        close(&mut schema);
    }
    schema
}

/// Says of every object with properties that it has no others, unless it says something itself.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            let silent = !object.contains_key("additionalProperties");
            if silent && object.get("type").is_some_and(is_object) && object.contains_key("properties") {
                object.insert("additionalProperties".to_owned(), json!(false));
            }
            object.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

/// Whether a `type` means objects.
fn is_object(kind: &Value) -> bool {
    kind == "object" || kind.get(0).is_some_and(|first| first == "object")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instances::draw;
    use crate::judge::compile;

    #[test]
    fn true_schema_accepts_every_instance() {
        for (class, make) in CLASSES {
            for round in 0..20 {
                let mut random = Random::new(round, class);
                let schema = schema(*make, &mut random);
                let judge = compile(&schema).unwrap();
                for _ in 0..30 {
                    let instance = draw(&schema, &mut random);
                    if let Err(error) = judge.validate(&instance) {
                        panic!("{class} {round}: {error}\n{instance}\n{schema}");
                    }
                }
            }
        }
    }

    #[test]
    fn seed_repeats_schemas_and_instances() {
        for (class, make) in CLASSES {
            let once = || {
                let mut random = Random::new(7, class);
                let schema = schema(*make, &mut random);
                let instance = draw(&schema, &mut random);
                (schema, instance)
            };
            assert_eq!(once(), once());
        }
    }
}
