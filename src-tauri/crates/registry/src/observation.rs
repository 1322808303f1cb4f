//! Chooses the value of a result that a shape learns from.
//!
//! It is `structuredContent` if present, or the structure of its text if that is `{"result": text}`, or that of `content`
//! if it only repeats its blocks; else the list of all text blocks if each is JSON, or those beside a few words; else the
//! first text block if it is JSON, or all text blocks together if they are; else the structure of the text, or the text as
//! a string. A result without any of these, one that asks for input, and a task handle teach nothing.

use std::borrow::Cow;
use std::ops::Range;

use schemascope_json::{Cursor, quoted_end, splice_text};
use schemascope_judge::Conformance;
use schemascope_model::Carrier;
use schemascope_textform::{Form, Kind, Structure, json_lines, kind, list_of_blocks, read_blocks, wrapped};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::items::are_alike;

/// The value a result teaches, as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation<'a> {
    /// How it was carried.
    pub carrier: Carrier,
    /// The value, as JSON text.
    pub json: Cow<'a, str>,
    /// The value as it was sent, as JSON text, where the observation was read from inside it; the first value, where the
    /// observation is a list of several; of `{"result": text}` whose text has no structure, the text.
    pub sent: Option<Cow<'a, str>>,
    /// Whether it is a list of several items that are alike, each sent in a text block, or on a line, of its own.
    pub are_items: bool,
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
    /// Whether a text of it may have another structure than JSON. Only then [`replace_structured_texts`] finds something.
    pub may_have_structured_texts: bool,
}

/// An observation without its result, so that both can be moved; see [`Observation::detach`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detached {
    carrier: Carrier,
    json: Place,
    sent: Option<Place>,
    are_items: bool,
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
    let is_only_text =
        members.structured.is_none() && members.texts.as_ref().is_some_and(|texts| texts.len() == 1);
    let (observation, unescaped) = members.observation().unzip();
    let is_plain = observation.as_ref().is_some_and(|one| {
        matches!(one.carrier, Carrier::JsonInText | Carrier::Text | Carrier::Markdown) && one.sent.is_none()
    });
    Reading {
        is_error,
        observation,
        unescaped: unescaped.flatten(),
        may_have_structured_texts: !(is_only_text && is_plain),
    }
}

/// The observation in a `result`, if it teaches anything.
pub fn observe(result: &RawValue) -> Option<Observation<'_>> {
    read(result).observation
}

/// Replaces texts of a result that have another structure than JSON: `replace` gets the structure as JSON, and returns
/// the new text if there is one. Returns the changed result, if anything was replaced.
pub fn replace_structured_texts(
    result: &RawValue,
    mut replace: impl FnMut(&str) -> Option<String>,
) -> Option<String> {
    let members = Members::of(result);
    let wrapped = members.structured.and_then(wrapped_as_written);
    let repeated = members.structured.filter(|value| may_repeat_blocks(value)).and_then(wrapped_list);
    let repeated = repeated.and_then(|list| texts(&mut Cursor::of(list)));
    let mut edits = Vec::new();
    for written in members.texts.into_iter().flatten().chain(wrapped).chain(repeated.into_iter().flatten()) {
        let Some(text) = said(written) else { continue };
        // Most servers write the structured content as text, too.
        if members.structured.is_some_and(|structured| structured == text) {
            continue;
        }
        let Some(new) = replaced(&text, &mut replace) else { continue };
        // All texts are parts of the result.
        let start = written.as_ptr().addr() - result.get().as_ptr().addr();
        edits.push((start..start + written.len(), serde_json::Value::from(new).to_string()));
    }
    (!edits.is_empty()).then(|| splice_text(result.get(), &mut edits))
}

/// The same for every string of several lines in a JSON text, but names of members.
pub fn replace_structured_strings(
    json: &RawValue,
    mut replace: impl FnMut(&str) -> Option<String>,
) -> Option<String> {
    let text = json.get();
    let (mut edits, mut at) = (Vec::new(), 0);
    while let Some(start) = memchr::memchr(b'"', text.as_bytes().get(at..)?).map(|offset| at + offset) {
        at = quoted_end(text.as_bytes(), start).span.end;
        let is_name = text.get(at..)?.trim_start().starts_with(':');
        let written = text.get(start..at).filter(|written| !is_name && written.contains("\\n"));
        let Some(said) = written.and_then(said) else { continue };
        let Some(new) = replaced(&said, &mut replace) else { continue };
        edits.push((start..at, serde_json::Value::from(new).to_string()));
    }
    (!edits.is_empty()).then(|| splice_text(text, &mut edits))
}

