//! What a result says, and the two ways it is changed: it gets structure, or it becomes an error.
//!
//! Owns: the members of a `result`. Refuses to know: schemas.

use bytes::Bytes;

use super::object::{Members, Object};
use super::text::Text;

/// Where the violation an error stands for is told, in its `_meta`.
const VIOLATION: &str = "schemascope/violation";

/// A result that is an object.
pub(super) struct Reading<'a>(Object<'a>);

impl<'a> Reading<'a> {
    /// None when it is no object.
    pub(super) fn of(bytes: &'a Bytes) -> Option<Self> {
        Object::of(bytes).map(Self)
    }

    /// Whether it is a tool's answer at all: no error, no question back, no handle to something that goes on.
    pub(super) fn is_answer(&self) -> bool {
        let members = &self.0.members;
        let complete = members.get("resultType").is_none_or(|kind| kind == "\"complete\"");
        complete && members.get("isError") != Some("true") && members.get("task").is_none()
    }

    /// `structuredContent`, as sent.
    pub(super) fn structured(&self) -> Option<&'a str> {
        self.0.members.get("structuredContent")
    }

    /// The text of its text blocks; none where there is no such block.
    pub(super) fn text(&self) -> Option<Text<'a>> {
        let blocks: Vec<Members<'_>> = serde_json::from_str(self.0.members.get("content")?).ok()?;
        Text::of(blocks.iter().filter_map(|block| {
            block.get("type").filter(|kind| *kind == "\"text\"")?;
            block.get("text").filter(|text| text.starts_with('"'))
        }))
    }

    /// The same result with this `structuredContent`.
    pub(super) fn with_structured(&self, value: &str) -> Bytes {
        self.0.with("structuredContent", value)
    }

    /// The same result as an error that says why. Its structure moves to `_meta`: clients would judge it by the
    /// schema it does not fit even in an error.
    pub(super) fn as_violation(&self, reason: &str) -> Bytes {
        let members = &self.0.members;
        let mut error = String::from("{");
        for (key, value) in members.except(&["structuredContent", "isError", "_meta"]) {
            error.extend([key, ":", value, ","]);
        }
        error.extend(["\"isError\":true,\"_meta\":{\"", VIOLATION, "\":{\"reason\":"]);
        error.push_str(&serde_json::Value::from(reason).to_string());
        if let Some(structured) = self.structured() {
            error.extend([",\"structuredContent\":", structured]);
        }
        let meta = members.get("_meta").and_then(|meta| meta.strip_prefix('{')).unwrap_or("}");
        let comma = if meta.trim_start().starts_with('}') { "" } else { "," };
        error.extend(["}", comma, meta, "}"]);
        error.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violation_keeps_everything() {
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
            assert_eq!(Reading::of(&bytes).unwrap().as_violation("\"why\"").as_ref(), after.as_bytes());
        }
    }
}
