//! Values that a schema is likely to accept, and a validator for the schemas of claims.

use schemascope_benches::random::Random;
use serde_json::{Map, Value, json};

const TEXTS: &[(&str, &str)] = &[
    ("date-time", "2024-01-15T10:30:00Z"),
    ("date", "2024-01-15"),
    ("time", "10:30:00Z"),
    ("duration", "P1D"),
    ("email", "ann@example.com"),
    ("hostname", "example.com"),
    ("ipv4", "192.0.2.1"),
    ("ipv6", "2001:db8::1"),
    ("uri", "https://example.com/a"),
    ("uuid", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"),
];

/// Words that schemas mention, for places where they allow any.
#[derive(Default)]
pub struct Words {
    values: Vec<Value>,
    names: Vec<String>,
}

impl Words {
    /// Adds the words of a schema.
    pub fn add(&mut self, schema: &Value) {
        match schema {
            Value::Object(map) => {
                self.values.extend(map.get("const").cloned());
                self.values.extend(map.get("enum").and_then(Value::as_array).into_iter().flatten().cloned());
                let fields = map.get("properties").and_then(Value::as_object);
                self.names.extend(fields.into_iter().flat_map(|fields| fields.keys().cloned()));
                map.values().for_each(|inner| self.add(inner));
            }
            Value::Array(items) => items.iter().for_each(|inner| self.add(inner)),
            _ => {}
        }
    }

    /// Returns a value of a type that a schema mentions.
    fn value(&self, random: &mut Random, is: fn(&Value) -> bool) -> Option<Value> {
        let fitting: Vec<&Value> = self.values.iter().filter(|value| is(value)).collect();
        (!fitting.is_empty() && random.chance(0.5)).then(|| (*random.pick(&fitting)).clone())
    }
}

/// Returns a value that the schema probably accepts. Values are drawn from the keywords alone, not
/// from how often something was observed, so that rare alternatives are drawn too.
pub fn instance(schema: &Value, words: &Words, random: &mut Random) -> Value {
    if let Some(fixed) = schema.get("const") {
        return fixed.clone();
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return random.pick(values).clone();
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(ways) = schema.get(key).and_then(Value::as_array) {
            return instance(random.pick(ways), words, random);
        }
    }
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => random.pick(kinds).as_str().unwrap_or("null"),
        Some(kind) => kind.as_str().unwrap_or("null"),
        None if schema.get("properties").is_some() => "object",
        None => return anything(random),
    };
    match kind {
        "object" => object(schema, words, random),
        "array" => array(schema, words, random),
        "string" => {
            let own = schema.get("format").and_then(Value::as_str);
            let known = TEXTS.iter().find(|(format, _)| Some(*format) == own);
            let pattern = schema.get("pattern").and_then(Value::as_str);
            match known {
                Some((_, text)) => json!(text),
                None if pattern.is_some() => json!(code(pattern.unwrap_or_default(), random)),
                None if random.chance(0.5) => {
                    words.value(random, Value::is_string).unwrap_or_else(|| json!("text"))
                }
                None if random.chance(0.2) => json!(random.one(TEXTS).1),
                None => json!(random.one(&["", "a", "b2", "x y"])),
            }
        }
        "integer" => words.value(random, Value::is_i64).unwrap_or_else(|| json!(random.within(-3, 300))),
        "number" => json!(random.within(-40, 900) as f64 / 4.0),
        "boolean" => json!(random.chance(0.5)),
        _ => Value::Null,
    }
}

/// Returns a text for a pattern like those that are inferred: a class of characters and their number.
fn code(pattern: &str, random: &mut Random) -> String {
    let inner = pattern.trim_start_matches("^[").trim_end_matches("}$");
    let (class, number) = inner.split_once("]{").unwrap_or_default();
    let mut letters: Vec<char> = Vec::new();
    let mut class = class.chars().peekable();
    while let Some(first) = class.next() {
        let range = class.next_if_eq(&'-').and_then(|_| class.next());
        letters.extend(first..=range.unwrap_or(first));
    }
    (0..number.parse().unwrap_or(0)).map(|_| *random.pick(&letters)).collect()
}

fn anything(random: &mut Random) -> Value {
    match random.below(7) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(7),
        3 => json!(0.5),
        4 => json!("text"),
        5 => json!(["a", 1]),
        _ => json!({"a": 1}),
    }
}

fn object(schema: &Value, words: &Words, random: &mut Random) -> Value {
    let mut fields = Map::new();
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    // Sometimes all optional fields, sometimes none.
    let share = random.one(&[0.0, 0.4, 0.8, 1.0]);
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        if required.contains(&name.as_str()) || random.chance(share) {
            fields.insert(name.clone(), instance(field, words, random));
        }
    }
    for name in required {
        if !fields.contains_key(name) {
            fields.insert(name.to_owned(), anything(random));
        }
    }
    match schema.get("additionalProperties") {
        Some(Value::Bool(false)) => {}
        Some(values) => {
            for _ in 0..random.below(4) {
                fields.insert(format!("key-{}", random.below(50)), instance(values, words, random));
            }
        }
        None if random.chance(0.3) => {
            fields.insert("zz_unknown".to_owned(), anything(random));
            for _ in 0..random.below(3).min(words.names.len()) {
                let name = random.pick(&words.names);
                if schema["properties"].get(name).is_none() && !fields.contains_key(name) {
                    fields.insert(name.clone(), anything(random));
                }
            }
        }
        None => {}
    }
    Value::Object(fields)
}

