//! Which value a result teaches.
//!
//! Owns: the order in which a result is looked at. `structuredContent` if there is one; else the first
//! text block if it is JSON, or all text blocks together if they are; else the text as text. A result
//! without any of these, one that asks for input, and a task handle teach nothing. Refuses to know:
//! shapes and schemas.

mod cursor;

use std::borrow::Cow;
use std::ops::Range;

use schemascope_model::Carrier;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use cursor::Cursor;

/// The value a result teaches, as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation<'a> {
    /// How it was carried.
    pub carrier: Carrier,
    /// The value, as JSON text.
    pub json: Cow<'a, str>,
}

/// What a `result` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading<'a> {
    /// Whether it says of itself that it is an error.
    pub is_error: bool,
    /// What it teaches, if it is no error and teaches anything.
    pub observation: Option<Observation<'a>>,
    /// The string, as the result has it, that the observation's JSON is the text of; if it is of one.
    pub unescaped: Option<&'a str>,
}

/// An observation without its result, so that both can be moved; see [`Observation::detach`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detached {
    carrier: Carrier,
    json: Place,
}

/// Where an observation's JSON is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// In the result's text.
    Within(Range<usize>),
    /// In a text within, unescaped.
    Apart(Box<str>),
}

/// Reads a `result`. What is no object says nothing.
pub fn read(result: &RawValue) -> Reading<'_> {
    let members = Members::of(result);
    let is_error = members.is_error;
    let (observation, unescaped) = members.observation().unzip();
    Reading { is_error, observation, unescaped: unescaped.flatten() }
}

/// The observation in a `result`, if it teaches anything.
pub fn observe(result: &RawValue) -> Option<Observation<'_>> {
    read(result).observation
}

/// Whether a `result` says of itself that it is an error.
pub fn is_error(result: &RawValue) -> bool {
    Members::of(result).is_error
}

impl Observation<'_> {
    /// Lets go of the result it was read from.
    pub fn detach(self, result: &RawValue) -> Detached {
        let json = match self.json {
            Cow::Borrowed(json) => {
                let start = json.as_ptr().addr().saturating_sub(result.get().as_ptr().addr());
                Place::Within(start..start + json.len())
            }
            Cow::Owned(json) => Place::Apart(json.into()),
        };
        Detached { carrier: self.carrier, json }
    }
}

impl Detached {
    /// The observation again, given the result it was read from; none for another result.
    pub fn attach<'a>(&'a self, result: &'a RawValue) -> Option<Observation<'a>> {
        let json = match &self.json {
            Place::Within(range) => result.get().get(range.clone())?,
            Place::Apart(json) => json,
        };
        Some(Observation { carrier: self.carrier, json: json.into() })
    }
}

/// The members of a result that are looked at. Of those that are there twice the last counts.
#[derive(Default)]
struct Members<'a> {
    is_error: bool,
    asks: bool,
    is_task: bool,
    structured: Option<&'a str>,
    /// The texts of all text blocks, as they are written; none without `content`.
    texts: Option<Vec<&'a str>>,
}

impl<'a> Members<'a> {
    fn of(result: &'a RawValue) -> Self {
        let mut members = Self::default();
        let read = Cursor::new(result).members(|key, cursor| {
            match &*said(key)? {
                "isError" => members.is_error = cursor.value()? == "true",
                "resultType" => members.asks = cursor.value()? != "\"complete\"",
                "structuredContent" => members.structured = Some(cursor.value()?),
                "content" => members.texts = Some(texts(cursor)?),
                key => {
                    members.is_task |= key == "task";
                    cursor.value()?;
                }
            }
            Some(())
        });
        read.map_or_else(Self::default, |()| members)
    }

