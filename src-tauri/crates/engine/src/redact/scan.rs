//! One pass over JSON that copies what may stay and replaces what may not.

use std::borrow::Cow;

use schemascope_model::{Marker, Redacted};
use serde::de::IgnoredAny;

use super::keys::{Known, is_telling};

/// What the first character of a marker begins with.
const MARK: u8 = 0xE2;
/// How often a string may hold JSON that holds a string that holds JSON. Deeper ones are replaced as a
/// whole: nobody can say what is in them.
const MAX_NESTING: usize = 6;

/// Whether markers in the input are ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Somebody else's text: what looks like a marker is a string and becomes the marker of one, or an
    /// upstream could pass a string off as a number.
    Foreign,
    /// Our own export, redacted before.
    Own,
}

/// A redacted document and how many values were replaced; none when nothing had to be.
pub(crate) fn redact(json: &str, trust: Trust) -> Option<(String, u64)> {
    Scan { json, trust, nesting: 0, out: String::new(), copied: 0, replaced: 0 }.run()
}

struct Scan<'a> {
    json: &'a str,
    trust: Trust,
    nesting: usize,
    out: String,
    /// Everything before this is in `out`, once there is an `out`.
    copied: usize,
    replaced: u64,
}

/// An open object or array.
struct Open {
    object: bool,
    /// Everything inside is secret.
    secret: bool,
}

impl<'a> Scan<'a> {
    /// The input is JSON; what is not is copied as it is.
    fn run(mut self) -> Option<(String, u64)> {
        let bytes = self.json.as_bytes();
        let mut open: Vec<Open> = Vec::new();
        let mut known = Known::new();
        let (mut at_key, mut secret) = (false, false);
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'"' => {
                    let end = string_end(bytes, at);
                    let json: &'a str = self.json;
                    let text = &json[at..end];
                    if at_key {
                        let inherited = open.last().is_some_and(|open| open.secret);
                        secret = inherited || known.answer(text, || is_telling(&unescaped(text)));
                        at_key = false;
                    } else {
                        self.string(at, end, secret);
                    }
                    at = end;
                }
                b'{' | b'[' => {
                    let object = *byte == b'{';
                    open.push(Open { object, secret });
                    at_key = object;
                    at += 1;
                }
                b'}' | b']' => {
                    open.pop();
                    // What comes next, in NDJSON, is another document.
                    secret = open.last().is_some_and(|open| open.secret);
                    at += 1;
                }
                b',' => {
                    let inside = open.last();
                    at_key = inside.is_some_and(|open| open.object);
                    secret = inside.is_some_and(|open| open.secret);
                    at += 1;
                }
                b'-' | b'0'..=b'9' => {
                    let end = number_end(bytes, at);
                    if secret {
                        let integer = self.json[at..end].parse::<i64>().is_ok()
                            || self.json[at..end].parse::<u64>().is_ok();
                        let kind = if integer { Redacted::Integer } else { Redacted::Number };
                        self.replace(at, end, &Marker(kind).to_string());
                    }
                    at = end;
                }
                _ => at += 1,
            }
        }
        (self.replaced > 0).then(|| {
            self.out.push_str(&self.json[self.copied..]);
            (self.out, self.replaced)
        })
    }

    fn string(&mut self, start: usize, end: usize, secret: bool) {
        let quoted = &self.json[start..end];
        // Cheap looks first: most strings are neither secret nor JSON nor markers.
        let (mut brackets, mut marks) = (false, false);
        for byte in quoted.bytes() {
            brackets |= byte == b'{' || byte == b'[';
            marks |= byte == MARK || byte == b'\\';
        }
        let maybe_json = brackets && quoted.len() > 4;
        let maybe_marker = marks && (quoted.contains('⟦') || quoted.contains("\\u27"));
        if !secret && !maybe_json && !maybe_marker {
            return;
        }
        let text = unescaped(quoted);
        let is_marker = maybe_marker && text.parse::<Marker>().is_ok();
        if is_marker && self.trust == Trust::Own {
            return;
        }
        let is_json = !secret && maybe_json && is_json(&text);
        if secret || is_marker || is_json && self.nesting == MAX_NESTING {
            let marker = Marker(Redacted::String(text.chars().count()));
            self.replace(start, end, &marker.to_string());
        } else if is_json {
            let (trust, nesting) = (self.trust, self.nesting + 1);
            let inner = Scan { json: &text, trust, nesting, out: String::new(), copied: 0, replaced: 0 };
            if let Some((redacted, replaced)) = inner.run() {
                self.replace(start, end, &redacted);
                self.replaced += replaced - 1;
            }
        }
    }

    /// Puts a string in the place of a value.
    fn replace(&mut self, start: usize, end: usize, text: &str) {
        self.out.push_str(&self.json[self.copied..start]);
        self.out.push_str(&serde_json::Value::from(text).to_string());
        self.copied = end;
        self.replaced += 1;
    }
}

/// Whether a text is JSON that may hold fields: one value or several after one another, as in NDJSON.
fn is_json(text: &str) -> bool {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>().peekable();
    text.trim_start().starts_with(['{', '[', '"'])
        && values.peek().is_some()
        && values.all(|value| value.is_ok())
}

