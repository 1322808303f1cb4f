//! Which value a result teaches.
//!
//! Owns: the order in which a result is looked at. `structuredContent` if there is one; else the first
//! text block if it is JSON, or all text blocks together if they are; else the text as text. A result
//! without any of these, one that asks for input, and a task handle teach nothing. Refuses to know:
//! shapes and schemas.

use std::borrow::Cow;
use std::collections::HashMap;

use schemascope_model::Carrier;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

/// The value a result teaches, as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation<'a> {
    /// How it was carried.
    pub carrier: Carrier,
    /// The value, as JSON text.
    pub json: Cow<'a, str>,
}

type Object<'a> = HashMap<Cow<'a, str>, &'a RawValue>;

/// The observation in a `result`, if it teaches anything. Errors teach nothing: the caller has looked.
pub fn observe(result: &RawValue) -> Option<Observation<'_>> {
    let fields: Object<'_> = serde_json::from_str(result.get()).ok()?;
    let asks = fields.get("resultType").is_some_and(|kind| kind.get() != "\"complete\"");
    if asks || fields.contains_key("task") {
        return None;
    }
    if let Some(value) = fields.get("structuredContent").filter(|value| value.get() != "null") {
        return Some(Observation { carrier: Carrier::Structured, json: value.get().into() });
    }
    let texts = texts(fields.get("content")?);
    let first = texts.first()?;
    if is_json(first) {
        return Some(Observation { carrier: Carrier::JsonInText, json: first.clone().into() });
    }
    let all = texts.concat();
    let carrier = if texts.len() > 1 && is_json(&all) { Carrier::JsonInText } else { Carrier::Text };
    let json = match carrier {
        Carrier::Text => serde_json::Value::from(all).to_string(),
        _ => all,
    };
    Some(Observation { carrier, json: json.into() })
}

/// Whether a `result` says of itself that it is an error.
pub fn is_error(result: &RawValue) -> bool {
    let fields: Result<Object<'_>, _> = serde_json::from_str(result.get());
    fields.is_ok_and(|fields| fields.get("isError").is_some_and(|flag| flag.get() == "true"))
}

fn texts(content: &RawValue) -> Vec<String> {
    let blocks: Vec<&RawValue> = serde_json::from_str(content.get()).unwrap_or_default();
    let text = |block: &RawValue| {
        let fields: Object<'_> = serde_json::from_str(block.get()).ok()?;
        let is_text = fields.get("type").is_some_and(|kind| kind.get() == "\"text\"");
        let text = fields.get("text").filter(|_| is_text)?;
        serde_json::from_str(text.get()).ok()
    };
    blocks.into_iter().filter_map(text).collect()
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
    }

    #[test]
    fn errors_are_told() {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        assert!(is_error(&raw(r#"{"content":[],"isError" : true}"#)));
        assert!(!is_error(&raw(r#"{"content":[],"isError":false}"#)));
        assert!(!is_error(&raw("[]")));
    }
}
