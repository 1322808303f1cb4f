//! Files with the schema of one tool: their names, and which tool a file is of.

use schemascope_judge::Judge;
use schemascope_model::ToolId;
use schemascope_registry::digest;
use schemascope_registry::exchange::{WrongFile, read_json};
use serde_json::{Value, json};

/// Longest name before it is shortened, in bytes without the ending. File systems take 255.
const MAX_STEM: usize = 180;
/// Keyword that names the tool in files whose name is shortened.
const TOOL: &str = "x-schemascope-tool";
/// Ending of files.
const JSON: &str = ".json";

/// The name of a tool's file, and its content. A long name is shortened and ends in a digest of the whole; the content
/// then says which tool it is of.
pub(super) fn schema_file(id: &ToolId, schema: Value) -> (String, Value) {
    let written = id.to_string();
    let mut stem = escaped(&written);
    if stem.len() <= MAX_STEM {
        return (stem + JSON, schema);
    }
    // An escaped byte takes three characters and is not divided.
    let mut end = MAX_STEM - 17;
    while stem.as_bytes()[end - 2..end].contains(&b'%') {
        end -= 1;
    }
    stem.truncate(end);
    let name = format!("{stem}~{}{JSON}", digest(&json!(written)));
    let mut named = serde_json::Map::from_iter([(TOOL.to_owned(), json!(written))]);
    match schema {
        Value::Object(keywords) => named.extend(keywords),
        // Only `true` and `false` are schemas without keywords.
        other => named.extend((other == Value::Bool(false)).then(|| ("not".to_owned(), json!({})))),
    }
    (name, Value::Object(named))
}

/// The tool that a file is of, and its schema.
pub(super) fn read_schema_file(name: &str, text: &str) -> Result<(ToolId, Value), WrongFile> {
    let mut schema: Value = read_json(text)?;
    let said = schema.as_object_mut().and_then(|keywords| keywords.shift_remove(TOOL));
    let written = match said.as_ref().and_then(Value::as_str) {
        Some(written) => written.to_owned(),
        None => unescaped(name.strip_suffix(JSON).unwrap_or(name)),
    };
    let tool: ToolId = written.parse().map_err(|error| {
        WrongFile::whole(format!(
            "a schema file must be named after its tool, such as git__git_log.json: {error}"
        ))
    })?;
    let is_schema = schema.is_object() || schema.is_boolean();
    if !is_schema || Judge::new(&schema).is_broken() {
        return Err(WrongFile::whole("it is not a valid JSON Schema (draft 2020-12)"));
    }
    Ok((tool, schema))
}

/// Characters that some file systems reject are written as `%` and two hex digits.
fn escaped(name: &str) -> String {
    let mut escaped = String::new();
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.' => escaped.push(char::from(byte)),
            _ => escaped.push_str(&format!("%{byte:02X}")),
        }
    }
    escaped
}

fn unescaped(name: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), name.as_bytes());
    while let [first, tail @ ..] = rest {
        let hex = |digits: &[u8]| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
        match tail.get(..2).filter(|_| *first == b'%').and_then(hex) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_length_make_short_file_names_that_are_read_back() {
        let long = "x".repeat(300);
        let chinese = "\u{4e2d}".repeat(29);
        let mut names = Vec::new();
        for tool in ["log", "a/b \u{e9}", "..", &long, &long[..299], &chinese, &"\u{4e2d}".repeat(341)] {
            let id = ToolId::new("s", tool).unwrap();
            for schema in [json!({"type": "object"}), json!(true), json!(false)] {
                let (name, content) = schema_file(&id, schema.clone());
                assert!(name.len() <= 200 && name.is_ascii(), "{name}");
                let (read, known) = read_schema_file(&name, &content.to_string()).unwrap();
                assert_eq!(read, id, "{name}");
                assert!(known == schema || !schema.is_object() && name.contains('~'), "{known}");
                names.push(name);
            }
        }
        names.dedup();
        assert_eq!((names.len(), names[0].as_str()), (7, "s__log.json"));
        assert_eq!(names[1], "s__a%2Fb%20%C3%A9.json");
    }

    #[test]
    fn schema_file_is_of_the_tool_it_is_named_after() {
        let name = |name: &str| read_schema_file(name, "{}").map(|(tool, _)| tool.to_string());
        assert_eq!(name("git__git_log.json").unwrap(), "git__git_log");
        assert_eq!(name("s__a%2Fb%20%C3%A9.json").unwrap(), "s__a/b é");
        assert!(name("log.json").is_err() && read_schema_file("a__b", "{\"type\": 7}").is_err());
        assert_eq!(read_schema_file("a__b", "{\n x").err().and_then(|wrong| wrong.place), Some((2, 2)));
    }
}
