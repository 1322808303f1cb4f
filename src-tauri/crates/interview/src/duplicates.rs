//! Keys that an object has twice. Readers keep the last one and lose the first.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Names a key that an object of a JSON text duplicates.
pub(crate) fn duplicate_key(json: &str) -> Option<String> {
    let error = serde_json::from_str::<Unique>(json).err()?;
    error.is_data().then(|| error.to_string()).and_then(|said| {
        let (key, _) = said.strip_prefix(TWICE)?.rsplit_once(" at line ")?;
        Some(key.to_owned())
    })
}

/// Beginning of the error.
const TWICE: &str = "twice: ";

/// A value in which every key is there once.
struct Unique;

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Reading)
    }
}

struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = Unique;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_str<E>(self, _: &str) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Unique, A::Error> {
        while items.next_element::<Unique>()?.is_some() {}
        Ok(Unique)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Unique, A::Error> {
        let mut known = HashSet::new();
        while let Some(key) = members.next_key::<String>()? {
            if known.contains(&key) {
                return Err(A::Error::custom(format!("{TWICE}{key}")));
            }
            known.insert(key);
            members.next_value::<Unique>()?;
        }
        Ok(Unique)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_are_there_twice_are_found_at_any_depth() {
        assert_eq!(duplicate_key(r#"{"a": 1, "b": [{"c": 1, "c": 2}]}"#).as_deref(), Some("c"));
        assert_eq!(duplicate_key(r#"{"a": {"b": 1.5}, "c": [null, true, "a"], "b": -1}"#), None);
        assert_eq!(duplicate_key("{"), None);
        assert_eq!(duplicate_key(r#"{"x at line 3": 1, "x at line 3": 2}"#).as_deref(), Some("x at line 3"));
    }
}
