//! What a scripted expert answers to a question.

use serde_json::{Map, Value};

use super::Script;
use crate::field::{Field, FieldKind, field_at};
use crate::limits::stable_number;
use crate::plain_text::is_no_answer;
use crate::pointer;
use crate::pursuit::Pursuit;
use crate::record::Question;
use crate::schema::{DiscoverySchema, EXHAUSTED_KEY};

/// Answers of a script that has none of its own.
const NO_ANSWER: &str = "I don't know.";
const OFF_TOPIC: &str = "By the way, the weather has been terrible this week.";

/// Returns the answer of an expert. The same question in the same state gets the same answer.
///
/// An expert answers with exact JSON. An intermediate answers in plain form and is sometimes vague the first time. A
/// basic one is vague more often, drifts off topic where only certain answers can be read, and states one value wrongly
/// before correcting it with a later answer.
pub(super) fn answer(
    script: &Script,
    level: &str,
    schema: &DiscoverySchema,
    pursuit: &Pursuit,
    question: &Question,
) -> String {
    let key = question
        .expected_info
        .first()
        .cloned()
        .or_else(|| pointer::top_key(&question.place))
        .unwrap_or_default();
    let attempts = attempts(pursuit, question);
    if can_evade(schema, pursuit)
        && let Some(evasion) = evasion(script, level, schema, question, attempts)
    {
        return evasion;
    }
    // Whoever has more to say does not call it all.
    if key == EXHAUSTED_KEY && has_more(script, schema, pursuit) {
        return "no".to_owned();
    }
    let Some(value) = value(script, schema, &key) else { return NO_ANSWER.to_owned() };
    let mut members = Map::new();
    members.insert(key.clone(), value.clone());
    if level == "basic" {
        if let Some(wrong) = contradiction(script, schema, pursuit, &key, &members) {
            return wrong;
        }
        if correct(script, schema, pursuit, &mut members) {
            return Value::Object(members).to_string();
        }
    }
    let field = field_at(&schema.fields, &question.place);
    let is_exact = level == "expert" || question.is_review || question.place != pointer::join("", &key);
    let plain = field.filter(|_| !is_exact).and_then(|field| plain(field, &value));
    plain.unwrap_or_else(|| Value::Object(members).to_string())
}

/// Whether the script has an answer for a key that is still open, and the budget covers a question for it.
fn has_more(script: &Script, schema: &DiscoverySchema, pursuit: &Pursuit) -> bool {
    let Some(answers) = script.answers.get(&schema.id) else { return false };
    let is_open = |key: &&String| *key != EXHAUSTED_KEY && pursuit.aggregate().get(key.as_str()).is_none();
    let left = pursuit.budget().saturating_sub(pursuit.used()) / schema.cost.max(1);
    left > 1 && answers.keys().any(|key| is_open(&key))
}

/// How often the place was asked for before in this run.
fn attempts(pursuit: &Pursuit, question: &Question) -> usize {
    let answered = pursuit.asked_in_run().filter(|asked| asked.answered.is_some());
    answered.filter(|asked| asked.question.place == question.place).count()
}

/// Whether the budget covers a further question for every open key, so that an evasion loses nothing.
fn can_evade(schema: &DiscoverySchema, pursuit: &Pursuit) -> bool {
    let left = pursuit.budget().saturating_sub(pursuit.used()) / schema.cost.max(1);
    let open = schema.top_keys().into_iter().filter(|key| pursuit.aggregate().get(key).is_none()).count();
    usize::try_from(left).is_ok_and(|left| left > open)
}

