//! The values of a document with their paths, and the parts of texts that may be ids.

use std::fmt::Write;

use serde_json::{Map, Value};

use crate::path;

/// Depth at which a document is no longer followed.
pub(crate) const MAX_DEPTH: usize = 64;
/// Length of a text up to which its parts are read, in bytes.
const MAX_TEXT: usize = 32_768;
/// Number of parts that are read of one text.
const MAX_PARTS: usize = 512;

/// One value of a document.
pub(crate) struct Scalar<'a> {
    /// Path without positions and keys of maps.
    pub(crate) path: &'a str,
    /// The value as text: 7 and "7" have the same.
    pub(crate) text: &'a str,
    pub(crate) number: bool,
    /// Whether it is the key of a map.
    pub(crate) key: bool,
}

/// Calls `visit` for every value, at most `limit` times. Returns the number of values that were left out because of the
/// limit.
pub(crate) fn each(value: &Value, limit: usize, visit: &mut dyn FnMut(&Scalar<'_>)) -> usize {
    let mut walk = Walk { path: String::new(), number: String::new(), left: limit, left_out: 0, visit };
    walk.value(value, 0);
    walk.left_out
}

/// Returns the number of values in a value, without keys of maps.
fn count(value: &Value, depth: usize) -> usize {
    match value {
        _ if depth > MAX_DEPTH => 0,
        Value::Null | Value::Bool(_) => 0,
        Value::Number(_) => 1,
        Value::String(text) => usize::from(!text.is_empty()),
        Value::Array(items) => items.iter().map(|item| count(item, depth + 1)).sum(),
        Value::Object(members) => members.values().map(|own| count(own, depth + 1)).sum(),
    }
}

struct Walk<'v> {
    /// Path of the present value. It is one buffer, because most of the time would go into copies of it.
    path: String,
    number: String,
    left: usize,
    left_out: usize,
    visit: &'v mut dyn FnMut(&Scalar<'_>),
}

impl Walk<'_> {
    fn scalar(&mut self, text: &str, number: bool, key: bool) {
        if self.left > 0 {
            self.left -= 1;
            (self.visit)(&Scalar { path: &self.path, text, number, key });
        } else {
            self.left_out += 1;
        }
    }

    fn value(&mut self, value: &Value, depth: usize) {
        if self.left == 0 {
            self.left_out += count(value, depth);
            return;
        }
        if depth > MAX_DEPTH || self.path.len() > path::MAX_PATH {
            return;
        }
        let end = self.path.len();
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) => {
                let mut text = std::mem::take(&mut self.number);
                text.clear();
                // Writing to a string cannot fail.
                let _ = write!(text, "{number}");
                self.scalar(&text, true, false);
                self.number = text;
            }
            Value::String(text) if text.is_empty() => {}
            Value::String(text) => self.scalar(text, false, false),
            Value::Array(items) => {
                self.path.push_str("[]");
                for item in items {
                    self.value(item, depth + 1);
                }
            }
            Value::Object(members) if is_map_object(members) => {
                self.path.push_str("{key}");
                let has_path = self.path.len() <= path::MAX_PATH;
                for key in members.keys().filter(|_| has_path) {
                    self.scalar(key, false, true);
                }
                self.path.truncate(end);
                self.path.push_str("{}");
                for own in members.values() {
                    self.value(own, depth + 1);
                }
            }
            Value::Object(members) => {
                for (key, own) in members.iter().filter(|(key, _)| key.len() <= path::MAX_NAME) {
                    path::push_name(&mut self.path, key);
                    self.value(own, depth + 1);
                    self.path.truncate(end);
                }
            }
        }
        self.path.truncate(end);
    }
}

fn is_map_object(members: &Map<String, Value>) -> bool {
    is_map(members.keys().map(String::as_str), || {
        let mut values = members.values();
        let first = values.next().and_then(Value::as_object);
        first.is_some_and(|first| {
            !first.is_empty()
                && values.all(|other| {
                    other.as_object().is_some_and(|other| {
                        other.len() == first.len() && other.keys().all(|key| first.contains_key(key))
                    })
                })
        })
    })
}

/// Whether the keys of an object are data: they look like ids, or all members are objects with the same keys.
pub(crate) fn is_map<'k>(
    mut keys: impl ExactSizeIterator<Item = &'k str>,
    have_equal_keys: impl FnOnce() -> bool,
) -> bool {
    let looks_like_data = |key: &str| {
        key.len() > 48
            || key.chars().any(|c| !(c.is_alphabetic() || c == '_' || c == '$' || c == '-'))
                && !is_numbered(key)
            || (key.len() <= 3 && key.chars().all(char::is_uppercase))
    };
    let count = keys.len();
    count > 0 && (keys.all(looks_like_data) || (count >= 3 && have_equal_keys()))
}

/// Whether a key is a name with a number, as in `line1`.
fn is_numbered(key: &str) -> bool {
    let name = key.trim_end_matches(|c: char| c.is_ascii_digit());
    name.len() < key.len()
        && key.len() - name.len() <= 2
        && name.len() > 2
        && name.chars().all(|c| c.is_lowercase() || c == '_')
}

