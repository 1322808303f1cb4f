//! Search for text in JSON, as a reader of the decoded document would see it.

use std::borrow::Cow;

/// Texts inside of texts that are decoded: a document in a string of a document in a string.
const MAX_DEPTH: usize = 3;

/// Whether a JSON document contains a text in lower case. Escaped characters are found by what they stand for, also in
/// JSON inside of strings.
pub(super) fn contains(json: &str, wanted: &str) -> bool {
    let mut text = Cow::Borrowed(json);
    for depth in 0.. {
        if text.to_lowercase().contains(wanted) {
            return true;
        }
        if depth == MAX_DEPTH || !text.contains('\\') {
            break;
        }
        text = Cow::Owned(unescaped(&text));
    }
    false
}

/// A text with the escapes of JSON replaced. What is no escape stays.
fn unescaped(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        decoded.push_str(&rest[..at]);
        let escape = &rest[at + 1..];
        let (character, length) = match escape.as_bytes().first() {
            Some(b'u') => match code_point(escape) {
                Some((character, length)) => (character, length),
                None => ('\\', 0),
            },
            Some(b'n') => ('\n', 1),
            Some(b't') => ('\t', 1),
            Some(b'r') => ('\r', 1),
            Some(b'b') => ('\u{8}', 1),
            Some(b'f') => ('\u{c}', 1),
            Some(byte @ (b'"' | b'\\' | b'/')) => (char::from(*byte), 1),
            _ => ('\\', 0),
        };
        decoded.push(character);
        rest = &escape[length..];
    }
    decoded.push_str(rest);
    decoded
}

/// The character of `uXXXX` or of a pair of surrogates, and the bytes this takes.
fn code_point(escape: &str) -> Option<(char, usize)> {
    let unit = |text: &str| {
        let digits = text.strip_prefix('u')?.get(..4)?;
        digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
    };
    let first = unit(escape)?;
    let second = escape.get(5..).and_then(|rest| unit(rest.strip_prefix('\\')?));
    match (char::from_u32(u32::from(first)), second) {
        (Some(character), _) => Some((character, 5)),
        (None, Some(second)) => {
            let character = char::decode_utf16([first, second]).next()?.ok()?;
            Some((character, 11))
        }
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_characters_are_found_by_what_they_stand_for() {
        let nested = serde_json::to_string(&serde_json::json!({
            "content": [{"type": "text", "text": "{\"city\": \"M\\u00fcnchen\", \"note\": \"say \\\"hi\\\"\"}"}],
        }))
        .unwrap();
        for (json, wanted, is_there) in [
            (r#"{"city": "Paris"}"#, "paris", true),
            (r#"{"city": "Paris"}"#, "rome", false),
            (r#"{"city": "M\u00FCNCHEN"}"#, "münchen", true),
            (r#"{"mark": "\ud83d\ude00 done"}"#, "😀 done", true),
            (r#"{"path": "C:\\Users\\ann"}"#, r"c:\users\ann", true),
            (r#"{"lines": "one\ntwo"}"#, "one\ntwo", true),
            (nested.as_str(), "münchen", true),
            (nested.as_str(), r#"say "hi""#, true),
            // No escapes of JSON.
            (r#"{"pattern": "\\d+ \ud83d \u12"}"#, r"\d+", true),
            (r"\", "x", false),
            (r"\u", "u", true),
        ] {
            assert_eq!(contains(json, wanted), is_there, "{json} {wanted}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_text_is_found_wherever_it_is_a_value(text in "\\PC{1,8}", depth in 0..3) {
            let mut json = serde_json::to_string(&[&text]).unwrap();
            for _ in 0..depth {
                json = serde_json::to_string(&[&json]).unwrap();
            }
            proptest::prop_assert!(contains(&json, &text.to_lowercase()), "{json}");
        }

        #[test]
        fn any_text_is_decoded(text in "[\\\\u0-9a-fd\"é]{0,24}") {
            unescaped(&text);
        }
    }
}
