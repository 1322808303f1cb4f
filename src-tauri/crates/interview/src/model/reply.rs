//! Reading replies of the client's model.

use serde_json::{Map, Value};

use super::{Reading, Wording};
use crate::answer::check;
use crate::limits::{MAX_ANSWER_BYTES, kind, quoted, shortened};
use crate::merge::INVENTED_KEY;
use crate::record::QuestionType;
use crate::schema::{DiscoverySchema, json_reason};

/// Longest text of a question, in characters.
const MAX_QUESTION_CHARS: usize = 4_000;
/// Longest table template, in characters.
const MAX_TEMPLATE_CHARS: usize = 16_000;
/// Longest choice or remark, in characters.
const MAX_LINE_CHARS: usize = 1_000;
/// Choices, remarks and keys that are kept.
const MAX_LINES: usize = 50;

/// Reads a reply that words a question. On failure, says what is wrong, for one further try.
pub fn parse_wording(reply: &str) -> Result<Wording, String> {
    let members = object(reply)?;
    let question = text(&members, "question").ok_or("\"question\" has to be text that is not empty")?;
    let question_type = match members.get("question_type").and_then(Value::as_str) {
        Some("text") | None => QuestionType::Text,
        Some("table") => QuestionType::Table,
        Some("choice") => QuestionType::Choice,
        Some(other) => {
            return Err(format!(
                "\"question_type\" is \"text\", \"table\" or \"choice\", not {}",
                quoted(other)
            ));
        }
    };
    let choices = texts(&members, "choices");
    if question_type == QuestionType::Choice && choices.len() < 2 {
        return Err("\"choices\" needs at least two texts for a question of type \"choice\"".to_owned());
    }
    let template = text(&members, "table_template").map(|template| shortened(&template, MAX_TEMPLATE_CHARS));
    Ok(Wording {
        question: shortened(&question, MAX_QUESTION_CHARS),
        question_type,
        rationale: text(&members, "rationale")
            .map(|text| shortened(&text, MAX_LINE_CHARS))
            .unwrap_or_default(),
        expected_info: texts(&members, "expected_info"),
        table_template: template,
        choices,
        about: None,
    })
}

/// Reads a reply that reads an answer, and checks it against the Discovery Schema. On failure, says what is wrong, for
/// one further try.
pub fn parse_reading(schema: &DiscoverySchema, reply: &str) -> Result<Reading, String> {
    let members = object(reply)?;
    let scr = match members.get("scr") {
        Some(Value::Object(scr)) => scr,
        Some(other) => return Err(format!("\"scr\" has to be an object, not {}", kind(other))),
        None => return Err("\"scr\" is missing".to_owned()),
    };
    let mut scr = scr.clone();
    if let Some(retract) = members.get("retract")
        && !scr.contains_key("retract")
    {
        scr.insert("retract".to_owned(), retract.clone());
    }
    let checked = check(schema, &scr)?;
    let confidence = members.get("confidence").and_then(Value::as_f64).unwrap_or(0.5);
    if !(0.0..=1.0).contains(&confidence) {
        return Err("\"confidence\" has to be a number from 0 to 1".to_owned());
    }
    let mut ambiguities = texts(&members, "ambiguities");
    if checked.scr.get(INVENTED_KEY).is_some() {
        ambiguities.push("The answer says something that the schema has no field for.".to_owned());
    }
    let notes = text(&members, "commit_notes").unwrap_or_else(|| "Read by the client's model.".to_owned());
    Ok(Reading {
        scr: checked.scr,
        retract: checked.retract,
        confidence,
        ambiguities,
        commit_notes: shortened(&notes, MAX_LINE_CHARS),
    })
}

/// Returns the JSON object of a reply, which may be fenced or surrounded by words.
fn object(reply: &str) -> Result<Map<String, Value>, String> {
    let reply = reply.trim();
    if reply.is_empty() {
        return Err("the reply is empty".to_owned());
    }
    if reply.len() > MAX_ANSWER_BYTES {
        return Err(format!("the reply has {} bytes; the largest size is {MAX_ANSWER_BYTES}", reply.len()));
    }
    let start = reply.find('{').ok_or("the reply contains no JSON object")?;
    let end = reply.rfind('}').ok_or("the JSON object of the reply does not end")?;
    let json = reply.get(start..=end).ok_or("the reply contains no JSON object")?;
    match serde_json::from_str::<Value>(json) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err("the reply contains no JSON object".to_owned()),
        Err(error) => Err(format!("the reply is not valid JSON: {}", json_reason(&error))),
    }
}

fn text(members: &Map<String, Value>, key: &str) -> Option<String> {
    let text = members.get(key)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn texts(members: &Map<String, Value>, key: &str) -> Vec<String> {
    let items = members.get(key).and_then(Value::as_array);
    let texts = items.into_iter().flatten().filter_map(Value::as_str).filter(|text| !text.trim().is_empty());
    texts.take(MAX_LINES).map(|text| shortened(text.trim(), MAX_LINE_CHARS)).collect()
}
