//! Whatever text there is: what is read from it is JSON, and reads as the same when written as Python writes it.

use schemascope_textform::{Form, kind, read, read_blocks, wrapped};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::counts::Tried;

/// Checks a text.
pub fn texts(bytes: &[u8]) -> Result<Tried, String> {
    let text = String::from_utf8_lossy(bytes);
    let (_, _) = (kind(&text), wrapped(&text));
    let blocks: Vec<&str> = text.split("\n\n").collect();
    let found = [read(&text), read_blocks(&blocks)];
    let read = found.iter().flatten().count();
    for structure in found.into_iter().flatten() {
        container(&structure.json)?;
        // serde_json reads 128 levels of JSON; other forms have fewer.
        match serde_json::from_str::<Value>(&structure.json) {
            Ok(value) => as_python(&value)?,
            Err(_)
                if matches!(
                    structure.form,
                    Form::Json | Form::JsonLines | Form::MarkdownJson | Form::Python
                ) => {}
            Err(error) => return Err(format!("{:?} gives {}: {error}", structure.form, structure.json)),
        }
    }
    Ok(Tried { documents: read, refused: 2 - read })
}

fn container(json: &str) -> Result<(), String> {
    let json = json.trim();
    let is_json = serde_json::from_str::<&RawValue>(json).is_ok();
    if is_json && json.starts_with(['{', '[']) { Ok(()) } else { Err(format!("no container: {json}")) }
}

/// A value written as a Python literal reads as itself.
fn as_python(value: &Value) -> Result<(), String> {
    let mut written = String::new();
    repr(value, &mut written);
    let depth_is_bounded = depth(value) <= schemascope_textform::MAX_DEPTH;
    match read(&written) {
        Some(structure) => {
            let read: Value = serde_json::from_str(&structure.json).map_err(|error| error.to_string())?;
            if read == *value { Ok(()) } else { Err(format!("{written} reads as {read}")) }
        }
        None if depth_is_bounded => Err(format!("{written} does not read")),
        None => Ok(()),
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 1,
    }
}

fn repr(value: &Value, written: &mut String) {
    match value {
        Value::Null => written.push_str("None"),
        Value::Bool(is) => written.push_str(if *is { "True" } else { "False" }),
        Value::Number(number) => written.push_str(&number.to_string()),
        Value::String(text) => quoted(text, written),
        Value::Array(items) => {
            written.push('[');
            for item in items {
                repr(item, written);
                written.push_str(", ");
            }
            written.push(']');
        }
        Value::Object(members) => {
            written.push('{');
            for (key, value) in members {
                quoted(key, written);
                written.push_str(": ");
                repr(value, written);
                written.push_str(", ");
            }
            written.push('}');
        }
    }
}

fn quoted(text: &str, written: &mut String) {
    written.push('\'');
    for c in text.chars() {
        match c {
            '\\' | '\'' => written.extend(['\\', c]),
            c if (c as u32) < 32 => written.push_str(&format!("\\x{:02x}", c as u32)),
            c => written.push(c),
        }
    }
    written.push('\'');
}
