//! An object as it was sent, and setting one of its members without touching any other byte.

use bytes::Bytes;
use schemascope_json::{Members, range_within, splice};
use serde_json::value::RawValue;

/// An object together with its bytes.
pub(super) struct Object<'a> {
    bytes: &'a Bytes,
    members: Members<'a>,
}

impl<'a> Object<'a> {
    /// Reads an object; `None` for anything else.
    pub(super) fn of(bytes: &'a Bytes) -> Option<Self> {
        Some(Self { bytes, members: Members::of(bytes)? })
    }

    /// The value of a member, as sent.
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        self.members.get(name).map(RawValue::get)
    }

    /// Members with other names, keys with their quotes.
    pub(super) fn except(&self, names: &[&str]) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.members.except(names)
    }

    /// The object with this value of a member: in place of the old value, or as the last member.
    pub(super) fn with(&self, name: &str, value: &str) -> Bytes {
        let edit = match self.members.get(name) {
            Some(old) => (range_within(self.bytes, old.get()), value.to_owned()),
            None => {
                let comma = if self.members.is_empty() { "" } else { "," };
                let end = self.bytes.trim_ascii_end().len() - 1;
                (end..end, format!("{comma}\"{name}\":{value}"))
            }
        };
        splice(self.bytes, &mut [edit]).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_sets_one_member_and_keeps_all_other_bytes() {
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
