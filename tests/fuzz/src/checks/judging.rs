//! Validates documents against schemas, with the documents as other readers parse them.

use std::fmt;

use jsonschema::{Draft, Validator};
use schemascope_shape::StandsFor;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::stands_for;

/// A validator of a schema written and read again, as clients have it.
pub fn validator(schema: &Value, formats: bool) -> Result<Validator, String> {
    let options = jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(formats);
    options.build(schema).map_err(|error| error.to_string())
}

/// A document as readers have it: of repeated keys some take the first one and some the last. None where they
/// disagree on more than that.
pub fn readings(document: &[u8], replaced: bool) -> Vec<Value> {
    let Ok(mut last) = serde_json::from_slice::<Value>(document) else { return Vec::new() };
    let mut all = Vec::new();
    if let Ok(First(mut first)) = serde_json::from_slice(document)
        && first != last
    {
        put_back(&mut first, replaced);
        all.push(first);
    }
    put_back(&mut last, replaced);
    all.push(last);
    all
}

/// Puts values into the places of what stands for them. They are none that were seen.
fn put_back(value: &mut Value, replaced: bool) {
    if !replaced {
        return;
    }
    match value {
        Value::String(text) => match stands_for(text) {
            Some(StandsFor::Integer) => *value = 987_654_321.into(),
            Some(StandsFor::Number) => *value = 98_765.5.into(),
            Some(StandsFor::String(length)) => *value = "§".repeat(length.unwrap_or(9) as usize).into(),
            None => {}
        },
        Value::Array(items) => items.iter_mut().for_each(|item| put_back(item, true)),
        Value::Object(fields) => fields.values_mut().for_each(|field| put_back(field, true)),
        _ => {}
    }
}

/// A value of which the first of repeated keys counts.
struct First(Value);

impl<'de> Deserialize<'de> for First {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(First)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(First(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some((name, First(value))) = members.next_entry::<String, First>()? {
            fields.entry(name).or_insert(value);
        }
        Ok(fields.into())
    }
}