/// Returns a vague or off-topic answer, if the expert gives one this time.
fn evasion(
    script: &Script,
    level: &str,
    schema: &DiscoverySchema,
    question: &Question,
    attempts: usize,
) -> Option<String> {
    let percent = match (level, attempts) {
        ("intermediate", 0) => 20,
        ("basic", 0) => 45,
        ("basic", 1) => 20,
        _ => 0,
    };
    let seed = format!("{}|{level}|{}|{}|{attempts}", script.product, schema.id, question.place);
    let number = stable_number(&seed);
    if number % 100 >= percent {
        return None;
    }
    let pick = (number / 100) as usize;
    let nth = |texts: &[String]| texts.get(pick % texts.len().max(1)).cloned();
    // Where any text is an answer, other words would be taken for one.
    let is_closed = field_at(&schema.fields, &question.place).is_some_and(|field| {
        matches!(
            field.kind,
            FieldKind::Boolean | FieldKind::Number | FieldKind::Choice { is_closed: true, .. }
        )
    });
    if level == "basic" && pick % 2 == 1 && is_closed {
        return Some(nth(&script.off_topic).unwrap_or_else(|| OFF_TOPIC.to_owned()));
    }
    let vague = nth(&script.vague).filter(|vague| is_closed || is_no_answer(vague));
    Some(vague.unwrap_or_else(|| NO_ANSWER.to_owned()))
}

/// Returns the value of a key: from the script, else from the example.
fn value(script: &Script, schema: &DiscoverySchema, key: &str) -> Option<Value> {
    if let Some(value) = script.answers.get(&schema.id).and_then(|answers| answers.get(key)) {
        return Some(value.clone());
    }
    if key == EXHAUSTED_KEY {
        return Some(Value::Bool(true));
    }
    schema.example.get(key).filter(|value| !value.is_null()).cloned()
}

/// Returns an answer with the wrong value, if this is the time for it: when its key is asked for, and another key of
/// the script is still open, so that a further question follows.
fn contradiction(
    script: &Script,
    schema: &DiscoverySchema,
    pursuit: &Pursuit,
    key: &str,
    members: &Map<String, Value>,
) -> Option<String> {
    let planned = script.contradictions.get(&schema.id)?;
    let answers = script.answers.get(&schema.id)?;
    let aggregate = pursuit.aggregate();
    let is_due = pointer::top_key(&planned.path).as_deref() == Some(key) && aggregate.get(key).is_none();
    let is_open = |other: &String| other != key && other != EXHAUSTED_KEY && aggregate.get(other).is_none();
    if !is_due || !answers.keys().any(is_open) {
        return None;
    }
    let mut wrong = Value::Object(members.clone());
    let segments = pointer::segments(&planned.path)?;
    pointer::set(&mut wrong, &segments, &planned.value).then(|| wrong.to_string())
}

/// Adds the right value to an answer, if the wrong one was stated before. Returns whether it did.
fn correct(
    script: &Script,
    schema: &DiscoverySchema,
    pursuit: &Pursuit,
    members: &mut Map<String, Value>,
) -> bool {
    let Some(planned) = script.contradictions.get(&schema.id) else { return false };
    let is_wrong = pointer::get(pursuit.aggregate(), &planned.path) == Some(&planned.value);
    let right =
        pointer::top_key(&planned.path).and_then(|key| value(script, schema, &key).map(|value| (key, value)));
    match right {
        Some((key, value)) if is_wrong => {
            members.insert(key, value);
            true
        }
        _ => false,
    }
}

/// Writes a value as a person would, if it can be read exactly from that.
fn plain(field: &Field, value: &Value) -> Option<String> {
    match (&field.kind, value) {
        (FieldKind::Boolean, Value::Bool(flag)) => Some(if *flag { "yes" } else { "no" }.to_owned()),
        (FieldKind::Choice { is_many: false, .. }, Value::String(text)) => Some(text.clone()),
        (FieldKind::Number, Value::Number(number)) => Some(number.to_string()),
        (FieldKind::Text, Value::String(text)) => {
            let is_plain = !text.trim_start().starts_with(['{', '[', '"']) && text.trim() == text;
            (is_plain && !is_no_answer(text)).then(|| text.clone())
        }
        (FieldKind::List { is_numbers: false }, Value::Array(items)) => {
            let texts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            let is_plain = texts.iter().all(|text| {
                let starts_plain = text.chars().next().is_some_and(char::is_alphabetic);
                starts_plain && text.trim() == *text && !text.contains(['\n', ';']) && !is_no_answer(text)
            });
            (is_plain && texts.len() == items.len() && !texts.is_empty()).then(|| texts.join("\n"))
        }
        _ => None,
    }
}
