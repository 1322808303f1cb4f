//! An object's bytes: what stands where, and how one member is set.
//!
//! Owns: members as sent. Refuses to know: what they mean. Whatever is not set stays byte for byte.

use std::fmt;
use std::ops::Range;

use bytes::Bytes;
use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::wire::params::splice;

/// An object's members in order. Of a repeated key the last counts, as it does for clients' readers.
pub(super) struct Members<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
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
    /// A member's value.
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        self.find(name).map(RawValue::get)
    }

    /// Those with other names than these, keys as they stand in quotes.
    pub(super) fn except(&self, names: &[&str]) -> impl Iterator<Item = (&'a str, &'a str)> {
        let others = self.0.iter().filter(move |(key, _)| !names.iter().any(|name| is_called(key, name)));
        others.map(|(key, value)| (key.get(), value.get()))
    }

    fn find(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().rev().find(|(key, _)| is_called(key, name)).map(|(_, value)| *value)
    }
}

fn is_called(key: &RawValue, name: &str) -> bool {
    let raw = key.get();
    match raw.contains('\\') {
        false => raw.get(1..raw.len() - 1) == Some(name),
        true => serde_json::from_str::<String>(raw).is_ok_and(|key| key == name),
    }
}

/// An object with its bytes.
pub(super) struct Object<'a> {
    bytes: &'a Bytes,
    pub(super) members: Members<'a>,
}

impl<'a> Object<'a> {
    /// None when it is no object.
    pub(super) fn of(bytes: &'a Bytes) -> Option<Self> {
        Some(Self { bytes, members: serde_json::from_slice(bytes).ok()? })
    }

    /// The same with this value of a member: in the old one's place, or as the last.
    pub(super) fn with(&self, name: &str, value: &str) -> Bytes {
        let (range, text) = match self.members.find(name) {
            Some(old) => (self.range(old), value.to_owned()),
            None => {
                let comma = if self.members.0.is_empty() { "" } else { "," };
                let end = self.bytes.trim_ascii_end().len() - 1;
                (end..end, format!("{comma}\"{name}\":{value}"))
            }
        };
        splice(self.bytes, vec![(range, text.into_bytes())])
    }

    fn range(&self, raw: &RawValue) -> Range<usize> {
        let start = raw.get().as_ptr() as usize - self.bytes.as_ptr() as usize;
        start..start + raw.get().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_member_is_set_and_nothing_else_changes() {
        for (before, after) in [
            (r#"{"a":1.10,"a":1E5}"#, r#"{"a":1.10,"a":1E5,"x":[0]}"#),
            (r#"{"a":1.10, "x" : null ,"b":"\u0041"}"#, r#"{"a":1.10, "x" : [0] ,"b":"\u0041"}"#),
            (r#"{"x":1,"\u0078":2}"#, r#"{"x":1,"\u0078":[0]}"#),
            ("{ }", r#"{ "x":[0]}"#),
            ("{}\n", "{\"x\":[0]}\n"),
        ] {
            let bytes = Bytes::from(before);
            assert_eq!(Object::of(&bytes).unwrap().with("x", "[0]").as_ref(), after.as_bytes());
        }
        for odd in ["[]", "null", "1", ""] {
            assert!(Object::of(&Bytes::from(odd)).is_none(), "{odd}");
        }
    }
}
