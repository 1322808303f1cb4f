//! Structure in the text of tool results, as JSON.
//!
//! A text is read only if all of it has one of a few exact forms. Text that merely resembles a form stays text.
//! Reading takes time linear in the text, and texts, nesting and keys are bounded.

#![forbid(unsafe_code)]

mod key_value;
mod kind;
mod lines;
mod markdown;
mod python;
mod scalar;
mod yaml;

use std::borrow::Cow;

use serde_json::value::RawValue;

pub use kind::{Kind, kind};
pub use lines::json_lines;

/// Limit of the text's size in bytes.
pub const MAX_TEXT: usize = 4 << 20;
/// Limit of nesting.
pub const MAX_DEPTH: usize = 64;
/// Limit of a key's length in bytes.
pub(crate) const MAX_KEY: usize = 256;

/// Form of a text that has structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// A JSON object or list.
    Json,
    /// Several JSON objects, each on a line of its own.
    JsonLines,
    /// A Python literal: `repr` of a dict, list, tuple or set.
    Python,
    /// The only JSON block of a short Markdown text.
    MarkdownJson,
    /// The only table of a short Markdown text, a list of objects.
    MarkdownTable,
    /// A YAML document.
    Yaml,
    /// Lines `key: value`. A single text of this form proves little: callers wait until the same keys recur.
    KeyValue,
}

/// Structure of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Structure<'a> {
    /// The form it was read from.
    pub form: Form,
    /// The value as JSON, an object or a list.
    pub json: Cow<'a, str>,
}

/// Reads the structure of a text.
pub fn read(text: &str) -> Option<Structure<'_>> {
    if text.len() > MAX_TEXT {
        return None;
    }
    let text = text.trim_start_matches('\u{feff}').trim();
    if is_json_container(text) {
        return Some(Structure { form: Form::Json, json: text.into() });
    }
    let readers: [(Form, Reader); 6] = [
        (Form::JsonLines, lines::read),
        (Form::Python, python::read),
        (Form::MarkdownJson, markdown::json),
        (Form::MarkdownTable, markdown::table),
        (Form::Yaml, yaml::read),
        (Form::KeyValue, key_value::read),
    ];
    readers.into_iter().find_map(|(form, read)| Some(Structure { form, json: read(text)?.into() }))
}

/// Reads one form: the value as JSON.
type Reader = fn(&str) -> Option<String>;

/// Reads the values of several text blocks as a list: many servers send each item of a list in a block of its own. All
/// blocks are JSON, or some are objects or lists and the others are a few words about them.
pub fn list_of_blocks(blocks: &[&str]) -> Option<Structure<'static>> {
    if blocks.len() < 2 {
        return None;
    }
    let mut items: Vec<&str> =
        blocks.iter().map(|block| block.trim()).filter(|block| is_json(block)).collect();
    let mut form = Form::Json;
    if items.len() < blocks.len() {
        form = Form::MarkdownJson;
        items.retain(|item| item.starts_with(['{', '[']));
        let mut around = markdown::Around::default();
        let words = blocks.iter().map(|block| block.trim()).filter(|block| !is_json_container(block));
        words.map(|block| around.add(block)).collect::<Option<()>>()?;
    }
    (items.len() > 1).then(|| Structure { form, json: format!("[{}]", items.join(",")).into() })
}

/// Reads the text blocks of a result of which one is JSON and the others are a few words about it.
pub fn read_blocks<'a>(blocks: &[&'a str]) -> Option<Structure<'a>> {
    let mut found = None;
    let mut around = markdown::Around::default();
    for block in blocks.iter().map(|block| block.trim()) {
        if is_json_container(block) {
            if found.replace(block).is_some() {
                return None;
            }
        } else {
            around.add(block)?;
        }
    }
    found.map(|json| Structure { form: Form::MarkdownJson, json: json.into() })
}

/// Returns the string of `{"result": "…"}`, the form in which some servers wrap a text, as written.
pub fn wrapped(json: &str) -> Option<String> {
    let rest = json.trim().strip_prefix('{')?.trim_start().strip_prefix("\"result\"")?;
    let inside = rest.trim_start().strip_prefix(':')?.trim_start();
    inside.starts_with('"').then_some(())?;
    let mut values = serde_json::Deserializer::from_str(inside).into_iter::<String>();
    let text = values.next()?.ok()?;
    (inside[values.byte_offset()..].trim() == "}").then_some(text)
}

/// Whether a text is a JSON object or list.
pub(crate) fn is_json_container(text: &str) -> bool {
    text.starts_with(['{', '[']) && is_json(text)
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

/// A string as JSON.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_reads_only_a_sole_result() {
        assert_eq!(wrapped(r#" { "result" : "a\nb" } "#).as_deref(), Some("a\nb"));
        for other in
            [r#"{"result":1}"#, r#"{"result":"a","x":1}"#, r#"{"results":"a"}"#, r#"["result"]"#, "{}"]
        {
            assert_eq!(wrapped(other), None, "{other}");
        }
    }

    #[test]
    fn read_blocks_takes_the_only_json_block() {
        let found = read_blocks(&["Results:", r#"{"a":1}"#, "Show them."]).unwrap();
        assert_eq!((found.form, &*found.json), (Form::MarkdownJson, r#"{"a":1}"#));
        assert_eq!(read_blocks(&[r#"{"a":1}"#, r#"{"a":2}"#]), None);
        assert_eq!(read_blocks(&["no", "structure"]), None);
    }

    #[test]
    fn list_of_blocks_takes_every_json_block() {
        let list =
            |blocks: &[&str]| list_of_blocks(blocks).map(|found| (found.form, found.json.into_owned()));
        let is = |form, json: &str| Some((form, json.to_owned()));
        assert_eq!(list(&[r#"{"a":1.0}"#, " {\"a\":2}\n"]), is(Form::Json, r#"[{"a":1.0},{"a":2}]"#));
        assert_eq!(list(&["1", "null", "\"x\""]), is(Form::Json, r#"[1,null,"x"]"#));
        assert_eq!(list(&["2 documents:", "{}", "[1]"]), is(Form::MarkdownJson, "[{},[1]]"));
        // A number beside words is a word.
        assert_eq!(list(&["2", "{}", "{}", "found"]), is(Form::MarkdownJson, "[{},{}]"));
        assert_eq!(list(&["2", "{}", "found"]), None);
        for one in
            [&["{}"][..], &["{}", ""], &["[1,", "2]"], &["1", "done"], &["{}", "{}", &"text ".repeat(200)]]
        {
            assert_eq!(list(one), None, "{one:?}");
        }
    }

    #[test]
    fn read_rejects_texts_above_the_limit() {
        let text = format!("{{'a': '{}'}}", "x".repeat(MAX_TEXT));
        assert_eq!(read(&text), None);
    }
}
