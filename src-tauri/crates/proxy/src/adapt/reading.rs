//! The parts of a tool's result, and the two ways to change it: adding structure, and turning it into an error.

use bytes::Bytes;

use schemascope_json::Members;
use serde_json::value::RawValue;

use super::object::Object;
use super::text::Text;

/// Key in `_meta` of an error that describes the violation.
const VIOLATION: &str = "schemascope/violation";

/// A tool's result.
pub(super) struct ToolResult<'a>(Object<'a>);

impl<'a> ToolResult<'a> {
    /// Reads a result; `None` if it is not an object.
    pub(super) fn of(bytes: &'a Bytes) -> Option<Self> {
        Object::of(bytes).map(Self)
    }

    /// Whether this is the tool's final result, not an error, a request for input or a task handle.
    pub(super) fn is_answer(&self) -> bool {
        let result = &self.0;
        let complete = result.get("resultType").is_none_or(|kind| kind == "\"complete\"");
        complete && result.get("isError") != Some("true") && result.get("task").is_none()
    }

    /// `structuredContent`, as sent.
    pub(super) fn structured(&self) -> Option<&'a str> {
        self.0.get("structuredContent")
    }

    /// The text of all text blocks; `None` without such a block.
    pub(super) fn text(&self) -> Option<Text<'a>> {
        let blocks: Vec<Members<'_>> = serde_json::from_str(self.0.get("content")?).ok()?;
        Text::of(blocks.iter().filter_map(|block| {
            let get = |name| block.get(name).map(RawValue::get);
            get("type").filter(|kind| *kind == "\"text\"")?;
            get("text").filter(|text| text.starts_with('"'))
        }))
    }

    /// Whether `content` is an empty list.
    pub(super) fn is_empty(&self) -> bool {
        let content: Option<Vec<&RawValue>> =
            self.0.get("content").and_then(|content| serde_json::from_str(content).ok());
        content.is_some_and(|blocks| blocks.is_empty())
    }

    /// The result with this `structuredContent`.
    pub(super) fn with_structured(&self, value: &str) -> Bytes {
        self.0.with("structuredContent", value)
    }

    /// The result as an error with the reason. The structure moves to `_meta`, because clients validate structure
    /// even in an error.
    pub(super) fn as_violation(&self, reason: &str) -> Bytes {
        let mut error = String::from("{");
        for (key, value) in self.0.except(&["structuredContent", "isError", "_meta"]) {
            error.extend([key, ":", value, ","]);
        }
        error.extend(["\"isError\":true,\"_meta\":{\"", VIOLATION, "\":{\"reason\":"]);
        error.push_str(&serde_json::Value::from(reason).to_string());
        if let Some(structured) = self.structured() {
            error.extend([",\"structuredContent\":", structured]);
        }
        let meta = self.0.get("_meta").and_then(|meta| meta.strip_prefix('{')).unwrap_or("}");
        let comma = if meta.trim_start().starts_with('}') { "" } else { "," };
        error.extend(["}", comma, meta, "}"]);
        error.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_violation_keeps_all_members() {
        for (before, after) in [
            (
                r#"{"structuredContent":{"n":1.10},"content":[{"type":"text","text":"\u0041"}],"isError":false,"x":1E5}"#,
                r#"{"content":[{"type":"text","text":"\u0041"}],"x":1E5,"isError":true,"_meta":{"schemascope/violation":{"reason":"\"why\"","structuredContent":{"n":1.10}}}}"#,
            ),
            (
                r#"{"content":[],"_meta":{ "a":1.0}}"#,
                r#"{"content":[],"isError":true,"_meta":{"schemascope/violation":{"reason":"\"why\""}, "a":1.0}}"#,
            ),
            (r#"{"_meta":{}}"#, r#"{"isError":true,"_meta":{"schemascope/violation":{"reason":"\"why\""}}}"#),
        ] {
            let bytes = Bytes::from(before);
            assert_eq!(ToolResult::of(&bytes).unwrap().as_violation("\"why\"").as_ref(), after.as_bytes());
        }
    }
}
