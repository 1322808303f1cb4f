//! Places of a result that only repeat an argument of its own call, found in its text without reading the rest.

use std::borrow::Cow;
use std::collections::HashMap;

use memchr::memmem;
use schemascope_json::{Cursor, range_within, unescaped};
use schemascope_model::Echo;
use serde_json::Value;

use crate::path;
use crate::scalars::{self, MAX_DEPTH};
use crate::session::MAX_ECHOES;
use crate::window::MAX_VALUES;

/// Number of arguments up to which they are looked for one by one.
const MAX_WANTED: usize = 64;

/// Finds the echoes of a call's arguments in the JSON text of its result. `weak` arguments, which many fields have by
/// accident, are looked for only if asked. `None` if the text must be read to know, as with characters in escapes.
pub(crate) fn find(json: &str, arguments: &Value, weak: bool) -> Option<Vec<Echo>> {
    let mut wanted: HashMap<String, Box<str>> = HashMap::new();
    scalars::each(arguments, MAX_VALUES, &mut |value| {
        if weak || !scalars::is_weak(value.text, value.number) {
            wanted.insert(value.text.to_owned(), value.path.into());
        }
    });
    let is_plain =
        |text: &String| text.bytes().all(|byte| matches!(byte, b' '..=b'~') && !br#""\"#.contains(&byte));
    let hides = json.contains("\\u") || json.contains("\\/");
    if hides || wanted.len() > MAX_WANTED || !wanted.keys().all(is_plain) {
        return None;
    }
    let mut hits: Vec<usize> = Vec::new();
    for text in wanted.keys() {
        let places =
            memmem::find_iter(json.as_bytes(), text).filter(|at| is_scalar(json.as_bytes(), *at, text));
        hits.extend(places.take(MAX_VALUES));
    }
    if hits.len() >= MAX_VALUES {
        return None;
    }
    hits.sort_unstable();
    let mut walk = Walk { json, wanted: &wanted, hits: &hits, path: String::new(), found: Vec::new() };
    if !hits.is_empty() {
        walk.value(json.trim_ascii(), 0)?;
    }
    walk.found.sort();
    Some(walk.found)
}

/// Whether a value that an argument had, too, is only repeated. One that many fields have is found in rows of a list by
/// accident, unless they have the argument under its own name: `find_airport(city)` gives `airports[].city`.
pub(crate) fn repeats(output: &str, input: &str, weak: bool) -> bool {
    !weak || !output.contains("[]") || path::same_name(output, input)
}

/// Whether a place of a JSON text is a whole string or number.
fn is_scalar(json: &[u8], at: usize, text: &str) -> bool {
    let before = at.checked_sub(1).and_then(|at| json.get(at)).copied();
    let after = json.get(at + text.len()).copied();
    match (before, after) {
        (Some(b'"'), Some(b'"')) => true,
        (before, after) => {
            before.is_none_or(|byte| matches!(byte, b':' | b',' | b'[') || byte.is_ascii_whitespace())
                && after.is_none_or(|byte| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace())
        }
    }
}

struct Walk<'a> {
    json: &'a str,
    wanted: &'a HashMap<String, Box<str>>,
    /// Where wanted values are, in order.
    hits: &'a [usize],
    path: String,
    found: Vec<Echo>,
}

