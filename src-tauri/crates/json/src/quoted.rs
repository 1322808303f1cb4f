//! Strings and numbers as JSON writes them, in text that may not be JSON.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::IgnoredAny;
use wide::u8x16;

use crate::runs::{Class, run};

/// Returns a text as a JSON string, quotes included.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Returns whether a text is JSON that may contain fields: one value, or several in a row as in
/// NDJSON.
pub fn is_json(text: &str) -> bool {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>().peekable();
    text.trim_start().starts_with(['{', '[', '"'])
        && values.peek().is_some()
        && values.all(|value| value.is_ok())
}

/// A string in a document, and what its characters contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quoted {
    /// Place of the string, quotes included.
    pub span: Range<usize>,
    /// Whether it has escapes.
    pub escaped: bool,
    /// Whether an escape may hide any character: `\\uXXXX` or an escaped slash.
    pub hides: bool,
    /// Whether it has an opening bracket or brace.
    pub opens: bool,
}

/// Class of bytes that ends a run at a quote or backslash; opening brackets and braces are notable.
struct Bracketed;

impl Class for Bracketed {
    #[inline(always)]
    fn ends(part: u8x16) -> u8x16 {
        part.simd_eq(u8x16::splat(b'"')) | part.simd_eq(u8x16::splat(b'\\'))
    }

    #[inline(always)]
    fn notable(part: u8x16) -> u8x16 {
        // A bracket differs from a brace by one bit.
        (part | u8x16::splat(b'{' ^ b'[')).simd_eq(u8x16::splat(b'{'))
    }
}

/// Returns the string whose opening quote is at `start`. An unterminated string ends with `bytes`.
pub fn quoted_end(bytes: &[u8], start: usize) -> Quoted {
    let mut found = Quoted { span: start..bytes.len(), escaped: false, hides: false, opens: false };
    let mut at = start + 1;
    loop {
        let (end, opens) = run::<Bracketed>(bytes, at);
        found.opens |= opens;
        match bytes.get(end) {
            None => return found,
            Some(b'"') => {
                found.span.end = end + 1;
                return found;
            }
            Some(_) => {
                found.escaped = true;
                found.hides |= matches!(bytes.get(end + 1), Some(b'u' | b'/'));
                at = end + 2;
            }
        }
    }
}

/// End of the number that starts at `start`.
pub fn number_end(bytes: &[u8], start: usize) -> usize {
    let inside = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    bytes[start..].iter().position(|byte| !inside(byte)).map_or(bytes.len(), |length| start + length)
}

/// Returns the text of a JSON string. A string that serde rejects (a lone surrogate) is returned as
/// written.
pub fn unescaped(quoted: &str) -> Cow<'_, str> {
    let inner = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(quoted);
    if inner.contains('\\') {
        serde_json::from_str::<String>(quoted).map_or(Cow::Borrowed(inner), Cow::Owned)
    } else {
        Cow::Borrowed(inner)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reads byte by byte.
    fn plainly(bytes: &[u8], start: usize) -> Quoted {
        let mut found = Quoted { span: start..bytes.len(), escaped: false, hides: false, opens: false };
        let mut at = start + 1;
        while at < bytes.len() {
            match bytes[at] {
                b'"' => return Quoted { span: start..at + 1, ..found },
                b'\\' => {
                    found.escaped = true;
                    found.hides |= matches!(bytes.get(at + 1), Some(b'u' | b'/'));
                    at += 1;
                }
                b'{' | b'[' => found.opens = true,
                _ => {}
            }
            at += 1;
        }
        found
    }

    proptest! {
        #[test]
        fn quoted_end_equals_a_byte_by_byte_read(
            parts in prop::collection::vec("[a-z |;{\\[}\\]\u{e9}\u{fb}]{0,11}|\\\\[\"\\\\nu/]|\"", 0..9),
        ) {
            let text = format!("\"{}", parts.concat());
            prop_assert_eq!(quoted_end(text.as_bytes(), 0), plainly(text.as_bytes(), 0));
        }
    }
}
