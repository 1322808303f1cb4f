//! Lines of traces: our own export, or `{"tool_id", "output"[, "is_error", "at", "arguments", "session"]}`.

use std::borrow::Cow;
use std::collections::HashMap;

use schemascope_model::{CallId, CallRecord, Origin, Outcome, Timestamp, ToolId};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Fields of an MCP result. An `output` is taken for a whole result rather than a value if it has `content` and no
/// other fields than these.
const RESULT_KEYS: &[&str] = &["content", "structuredContent", "isError", "_meta"];

/// The call that a line describes, and whether it is our own export. `id` makes ids for calls without one.
pub(crate) fn read(
    line: &str,
    id: impl FnOnce(Timestamp) -> Result<CallId, String>,
) -> Result<(CallRecord, bool), String> {
    // Of a file of Windows, the first line begins with a mark.
    let line = line.trim_start_matches('\u{feff}');
    let fields: HashMap<Cow<'_, str>, &RawValue> =
        serde_json::from_str(line).map_err(|error| format!("not a JSON object: {error}"))?;
    if fields.contains_key("id") && fields.contains_key("outcome") {
        let record: CallRecord = serde_json::from_str(line).map_err(|error| error.to_string())?;
        return Ok((record, true));
    }
    let tool_id: ToolId = field(&fields, "tool_id")?.ok_or("has no \"tool_id\"")?;
    let output = *fields.get("output").ok_or("has no \"output\"")?;
    let at: Timestamp = field(&fields, "at")?.unwrap_or_else(Timestamp::now);
    let is_error = field::<bool>(&fields, "is_error")?.unwrap_or(false);
    let session: Option<Box<str>> = field(&fields, "session")?;
    let result = as_result(output)?;
    let is_error = is_error || schemascope_registry::is_error(&result);
    let id = id(at)?;
    let arguments = fields.get("arguments").filter(|raw| raw.get() != "null").map(|raw| (*raw).to_owned());
    if arguments.as_ref().is_some_and(|raw| !raw.get().starts_with('{')) {
        return Err("\"arguments\" has to be an object".to_owned());
    }
    let outcome = if is_error { Outcome::ToolError } else { Outcome::Ok };
    let record = CallRecord {
        session,
        arguments_bytes: arguments.as_ref().map_or(0, |raw| raw.get().len() as u64),
        result_bytes: output.get().len() as u64,
        arguments,
        result: Some(result),
        ..CallRecord::new(id, at, tool_id, outcome, Origin::Backfill)
    };
    Ok((record, false))
}

fn field<'a, T: Deserialize<'a>>(
    fields: &HashMap<Cow<'_, str>, &'a RawValue>,
    name: &str,
) -> Result<Option<T>, String> {
    let Some(raw) = fields.get(name).filter(|raw| raw.get() != "null") else { return Ok(None) };
    serde_json::from_str(raw.get()).map(Some).map_err(|error| format!("\"{name}\": {error}"))
}

/// An output as an MCP result that teaches the same. A result stays as it is, text becomes a text block, and any
/// other value becomes structured content.
fn as_result(output: &RawValue) -> Result<Box<RawValue>, String> {
    let text = output.get();
    let wrapped = match text.as_bytes().first() {
        Some(b'{') if is_result(text) => text.to_owned(),
        Some(b'"') => format!("{{\"content\":[{{\"type\":\"text\",\"text\":{text}}}]}}"),
        // In MCP a structured value of null means that there is none, so null is written as text.
        Some(b'n') => "{\"content\":[{\"type\":\"text\",\"text\":\"null\"}]}".to_owned(),
        _ => format!("{{\"content\":[],\"structuredContent\":{text}}}"),
    };
    RawValue::from_string(wrapped).map_err(|error| error.to_string())
}

fn is_result(object: &str) -> bool {
    let fields: HashMap<Cow<'_, str>, &RawValue> = serde_json::from_str(object).unwrap_or_default();
    let blocks: Option<Vec<HashMap<Cow<'_, str>, &RawValue>>> =
        fields.get("content").and_then(|content| serde_json::from_str(content.get()).ok());
    fields.keys().all(|key| RESULT_KEYS.contains(&key.as_ref()))
        && blocks.is_some_and(|blocks| blocks.iter().all(|block| block.contains_key("type")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_an_object() {
        let line = |arguments: &str| {
            let line = format!("{{\"tool_id\":\"s__t\",\"output\":1,\"arguments\":{arguments}}}");
            let id = |at| Ok(schemascope_model::IdSource::new(0, 0).at(at));
            read(&line, id).map(|(record, _)| record.arguments.map(|raw| raw.get().to_owned()))
        };
        assert_eq!((line("{\"a\":1}"), line("null")), (Ok(Some("{\"a\":1}".to_owned())), Ok(None)));
        assert_eq!(line("[1]"), Err("\"arguments\" has to be an object".to_owned()));
    }

    #[test]
    fn outputs_become_results_that_teach_the_same() {
        for (output, result) in [
            ("[1.10]", r#"{"content":[],"structuredContent":[1.10]}"#),
            (r#"{"a":1}"#, r#"{"content":[],"structuredContent":{"a":1}}"#),
            (r#""{\"a\":1}""#, r#"{"content":[{"type":"text","text":"{\"a\":1}"}]}"#),
            ("null", r#"{"content":[{"type":"text","text":"null"}]}"#),
            (
                r#"{"content":[{"type":"text","text":"x"}],"isError":true}"#,
                r#"{"content":[{"type":"text","text":"x"}],"isError":true}"#,
            ),
            (
                r#"{"content":[{"type":"a"}],"more":1}"#,
                r#"{"content":[],"structuredContent":{"content":[{"type":"a"}],"more":1}}"#,
            ),
            (r#"{"content":"x"}"#, r#"{"content":[],"structuredContent":{"content":"x"}}"#),
        ] {
            let raw = RawValue::from_string(output.to_owned()).unwrap();
            assert_eq!(as_result(&raw).unwrap().get(), result);
        }
    }
}