/// Whether a value is of a kind that many fields have by accident.
pub(crate) fn is_weak(text: &str, number: bool) -> bool {
    let plain = text.strip_prefix('-').unwrap_or(text);
    let is_decimal = || plain.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if number || is_decimal() {
        return plain.len() < 4
            || plain.contains('.') && plain.bytes().filter(u8::is_ascii_digit).count() < 4
            || (plain.len() == 4 && (plain.starts_with("19") || plain.starts_with("20")));
    }
    text.len() <= 3
        || !text.bytes().any(|byte| byte.is_ascii_alphanumeric() || byte >= 128)
        || (text.len() <= 8 && text.bytes().all(|byte| byte.is_ascii_alphabetic()))
        || is_date(text)
}

fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 10
        && bytes
            .iter()
            .enumerate()
            .all(|(at, byte)| if at == 4 || at == 7 { *byte == b'-' } else { byte.is_ascii_digit() })
}

/// Whether a text may have parts that are ids.
pub(crate) fn has_parts(text: &str) -> bool {
    let is_time =
        text.len() <= 35 && text.get(..10).is_some_and(is_date) && text[10..].starts_with(['T', ' ']);
    if is_time {
        return false;
    }
    text.contains(|c: char| c.is_whitespace() || matches!(c, '/' | ':' | '#' | '=' | '?' | '|' | ','))
        || is_hash(text)
}

/// Whether a text is an absolute path of a file.
fn is_file_path(text: &str) -> bool {
    text.starts_with(['/', '~']) && !text.starts_with("//") && !text.contains(['?', '&'])
}

fn is_hash(text: &str) -> bool {
    text.len() >= 20 && text.len() <= 128 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Calls `visit` for every part of a text that may be an id: words with digits or signs inside, ends of
/// paths, short forms of hashes. Never the whole text.
pub(crate) fn parts(text: &str, visit: &mut dyn FnMut(&str)) {
    let mut left = MAX_PARTS;
    let mut give = |part: &str| {
        let useful = part.len() >= 2 || part.bytes().all(|byte| byte.is_ascii_digit());
        let id = part.contains(|c: char| c.is_ascii_digit() || matches!(c, '/' | '_' | '-' | '@'))
            || (part.len() >= 3 && part.contains('.'));
        if left > 0 && !part.is_empty() && useful && id && part != text {
            left -= 1;
            visit(part);
        }
    };
    if is_hash(text) {
        for length in 7..=12 {
            give(&text[..length]);
        }
        return;
    }
    let end = (0..=MAX_TEXT.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let text = &text[..end];
    let cut = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '"' | '\'' | '`' | '<' | '>' | '(' | ')' | '[' | ']' | '{' | '}' | '=' | '|' | ',' | ';'
            )
    };
    let edge = |c: char| matches!(c, '.' | ':' | '!' | '?' | '#' | '@' | '*' | '-' | '+');
    for word in text.split(cut) {
        let whole = word.trim_matches(edge);
        give(whole);
        let mut rest = whole;
        for _ in 0..6 {
            let Some(at) = rest.find(['/', '?', '#', '&', ':']) else { break };
            let segment = &rest[..at];
            // The folders of a path on a disk identify nothing; the end of the path does.
            if !segment.is_empty() && rest.len() != whole.len() && !is_file_path(whole) {
                give(segment);
            }
            rest = rest[at + 1..].trim_start_matches('/');
            if rest.is_empty() {
                break;
            }
            give(rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn paths(value: &Value) -> Vec<String> {
        let mut found = Vec::new();
        each(value, 100, &mut |scalar| found.push(format!("{}={}", scalar.path, scalar.text)));
        found
    }

    #[test]
    fn each_visits_lists_and_keys_of_maps() {
        let value = json!({"o": [{"id": 7}], "m": {"ST-04": {"n": 1}, "ST-05": {"n": 2}}});
        assert_eq!(paths(&value), ["o[].id=7", "m{key}=ST-04", "m{key}=ST-05", "m{}.n=1", "m{}.n=2"]);
        assert_eq!(paths(&json!({"line1": "x", "line2": "y"})), ["line1=x", "line2=y"]);
    }

    #[test]
    fn parts_of_a_text_are_its_ids() {
        let found = |text| {
            let mut found = Vec::new();
            parts(text, &mut |part| found.push(part.to_owned()));
            found
        };
        assert!(found("Created issue PROJ-17.").contains(&"PROJ-17".to_owned()));
        assert!(found("https://t.example/browse/OPS-3").contains(&"OPS-3".to_owned()));
        assert!(found("--- a/src/net/x.rs").contains(&"src/net/x.rs".to_owned()));
        assert!(found("[main 1a2b3c4d] fix").contains(&"1a2b3c4d".to_owned()));
        assert!(found("0123456789abcdef0123456789abcdef01234567").contains(&"01234567".to_owned()));
        assert!(found("no ids in here").is_empty());
        let of_file = found("/srv/data2/repo/x1.txt");
        assert!(
            of_file.contains(&"x1.txt".to_owned()) && !of_file.contains(&"data2".to_owned()),
            "{of_file:?}"
        );
        assert!(found("/api/issues/OPS-3/notes?page=2").contains(&"OPS-3".to_owned()));
    }
}
