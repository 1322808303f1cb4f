//! Instances of a true schema, drawn by the `x-` notes that the generator left in it. *Frozen*, as the generator is.
//!
//! The notes are: `x-presence` of a property, `x-group` of properties that come and go together, `x-null`,
//! `x-weights` of alternatives or values, `x-texts` of a string, `x-range`, `x-integral` and `x-zero` of numbers,
//! `x-items` and `x-empty` of arrays, `x-keys` and `x-entries` of maps, `x-extra` of open objects.

use std::collections::HashMap;

use schemascope_benches::random::Random;
use schemascope_benches::text::text;
use schemascope_benches::words::WORDS;
use serde_json::{Map, Value, json};

/// One instance. The schema accepts it.
pub fn draw(schema: &Value, random: &mut Random) -> Value {
    if random.chance(share(schema, "x-null", 0.0)) {
        return Value::Null;
    }
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    if let Some(values) = schema["enum"].as_array() {
        return weighted(schema, values, random).clone();
    }
    if let Some(alternatives) = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array)
    {
        return draw(weighted(schema, alternatives, random), random);
    }
    match kind(schema) {
        "object" => object(schema, random),
        "array" => array(schema, random),
        "string" => string(schema, random),
        "integer" => json!(integer(schema, random)),
        "number" if random.chance(share(schema, "x-integral", 0.1)) => json!(integer(schema, random)),
        "number" => {
            let (low, high) = range(schema, "x-range", (0.0, 1_000.0));
            // Two to four decimals, as prices and measures have.
            let unit = 10_f64.powi(random.within(2, 4) as i32);
            json!((random.between(low, high) * unit).round() / unit)
        }
        "boolean" => json!(random.chance(share(schema, "x-true", 0.5))),
        _ => Value::Null,
    }
}

/// The type it has when it is not null.
fn kind(schema: &Value) -> &str {
    match &schema["type"] {
        Value::Array(types) => types.first().and_then(Value::as_str).unwrap_or("null"),
        one => one.as_str().unwrap_or("null"),
    }
}

fn share(schema: &Value, note: &str, otherwise: f64) -> f64 {
    schema.get(note).and_then(Value::as_f64).unwrap_or(otherwise)
}

fn range(schema: &Value, note: &str, otherwise: (f64, f64)) -> (f64, f64) {
    let at = |end: usize| schema.get(note).and_then(|range| range.get(end)).and_then(Value::as_f64);
    (at(0).unwrap_or(otherwise.0), at(1).unwrap_or(otherwise.1))
}

fn count(schema: &Value, note: &str, otherwise: (f64, f64), random: &mut Random) -> usize {
    let (low, high) = range(schema, note, otherwise);
    random.within(low as i64, high as i64) as usize
}

fn weighted<'a>(schema: &Value, from: &'a [Value], random: &mut Random) -> &'a Value {
    match schema["x-weights"].as_array() {
        Some(weights) => &from[random.weighted(weights.iter().map(|weight| weight.as_f64().unwrap_or(1.0)))],
        None => random.pick(from),
    }
}

fn integer(schema: &Value, random: &mut Random) -> i64 {
    if random.chance(share(schema, "x-zero", 0.0)) {
        return 0;
    }
    let (low, high) = range(schema, "x-range", (0.0, 1_000.0));
    random.within(low as i64, high as i64)
}

fn string(schema: &Value, random: &mut Random) -> Value {
    if let Some(texts) = schema["x-texts"].as_array() {
        let weights = texts.iter().map(|text| text[1].as_f64().unwrap_or(1.0));
        return json!(text(texts[random.weighted(weights)][0].as_str().unwrap_or("word"), random));
    }
    json!(text(schema["format"].as_str().unwrap_or("word"), random))
}

fn array(schema: &Value, random: &mut Random) -> Value {
    if let Some(positions) = schema["prefixItems"].as_array() {
        return positions.iter().map(|position| draw(position, random)).collect();
    }
    if random.chance(share(schema, "x-empty", 0.0)) {
        return json!([]);
    }
    let count = count(schema, "x-items", (1.0, 5.0), random);
    (0..count).map(|_| draw(&schema["items"], random)).collect()
}

fn object(schema: &Value, random: &mut Random) -> Value {
    let mut object = Map::new();
    let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
    let mut groups: HashMap<&str, bool> = HashMap::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let presence = share(property, "x-presence", 1.0);
        let present = match property["x-group"].as_str() {
            _ if required.iter().any(|required| required == name) => true,
            Some(group) => *groups.entry(group).or_insert_with(|| random.chance(presence)),
            None => random.chance(presence),
        };
        if present {
            object.insert(name.clone(), draw(property, random));
        }
    }
    if let Some(keys) = schema["x-keys"].as_str() {
        for _ in 0..count(schema, "x-entries", (0.0, 10.0), random) {
            let key = text(keys, random);
            object.entry(key).or_insert_with(|| draw(&schema["additionalProperties"], random));
        }
    }
    let (probability, most) = range(schema, "x-extra", (0.0, 1.0));
    if random.chance(probability) {
        for _ in 0..random.within(1, most as i64) {
            let name = format!("{}_{}", random.one(WORDS), random.one(WORDS));
            let value = extra(random);
            object.entry(name).or_insert(value);
        }
    }
    Value::Object(object)
}

/// What an open object carries beyond what is documented.
fn extra(random: &mut Random) -> Value {
    match random.below(5) {
        0 => json!(random.within(0, 10_000)),
        1 => json!(random.chance(0.5)),
        2 => json!({"value": text("word", random), "source": text("slug", random)}),
        _ => json!(text(random.one(&["word", "sentence", "uuid", "date"]), random)),
    }
}
