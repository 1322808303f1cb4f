//! Parts of sentences: paths, values and types in words.

use serde_json::Value;

use crate::number::is_unwieldy;

/// Most characters of a value that are shown.
const MAX_SHOWN: usize = 60;

/// Most characters of an example value that are shown.
const MAX_EXAMPLE: usize = 300;

/// Most entries of a list that are shown.
const MAX_LISTED: usize = 5;

/// Returns the path of a field, written as everywhere else: paths of changes are looked up among those of fields.
pub(crate) fn field(path: &str, name: &str) -> String {
    let mut letters = name.chars();
    let plain = letters.next().is_some_and(|first| first.is_alphabetic() || matches!(first, '_' | '$'))
        && letters.all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '-'));
    match (plain, path.is_empty()) {
        (true, true) => name.to_owned(),
        (true, false) => format!("{path}.{name}"),
        (false, _) => format!("{path}[{}]", Value::from(name)),
    }
}

/// Returns the path of the items of an array.
pub(crate) fn items(path: &str) -> String {
    format!("{path}[]")
}

/// Returns the path of one position of a tuple.
pub(crate) fn position(path: &str, position: usize) -> String {
    format!("{path}[{position}]")
}

/// Returns the path of the values of a map.
pub(crate) fn values(path: &str) -> String {
    format!("{path}{{}}")
}

/// Returns the subject of a sentence about a path.
pub(crate) fn subject(path: &str) -> String {
    if path.is_empty() { "the whole value".to_owned() } else { format!("`{path}`") }
}

/// Returns a value as text, truncated.
pub(crate) fn shown(value: &Value) -> String {
    // A value may be large, so its parts are truncated before they are printed.
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

/// Returns an example value as text: complete if it is not too long.
pub(crate) fn example(value: &Value) -> String {
    if is_unwieldy(value) {
        return "a large value".to_owned();
    }
    let text = value.to_string();
    if text.chars().count() <= MAX_EXAMPLE {
        return text;
    }
    text.chars().take(MAX_EXAMPLE).chain(['…']).collect()
}

/// Returns values as an enumeration.
pub(crate) fn listed<'a>(values: impl ExactSizeIterator<Item = &'a Value>) -> String {
    let count = values.len();
    let words: Vec<String> = values.take(MAX_LISTED).map(shown).collect();
    with_rest(&words, count)
}

/// Returns words as an enumeration with "or" before the last.
pub(crate) fn either(words: &[&str]) -> String {
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

/// Returns a type with its article.
pub(crate) fn article(kind: &str) -> &'static str {
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
