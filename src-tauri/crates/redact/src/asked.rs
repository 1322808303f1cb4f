//! The value that a call asks for by its name: `get {"key": "db_password"}` answers with nothing but the secret.

use schemascope_model::{Marker, Redacted};
use serde_json::Value;

use crate::keys::is_sensitive_key;

/// Longest arguments that are looked at, in bytes.
const MAX_ARGUMENTS: usize = 4_096;
/// Shortest and longest answer that is taken for a secret, in characters.
const LENGTHS: std::ops::RangeInclusive<usize> = 4..=512;
/// Arguments that name what is asked for.
const NAMING: &[&str] = &[
    "key",
    "name",
    "field",
    "variable",
    "var",
    "property",
    "parameter",
    "setting",
    "option",
    "secret",
    "env",
];
/// Answers that are no values: outcomes, and the types of what is stored.
const NO_VALUES: &[&str] = &[
    "true",
    "false",
    "null",
    "none",
    "undefined",
    "string",
    "hash",
    "list",
    "zset",
    "stream",
    "json",
    "integer",
    "number",
    "boolean",
    "object",
    "array",
    "missing",
    "absent",
    "deleted",
    "done",
    "success",
    "failed",
    "error",
];

/// Whether arguments ask for something by the name of a secret.
pub fn asks_for_secret(arguments: &str) -> bool {
    if arguments.len() > MAX_ARGUMENTS {
        return false;
    }
    let Ok(Value::Object(members)) = serde_json::from_str(arguments) else { return false };
    members.iter().any(|(argument, named)| {
        let named = named.as_str().and_then(|named| named.rsplit([':', '/', '.']).next());
        NAMING.contains(&&*argument.to_ascii_lowercase()) && named.is_some_and(is_sensitive_key)
    })
}

/// A result without the value that was asked for, and the number of values replaced; `None` if it has none that stands
/// alone.
pub fn without_answer(result: &str) -> Option<(String, u64)> {
    let value: Value = serde_json::from_str(result).ok()?;
    let blocks = value.get("content").and_then(Value::as_array).into_iter().flatten();
    let texts = blocks.filter_map(|block| block.get("text"));
    let structured = value.get("structuredContent");
    let members = structured.and_then(Value::as_object).into_iter().flat_map(|members| members.values());
    let mut secrets: Vec<&str> = texts
        .chain(structured)
        .chain(members)
        .filter_map(Value::as_str)
        .filter(|text| stands_alone(text))
        .collect();
    secrets.sort_unstable();
    secrets.dedup();
    let (mut redacted, mut count) = (result.to_owned(), 0);
    for secret in secrets {
        let written = Value::from(secret).to_string();
        let marker = Marker(Redacted::String(secret.chars().count())).to_string();
        count += redacted.matches(&written).count() as u64;
        redacted = redacted.replace(&written, &Value::from(marker).to_string());
    }
    (count > 0).then_some((redacted, count))
}

/// Whether a text is one value and nothing else.
fn stands_alone(text: &str) -> bool {
    let text = text.trim();
    LENGTHS.contains(&text.chars().count())
        && !text.contains(char::is_whitespace)
        && !text.starts_with(['{', '['])
        && Redacted::of(text).is_none()
        && !NO_VALUES.contains(&&*text.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_in_arguments_that_name_something() {
        for arguments in [
            r#"{"key": "prod_db_password"}"#,
            r#"{"name": "user:1", "key": "password"}"#,
            r#"{"variable": "GITHUB_TOKEN"}"#,
            r#"{"Key": "app/api_key"}"#,
        ] {
            assert!(asks_for_secret(arguments), "{arguments}");
        }
        for arguments in [
            r#"{"key": "user:1"}"#,
            r#"{"query": "password"}"#,
            r#"{"key": 7}"#,
            "[]",
            "{",
            r#"{"key": "next_page_token"}"#,
        ] {
            assert!(!asks_for_secret(arguments), "{arguments}");
        }
    }

    #[test]
    fn answer_that_stands_alone_is_replaced_wherever_it_is() {
        let result = r#"{"content":[{"type":"text","text":"hunter2"}],"structuredContent":{"result":"hunter2","n":1.0}}"#;
        let (redacted, count) = without_answer(result).unwrap();
        let expected = r#"{"content":[{"type":"text","text":"⟦redacted string 7⟧"}],"structuredContent":{"result":"⟦redacted string 7⟧","n":1.0}}"#;
        assert_eq!((redacted.as_str(), count), (expected, 2));
        assert_eq!(without_answer(&redacted), None);
        for text in ["OK", "There is no such key.", "string", "None", r#"{\"a\":1}"#] {
            let result = format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#);
            assert_eq!(without_answer(&result), None, "{text}");
        }
        assert_eq!(without_answer("{"), None);
    }
}
