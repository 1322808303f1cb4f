//! Which value a result teaches.
//!
//! Owns: the order in which a result is looked at. `structuredContent` if there is one; else the first
//! text block if it is JSON, or all text blocks together if they are; else the text as text. A result
//! without any of these, one that asks for input, and a task handle teach nothing. Refuses to know:
//! shapes and schemas.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use schemascope_model::Carrier;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

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
    Reading { is_error: members.is_error, observation: members.observation() }
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
    structured: Option<&'a RawValue>,
    content: Option<&'a RawValue>,
}

impl<'a> Members<'a> {
    fn of(result: &'a RawValue) -> Self {
        let mut members = Self::default();
        let read = each_member(result, |key, value| match key {
            "isError" => members.is_error = value.get() == "true",
            "resultType" => members.asks = value.get() != "\"complete\"",
            "task" => members.is_task = true,
            "structuredContent" => members.structured = Some(value),
            "content" => members.content = Some(value),
            _ => {}
        });
        read.map_or_else(|_| Self::default(), |()| members)
    }

    fn observation(self) -> Option<Observation<'a>> {
        if self.is_error || self.asks || self.is_task {
            return None;
        }
        if let Some(value) = self.structured.filter(|value| value.get() != "null") {
            return Some(Observation { carrier: Carrier::Structured, json: value.get().into() });
        }
        let mut texts = texts(self.content?);
        if is_json(texts.first()?) {
            return Some(Observation { carrier: Carrier::JsonInText, json: texts.swap_remove(0) });
        }
        let all = texts.concat();
        let carrier = if texts.len() > 1 && is_json(&all) { Carrier::JsonInText } else { Carrier::Text };
        let json = match carrier {
            Carrier::Text => serde_json::Value::from(all).to_string(),
            _ => all,
        };
        Some(Observation { carrier, json: json.into() })
    }
}

/// The texts of all text blocks.
fn texts(content: &RawValue) -> Vec<Cow<'_, str>> {
    let blocks: Vec<&RawValue> = serde_json::from_str(content.get()).unwrap_or_default();
    let text = |block| {
        let (mut is_text, mut text) = (false, None);
        let read = each_member(block, |key, value: &RawValue| match key {
            "type" => is_text = value.get() == "\"text\"",
            "text" => text = Some(value),
            _ => {}
        });
        let Word(text) = serde_json::from_str(text.filter(|_| is_text && read.is_ok())?.get()).ok()?;
        Some(text)
    };
    blocks.into_iter().filter_map(text).collect()
}

/// A string, borrowed where it has no escapes.
#[derive(serde::Deserialize)]
struct Word<'a>(#[serde(borrow)] Cow<'a, str>);

/// Hands out the members of an object, in order; an error when it is none.
fn each_member<'a>(object: &'a RawValue, each: impl FnMut(&str, &'a RawValue)) -> serde_json::Result<()> {
    struct Each<F>(F);
    impl<'de, F: FnMut(&str, &'de RawValue)> Visitor<'de> for Each<F> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
            while let Some(Word(key)) = map.next_key()? {
                (self.0)(&key, map.next_value()?);
            }
            Ok(())
        }
    }
    serde_json::Deserializer::from_str(object.get()).deserialize_map(Each(each))
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
