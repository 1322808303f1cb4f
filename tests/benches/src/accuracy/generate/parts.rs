//! Parts of true schemas: leaves, fields, objects, maps, arrays. *Frozen*; see the parent.

use schemascope_benches::random::Random;
use schemascope_benches::words::WORDS;
use serde_json::{Map, Value, json};

use super::vocabulary::{ENUMS, FIELDS};

/// An object in the making.
#[derive(Default)]
pub struct Fields {
    properties: Map<String, Value>,
    required: Vec<String>,
}

impl Fields {
    /// A field that is always there.
    pub fn always(mut self, name: &str, schema: Value) -> Self {
        self.add(name, schema, 1.0);
        self
    }

    /// Adds a field unless the name is taken; below a presence of 1 it is optional.
    pub fn add(&mut self, name: &str, mut schema: Value, presence: f64) {
        if self.properties.contains_key(name) {
            return;
        }
        if presence < 1.0 {
            schema["x-presence"] = json!((presence * 1_000.0).round() / 1_000.0);
        } else {
            self.required.push(name.to_owned());
        }
        self.properties.insert(name.to_owned(), schema);
    }

    /// The schema.
    pub fn object(self) -> Value {
        let mut object = json!({"type": "object", "properties": self.properties});
        if !self.required.is_empty() {
            object["required"] = json!(self.required);
        }
        object
    }
}

/// A string whose text is of this kind and whose schema says nothing more.
pub fn free(kind: &str) -> Value {
    json!({"type": "string", "x-texts": [[kind, 1]]})
}

/// A string of a format.
pub fn format(name: &str) -> Value {
    json!({"type": "string", "format": name})
}

/// A date with time as one API or another writes it.
pub fn date_time(random: &mut Random) -> Value {
    let style = random.one(&["date-time", "date-time", "date-time-fraction", "date-time-offset"]);
    json!({"type": "string", "format": "date-time", "x-texts": [[style, 1]]})
}

/// An integer between two others.
pub fn integer(low: i64, high: i64) -> Value {
    json!({"type": "integer", "x-range": [low, high]})
}

/// May be null.
pub fn nullable(mut schema: Value, probability: f64) -> Value {
    schema["x-null"] = json!((probability * 1_000.0).round() / 1_000.0);
    if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        values.push(Value::Null);
        if let Some(weights) = schema.get_mut("x-weights").and_then(Value::as_array_mut) {
            weights.push(json!(0));
        }
    } else if let Some(alternatives) = schema.get_mut("anyOf").and_then(Value::as_array_mut) {
        alternatives.push(json!({"type": "null"}));
        if let Some(weights) = schema.get_mut("x-weights").and_then(Value::as_array_mut) {
            weights.push(json!(0));
        }
    }
    if let Some(name) = schema["type"].as_str().map(str::to_owned) {
        schema["type"] = json!([name, "null"]);
    }
    schema
}

/// An array of items.
pub fn array(items: Value, low: usize, high: usize, empty: f64) -> Value {
    let mut array = json!({"type": "array", "x-items": [low, high], "x-empty": empty});
    array["items"] = items;
    array
}

/// An object keyed by data.
pub fn map(keys: &str, values: Value, low: usize, high: usize) -> Value {
    let mut map = json!({"type": "object", "x-keys": keys, "x-entries": [low, high]});
    map["additionalProperties"] = values;
    map
}

/// One of some strings, the first ones more often.
pub fn choice(values: &[&str], skew: f64) -> Value {
    let weights: Vec<f64> = (0..values.len())
        .map(|at| ((1.0 / (at as f64 + 1.0).powf(skew)) * 1_000.0).round() / 1_000.0)
        .collect();
    json!({"type": "string", "enum": values, "x-weights": weights})
}

/// A usual set of values with a usual name.
pub fn usual_choice(random: &mut Random) -> (&'static str, Value) {
    let (name, values) = random.one(ENUMS);
    let skew = random.between(0.0, 1.5);
    (name, choice(values, skew))
}

/// A set of so many words.
pub fn words_choice(random: &mut Random, count: usize) -> Value {
    let words = random.some(WORDS, count);
    let skew = random.between(0.0, 1.6);
    choice(&words, skew)
}

/// A usual field: its name and a leaf.
pub fn leaf(random: &mut Random) -> (&'static str, Value) {
    if random.chance(0.12) {
        return usual_choice(random);
    }
    let (name, spec) = random.one(FIELDS);
    (name, of(spec, random))
}

/// What a specification of the vocabulary stands for.
pub fn of(spec: &str, random: &mut Random) -> Value {
    match spec.split_once(':').unwrap_or((spec, "")) {
        ("id", _) => {
            let digits = random.within(3, 10) as u32;
            integer(1, 10_i64.pow(digits))
        }
        ("count", _) => {
            let high = random.one(&[5, 50, 1_000, 100_000]);
            json!({"type": "integer", "x-range": [0, high], "x-zero": random.one(&[0.0, 0.2, 0.6])})
        }
        ("epoch", _) => integer(1_500_000_000, 1_800_000_000),
        ("number", range) => {
            let (low, high) = range.split_once("..").unwrap_or(("0", "1000"));
            let ends = [low, high].map(|end| end.parse::<f64>().unwrap_or(0.0));
            json!({"type": "number", "x-range": ends, "x-integral": random.one(&[0.02, 0.1, 0.4])})
        }
        ("bool", _) => json!({"type": "boolean", "x-true": random.one(&[0.05, 0.3, 0.5, 0.9])}),
        ("format", "date-time") => date_time(random),
        ("format", name) => format(name),
        (_, kind) => free(kind),
    }
}

/// An object of leaves: so many fields, this share optional, this share nullable.
pub fn record(random: &mut Random, fields: usize, optional: f64, nullables: f64) -> Fields {
    let mut record = Fields::default();
    for _ in 0..fields {
        let (name, mut schema) = leaf(random);
        if random.chance(nullables) {
            let often = random.between(0.05, 0.6);
            schema = nullable(schema, often);
        }
        let presence = if random.chance(optional) { random.between(0.3, 0.95) } else { 1.0 };
        record.add(name, schema, presence);
    }
    record
}

/// A small ordinary record, as one finds it inside others.
pub fn small(random: &mut Random) -> Value {
    let fields = random.within(2, 6) as usize;
    record(random, fields, 0.2, 0.1).object()
}
