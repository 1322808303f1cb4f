//! Conditions of files, which say when a Discovery Schema is worth recommending.

use serde_json::Value;

use crate::limits::quoted;
use crate::pointer;
use crate::pursuit::Pursuit;

/// Levels of a condition.
const MAX_LEVELS: usize = 16;

/// When a Discovery Schema is worth recommending.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// The aggregate of a Discovery Schema has a value at a place, or a list there contains it.
    Equals {
        /// Id of the Discovery Schema.
        ds: String,
        /// JSON pointer into its aggregate.
        path: String,
        /// The value. Texts are compared without regard to case.
        value: Value,
    },
    /// The pursuit of a Discovery Schema has ended.
    Ended {
        /// Id of the Discovery Schema.
        ds: String,
    },
    /// A Discovery Schema is complete.
    Complete {
        /// Id of the Discovery Schema.
        ds: String,
    },
    /// All of these are met.
    All(Vec<Self>),
    /// One of these is met.
    Any(Vec<Self>),
    /// This is not met.
    Not(Box<Self>),
}

impl Condition {
    /// Reads a condition as a file writes it.
    pub fn read(value: &Value) -> Result<Self, String> {
        read(value, 0)
    }

    /// Returns whether the condition is met by the pursuits of a conversation.
    pub fn is_met(&self, pursuits: &[Pursuit]) -> bool {
        let find = |ds: &str| pursuits.iter().find(|pursuit| pursuit.ds_id == ds);
        match self {
            Self::Equals { ds, path, value } => find(ds)
                .and_then(|pursuit| pointer::get(pursuit.aggregate(), path))
                .is_some_and(|found| matches(found, value)),
            Self::Ended { ds } => find(ds).is_some_and(Pursuit::is_done),
            Self::Complete { ds } => find(ds).is_some_and(Pursuit::is_complete),
            Self::All(parts) => parts.iter().all(|part| part.is_met(pursuits)),
            Self::Any(parts) => parts.iter().any(|part| part.is_met(pursuits)),
            Self::Not(part) => !part.is_met(pursuits),
        }
    }

    /// Lists the ids of the Discovery Schemas that the condition names.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::Equals { ds, .. } | Self::Ended { ds } | Self::Complete { ds } => vec![ds.as_str()],
            Self::All(parts) | Self::Any(parts) => parts.iter().flat_map(Self::names).collect(),
            Self::Not(part) => part.names(),
        }
    }
}

fn matches(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::String(found), Value::String(wanted)) => found.trim().eq_ignore_ascii_case(wanted.trim()),
        (Value::Array(items), wanted) if !wanted.is_array() => items.iter().any(|item| matches(item, wanted)),
        (found, wanted) => found == wanted,
    }
}

fn read(value: &Value, level: usize) -> Result<Condition, String> {
    if level > MAX_LEVELS {
        return Err(format!("a condition has at most {MAX_LEVELS} levels"));
    }
    let forms = "expected {\"ds\", \"path\", \"equals\"}, {\"ds\", \"is\"}, {\"all\": […]}, {\"any\": […]} or {\"not\": …}";
    let Value::Object(members) = value else {
        return Err(format!("a condition is an object; {forms}"));
    };
    let parts = |key: &str| -> Result<Vec<Condition>, String> {
        let Some(Value::Array(items)) = members.get(key) else {
            return Err(format!("{} is a list of conditions", quoted(key)));
        };
        items.iter().map(|item| read(item, level + 1)).collect()
    };
    let text = |key: &str| -> Result<String, String> {
        let text = members.get(key).and_then(Value::as_str);
        text.map(str::to_owned).ok_or_else(|| format!("{} is text in a condition", quoted(key)))
    };
    let mut keys: Vec<&str> = members.keys().map(String::as_str).collect();
    keys.sort_unstable();
    match keys.as_slice() {
        ["all"] => Ok(Condition::All(parts("all")?)),
        ["any"] => Ok(Condition::Any(parts("any")?)),
        ["not"] => {
            let part = members.get("not").unwrap_or(&Value::Null);
            Ok(Condition::Not(Box::new(read(part, level + 1)?)))
        }
        ["ds", "is"] => match text("is")?.as_str() {
            "ended" => Ok(Condition::Ended { ds: text("ds")? }),
            "complete" => Ok(Condition::Complete { ds: text("ds")? }),
            other => Err(format!("\"is\" is \"ended\" or \"complete\", not {}", quoted(other))),
        },
        ["ds", "equals", "path"] => {
            let path = text("path")?;
            if path.is_empty() || pointer::segments(&path).is_none() {
                return Err(format!(
                    "\"path\" is a JSON pointer that starts with \"/\", not {}",
                    quoted(&path)
                ));
            }
            let value = members.get("equals").cloned().unwrap_or(Value::Null);
            Ok(Condition::Equals { ds: text("ds")?, path, value })
        }
        _ => Err(format!("a condition has the keys {}; {forms}", quoted(&keys.join(", ")))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn condition_without_pursuits_follows_logic() {
        let met = |value: Value| Condition::read(&value).unwrap().is_met(&[]);
        assert!(met(json!({"all": []})));
        assert!(!met(json!({"any": []})));
        assert!(!met(json!({"ds": "a/b", "is": "ended"})));
        assert!(met(json!({"not": {"ds": "a/b", "path": "/x", "equals": 1}})));
    }

    #[test]
    fn condition_of_wrong_form_is_rejected_with_reason() {
        let mut deep = json!({"all": []});
        for _ in 0..40 {
            deep = json!({"not": deep});
        }
        for (value, words) in [
            (json!(1), "is an object"),
            (json!({"ds": "a/b"}), "has the keys"),
            (json!({"ds": "a/b", "is": "done"}), "\"ended\" or \"complete\""),
            (json!({"ds": "a/b", "path": "x", "equals": 1}), "JSON pointer"),
            (json!({"all": {}}), "list of conditions"),
            (deep, "levels"),
        ] {
            let problem = Condition::read(&value).unwrap_err();
            assert!(problem.contains(words), "{problem}");
        }
    }

    #[test]
    fn texts_match_without_case_and_lists_by_item() {
        assert!(matches(&json!("FLOW-SHOP"), &json!("flow-shop ")));
        assert!(matches(&json!(["a", "b"]), &json!("B")));
        assert!(!matches(&json!(["a"]), &json!(["b"])));
    }
}
