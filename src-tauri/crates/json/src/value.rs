//! JSON text as a value, whatever keys it has.
//!
//! serde_json marks JSON that it is to read as it is by an object with one reserved key, and its own `Value` follows
//! that mark also in text that comes from outside. An object with that key would be read as what its text contains.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::{number_end, splice_text, string_end};

/// Reads text. Of duplicate keys the last counts, as in serde_json.
pub fn value(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(text).map(|Plain(value)| value)
}

/// Reads text as [`value`] does, but a number beyond every float as the largest one, so that the rest can be judged.
pub fn value_in_range(text: &str) -> serde_json::Result<Value> {
    value(text).or_else(|error| match in_range(text) {
        Some(changed) => value(&changed),
        None => Err(error),
    })
}

/// A text with other numbers for those that are beyond every float; `None` without any.
fn in_range(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut edits: Vec<(Range<usize>, &str)> = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = string_end(bytes, at)?,
            b'-' | b'0'..=b'9' => {
                let number = at..number_end(bytes, at);
                let read: Option<f64> = text.get(number.clone()).and_then(|number| number.parse().ok());
                if read.is_some_and(f64::is_infinite) {
                    edits.push((number.clone(), if *byte == b'-' { LEAST } else { LARGEST }));
                }
                at = number.end;
            }
            _ => at += 1,
        }
    }
    (!edits.is_empty()).then(|| splice_text(text, &mut edits))
}

/// The largest float.
const LARGEST: &str = "1.7976931348623157e308";
/// The least float.
const LEAST: &str = "-1.7976931348623157e308";

struct Plain(Value);

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Reading).map(Self)
    }
}

struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
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

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("not a number"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Plain(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((key, Plain(member))) = members.next_entry::<String, Plain>()? {
            object.insert(key, member);
        }
        Ok(object.into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn value_reads_what_serde_json_reads() {
        for text in [
            "null",
            "true",
            "-1",
            "18446744073709551615",
            "1.5e300",
            r#""a\u00e9\n""#,
            r#"[1,[],{}]"#,
            r#"{"b":1,"a":{"c":[null]},"b":2}"#,
        ] {
            assert_eq!(value(text).unwrap(), serde_json::from_str::<Value>(text).unwrap(), "{text}");
        }
        for text in ["", "1 2", "[1,", "nul", "1e999", &"[".repeat(200)] {
            assert!(value(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_beyond_every_float_are_read_as_the_largest() {
        let read = value_in_range(r#"{"a":1e400,"b":[-2E+999,"1e400"],"c":5}"#).unwrap();
        assert_eq!(read, json!({"a": f64::MAX, "b": [f64::MIN, "1e400"], "c": 5}));
        assert!(value_in_range("[1e400").is_err() && value_in_range("1e").is_err());
        assert_eq!(value_in_range("[1,2]").unwrap(), json!([1, 2]));
    }

    /// An upstream could make a result fit a schema that its client then finds violated.
    #[test]
    fn value_reads_the_reserved_key_of_serde_json_as_any_other() {
        let text = r#"{"$serde_json::private::RawValue":"{\"id\":1}"}"#;
        assert_eq!(value(text).unwrap(), json!({"$serde_json::private::RawValue": "{\"id\":1}"}));
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), json!({"id": 1}));
    }
}
