//! JSON that was read as JSON before.
//!
//! Owns: making a raw value of it without reading it once more, which is a sixteenth of what recording a large result
//! takes. Refuses to know: where it is from.

use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// What serde_json calls raw values when it writes them: text under this name is written as it is. It is no part of
/// what serde_json promises, so what came of it is looked at.
const RAW: &str = "$serde_json::private::RawValue";

struct Known<'a>(&'a str);

impl Serialize for Known<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut raw = serializer.serialize_struct(RAW, 1)?;
        raw.serialize_field(RAW, self.0)?;
        raw.end()
    }
}

/// A raw value of text that is JSON. White space around it is not kept.
pub(super) fn known_json(json: &str) -> Option<Box<RawValue>> {
    let json = json.trim_matches([' ', '\t', '\n', '\r']);
    debug_assert!(serde_json::from_str::<serde::de::IgnoredAny>(json).is_ok(), "it was read as JSON before");
    let raw = to_raw_value(&Known(json)).ok()?;
    if raw.get() == json { Some(raw) } else { RawValue::from_string(json.to_owned()).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a new version of serde_json may change: then every result is read once more.
    #[test]
    fn serde_json_writes_it_as_it_is() {
        for json in [r#"{"n": 1.10,"s":"\u00e9\\"}"#, "[]", "null", "\"⟦\"", "1E400"] {
            assert_eq!(serde_json::to_string(&Known(json)).unwrap(), json);
            assert_eq!(known_json(json).unwrap().get(), json);
            assert_eq!(known_json(&format!(" {json}\n")).unwrap().get(), json);
        }
    }
}
