//! Questions as forms, for clients that put them to their user directly.

use serde_json::{Map, Value, json};

use crate::field::{FieldKind, field_at};
use crate::reading::AnswerInput;
use crate::record::{Question, QuestionType};
use crate::schema::DiscoverySchema;

/// Key of the answer in a form.
const ANSWER_KEY: &str = "answer";

/// Returns the schema of the form for a question, as `elicitation/create` requests it: an object with one plain member.
pub fn requested_form(schema: &DiscoverySchema, question: &Question) -> Value {
    let kind = field_at(&schema.fields, &question.place).map(|field| &field.kind);
    let mut answer = Map::new();
    match (question.question_type, kind) {
        (QuestionType::Choice, Some(FieldKind::Boolean)) => {
            answer.insert("type".to_owned(), json!("boolean"));
        }
        (QuestionType::Choice, Some(FieldKind::Choice { is_many: true, .. })) => {
            answer.insert("type".to_owned(), json!("array"));
            answer.insert("items".to_owned(), json!({"type": "string", "enum": question.choices}));
        }
        (QuestionType::Choice, _) => {
            answer.insert("type".to_owned(), json!("string"));
            answer.insert("enum".to_owned(), json!(question.choices));
        }
        (_, Some(FieldKind::Number)) => {
            answer.insert("type".to_owned(), json!("number"));
        }
        _ => {
            answer.insert("type".to_owned(), json!("string"));
        }
    }
    let description = match &question.table_template {
        Some(template) => format!("{}\n\n{template}", question.help_text),
        None => question.help_text.clone(),
    };
    answer.insert("title".to_owned(), json!(question.text));
    answer.insert("description".to_owned(), json!(description));
    json!({"type": "object", "properties": {ANSWER_KEY: answer}, "required": [ANSWER_KEY]})
}

/// Returns the answer that a filled-in form contains. `None` if it has none.
pub fn form_answer(content: &Value) -> Option<AnswerInput> {
    let text = match content.get(ANSWER_KEY)? {
        Value::String(text) => text.clone(),
        Value::Bool(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        other => other.to_string(),
    };
    Some(AnswerInput::Text(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pursuit::Pursuit;
    use crate::schema::read_schema;
    use crate::slots::next_slot;

    #[test]
    fn form_has_one_member_of_the_type_of_the_field() {
        let file = json!({"DS": {"DS-id": "a/b", "ok?": {"comment": "Is it?"}}});
        let schema = read_schema(&file.to_string()).unwrap();
        let pursuit = Pursuit::new("a/b", None);
        let slot = next_slot(&schema, &pursuit).unwrap();
        let question = crate::question::question(&schema, &pursuit, &slot, "q");
        let form = requested_form(&schema, &question);
        assert_eq!(form.pointer("/properties/answer/type"), Some(&json!("boolean")));
        assert_eq!(form_answer(&json!({"answer": false})), Some(AnswerInput::Text("no".to_owned())));
        assert_eq!(form_answer(&json!({})), None);
    }
}