/// Just behind the closing quote of the string that opens at `start`.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += found + 1;
        if bytes[at - 1] == b'"' {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

fn number_end(bytes: &[u8], start: usize) -> usize {
    let inside = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    bytes[start..].iter().position(|byte| !inside(byte)).map_or(bytes.len(), |length| start + length)
}

/// What a quoted string says. One that serde cannot read (a lone surrogate) is taken as it stands.
fn unescaped(quoted: &str) -> Cow<'_, str> {
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
    use serde_json::Value;

    use super::*;

    #[track_caller]
    fn check(json: &str, expect: &str, replaced: u64) {
        assert_eq!(redact(json, Trust::Foreign), Some((expect.to_owned(), replaced)), "{json}");
        assert!(serde_json::from_str::<IgnoredAny>(expect).is_ok(), "{expect}");
    }

    #[test]
    fn secrets_are_replaced_and_nothing_else_changes() {
        check(
            r#"{ "a":1.10, "password" : "hunter2","b":1E5,"b":"\u00e9"}"#,
            r#"{ "a":1.10, "password" : "⟦redacted string 7⟧","b":1E5,"b":"\u00e9"}"#,
            1,
        );
        check(
            r#"{"pin_token":1234,"x_token":1.5,"y_token":null,"z_token":true}"#,
            r#"{"pin_token":"⟦redacted integer⟧","x_token":"⟦redacted number⟧","y_token":null,"z_token":true}"#,
            2,
        );
        check(
            r#"[{"credentials":{"user":"u","list":["a",{"b":2}]},"user":"u"}]"#,
            r#"[{"credentials":{"user":"⟦redacted string 1⟧","list":["⟦redacted string 1⟧",{"b":"⟦redacted integer⟧"}]},"user":"u"}]"#,
            3,
        );
        check(r#"{"p\u0061ssword":"é\n"}"#, r#"{"p\u0061ssword":"⟦redacted string 2⟧"}"#, 1);
    }

    #[test]
    fn json_in_text_is_looked_into() {
        check(
            r#"{"content":[{"type":"text","text":"{\"token\":\"abc\",\"n\":1.10}"}]}"#,
            r#"{"content":[{"type":"text","text":"{\"token\":\"⟦redacted string 3⟧\",\"n\":1.10}"}]}"#,
            1,
        );
        check(
            r#"{"text":"{\"token\":\"abc\"}\n{\"id\":2,\"name\":\"x\"}"}"#,
            r#"{"text":"{\"token\":\"⟦redacted string 3⟧\"}\n{\"id\":2,\"name\":\"x\"}"}"#,
            1,
        );
        check(
            r#"{"text":"{\"token\":\"abc\"}\n{\"token\":\"de\"}\n"}"#,
            r#"{"text":"{\"token\":\"⟦redacted string 3⟧\"}\n{\"token\":\"⟦redacted string 2⟧\"}\n"}"#,
            2,
        );
    }

    /// Text in text in text: looked into as long as that is sensible, then replaced as a whole.
    #[test]
    fn nesting_hides_nothing() {
        let mut json = r#"{"secret":"planted"}"#.to_owned();
        for _ in 0..10 {
            let (redacted, _) = redact(&json, Trust::Foreign).unwrap();
            assert!(!redacted.contains("planted"), "{redacted}");
            json = Value::from(json).to_string();
        }
    }

    #[test]
    fn what_has_no_secrets_is_left_alone() {
        for json in [
            "{}",
            "[]",
            "1",
            r#""password""#,
            r#"{"a":"password","text":"{\"a\":1}","broken":"{\"token\":"}"#,
        ] {
            assert_eq!(redact(json, Trust::Foreign), None, "{json}");
        }
    }

    #[test]
    fn a_forged_marker_is_a_string() {
        check(r#"{"n":"⟦redacted integer⟧"}"#, r#"{"n":"⟦redacted string 18⟧"}"#, 1);
        check(r#"{"n":"\u27e6redacted integer\u27E7"}"#, r#"{"n":"⟦redacted string 18⟧"}"#, 1);
        assert_eq!(redact(r#"{"n":"⟦redacted integer⟧"}"#, Trust::Own), None);
    }

    #[test]
    fn a_million_levels_are_survived() {
        let deep = format!("{}{{\"token\":\"x\"}}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
        assert_eq!(redact(&deep, Trust::Foreign).map(|(_, replaced)| replaced), Some(1));
    }

    fn document() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<i32>().prop_map(Value::from),
            any::<bool>().prop_map(Value::from),
            Just(Value::Null),
            ".{0,8}".prop_map(Value::from),
            Just(Value::from("needle"))
        ];
        leaf.prop_recursive(4, 30, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("a|b|password|access_token|\"\\\\", inner.clone(), 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
                inner.prop_map(|value| Value::from(value.to_string())),
            ]
        })
    }

    /// Whether "needle" stands under a telling key, looked for in the plain tree.
    fn leaks(value: &Value, secret: bool) -> bool {
        match value {
            Value::Object(map) => map.iter().any(|(key, value)| leaks(value, secret || is_telling(key))),
            Value::Array(items) => items.iter().any(|item| leaks(item, secret)),
            Value::String(text) => secret && text.parse::<Marker>().is_err(),
            Value::Number(_) => secret,
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn nothing_under_a_telling_key_stays(document in document()) {
            let json = document.to_string();
            let (redacted, _) = redact(&json, Trust::Foreign).unwrap_or((json, 0));
            let parsed: Value = serde_json::from_str(&redacted).unwrap();
            prop_assert!(!leaks(&parsed, false), "{}", redacted);
            prop_assert_eq!(redact(&redacted, Trust::Own), None);
        }

        #[test]
        fn foreign_text_never_crashes(text in ".{0,60}", json in "[\\[\\]{}\":,\\\\a-c0-9 ]{0,60}") {
            let _ = redact(&text, Trust::Foreign);
            let _ = redact(&json, Trust::Own);
        }
    }
}
