//! Why a call failed, in the words of its server.

use schemascope_model::CallRecord;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::CallRow;

/// Most characters of a reason.
const MAX_CHARS: usize = 400;

/// A failed call, and why it failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FailedCall {
    /// The call.
    pub call: CallRow,
    /// What [`failure_reason`] says.
    pub reason: Option<String>,
}

/// The reason of a failed call: the message of its error, or the first text of its result. Blanks and line breaks become
/// one blank, and long texts are shortened. `None` if the call did not fail or its server gave no reason.
pub fn failure_reason(call: &CallRecord) -> Option<String> {
    if !call.outcome.is_failure() {
        return None;
    }
    let text = match (&call.error, &call.result) {
        (Some(error), _) => message(error),
        (None, Some(result)) => first_text(result),
        (None, None) => None,
    }?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    let mut shortened: String = line.chars().take(MAX_CHARS).collect();
    if shortened.len() < line.len() {
        shortened.push('…');
    }
    (!shortened.is_empty()).then_some(shortened)
}

fn message(error: &RawValue) -> Option<String> {
    #[derive(Deserialize)]
    struct Error {
        message: String,
    }
    serde_json::from_str::<Error>(error.get()).ok().map(|error| error.message)
}

fn first_text(result: &RawValue) -> Option<String> {
    #[derive(Deserialize)]
    struct Outer {
        content: Vec<Block>,
    }
    #[derive(Deserialize)]
    struct Block {
        #[serde(default)]
        text: Option<String>,
    }
    let outer: Outer = serde_json::from_str(result.get()).ok()?;
    outer.content.into_iter().filter_map(|block| block.text).find(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn call(outcome: &str, body: (&str, Value)) -> CallRecord {
        let mut call = json!({
            "id": "0".repeat(32), "at": "2026-12-01T00:00:00Z", "tool_id": "s__t", "outcome": outcome, "origin": "proxy",
        });
        call[body.0] = body.1;
        serde_json::from_value(call).unwrap()
    }

    #[test]
    fn reasons_are_the_words_of_the_server() {
        let text = |text: &str| json!({"content": [{"type": "image"}, {"type": "text", "text": text}]});
        for (outcome, body, reason) in [
            ("tool_error", ("result", text("\n Not\nfound:  7 ")), Some("Not found: 7")),
            ("tool_error", ("result", json!({"content": []})), None),
            ("tool_error", ("result", json!("no result")), None),
            ("error", ("error", json!({"code": -32602, "message": "bad id"})), Some("bad id")),
            ("error", ("error", json!({"code": -32602, "message": 3})), None),
            ("ok", ("result", text("fine")), None),
        ] {
            assert_eq!(failure_reason(&call(outcome, body)).as_deref(), reason);
        }
        let long = failure_reason(&call("tool_error", ("result", text(&"ä".repeat(500))))).unwrap();
        assert_eq!(long.chars().count(), 401);
    }
}
