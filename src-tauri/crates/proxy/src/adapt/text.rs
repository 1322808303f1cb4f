//! Structure in the text of a result: JSON, and the form `METADATA: {…}`, blank line, body.
//!
//! JSON in text is returned as written, so numbers keep their text.

use std::borrow::Cow;
use std::fmt;

use schemascope_textform::{list_of_blocks, read_blocks};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// All text blocks, each as a JSON string.
pub(super) struct Text<'a> {
    first: &'a str,
    more: Vec<&'a str>,
}

impl<'a> Text<'a> {
    /// Returns `None` without blocks.
    pub(super) fn of(mut blocks: impl Iterator<Item = &'a str>) -> Option<Self> {
        Some(Self { first: blocks.next()?, more: blocks.collect() })
    }

    /// Number of bytes of the text, without the backslashes that JSON adds to it.
    pub(super) fn bytes(&self) -> usize {
        let bytes = |quoted: &str| {
            let (written, mut escapes, mut at) = (body(quoted).as_bytes(), 0, 0);
            while let Some(found) = memchr::memchr(b'\\', written.get(at..).unwrap_or_default()) {
                (escapes, at) = (escapes + 1, at + found + 2);
            }
            written.len() - escapes
        };
        std::iter::once(&self.first).chain(&self.more).map(|quoted| bytes(quoted)).sum()
    }

    /// The whole text as one JSON string.
    pub(super) fn quoted(&self) -> Cow<'a, str> {
        if self.more.is_empty() {
            return self.first.into();
        }
        let bodies = std::iter::once(&self.first).chain(&self.more).map(|quoted| body(quoted));
        format!("\"{}\"", bodies.collect::<String>()).into()
    }

    /// Whether it is white space only.
    pub(super) fn is_blank(&self) -> bool {
        self.more.is_empty()
            && serde_json::from_str::<String>(self.first).is_ok_and(|text| text.trim().is_empty())
    }

    /// The list of all blocks, if there are several and each is JSON.
    pub(super) fn list(&self) -> Option<String> {
        if self.more.is_empty() {
            return None;
        }
        let texts = self.texts()?;
        let blocks: Vec<&str> = texts.iter().map(String::as_str).collect();
        list_of_blocks(&blocks).map(|found| found.json.into_owned()).filter(|json| is_json(json))
    }

    /// The JSON in the text: in the first block, else in all blocks together.
    pub(super) fn json(&self) -> Option<String> {
        let json = |quoted: &str| {
            let text: String =
                may_be_json(body(quoted)).then(|| serde_json::from_str(quoted).ok()).flatten()?;
            is_json(&text).then_some(text)
        };
        let all = || (!self.more.is_empty()).then(|| json(&self.quoted())).flatten();
        json(self.first).or_else(all)
    }

    /// Structure in text that is not JSON: a Python literal, YAML and the like. The blocks are read one by one, since
    /// a server separates what belongs apart.
    pub(super) fn structure(&self) -> Option<String> {
        let texts = self.texts()?;
        if let [text] = &texts[..] {
            return schemascope_textform::read(text).map(|found| found.json.into_owned());
        }
        let blocks: Vec<&str> = texts.iter().map(String::as_str).collect();
        read_blocks(&blocks).map(|found| found.json.into_owned())
    }

    fn texts(&self) -> Option<Vec<String>> {
        std::iter::once(&self.first)
            .chain(&self.more)
            .map(|quoted| serde_json::from_str(quoted).ok())
            .collect()
    }

    /// The object and the body, as JSON, of `METADATA: {…}`, blank line, body.
    pub(super) fn metadata(&self) -> Option<(String, String)> {
        // Few texts begin like this, and a text may be large.
        body(self.first).starts_with("METADATA:").then_some(())?;
        let all: String = serde_json::from_str(&self.quoted()).ok()?;
        let rest = all.strip_prefix("METADATA:")?.trim_ascii_start();
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
        let object = values.next()?.ok()?.get();
        let after = &rest[values.byte_offset()..];
        let body = skip_line_end(skip_line_end(after.trim_start_matches([' ', '\t']))?)?;
        let is_object = object.starts_with('{') && is_json(object);
        is_object.then(|| (object.to_owned(), serde_json::Value::from(body).to_string()))
    }
}