impl Walk<'_> {
    fn has_hit(&self, part: &str) -> bool {
        let range = range_within(self.json.as_bytes(), part);
        let next = self.hits.partition_point(|hit| *hit < range.start);
        self.hits.get(next).is_some_and(|hit| *hit < range.end)
    }

    fn scalar(&mut self, text: &str, number: bool) {
        let Some(input) = self.wanted.get(text) else { return };
        if !repeats(&self.path, input, scalars::is_weak(text, number)) {
            return;
        }
        let echo = Echo { output: self.path.as_str().into(), input: input.clone() };
        if self.found.len() < MAX_ECHOES && !self.found.contains(&echo) {
            self.found.push(echo);
        }
    }

    /// Looks at a value that has a hit. `None` if the text is no JSON.
    fn value(&mut self, text: &str, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH || self.path.len() > path::MAX_PATH {
            return Some(());
        }
        let end = self.path.len();
        match text.as_bytes().first()? {
            b'{' => self.object(text, depth)?,
            b'[' => {
                self.path.push_str("[]");
                Cursor::of(text).items(|cursor| {
                    let item = cursor.value()?;
                    if self.has_hit(item) { self.value(item, depth + 1) } else { Some(()) }
                })?;
            }
            b'"' => self.scalar(text.strip_prefix('"')?.strip_suffix('"')?, false),
            _ => self.scalar(text, true),
        }
        self.path.truncate(end);
        Some(())
    }

    fn object(&mut self, text: &str, depth: usize) -> Option<()> {
        let members = members(text)?;
        let end = self.path.len();
        let keys = members.iter().map(|(key, _)| &**key);
        let is_map = scalars::is_map(keys, || have_equal_keys(members.iter().map(|(_, value)| *value)));
        if is_map {
            self.path.push_str("{key}");
            if self.path.len() <= path::MAX_PATH {
                members.iter().for_each(|(key, _)| self.scalar(key, false));
            }
            self.path.truncate(end);
            self.path.push_str("{}");
        }
        for (key, value) in members.iter().filter(|(_, value)| self.has_hit(value)).collect::<Vec<_>>() {
            if is_map {
                self.value(value, depth + 1)?;
            } else if key.len() <= path::MAX_NAME {
                path::push_name(&mut self.path, key);
                self.value(value, depth + 1)?;
                self.path.truncate(end);
            }
        }
        self.path.truncate(end);
        Some(())
    }
}

fn members(text: &str) -> Option<Vec<(Cow<'_, str>, &str)>> {
    let mut members = Vec::new();
    Cursor::of(text).members(|key, cursor| {
        members.push((unescaped(key), cursor.value()?));
        Some(())
    })?;
    Some(members)
}

/// Whether all values are objects with the keys of the first.
fn have_equal_keys<'a>(mut values: impl Iterator<Item = &'a str>) -> bool {
    fn keys(text: &str) -> Option<Vec<Cow<'_, str>>> {
        let mut keys: Vec<_> = members(text)?.into_iter().map(|(key, _)| key).collect();
        keys.sort_unstable();
        keys.dedup();
        Some(keys)
    }
    let Some(first) = values.next().and_then(keys).filter(|keys| !keys.is_empty()) else { return false };
    values.all(|other| keys(other).is_some_and(|other| other == first))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use schemascope_model::CallId;
    use serde_json::json;

    use super::*;
    use crate::window::{Observed, Windows};

    /// Echoes of a call as they are found by reading its result.
    fn read(document: &Value, arguments: &Value) -> Vec<Echo> {
        let mut windows = Windows::new((1, 2));
        let call = Observed {
            id: CallId::from_bytes([1; 16]),
            session: "s",
            stateless: false,
            tool: "a__b",
            start: 1,
            end: 2,
            arguments,
            result: Some(document),
        };
        windows.observe(&call).echoes
    }

    fn document() -> impl Strategy<Value = Value> {
        let scalar = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (0_u32..40).prop_map(Value::from),
            "(ord_[0-9]|[a-c]{1,3}|17|x y|a\"b|)".prop_map(Value::from),
        ];
        scalar.prop_recursive(4, 60, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec(("(id|name|ord_[0-9]|17|a b|a\\\\b)", inner), 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn echoes_in_text_are_those_of_the_read_result(
            document in document(),
            arguments in prop::collection::vec("(ord_[0-9]|[a-c]{1,3}|17|3|2[0-9]|x y)", 1..5),
            pretty in any::<bool>(),
        ) {
            let text = if pretty { format!("{document:#}") } else { document.to_string() };
            let (list, more) = arguments.split_at(arguments.len() / 2);
            let arguments = json!({"list": list, "more": more});
            prop_assert_eq!(find(&text, &arguments, true), Some(read(&document, &arguments)), "{}", text);
        }
    }

    #[test]
    fn text_that_hides_characters_or_is_no_json_is_read_in_whole() {
        let found = |text: &str, argument: &str| find(text, &json!({"id": argument}), true);
        assert_eq!(found(r#"{"a":"\u006frd_1"}"#, "ord_1"), None);
        assert_eq!(found(r#"{"a":"a\/b"}"#, "a/b"), None);
        assert_eq!(found(r#"{"a":"\"b"}"#, "\"b"), None);
        assert_eq!(found(r#"{"a":"ord_1""#, "ord_1"), None);
        assert_eq!(found(r#"{"a":"ord_12"}"#, "ord_1"), Some(Vec::new()));
    }
}
