//! What can be said of arguments, results and errors of a tool without knowing the tool.

use schemascope_judge::Judge;
use serde_json::Value;

/// Checks arguments against the input schema of a tool's definition.
pub(crate) fn check(definition: &str, arguments: &str) -> Result<(), String> {
    let definition: Value = serde_json::from_str(definition)
        .map_err(|_| "the tool's definition cannot be read, so its arguments cannot be checked".to_owned())?;
    let schema = &definition["inputSchema"];
    if schema.is_null() {
        return Ok(());
    }
    let judge = Judge::new(schema);
    match judge.fits(arguments) {
        Some(true) => Ok(()),
        Some(false) => Err(match (missing(schema, arguments), judge.violation(arguments)) {
            (Some(name), _) => format!("the argument {name:?} is missing"),
            (None, Some(violation)) => format!("the arguments do not fit the input schema: {violation}"),
            (None, None) => "the arguments do not fit the input schema".to_owned(),
        }),
        None => Err("the tool's input schema cannot be used, so its arguments cannot be checked".to_owned()),
    }
}

/// The first required argument that is missing.
fn missing(schema: &Value, arguments: &str) -> Option<String> {
    let given: Value = serde_json::from_str(arguments).ok()?;
    let mut required = schema["required"].as_array()?.iter().filter_map(Value::as_str);
    required.find(|name| given.get(name).is_none()).map(str::to_owned)
}

/// A suggestion as the end of a sentence.
pub(super) fn ended(hint: String) -> String {
    if hint.is_empty() { ".".to_owned() } else { hint }
}

/// The first text of a result.
pub(super) fn answer_text(result: &[u8]) -> Option<String> {
    let result: Value = serde_json::from_slice(result).ok()?;
    let text = result["content"].as_array()?.iter().find_map(|block| block["text"].as_str())?;
    Some(first_line(text))
}

pub(super) fn error_message(error: &[u8]) -> Option<String> {
    let error: Value = serde_json::from_slice(error).ok()?;
    error["message"].as_str().map(first_line)
}

/// Beginning of a text for one line of a table.
fn first_line(text: &str) -> String {
    const MAX_CHARS: usize = 200;
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    line.chars().take(MAX_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_checked_against_the_input_schema() {
        let definition = r#"{"inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}}"#;
        assert_eq!(check(definition, r#"{"n": 1}"#), Ok(()));
        assert_eq!(check(definition, "{}").unwrap_err(), "the argument \"n\" is missing");
        let reason = check(definition, r#"{"n": "1"}"#).unwrap_err();
        assert!(reason.contains("\"/n\" breaks \"/properties/n/type\""), "{reason}");
        assert_eq!(check("{}", "{}"), Ok(()));
        let broken = r##"{"inputSchema": {"$ref": "#/nowhere"}}"##;
        assert!(check(broken, "{}").unwrap_err().contains("cannot be used"));
    }

    #[test]
    fn reasons_are_one_short_line() {
        assert_eq!(answer_text(br#"{"content":[{"text":"\n one \n two"}]}"#).as_deref(), Some("one"));
        let long = format!("{{\"message\":\"{}\"}}", "x".repeat(1_000));
        assert_eq!(error_message(long.as_bytes()).map(|text| text.len()), Some(200));
        assert_eq!(answer_text(b"{}"), None);
    }
}
