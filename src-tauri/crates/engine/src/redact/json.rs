//! The letters of JSON: where strings and numbers end, what a string says.
//!
//! Owns: reading just that, from text that may be no JSON. Refuses to know: what is looked for.

use std::borrow::Cow;

use serde::de::IgnoredAny;

/// A text as JSON writes it.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Whether a text is JSON that may hold fields: one value or several after one another, as in NDJSON.
pub(super) fn is_json(text: &str) -> bool {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>().peekable();
    text.trim_start().starts_with(['{', '[', '"'])
        && values.peek().is_some()
        && values.all(|value| value.is_ok())
}

/// Just behind the closing quote of the string that opens at `start`.
pub(super) fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        if bytes[at + found] == b'"' {
            return at + found + 1;
        }
        at += found + 2;
    }
    bytes.len()
}

pub(super) fn number_end(bytes: &[u8], start: usize) -> usize {
    let inside = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    bytes[start..].iter().position(|byte| !inside(byte)).map_or(bytes.len(), |length| start + length)
}

/// What a quoted string says. One that serde cannot read (a lone surrogate) is taken as it stands.
pub(super) fn unescaped(quoted: &str) -> Cow<'_, str> {
    let inner = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(quoted);
    if inner.contains('\\') {
        serde_json::from_str::<String>(quoted).map_or(Cow::Borrowed(inner), Cow::Owned)
    } else {
        Cow::Borrowed(inner)
    }
}