/// A text of another structure than JSON with what replaces the structure. JSON lines stay lines.
fn replaced(text: &str, replace: &mut impl FnMut(&str) -> Option<String>) -> Option<String> {
    let found = schemascope_textform::read(text).filter(|found| found.form != Form::Json)?;
    let new = replace(&found.json)?;
    match found.form {
        Form::JsonLines => json_lines(&new),
        _ => Some(new),
    }
}

/// The string of `{"result": "…"}`, with its quotes and escapes.
fn wrapped_as_written(json: &str) -> Option<&str> {
    wrapped(json)?;
    let start = json.find(':')? + 1;
    json.get(start..json.rfind('}')?).map(str::trim)
}

/// Whether a `result` is complete and its `content` is an empty list.
pub(crate) fn has_empty_content(result: &RawValue) -> bool {
    #[derive(Deserialize)]
    struct Empty {
        #[serde(rename = "content")]
        _content: [IgnoredAny; 0],
    }
    let members = Members::of(result);
    let is_answer = !(members.is_error || members.asks || members.is_task);
    is_answer
        && members.texts.is_some_and(|texts| texts.is_empty())
        && serde_json::from_str::<Empty>(result.get()).is_ok()
}

/// Whether a `result` says of itself that it is an error.
pub fn is_error(result: &RawValue) -> bool {
    Members::of(result).is_error
}

impl<'a> Observation<'a> {
    /// A value that is learned as it was sent.
    pub fn new(carrier: Carrier, json: impl Into<Cow<'a, str>>) -> Self {
        Self { carrier, json: json.into(), sent: None, are_items: false }
    }

    /// The same without anything borrowed.
    pub fn into_owned<'b>(self) -> Observation<'b> {
        let Self { carrier, json, sent, are_items } = self;
        let owned = |json: Cow<'_, str>| Cow::Owned(json.into_owned());
        Observation { carrier, json: owned(json), sent: sent.map(owned), are_items }
    }

    /// Checks the value that is learned, and if it violates, the one that was sent: a schema may describe either.
    /// Returns the value that counts as well.
    pub fn check(&self, check: impl Fn(&str) -> Conformance) -> (Conformance, &str) {
        let learned = check(&self.json);
        match self.sent.as_deref() {
            Some(sent) if learned != Conformance::Fits && check(sent) == Conformance::Fits => {
                (Conformance::Fits, sent)
            }
            _ => (learned, &self.json),
        }
    }

    /// Returns whether the value that is learned fits, or the one that was sent, as [`Self::check`] does.
    pub fn fits(&self, fits: impl Fn(&str) -> Option<bool>) -> Option<bool> {
        let learned = fits(&self.json);
        let sent = || self.sent.as_deref().and_then(&fits);
        if learned != Some(true) && sent() == Some(true) { Some(true) } else { learned }
    }

    /// Whether it is the structure of a text that was sent as `{"result": text}`.
    pub(crate) fn is_unwrapped(&self) -> bool {
        self.carrier != Carrier::Structured
            && !self.are_items
            && self.sent.as_deref().is_some_and(|sent| sent.trim_start().starts_with('{'))
    }

    /// The text without structure that was sent as `{"result": text}`.
    pub(crate) fn wrapped_text(&self) -> Option<Observation<'_>> {
        let text = self.sent.as_deref().filter(|_| self.carrier == Carrier::Structured)?;
        let said: String = serde_json::from_str(text).ok()?;
        Some(Observation {
            sent: Some(Cow::Borrowed(&self.json)),
            ..of_text(None, &said, Cow::Borrowed(text))
        })
    }

    /// Lets go of the result it was read from.
    pub fn detach(self, result: &RawValue) -> Detached {
        let place = |json| Place::of(json, result);
        let (carrier, are_items) = (self.carrier, self.are_items);
        Detached { carrier, json: place(self.json), sent: self.sent.map(place), are_items }
    }
}

impl Place {
    fn of(json: Cow<'_, str>, result: &RawValue) -> Self {
        match json {
            Cow::Borrowed(json) => {
                let start = json.as_ptr().addr().saturating_sub(result.get().as_ptr().addr());
                Self::Within(start..start + json.len())
            }
            Cow::Owned(json) => Self::Apart(json.into()),
        }
    }

