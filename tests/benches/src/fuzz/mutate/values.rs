//! Mutations that keep a document JSON.

use schemascope_benches::random::Random;
use schemascope_benches::text::text;
use serde_json::{Map, Value, json};

/// Levels into which values are wrapped at once.
const WRAPS: usize = 12;

const KEYS: &[&str] = &[
    "a",
    "b",
    "kind",
    "type",
    "ok",
    "id",
    "",
    "__proto__",
    "a.b",
    "2026-11-21",
    "1234",
    "5678",
    "u/1",
    "a b",
    "$ref",
    "oneOf",
    "items",
    "properties",
    "é",
    "\0",
    "\u{fffd}",
];

pub fn mutate(document: &[u8], other: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let mut value: Value = serde_json::from_slice(document).ok()?;
    let other = serde_json::from_slice(other).unwrap_or(Value::Null);
    mutate_value(&mut value, &other, random);
    Some(value.to_string().into_bytes())
}

/// Changes one value somewhere within.
pub fn mutate_value(value: &mut Value, other: &Value, random: &mut Random) {
    let deeper = random.chance(0.75);
    match value {
        Value::Array(items) if deeper && !items.is_empty() => {
            let at = random.below(items.len());
            mutate_value(&mut items[at], other, random);
        }
        Value::Object(fields) if deeper && !fields.is_empty() => {
            let at = random.below(fields.len());
            if let Some(field) = fields.values_mut().nth(at) {
                mutate_value(field, other, random);
            }
        }
        _ => change(value, other, random),
    }
}

fn change(value: &mut Value, other: &Value, random: &mut Random) {
    match random.below(7) {
        0 => *value = leaf(random),
        1 => *value = part(other, random),
        2 => {
            for _ in 0..=random.below(WRAPS) {
                let inner = value.take();
                *value = if random.chance(0.5) { json!([inner]) } else { json!({random.one(KEYS): inner}) };
            }
        }
        _ => match value {
            Value::Array(items) => change_items(items, other, random),
            Value::Object(fields) => change_fields(fields, other, random),
            scalar => *scalar = leaf(random),
        },
    }
}

fn change_items(items: &mut Vec<Value>, other: &Value, random: &mut Random) {
    let at = random.below(items.len() + 1);
    match random.below(4) {
        0 => items.insert(at, part(other, random)),
        1 if at < items.len() => drop(items.remove(at)),
        2 if at < items.len() => {
            for _ in 0..random.one(&[1, 2, 30]) {
                items.push(items[at].clone());
            }
        }
        _ => random.shuffle(items),
    }
}

fn change_fields(fields: &mut Map<String, Value>, other: &Value, random: &mut Random) {
    let at = random.below(fields.len().max(1));
    let key = fields.keys().nth(at).cloned().unwrap_or_default();
    match random.below(5) {
        0 => drop(fields.insert(random.one(KEYS).to_owned(), part(other, random))),
        1 => drop(fields.shift_remove(&key)),
        2 => {
            if let Some(field) = fields.shift_remove(&key) {
                fields.insert(random.one(KEYS).to_owned(), field);
            }
        }
        3 => {
            let field = fields.get(&key).cloned().unwrap_or_default();
            let data = random.chance(0.5);
            for n in 0..random.one(&[1_u8, 4, 20, 60]) {
                let key = if data {
                    format!("{:04}", u32::from(n) * 7)
                } else {
                    format!("w{}", char::from(b'a' + n % 26))
                };
                fields.insert(key, field.clone());
            }
        }
        _ => {
            if let Some(field) = fields.get_mut(&key) {
                *field = leaf(random);
            }
        }
    }
}

fn part(value: &Value, random: &mut Random) -> Value {
    let inner = match value {
        Value::Array(items) if random.chance(0.7) => items.get(random.below(items.len())),
        Value::Object(fields) if random.chance(0.7) => fields.values().nth(random.below(fields.len())),
        _ => None,
    };
    inner.map_or_else(|| value.clone(), |inner| part(inner, random))
}

fn leaf(random: &mut Random) -> Value {
    match random.below(12) {
        0 => Value::Null,
        1 => random.chance(0.5).into(),
        2 => random.within(-3, 3).into(),
        3 => json!([0, 100, 200, 300][random.below(4)]),
        4 => json!(
            [u64::MAX, 1 << 47, 1 << 53, i64::MAX as u64, u64::from(u32::MAX), 4_294_967_296]
                [random.below(6)]
        ),
        5 => json!([i64::MIN, -1, i64::from(i32::MIN)][random.below(3)]),
        6 => json!([0.5, -0.0, 1.0, 1e300, 5e-324][random.below(5)]),
        7 => {
            json!(["a", "b", "c", "", "\0", "⟦integer⟧", "⟦number⟧", "⟦string⟧", "\u{fffd}"][random.below(9)])
        }
        8 => json!(["0", "_", "é", "\u{10ffff}"][random.below(4)].repeat(random.one(&[1, 33, 65, 256, 900]))),
        9 => json!(i128::MIN.to_string()),
        _ => {
            let formats =
                ["date", "date-time", "time", "uuid", "email", "uri", "ipv4", "ipv6", "sentence", "user"];
            text(random.one(&formats), random).into()
        }
    }
}