fn array(schema: &Value, words: &Words, random: &mut Random) -> Value {
    let count =
        |key: &str| schema.get(key).and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok());
    let prefix = schema["prefixItems"].as_array().map_or(&[][..], Vec::as_slice);
    let least = count("minItems").unwrap_or(0);
    let most = count("maxItems").unwrap_or(least.max(prefix.len()) + 3);
    let further = schema.get("items").unwrap_or(&Value::Bool(true));
    let most = if further == &Value::Bool(false) { most.min(prefix.len()) } else { most };
    let length = least + random.below(most.saturating_sub(least) + 1);
    (0..length).map(|at| instance(prefix.get(at).unwrap_or(further), words, random)).collect()
}

/// Returns whether a schema as claims use it accepts a value; `None` for other keywords.
///
/// A full validator is an order of magnitude slower without optimization. It checks a part of the
/// answers.
pub fn satisfies(schema: &Value, value: &Value) -> Option<bool> {
    let map = match schema {
        Value::Bool(verdict) => return Some(*verdict),
        Value::Object(map) => map,
        _ => return None,
    };
    for (key, argument) in map {
        let satisfied = match key.as_str() {
            "type" => match argument {
                Value::Array(names) => names.iter().any(|name| has_type(value, name)),
                name => has_type(value, name),
            },
            "enum" => argument.as_array()?.iter().any(|one| equal(one, value)),
            "const" => equal(argument, value),
            "not" => !satisfies(argument, value)?,
            "if" => !satisfies(argument, value)? || satisfies(map.get("then")?, value)?,
            "then" => true,
            "required" => match value {
                Value::Object(fields) => argument
                    .as_array()?
                    .iter()
                    .filter_map(Value::as_str)
                    .all(|name| fields.contains_key(name)),
                _ => true,
            },
            "properties" => match value {
                Value::Object(fields) => all(argument
                    .as_object()?
                    .iter()
                    .map(|(name, one)| fields.get(name).map_or(Some(true), |value| satisfies(one, value))))?,
                _ => true,
            },
            "additionalProperties" => match value {
                Value::Object(fields) => {
                    let named = map.get("properties").and_then(Value::as_object)?;
                    let others = fields.iter().filter(|(name, _)| !named.contains_key(*name));
                    all(others.map(|(_, value)| satisfies(argument, value)))?
                }
                _ => true,
            },
            "prefixItems" => match value {
                Value::Array(items) => {
                    all(items.iter().zip(argument.as_array()?).map(|(item, one)| satisfies(one, item)))?
                }
                _ => true,
            },
            "items" => match value {
                Value::Array(items) => {
                    let start = map.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
                    all(items.iter().skip(start).map(|item| satisfies(argument, item)))?
                }
                _ => true,
            },
            "minItems" => value.as_array().is_none_or(|items| Some(items.len() as u64) >= argument.as_u64()),
            "maxItems" => value.as_array().is_none_or(|items| Some(items.len() as u64) <= argument.as_u64()),
            _ => return None,
        };
        if !satisfied {
            return Some(false);
        }
    }
    Some(true)
}

fn all(verdicts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut sum = Some(true);
    for verdict in verdicts {
        match verdict {
            Some(false) => return Some(false),
            None => sum = None,
            Some(true) => {}
        }
    }
    sum
}

fn has_type(value: &Value, name: &Value) -> bool {
    match (value, name.as_str()) {
        (Value::Null, Some("null"))
        | (Value::Bool(_), Some("boolean"))
        | (Value::Number(_), Some("number"))
        | (Value::String(_), Some("string"))
        | (Value::Array(_), Some("array"))
        | (Value::Object(_), Some("object")) => true,
        (Value::Number(number), Some("integer")) => {
            number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        _ => false,
    }
}

/// Returns whether two values are equal; numbers are equal in any notation.
fn equal(one: &Value, two: &Value) -> bool {
    match (one, two) {
        (Value::Number(one), Value::Number(two)) => one.as_f64() == two.as_f64(),
        (Value::Array(one), Value::Array(two)) => {
            one.len() == two.len() && one.iter().zip(two).all(|(one, two)| equal(one, two))
        }
        (Value::Object(one), Value::Object(two)) => {
            one.len() == two.len()
                && one.iter().all(|(name, value)| two.get(name).is_some_and(|other| equal(value, other)))
        }
        _ => one == two,
    }
}