    fn text<'a>(&'a self, result: &'a RawValue) -> Option<Cow<'a, str>> {
        Some(match self {
            Self::Within(range) => result.get().get(range.clone())?.into(),
            Self::Apart(json) => (&**json).into(),
        })
    }
}

impl Detached {
    /// The observation again, given the result it was read from; none for another result.
    pub fn attach<'a>(&'a self, result: &'a RawValue) -> Option<Observation<'a>> {
        let sent = match &self.sent {
            Some(sent) => Some(sent.text(result)?),
            None => None,
        };
        let json = self.json.text(result)?;
        Some(Observation { carrier: self.carrier, json, sent, are_items: self.are_items })
    }
}

/// The members of a result that matter here. Of duplicate members the last counts.
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
        let structured_content = self.structured.filter(|value| *value != "null");
        if let Some(value) = structured_content.filter(|value| !may_repeat_blocks(value)) {
            return Some((structured(value), None));
        }
        let texts = self.texts.unwrap_or_default();
        let texts: Vec<(&str, Cow<'_, str>)> =
            texts.into_iter().filter_map(|written| Some((written, said(written)?))).collect();
        match structured_content {
            Some(value) if repeats_blocks(value, &texts) => {
                let (observation, _) = Self::of_texts(texts)?;
                Some((Observation { sent: Some(value.into()), ..observation }, None))
            }
            Some(value) => Some((structured(value), None)),
            None => Self::of_texts(texts),
        }
    }

    /// What text blocks teach, each as it is written and as it reads.
    fn of_texts(mut texts: Vec<(&'a str, Cow<'a, str>)>) -> Option<(Observation<'a>, Option<&'a str>)> {
        let blocks: Vec<&str> = texts.iter().map(|(_, text)| &**text).collect();
        if let Some(Structure { form, json }) = list_of_blocks(&blocks) {
            // A schema that a server declares describes its first block as a rule.
            let first = blocks.into_iter().find(|block| is_json(block))?.to_owned();
            let (sent, are_items) = (Some(first.into()), are_alike(&json));
            return Some((Observation { carrier: carrier(form), json, sent, are_items }, None));
        }
        if is_json(&texts.first()?.1) {
            let (written, json) = texts.swap_remove(0);
            return Some((Observation::new(Carrier::JsonInText, json), Some(written)));
        }
        if let [(written, text)] = &texts[..] {
            let found = schemascope_textform::read(text);
            return Some((of_text(found, text, Cow::Borrowed(*written)), None));
        }
        let all: String = texts.iter().map(|(_, text)| &**text).collect();
        if is_json(&all) {
            return Some((Observation::new(Carrier::JsonInText, all), None));
        }
        let blocks: Vec<&str> = texts.iter().map(|(_, text)| &**text).collect();
        let sent = serde_json::Value::from(all.as_str()).to_string();
        Some((of_text(read_blocks(&blocks), &all, sent.into()), None))
    }
}

/// A quick look whether [`repeats_blocks`] can hold: most structured content is read without the text beside it.
fn may_repeat_blocks(value: &str) -> bool {
    wrapped_list(value).is_some() && memchr::memmem::find(value.as_bytes(), b"\"type\"").is_some()
}

/// What stands behind `{"result": `, if a list does.
fn wrapped_list(value: &str) -> Option<&str> {
    let inside = value.trim_start().strip_prefix('{')?.trim_start().strip_prefix("\"result\"")?;
    let list = inside.trim_start().strip_prefix(':')?.trim_start();
    list.starts_with('[').then_some(list)
}

/// Whether `structuredContent` is `{"result": […]}` with the blocks of `content`: FastMCP declares that of a tool that makes
/// its blocks itself.
fn repeats_blocks(value: &str, texts: &[(&str, Cow<'_, str>)]) -> bool {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wrapped<'v> {
        #[serde(borrow)]
        result: Vec<Block<'v>>,
    }
    #[derive(Deserialize)]
    struct Block<'v> {
        #[serde(rename = "type", borrow)]
        kind: Cow<'v, str>,
        #[serde(borrow)]
        text: Option<Cow<'v, str>>,
    }
    if texts.is_empty() {
        return false;
    }
    let Ok(Wrapped { result }) = serde_json::from_str(value) else { return false };
    let kinds = ["text", "image", "audio", "resource", "resource_link"];
    let own = result.iter().filter(|block| block.kind == "text").map(|block| block.text.as_deref());
    result.iter().all(|block| kinds.contains(&&*block.kind))
        && own.eq(texts.iter().map(|(_, text)| Some(&**text)))
}

/// What `structuredContent` teaches. Some servers put their text into it as `{"result": text}`.
fn structured(value: &str) -> Observation<'_> {
    let text = wrapped(value);
    match text.as_deref().and_then(schemascope_textform::read) {
        Some(Structure { form, json }) => {
            Observation { sent: Some(value.into()), ..of_structure(form, &json) }
        }
        None => {
            let sent = wrapped_as_written(value).map(Cow::Borrowed);
            Observation { sent, ..Observation::new(Carrier::Structured, value) }
        }
    }
}

