//! The letters of JSON: where strings and numbers end, what a string says.
//!
//! Owns: reading just that, from text that may be no JSON. Refuses to know: what is looked for.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use wide::u8x16;

use super::spans::Span;

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

/// A string where it stands, and what can be told of it in passing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Quoted {
    /// With its quotes.
    pub(super) span: Span,
    /// It has escapes.
    pub(super) escaped: bool,
    /// Some of them may stand for anything: letters are written as numbers, or slashes are escaped.
    pub(super) hides: bool,
    /// It has an opening bracket or brace.
    pub(super) opens: bool,
}

/// The string that opens at `start`; to the end of what is there, where it is never closed.
pub(super) fn string(bytes: &[u8], start: usize) -> Quoted {
    let (quote, backslash) = (u8x16::splat(b'"'), u8x16::splat(b'\\'));
    let (both, brace) = (u8x16::splat(b'{' ^ b'['), u8x16::splat(b'{'));
    let mut found = Quoted { span: start..bytes.len(), escaped: false, hides: false, opens: false };
    let mut at = start + 1;
    while let Some(part) = bytes.get(at..).and_then(<[u8]>::first_chunk::<16>) {
        let part = u8x16::new(*part);
        let ends = (part.simd_eq(quote) | part.simd_eq(backslash)).to_bitmask();
        // A bracket is a brace but for one bit.
        let opens = (part | both).simd_eq(brace).to_bitmask();
        // Those before the end; all, where there is none.
        found.opens |= opens & (ends & ends.wrapping_neg()).wrapping_sub(1) != 0;
        if ends == 0 {
            at += 16;
            continue;
        }
        at += ends.trailing_zeros() as usize;
        if found.end_at(bytes, &mut at) {
            return found;
        }
    }
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' | b'\\' => {
                if found.end_at(bytes, &mut at) {
                    return found;
                }
            }
            b'{' | b'[' => (found.opens, at) = (true, at + 1),
            _ => at += 1,
        }
    }
    found
}

impl Quoted {
    /// Whether the quote or backslash at `at` ends it; steps over an escape.
    fn end_at(&mut self, bytes: &[u8], at: &mut usize) -> bool {
        if bytes[*at] == b'"' {
            self.span.end = *at + 1;
            return true;
        }
        self.escaped = true;
        self.hides |= matches!(bytes.get(*at + 1), Some(b'u' | b'/'));
        *at += 2;
        false
    }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Byte by byte.
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
        fn strings_are_read_as_byte_by_byte(
            parts in prop::collection::vec("[a-z |;{\\[}\\]\u{e9}\u{fb}]{0,11}|\\\\[\"\\\\nu/]|\"", 0..9),
        ) {
            let text = format!("\"{}", parts.concat());
            prop_assert_eq!(string(text.as_bytes(), 0), plainly(text.as_bytes(), 0));
        }
    }
}
