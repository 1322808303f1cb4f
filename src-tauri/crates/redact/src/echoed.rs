//! A secret that was removed from one part of a call, in its other parts: an error that repeats the password, or a result
//! with the headers that were sent.

use aho_corasick::{AhoCorasick, MatchKind};
use schemascope_json::{quoted_end, splice_text};
use schemascope_model::{Marker, Redacted};
use serde_json::Value;

use crate::MARKER;
use crate::finders::{is_auth_scheme, is_plausible_under_ambiguous_key};

/// Longest part of a call whose secrets are noted, in bytes.
const MAX_BYTES: usize = 1 << 20;
/// Most secrets of a call.
const MAX_VALUES: usize = 64;
/// Shortest and longest secret that is looked for, in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 6..=4_096;

/// Secrets that were removed from parts of a call.
#[derive(Debug, Default)]
pub struct Removed(Vec<String>);

impl Removed {
    /// Notes what was removed from a JSON text. Words that anything may contain are left out.
    pub fn note(&mut self, before: &str, after: &str) {
        if before.len() > MAX_BYTES {
            return;
        }
        let (Ok(before), Ok(after)) = (serde_json::from_str(before), serde_json::from_str(after)) else {
            return;
        };
        let mut pairs: Vec<(Value, Value)> = vec![(before, after)];
        while let Some((before, after)) = pairs.pop() {
            match (before, after) {
                (Value::Object(before), Value::Object(mut after)) => {
                    pairs.extend(
                        before.into_iter().filter_map(|(key, value)| Some((value, after.remove(&key)?))),
                    );
                }
                (Value::Array(before), Value::Array(after)) => pairs.extend(before.into_iter().zip(after)),
                (Value::String(before), Value::String(after)) if before != after => {
                    self.note_parts(&before, &after);
                }
                _ => {}
            }
        }
    }

    /// Notes the parts of a text that markers stand for in another one.
    fn note_parts(&mut self, before: &str, after: &str) {
        let (mut rest, mut kept) = (before, after);
        while let Some(at) = kept.find(MARKER) {
            let Some(end) = kept[at..].find('⟧').map(|length| at + length + '⟧'.len_utf8()) else {
                return;
            };
            let Some(behind) = rest.get(at..).filter(|_| rest.starts_with(&kept[..at])) else { return };
            kept = &kept[end..];
            let next = &kept[..kept.find(MARKER).unwrap_or(kept.len())];
            let length = if next.is_empty() { Some(behind.len()) } else { behind.find(next) };
            let Some(value) = length.and_then(|length| behind.get(..length)) else { return };
            rest = &behind[value.len()..];
            // `Bearer x` is often repeated without its scheme.
            let scheme = value.split_once(' ').filter(|(scheme, _)| is_auth_scheme(scheme.as_bytes()));
            let value = scheme.map_or(value, |(_, token)| token);
            let is_secret =
                LENGTHS.contains(&value.len()) && is_plausible_under_ambiguous_key(value.as_bytes());
            if is_secret && self.0.len() < MAX_VALUES && !self.0.iter().any(|known| known == value) {
                self.0.push(value.to_owned());
            }
        }
    }

    /// A JSON text without these secrets, and the number of places where they stood. Names of members stay.
    pub fn without(&self, json: &str) -> Option<(String, u64)> {
        if self.0.is_empty() {
            return None;
        }
        let written = |value: &String| {
            let quoted = Value::from(value.as_str()).to_string();
            quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned()
        };
        let searched = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(self.0.iter().map(written))
            .ok()?;
        let (mut edits, mut at) = (Vec::new(), 0);
        let bytes = json.as_bytes();
        while let Some(start) = memchr::memchr(b'"', bytes.get(at..)?).map(|offset| at + offset) {
            at = quoted_end(bytes, start).span.end;
            if json.get(at..)?.trim_start().starts_with(':') {
                continue;
            }
            for found in searched.find_iter(json.get(start..at)?) {
                // The first character of an escape is none of the secret.
                let before = &bytes[start..start + found.start()];
                let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
                let Some(value) = self.0.get(found.pattern().as_usize()).filter(|_| backslashes % 2 == 0)
                else {
                    continue;
                };
                let marker = Marker(Redacted::String(value.chars().count())).to_string();
                edits.push((start + found.start()..start + found.end(), marker));
            }
        }
        let count = edits.len() as u64;
        (count > 0).then(|| (splice_text(json, &mut edits), count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_one_part_are_removed_from_others() {
        let mut removed = Removed::default();
        removed.note(
            r#"{"user":"ann","password":"Echoed_pw9x1","note":"as me:Curlpw_11xyz, now","n":1}"#,
            r#"{"user":"ann","password":"⟦redacted string 12⟧","note":"as me:⟦redacted string 12⟧, now","n":1}"#,
        );
        let result = r#"{"content":[{"type":"text","text":"Login of ann with Echoed_pw9x1 and {\"x\":\"Curlpw_11xyz\"}"}],"Echoed_pw9x1":1}"#;
        let (redacted, count) = removed.without(result).unwrap();
        assert_eq!(count, 2);
        assert_eq!(
            redacted,
            r#"{"content":[{"type":"text","text":"Login of ann with ⟦redacted string 12⟧ and {\"x\":\"⟦redacted string 12⟧\"}"}],"Echoed_pw9x1":1}"#
        );
        assert_eq!(removed.without(r#"{"a":"b"}"#), None);
        let mut removed = Removed::default();
        removed.note(r#""n1x2y3z""#, r#""⟦redacted string 7⟧""#);
        assert_eq!(removed.without(r#""a\n1x2y3z""#), None);
    }

    #[test]
    fn words_and_numbers_stay() {
        let mut removed = Removed::default();
        removed.note(
            r#"{"token":"production","password":"12345678","pin":"a1","secret":["x y 1"]}"#,
            r#"{"token":"⟦redacted string 10⟧","password":"⟦redacted string 8⟧","pin":"⟦redacted string 2⟧","secret":["⟦redacted string 5⟧"]}"#,
        );
        assert_eq!(removed.without(r#"["production 12345678 a1 x y 1", 12345678]"#), None);
        // What was written otherwise says nothing.
        removed.note("{", "[]");
        removed.note(r#""a ⟦redacted string 3⟧""#, r#""b ⟦redacted string 3⟧""#);
        assert_eq!(removed.without("[]"), None);
    }
}
