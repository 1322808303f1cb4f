//! Bounds on everything that comes from outside, and helpers that keep to them.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// Largest answer to a question, in bytes.
pub const MAX_ANSWER_BYTES: usize = 256 * 1024;
/// Largest sum of the answers of one pursuit, in bytes.
pub const MAX_PURSUIT_BYTES: usize = 8 * 1024 * 1024;
/// Levels of objects and arrays in an answer or a Discovery Schema.
pub const MAX_DEPTH: usize = 64;
/// Largest file of a Discovery Schema, in bytes.
pub const MAX_FILE_BYTES: usize = 1024 * 1024;
/// Files of Discovery Schemas that are read.
pub const MAX_FILES: usize = 2_000;
/// Longest key in a Discovery Schema, in bytes.
pub const MAX_KEY_BYTES: usize = 256;
/// Fields of a Discovery Schema.
pub const MAX_FIELDS: usize = 2_000;
/// Longest name, note or other short text that a caller gives, in bytes.
pub const MAX_TEXT_BYTES: usize = 16 * 1024;
/// Characters of foreign text that a message quotes.
const QUOTED_CHARS: usize = 80;

/// Returns whether a value has more levels than a bound.
pub(crate) fn is_deeper_than(value: &Value, levels: usize) -> bool {
    let mut open: Vec<(&Value, usize)> = vec![(value, 1)];
    while let Some((value, level)) = open.pop() {
        if level > levels {
            return true;
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, level + 1))),
            Value::Object(members) => open.extend(members.values().map(|member| (member, level + 1))),
            _ => {}
        }
    }
    false
}

/// Returns at most `chars` characters of a text, with an ellipsis where some were left out.
pub(crate) fn shortened(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// Returns foreign text for a message: short, in quotes, control characters escaped.
pub(crate) fn quoted(text: &str) -> String {
    format!("{:?}", shortened(text, QUOTED_CHARS))
}

/// Identifies a text: 32 hexadecimal digits.
pub fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// Returns a number that a text determines, for choices that are the same every time.
pub(crate) fn stable_number(text: &str) -> u64 {
    let bytes = Sha256::digest(text.as_bytes());
    bytes.iter().take(8).fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

/// Names the kind of a value in messages.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn depth_counts_objects_and_arrays() {
        assert!(!is_deeper_than(&json!([[1]]), 3));
        assert!(is_deeper_than(&json!([{"a": [1]}]), 3));
    }

    #[test]
    fn quoted_text_is_short_and_escaped() {
        assert_eq!(quoted("a\nb"), "\"a\\nb\"");
        assert!(quoted(&"x".repeat(10_000)).chars().count() < 90);
        assert_eq!(shortened("éé", 1), "é…");
    }

    #[test]
    fn digest_is_stable() {
        assert_eq!(digest("a"), digest("a"));
        assert_eq!(digest("a").len(), 32);
        assert_ne!(stable_number("a"), stable_number("b"));
    }
}
