//! What a conversation has found out, read from the replies of the interview tools.

use serde_json::Value;

/// Questions, answers, aggregates and conflicts of a conversation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// Pursuits in the order in which they began.
    pub activities: Vec<Activity>,
    /// Conflicts that no person has settled.
    pub conflicts: Vec<Conflict>,
    /// The MiniZinc model of an aggregate, empty if there is none, and what was found.
    pub model: Option<(String, String)>,
}

/// The pursuit of a Discovery Schema.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Activity {
    /// Id of the Discovery Schema.
    pub ds_id: String,
    /// `working`, `complete`, `exhausted` or `abandoned`.
    pub state: String,
    /// Questions in the order in which they were asked.
    pub exchanges: Vec<Exchange>,
    /// Id of the question that awaits an answer, if this is what is worked on.
    pub open_question: Option<String>,
    /// What the answers add up to.
    pub aggregate: Value,
}

/// A question and its answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Exchange {
    /// Id of the question.
    pub question_id: String,
    /// The question.
    pub question: String,
    /// The answer; none while the question is open.
    pub answer: Option<String>,
    /// What the answer says, in the form of the Discovery Schema; null if nothing was read from it.
    pub scr: Value,
    /// When it was answered, in milliseconds since 1970.
    pub answered_at: Option<u64>,
    /// Who answered.
    pub answered_by: Option<String>,
}

/// Two answers that say different things.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conflict {
    /// The Discovery Schema whose answers differ, or the two that do.
    pub ds_ids: Vec<String>,
    /// Place in the aggregate.
    pub path: String,
    /// The value of the earlier answer.
    pub earlier: Value,
    /// The value of the later answer.
    pub later: Value,
}

impl Found {
    /// Reads the replies of `get_conversation_history` and `get_aggregated_scr`.
    pub fn read(history: &Value, aggregates: &Value) -> Self {
        Self {
            activities: items(history, "activities").iter().map(Activity::read).collect(),
            conflicts: items(aggregates, "conflicts").iter().map(Conflict::read).collect(),
            model: history
                .get("minizinc_results")
                .and_then(Value::as_str)
                .map(|results| (text(history, "minizinc"), results.to_owned())),
        }
    }

    /// The id of the question that is open in the pursuit that is worked on.
    pub fn open_question(&self) -> Option<String> {
        self.activities.iter().find_map(|activity| activity.open_question.clone())
    }
}

impl Activity {
    fn read(value: &Value) -> Self {
        Self {
            ds_id: text(value, "pursuing_ds"),
            state: text(value, "state"),
            open_question: value.get("open_question").and_then(Value::as_str).map(str::to_owned),
            exchanges: items(value, "questions_answers").iter().map(Exchange::read).collect(),
            aggregate: member(value, "summary_ds"),
        }
    }
}

impl Exchange {
    fn read(value: &Value) -> Self {
        let optional = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        Self {
            question_id: text(value, "question_id"),
            question: text(value, "question"),
            answer: optional("answer"),
            scr: member(value, "scr"),
            answered_at: value.get("answered_at").and_then(Value::as_u64),
            answered_by: optional("answered_by"),
        }
    }

    /// The answer as people read it: one given as JSON is a line for each choice or member.
    pub fn said(&self) -> Option<String> {
        let answer = self.answer.as_ref()?;
        let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let lines: Vec<String> = match serde_json::from_str(answer) {
            Ok(Value::Array(items)) if !items.is_empty() => items.iter().map(plain).collect(),
            Ok(Value::Object(members)) if !members.is_empty() => {
                members.iter().map(|(key, value)| format!("{key}: {}", plain(value))).collect()
            }
            _ => return Some(answer.clone()),
        };
        Some(lines.join("\n"))
    }
}

impl Conflict {
    fn read(value: &Value) -> Self {
        Self {
            ds_ids: texts(value, "ds_ids"),
            path: text(value, "path"),
            earlier: member(value, "earlier"),
            later: member(value, "later"),
        }
    }

    /// The Discovery Schema in which a person can settle it; none if two of them differ.
    pub fn of_one(&self) -> Option<&String> {
        self.ds_ids.first().filter(|_| self.ds_ids.len() == 1)
    }
}

/// A member that is a text; empty if there is none.
pub fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The texts of a member that is a list.
pub fn texts(value: &Value, key: &str) -> Vec<String> {
    items(value, key).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The items of a member that is a list; empty if there is none.
pub fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn member(value: &Value, key: &str) -> Value {
    value.get(key).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answer_in_json_is_said_in_lines() {
        let said = |answer: &str| Exchange { answer: Some(answer.to_owned()), ..Exchange::default() }.said();
        assert_eq!(said(r#"["A, B","C"]"#).as_deref(), Some("A, B\nC"));
        assert_eq!(said(r#"{"who": "Ana", "hours": [1, 2]}"#).as_deref(), Some("who: Ana\nhours: [1,2]"));
        for unchanged in ["a\nb", "7", "[]", "{not JSON", "| a |\n| --- |\n| 1 |\n"] {
            assert_eq!(said(unchanged).as_deref(), Some(unchanged));
        }
        assert_eq!(Exchange::default().said(), None);
    }

    #[test]
    fn open_question_is_that_of_the_current_pursuit() {
        let history = json!({"activities": [
            {"pursuing_ds": "a/1", "state": "working", "questions_answers": [], "open_question": null},
            {"pursuing_ds": "a/2", "state": "working", "questions_answers": [], "open_question": "q3"},
        ]});
        let found = Found::read(&history, &json!({}));
        assert_eq!(found.open_question(), Some("q3".to_owned()));
        assert_eq!(Found::read(&Value::Null, &Value::Null), Found::default());
    }

    #[test]
    fn conflict_between_two_schemas_cannot_be_settled_in_one() {
        let conflicts = json!({"conflicts": [
            {"ds_ids": ["a/1"], "path": "/x", "earlier": 1, "later": 2},
            {"ds_ids": ["a/1", "a/2"], "path": "/y", "earlier": 1, "later": 2},
        ]});
        let found = Found::read(&Value::Null, &conflicts);
        let settled: Vec<Option<&String>> = found.conflicts.iter().map(Conflict::of_one).collect();
        assert_eq!(settled, [Some(&"a/1".to_owned()), None]);
    }
}
