//! An object's members as they are written.

use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Members of an object in order, with keys and values as written. The last of several duplicate
/// keys counts, as for the readers of clients and servers.
#[derive(Debug, Default)]
pub struct Members<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

impl<'a> Members<'a> {
    /// Reads an object; `None` for anything else.
    pub fn of(json: &'a [u8]) -> Option<Self> {
        serde_json::from_slice(json).ok()
    }

    /// Returns whether the object has no members.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value of a member.
    pub fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().rev().find(|(key, _)| is_named(key, name)).map(|(_, value)| *value)
    }

    /// Returns members with other names, keys with their quotes.
    pub fn except(&self, names: &[&str]) -> impl Iterator<Item = (&'a str, &'a str)> {
        let others = self.0.iter().filter(move |(key, _)| !names.iter().any(|name| is_named(key, name)));
        others.map(|(key, value)| (key.get(), value.get()))
    }
}

/// Returns whether a key, written with quotes and possibly escapes, is `name`.
fn is_named(key: &RawValue, name: &str) -> bool {
    let raw = key.get();
    match raw.contains('\\') {
        false => raw.get(1..raw.len() - 1) == Some(name),
        true => serde_json::from_str::<String>(raw).is_ok_and(|key| key == name),
    }
}

/// Returns the place of a part within the text it was borrowed from.
pub fn range_within(whole: &[u8], part: &str) -> Range<usize> {
    let start = part.as_ptr().addr() - whole.as_ptr().addr();
    start..start + part.len()
}
