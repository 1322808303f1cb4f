//! Pairs of schemas as inference emits them: learned from documents of an API and of a later version
//! of it, from few and from many documents, with and without unions.

use schemascope_benches::random::Random;
use schemascope_shape::{Policy, Shape};
use serde_json::{Map, Value, json};

use crate::generate::{CLASSES, schema};
use crate::instances::draw;

/// Returns the pairs of one API of a class.
pub fn pairs(class: usize, seed: u64) -> Vec<(Value, Value)> {
    let (label, make) = CLASSES.get(class).copied().unwrap_or(("tagged", tagged));
    let mut random = Random::new(seed, label);
    let truth = schema(make, &mut random);
    let mut later = truth.clone();
    for _ in 0..=random.below(3) {
        edit(&mut later, &mut random);
    }
    // Unions are inferred from 20 objects or more.
    let counts = if label == "tagged" { [30, 60, 60, 90, 90] } else { [3, 6, 12, 30, 60] };
    let (few, many) = (random.one(&counts), random.one(&counts));
    let default = Policy::default();
    // Such a policy describes tagged unions as one object.
    let plain = Policy { enum_after: u64::MAX, pattern_after: u64::MAX, ..default };
    let old = learned(&truth, few, &default, &mut random);
    let new = learned(&later, many, &default, &mut random);
    let other = match random.below(3) {
        0 => learned(&truth, 60, &plain, &mut random),
        1 => learned(&later, 60, &plain, &mut random),
        _ => without_notes(&truth),
    };
    vec![(old, new.clone()), (other, new)]
}

/// Returns an API with a tagged union: as a whole, in a field or in a list.
fn tagged(random: &mut Random) -> Value {
    let leaves = [
        ("total", json!({"type": "number"})),
        ("count", json!({"type": "integer"})),
        ("note", json!({"type": "string", "x-texts": [["sentence", 1]]})),
        ("paid", json!({"type": "boolean"})),
        ("at", json!({"type": "string", "format": "date"})),
        ("tags", json!({"type": "array", "items": {"type": "string", "x-texts": [["word", 1]]}})),
    ];
    let shared = random.pick(&leaves).clone();
    let mut ways = Vec::new();
    for tag in ["card", "voucher", "invoice", "cash"].iter().take(2 + random.below(3)) {
        let mut properties = Map::from_iter([
            ("kind".to_owned(), json!({"const": tag})),
            (shared.0.to_owned(), shared.1.clone()),
            (format!("{tag}_id"), json!({"type": "integer"})),
        ]);
        for _ in 0..random.below(3) {
            let (name, leaf) = random.pick(&leaves);
            properties.entry((*name).to_owned()).or_insert_with(|| leaf.clone());
        }
        let required: Vec<String> = properties.keys().cloned().collect();
        ways.push(json!({"type": "object", "properties": properties, "required": required}));
    }
    let union = json!({"oneOf": ways});
    match random.below(4) {
        0 => union,
        1 => json!({"type": "array", "items": union, "x-items": [1, 3]}),
        2 => json!({"type": "object", "properties": {"id": {"type": "integer"}, "payment": union},
            "required": ["id", "payment"]}),
        _ => json!({"type": "object", "additionalProperties": union, "x-keys": "uuid", "x-entries": [1, 6]}),
    }
}

fn learned(truth: &Value, count: usize, policy: &Policy, random: &mut Random) -> Value {
    let mut shape = Shape::new();
    for _ in 0..count {
        let document = draw(truth, random).to_string();
        shape.observe(document.as_bytes()).expect("a document is JSON");
    }
    shape.schema(policy)
}

/// Returns a schema without the notes of the generator.
fn without_notes(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
            let kept = map.iter().filter(|(key, _)| !key.starts_with("x-"));
            Value::Object(kept.map(|(key, value)| (key.clone(), without_notes(value))).collect())
        }
        Value::Array(items) => items.iter().map(without_notes).collect(),
        other => other.clone(),
    }
}

/// Changes an API at a random place, as releases do.
fn edit(schema: &mut Value, random: &mut Random) {
    let Some(map) = schema.as_object_mut() else { return };
    if random.chance(0.6) {
        let inner: Option<&mut Value> = match random.below(4) {
            0 | 1 => map.get_mut("properties").and_then(Value::as_object_mut).and_then(|fields| {
                let at = random.below(fields.len());
                fields.values_mut().nth(at)
            }),
            2 => ["items", "additionalProperties"]
                .iter()
                .find(|key| map.get(**key).is_some_and(Value::is_object))
                .and_then(|key| map.get_mut(*key)),
            _ => ["oneOf", "anyOf", "prefixItems"]
                .iter()
                .find(|key| map.contains_key(**key))
                .and_then(|key| map.get_mut(*key)?.as_array_mut()?.first_mut()),
        };
        if let Some(inner) = inner {
            return edit(inner, random);
        }
    }
    let list = ["oneOf", "anyOf"].into_iter().find(|key| map.contains_key(*key));
    if let Some(list) = list {
        let kept = map.get(list).and_then(Value::as_array).cloned().unwrap_or_default();
        if kept.len() > 2 && random.chance(0.5) {
            map.insert(list.into(), kept[1..].into());
            map.shift_remove("x-weights");
        } else {
            *schema = random.pick(&kept).clone();
        }
        return;
    }
    if map.contains_key("enum") {
        if let Some(values) = map.get_mut("enum").and_then(Value::as_array_mut) {
            values[0] = json!("another");
        }
        return;
    }
    match map.get_mut("properties").and_then(Value::as_object_mut) {
        Some(fields) if !fields.is_empty() => edit_fields(schema, random),
        _ => {
            *schema = match random.below(4) {
                0 => json!({"type": "string", "format": "date"}),
                1 => json!({"type": "array", "items": schema.clone()}),
                2 => json!({"anyOf": [schema.clone(), {"type": "integer"}]}),
                _ => json!({"type": "boolean"}),
            };
        }
    }
}

fn edit_fields(schema: &mut Value, random: &mut Random) {
    let Some(map) = schema.as_object_mut() else { return };
    let mut required: Vec<Value> = map.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(fields) = map.get_mut("properties").and_then(Value::as_object_mut) else { return };
    let name = fields.keys().nth(random.below(fields.len())).cloned().unwrap_or_default();
    match random.below(5) {
        0 => {
            fields.shift_remove(&name);
            required.retain(|own| own != &name);
        }
        1 => {
            fields[&name]["x-presence"] = json!(0.6);
            required.retain(|own| own != &name);
        }
        2 => {
            fields.insert("added".into(), json!({"type": "integer"}));
            required.push("added".into());
        }
        3 => {
            // A record becomes a union by a new tag.
            let way = |tag: &str, fields: Map<String, Value>| {
                let mut properties = Map::from_iter([("kind_of".to_owned(), json!({"const": tag}))]);
                properties.extend(fields);
                let names: Vec<String> = properties.keys().cloned().collect();
                json!({"type": "object", "properties": properties, "required": names})
            };
            let all = fields.clone();
            fields.shift_remove(&name);
            *schema =
                json!({"oneOf": [way("one", all), way("two", fields.clone()), way("three", Map::new())]});
            return;
        }
        _ => fields[&name] = json!({"type": "string"}),
    }
    map.insert("required".into(), required.into());
}