/// What a text that is not JSON teaches: the structure found in it, or the text itself.
fn of_text<'a>(found: Option<Structure<'_>>, text: &str, sent: Cow<'a, str>) -> Observation<'a> {
    match found {
        Some(Structure { form, json }) => Observation { sent: Some(sent), ..of_structure(form, &json) },
        None => Observation::new(
            match kind(text) {
                Kind::Markdown => Carrier::Markdown,
                Kind::Plain => Carrier::Text,
            },
            sent,
        ),
    }
}

fn of_structure<'a>(form: Form, json: &str) -> Observation<'a> {
    let are_items = form == Form::JsonLines && are_alike(json);
    Observation { are_items, ..Observation::new(carrier(form), json.to_owned()) }
}

fn carrier(form: Form) -> Carrier {
    match form {
        Form::Json | Form::JsonLines => Carrier::JsonInText,
        Form::Python => Carrier::Python,
        Form::MarkdownJson => Carrier::MarkdownJson,
        Form::MarkdownTable => Carrier::MarkdownTable,
        Form::Yaml => Carrier::Yaml,
        Form::KeyValue => Carrier::KeyValue,
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
            r#"{"content":[{"type":"text","text":"{\"a\":1.0}"},{"type":"text","text":"{\"a\":2}"}]}"#,
            Some((JsonInText, r#"[{"a":1.0},{"a":2}]"#)),
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
    fn observe_reads_structure_in_text() {
        use Carrier::{
            JsonInText, KeyValue, Markdown, MarkdownJson, MarkdownTable, Python, Structured, Yaml,
        };
        let text = |text: &str| serde_json::json!({"content": [{"type": "text", "text": text}]}).to_string();
        check(&text("[{'a': None}]"), Some((Python, r#"[{"a":null}]"#)));
        check(&text("# One\n```json\n{\"a\": 1}\n```"), Some((MarkdownJson, r#"{"a": 1}"#)));
        check(&text("| a | b |\n|---|---|\n| 1 | 2 |"), Some((MarkdownTable, r#"[{"a":"1","b":"2"}]"#)));
        check(&text("a: 1\nb:\n- 2"), Some((Yaml, r#"{"a":1,"b":[2]}"#)));
        check(&text("A: 1\nB: 2\nC: 3"), Some((KeyValue, r#"{"A":"1","B":"2","C":"3"}"#)));
        check(&text("# Title"), Some((Markdown, "\"# Title\"")));
        check(
            r#"{"content":[{"type":"text","text":"Found:"},{"type":"text","text":"[1]"}]}"#,
            Some((MarkdownJson, "[1]")),
        );
        let wrapped = r#"{"content":[],"structuredContent":{"result":"{'a': 1}"}}"#;
        check(wrapped, Some((Python, r#"{"a": 1}"#.replace(' ', "").as_str())));
        let raw = RawValue::from_string(wrapped.to_owned()).unwrap();
        assert_eq!(observe(&raw).unwrap().sent.as_deref(), Some(r#"{"result":"{'a': 1}"}"#));
        check(r#"{"structuredContent":{"result":"[{\"a\":1}]"}}"#, Some((JsonInText, r#"[{"a":1}]"#)));
        check(r#"{"structuredContent":{"result":"done"}}"#, Some((Structured, r#"{"result":"done"}"#)));
        let blocks = |text: &str, other: &str| {
            let block = |text: &str| serde_json::json!({"type": "text", "text": text, "annotations": null});
            let structured = serde_json::json!({"result": [block(other)]});
            serde_json::json!({"content": [block(text)], "structuredContent": structured}).to_string()
        };
        check(&blocks("[{'id': 1}]", "[{'id': 1}]"), Some((Python, r#"[{"id":1}]"#)));
        let other = blocks("[1]", "[2]");
        let raw = RawValue::from_string(other).unwrap();
        assert_eq!(observe(&raw).unwrap().carrier, Structured);
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