fn skip_line_end(text: &str) -> Option<&str> {
    text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n'))
}

/// The part of a JSON string between its quotes.
fn body(quoted: &str) -> &str {
    quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default()
}

/// Whether a text may be JSON, by its first character that is not white space.
fn may_be_json(mut body: &str) -> bool {
    loop {
        body = body.trim_ascii_start();
        match ["\\n", "\\r", "\\t"].iter().find_map(|escape| body.strip_prefix(escape)) {
            Some(rest) => body = rest,
            None => return body.starts_with(|c: char| c.is_ascii_digit() || "{[\\-tfn".contains(c)),
        }
    }
}

/// Whether a text is JSON that every client can read. Some clients reject the whole message because of a lone
/// surrogate, a number beyond the range of a double, or nesting deeper than 128 levels.
pub(super) fn is_json(text: &str) -> bool {
    serde_json::from_str::<Sound>(text).is_ok()
}

/// Parses every value and discards it.
struct Sound;

impl<'de> Deserialize<'de> for Sound {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Sound {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        while members.next_entry::<Self, Self>()?.is_some() {}
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn with<T>(bodies: &[&str], look: impl FnOnce(Text<'_>) -> T) -> T {
        let quoted: Vec<String> = bodies.iter().map(|body| format!("\"{body}\"")).collect();
        look(Text::of(quoted.iter().map(String::as_str)).unwrap())
    }

    #[test]
    fn json_is_found_in_first_block_or_in_all() {
        for (bodies, json) in [
            (&[r#"{\"a\":1.10}"#][..], Some(r#"{"a":1.10}"#)),
            (&[r"\n [1E5,\r\n 12345678901234567890] "], Some("[1E5,\r\n 12345678901234567890]")),
            (&[r#"\"text\""#], Some(r#""text""#)),
            (&["42"], Some("42")),
            (&["{}", "done"], Some("{}")),
            (&["[1,", "2]"], Some("[1,2]")),
            (&["done", "{}"], None),
            (&["1,", "2"], None),
            (&[""], None),
            (&["On branch main"], None),
            (&["{} trailing"], None),
            (&["1e999"], None),
            (&[r#"\"\\ud800\""#], None),
            (&[r#"\"\\ud83d\\ude00\""#], Some(r#""\ud83d\ude00""#)),
        ] {
            let found = with(bodies, |text| text.json());
            assert_eq!(found.as_deref().map(str::trim), json, "{bodies:?}");
        }
        let deep = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(with(&[&deep(100)], |text| text.json()).is_some());
        for levels in [200, 1_000_000] {
            assert_eq!(with(&[&deep(levels)], |text| text.json()), None);
        }
    }

    #[test]
    fn several_json_blocks_are_a_list() {
        for (bodies, json) in [
            (&[r#"{\"a\":1.10}"#, r#"{\"a\":2}"#][..], Some(r#"[{"a":1.10},{"a":2}]"#)),
            (&["Found:", "{}", "{}"], Some("[{},{}]")),
            (&["{}"], None),
            (&["{}", "done"], None),
            (&["1e999", "1"], None),
        ] {
            assert_eq!(with(bodies, |text| text.list()).as_deref(), json, "{bodies:?}");
        }
    }

    #[test]
    fn metadata_needs_object_blank_line_and_body() {
        for (bodies, expect) in [
            (
                &[r#"METADATA: {\"n\":1.10}\n\nthe \"body\"\n"#][..],
                Some((r#"{"n":1.10}"#, r#""the \"body\"\n""#)),
            ),
            (&[r"METADATA:{\n}\r\n\r\nx"], Some(("{\n}", r#""x""#))),
            (&[r"METADATA: {}\n\n"], Some(("{}", r#""""#))),
            (&[r"METADATA: {}", r"\n\nx"], Some(("{}", r#""x""#))),
            (&[r"METADATA: {}\nx"], None),
            (&[r"METADATA: {}"], None),
            (&[r"METADATA: [1]\n\nx"], None),
            (&[r"METADATA: {\n\nx"], None),
            (&[r"metadata: {}\n\nx"], None),
        ] {
            let found = with(bodies, |text| text.metadata());
            let found = found.as_ref().map(|(object, body)| (object.as_str(), body.as_str()));
            assert_eq!(found, expect, "{bodies:?}");
        }
    }
}