    /// What it teaches, and the string that is the text of.
    fn observation(self) -> Option<(Observation<'a>, Option<&'a str>)> {
        if self.is_error || self.asks || self.is_task {
            return None;
        }
        if let Some(value) = self.structured.filter(|value| *value != "null") {
            return Some((Observation { carrier: Carrier::Structured, json: value.into() }, None));
        }
        let mut texts: Vec<(&str, Cow<'_, str>)> =
            self.texts?.into_iter().filter_map(|written| Some((written, said(written)?))).collect();
        if is_json(&texts.first()?.1) {
            let (written, json) = texts.swap_remove(0);
            return Some((Observation { carrier: Carrier::JsonInText, json }, Some(written)));
        }
        if let [(written, _)] = texts[..] {
            return Some((Observation { carrier: Carrier::Text, json: written.into() }, None));
        }
        let all: String = texts.iter().map(|(_, text)| &**text).collect();
        let (carrier, json) = match is_json(&all) {
            true => (Carrier::JsonInText, all),
            false => (Carrier::Text, serde_json::Value::from(all).to_string()),
        };
        Some((Observation { carrier, json: json.into() }, None))
    }
}

/// The texts of all text blocks.
fn texts<'a>(content: &mut Cursor<'a>) -> Option<Vec<&'a str>> {
    let mut texts = Vec::new();
    if !content.is_array() {
        content.value()?;
        return Some(texts);
    }
    content.items(|block| {
        if !block.is_object() {
            return block.value().map(drop);
        }
        let (mut is_text, mut text, mut is_read) = (false, None, true);
        block.members(|key, cursor| {
            let value = cursor.value()?;
            match said(key).as_deref() {
                Some("type") => is_text = value == "\"text\"",
                Some("text") => text = Some(value),
                Some(_) => {}
                None => is_read = false,
            }
            Some(())
        })?;
        texts.extend(text.filter(|_| is_text && is_read));
        Some(())
    })?;
    Some(texts)
}

/// What a string says, borrowed where it has no escapes; none of another value, and of a string with half a
/// character.
fn said(written: &str) -> Option<Cow<'_, str>> {
    let inner = written.strip_prefix('"')?.strip_suffix('"')?;
    match inner.contains('\\') {
        true => serde_json::from_str(written).ok().map(Cow::Owned),
        false => Some(Cow::Borrowed(inner)),
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(result: &str, expect: Option<(Carrier, &str)>) {
        let raw = RawValue::from_string(result.to_owned()).unwrap();
        let found = observe(&raw);
        assert_eq!(found.as_ref().map(|found| (found.carrier, found.json.as_ref())), expect, "{result}");
        // What is taken apart and put together again is the same, wherever the result is then.
        let detached = found.clone().map(|found| found.detach(&raw));
        let moved = raw.clone();
        assert_eq!(detached.as_ref().and_then(|detached| detached.attach(&moved)), found);
    }

    #[test]
    fn a_result_is_looked_at_in_order() {
        use Carrier::{JsonInText, Structured, Text};
        check(r#"{"content":[],"structuredContent":{"n":1.10}}"#, Some((Structured, r#"{"n":1.10}"#)));
        check(
            r#"{"structuredContent":[1],"content":[{"type":"text","text":"{}"}]}"#,
            Some((Structured, "[1]")),
        );
        check(r#"{"content":[{"type":"text","text":" {\"a\":1E5} "}]}"#, Some((JsonInText, " {\"a\":1E5} ")));
        check(
            r#"{"content":[{"type":"text","text":"[1,"},{"type":"text","text":"2]"}]}"#,
            Some((JsonInText, "[1,2]")),
        );
        check(
            r#"{"content":[{"type":"image","data":""},{"type":"text","text":"{}"},{"type":"text","text":"done"}]}"#,
            Some((JsonInText, "{}")),
        );
        check(
            r#"{"content":[{"type":"text","text":"On branch \"main\""}]}"#,
            Some((Text, r#""On branch \"main\"""#)),
        );
        check(r#"{"content":[{"text":"{}","x":1,"type":"text"}],"content2":1}"#, Some((JsonInText, "{}")));
    }

    #[test]
    fn what_teaches_nothing() {
        check(r#"{"content":[]}"#, None);
        check(r#"{"content":[{"type":"image","data":"","mimeType":"image/png"}]}"#, None);
        check(r#"{"resultType":"input_required","content":[{"type":"text","text":"{}"}]}"#, None);
        check(r#"{"task":{"taskId":"1"}}"#, None);
        check("[]", None);
        check("{}", None);
        check(r#"{"content":[],"structuredContent":{},"isError":true}"#, None);
        check(r#"{"structuredContent":{},"\ud800":1}"#, None);
    }

    #[test]
    fn errors_are_told() {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        assert!(is_error(&raw(r#"{"content":[],"isError" : true}"#)));
        assert!(!is_error(&raw(r#"{"content":[],"isError":false}"#)));
        assert!(!is_error(&raw("[]")));
    }
}
