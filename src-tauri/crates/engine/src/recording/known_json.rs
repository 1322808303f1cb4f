//! Raw values of text that was parsed as JSON before.
//!
//! Parsing it once more would be a sixteenth of the work of recording a large result.

use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// Name under which serde_json writes raw values: text under it is written unchanged. serde_json does not promise
/// this, so the outcome is checked.
const RAW: &str = "$serde_json::private::RawValue";

struct Known<'a>(&'a str);

impl Serialize for Known<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut raw = serializer.serialize_struct(RAW, 1)?;
        raw.serialize_field(RAW, self.0)?;
        raw.end()
    }
}

/// A raw value of text that is JSON, without the white space around it.
pub(super) fn known_json(json: &str) -> Option<Box<RawValue>> {
    let json = json.trim_matches([' ', '\t', '\n', '\r']);
    debug_assert!(serde_json::from_str::<serde::de::IgnoredAny>(json).is_ok(), "it was read as JSON before");
    let raw = to_raw_value(&Known(json)).ok()?;
    if raw.get() == json { Some(raw) } else { RawValue::from_string(json.to_owned()).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If a new version of serde_json changes this, every result is parsed once more.
    #[test]
    fn serde_json_writes_known_json_unchanged() {
        for json in [r#"{"n": 1.10,"s":"\u00e9\\"}"#, "[]", "null", "\"⟦\"", "1E400"] {
            assert_eq!(serde_json::to_string(&Known(json)).unwrap(), json);
            assert_eq!(known_json(json).unwrap().get(), json);
            assert_eq!(known_json(&format!(" {json}\n")).unwrap().get(), json);
        }
    }
}
