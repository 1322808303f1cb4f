//! JSON behind other words in a text, as errors have it: `Request failed with status 401: {"passwords": ["x"]}`.

use serde::de::IgnoredAny;

use super::json;
use crate::edits::Edit;
use crate::{MAX_NESTING, Redactor, Trust};

/// Most places of a text where JSON is looked for, and how often the bytes of a text are read for that.
const MAX_PLACES: usize = 4_096;
const MAX_READINGS: usize = 16;

/// Edits of the objects and arrays in a text.
pub(super) fn edits(redactor: &Redactor, text: &str, trust: Trust, nesting: usize) -> Vec<Edit> {
    let mut edits = Vec::new();
    if nesting >= MAX_NESTING {
        return edits;
    }
    let (mut from, mut read) = (0, 0);
    for _ in 0..MAX_PLACES {
        if read > text.len() * MAX_READINGS {
            break;
        }
        let rest = text.get(from..).unwrap_or_default();
        let Some(start) = memchr::memchr2(b'{', b'[', rest.as_bytes()).map(|at| from + at) else { break };
        let value = text.get(start..).unwrap_or_default();
        from = start + 1;
        let mut values = serde_json::Deserializer::from_str(value).into_iter::<IgnoredAny>();
        let next = values.next();
        read += match &next {
            Some(Err(error)) => {
                let before = value.split_inclusive('\n').take(error.line().saturating_sub(1));
                before.map(str::len).sum::<usize>() + error.column()
            }
            _ => values.byte_offset(),
        };
        if let Some(Ok(_)) = next
            && let Some(value) = value.get(..values.byte_offset())
        {
            from = start + value.len();
            // Without a string there is no secret.
            if value.contains('"') {
                let found = json::edits(redactor, value, trust, nesting + 1).into_iter();
                edits.extend(found.map(|edit| {
                    let span = edit.span.start + start..edit.span.end + start;
                    Edit { span, ..edit }
                }));
            }
        }
    }
    edits
}

#[cfg(test)]
mod tests {
    use crate::{Redactor, Rules, Trust};

    #[test]
    fn secrets_of_json_behind_other_words_are_replaced() {
        let redactor = Redactor::new(&Rules::default(), []).unwrap();
        for text in [
            r#"Request failed with status 401: {"passwords": ["hunter2-x9"]}"#,
            r#"Request failed: {"password": {"value": "hunter2-x9"}}, try again"#,
            r#"sent [1] {"headers": {"x-api-key": ["hunter2-x9"]}} to the host"#,
        ] {
            let redacted = redactor.text(text);
            assert!(!redacted.contains("hunter2-x9") && redacted.contains("\": "), "{redacted}");
            let document = serde_json::json!({"content": [{"type": "text", "text": text}]}).to_string();
            let (redacted, count) = redactor.redact(&document, Trust::Foreign).unwrap_or_default();
            assert!(!redacted.contains("hunter2-x9") && count == 1, "{redacted}");
        }
        let text = r#"The password is set in {"file": "settings.json", "line": 3} and [see] {below}"#;
        assert_eq!(redactor.text(text), text);
    }
}
