//! Words for people, and paths.
//!
//! Owns: how a place is written and how values and types are named. Refuses to know: which change is which.

use serde_json::Value;

use super::number::is_unwieldy;

/// Letters of a value that are shown.
const MAX_SHOWN: usize = 60;

/// Entries of a list that are shown.
const MAX_LISTED: usize = 5;

/// The path of a field.
pub(super) fn field(path: &str, name: &str) -> String {
    let mut letters = name.chars();
    let plain = letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_');
    match (plain, path.is_empty()) {
        (true, true) => name.to_owned(),
        (true, false) => format!("{path}.{name}"),
        (false, _) => format!("{path}[{}]", Value::from(name)),
    }
}

/// The path of the items of an array.
pub(super) fn items(path: &str) -> String {
    format!("{path}[]")
}

/// The path of one place of a tuple.
pub(super) fn position(path: &str, position: usize) -> String {
    format!("{path}[{position}]")
}

/// The path of the values of a map.
pub(super) fn values(path: &str) -> String {
    format!("{path}{{}}")
}

/// How a place is called in a sentence.
pub(super) fn subject(path: &str) -> String {
    if path.is_empty() { "the whole value".to_owned() } else { format!("`{path}`") }
}

/// A value, cut short.
pub(super) fn shown(value: &Value) -> String {
    // Only the beginning is of interest, and a value may be large: what is inside is cut first.
    let text = match value {
        Value::Array(_) | Value::Object(_) if is_unwieldy(value) => "a large value".to_owned(),
        Value::Array(items) if items.len() > MAX_LISTED => format!("an array of {} items", items.len()),
        Value::Object(fields) if fields.len() > 2 * MAX_LISTED => {
            format!("an object of {} fields", fields.len())
        }
        Value::String(text) => Value::from(text.chars().take(MAX_SHOWN + 1).collect::<String>()).to_string(),
        _ => value.to_string(),
    };
    if text.chars().count() <= MAX_SHOWN {
        return text;
    }
    text.chars().take(MAX_SHOWN).chain(['…']).collect()
}

/// Values in a row.
pub(super) fn listed<'a>(values: impl ExactSizeIterator<Item = &'a Value>) -> String {
    let count = values.len();
    let words: Vec<String> = values.take(MAX_LISTED).map(shown).collect();
    with_rest(&words, count)
}

/// Words in a row, the last with "or".
pub(super) fn either(words: &[&str]) -> String {
    match words {
        [] => "nothing".to_owned(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn with_rest(words: &[String], count: usize) -> String {
    match (words, count.saturating_sub(words.len())) {
        ([], _) => "nothing".to_owned(),
        ([one], 0) => one.clone(),
        ([first @ .., last], 0) => format!("{} or {last}", first.join(", ")),
        (words, rest) => format!("{} or {rest} other values", words.join(", ")),
    }
}

/// A type, with its article.
pub(super) fn article(kind: &str) -> &'static str {
    match kind {
        "null" => "null",
        "boolean" => "a boolean",
        "integer" => "an integer",
        "number" => "a number",
        "string" => "a string",
        "array" => "an array",
        "object" => "an object",
        _ => "anything",
    }
}
