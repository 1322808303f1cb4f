//! Refusing what reading refuses, where nothing is read.
//!
//! A value that is not kept is skipped, and skipping is more tolerant than reading: it lets lone
//! surrogates and numbers beyond every float pass. Whether a document counts must not depend on what
//! is kept, so these are looked for first. Owns: that check, over documents that are JSON otherwise.
//! Refuses to know: structure beyond depth.

use crate::MAX_DEPTH;

/// What reading would refuse in a JSON text, if anything.
pub(crate) fn flaw(json: &[u8]) -> Option<&'static str> {
    let (mut at, mut open) = (0, 0_usize);
    while let Some(byte) = json.get(at) {
        match byte {
            b'{' | b'[' => open += 1,
            b'}' | b']' => open = open.saturating_sub(1),
            b'"' => {
                let (end, lone) = string(json, at);
                let is_key = json[end..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':');
                // An object at the last depth that is read has its keys read, not its values.
                if lone && (open < MAX_DEPTH || is_key && open == MAX_DEPTH) {
                    return Some("a lone surrogate in a string");
                }
                at = end;
                continue;
            }
            b'-' | b'0'..=b'9' => {
                let inside = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                let end =
                    json[at..].iter().position(|byte| !inside(byte)).map_or(json.len(), |length| at + length);
                let number =
                    std::str::from_utf8(&json[at..end]).ok().and_then(|text| text.parse::<f64>().ok());
                if open < MAX_DEPTH && number.is_some_and(f64::is_infinite) {
                    return Some("a number out of range");
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Just behind the string that opens at `start`, and whether it holds half of a surrogate pair.
fn string(json: &[u8], start: usize) -> (usize, bool) {
    let (mut at, mut lone) = (start + 1, false);
    while let Some(byte) = json.get(at) {
        match byte {
            b'"' => return (at + 1, lone),
            b'\\' if json.get(at + 1) == Some(&b'u') => match unit(json, at) {
                Some(0xD800..=0xDBFF) if matches!(unit(json, at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
                Some(0xD800..=0xDFFF) => {
                    lone = true;
                    at += 6;
                }
                _ => at += 6,
            },
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    (json.len(), lone)
}

/// The code unit of the escape at `at`, if there is one.
fn unit(json: &[u8], at: usize) -> Option<u16> {
    let escape = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(escape).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_reading() {
        let deep =
            |inner: &str, levels: usize| format!("{}{inner}{}", "[".repeat(levels), "]".repeat(levels));
        for json in [
            r#""\ud83d\ude00""#.to_owned(),
            r#""\ud83d""#.to_owned(),
            r#""\ude00 x""#.to_owned(),
            r#""\\ud83d""#.to_owned(),
            r#"{"\ud83dx":1}"#.to_owned(),
            r#"[1e308,-1e308,0e999,1E-999]"#.to_owned(),
            r#"{"a":[1e999]}"#.to_owned(),
            format!("[{}]", "9".repeat(400)),
            deep("1e999", MAX_DEPTH - 1),
            deep("1e999", MAX_DEPTH),
            deep(r#"{"\ud83d":1e999}"#, MAX_DEPTH - 1),
            deep(r#"{"\ud83d":1e999}"#, MAX_DEPTH),
            deep(r#"{"a":1e999}"#, MAX_DEPTH - 1),
        ] {
            let read = crate::Shape::new().observe(json.as_bytes());
            assert_eq!(read.is_err(), flaw(json.as_bytes()).is_some(), "{json}: {read:?}");
        }
    }
}
