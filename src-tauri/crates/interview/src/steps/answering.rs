//! Taking answers.

use serde_json::{Value, json};

use super::deciding::check_retractions;
use super::{Context, Place, Step, require_working, schema_of, unknown};
use crate::budget;
use crate::completeness::{COMPLETE, is_filled};
use crate::error::{ErrorKind, StepError};
use crate::event::What;
use crate::limits::{MAX_ANSWER_BYTES, MAX_PURSUIT_BYTES, digest, quoted, shortened};
use crate::merge::{Change, Conflict, INVENTED_KEY, fold};
use crate::model::Reading;
use crate::pursuit::{Answered, AskedQuestion, Pursuit, answer_changes};
use crate::reading::{AnswerInput, Read, read};
use crate::record::{Answer, NextAction, PursuitState, Question};
use crate::schema::DiscoverySchema;
use crate::state::Conversation;

/// Conflicts and problems that one reply describes.
const MAX_DESCRIBED: usize = 20;
/// Characters of a value in such a description.
const DESCRIBED_CHARS: usize = 80;

/// Input of [`process_ds_answer`].
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerStep {
    /// The pursuit. The question determines the Discovery Schema where it is not named.
    pub place: Place,
    /// The question.
    pub question_id: String,
    /// The answer.
    pub answer: AnswerInput,
    /// JSON pointers that the answer retracts.
    pub retract: Vec<String>,
    /// What the client's model read.
    pub reading: Option<Reading>,
}

/// What an answer amounts to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Outcome {
    pub(super) scr: Option<Value>,
    pub(super) retract: Vec<String>,
    pub(super) confidence: f64,
    pub(super) ambiguities: Vec<String>,
    pub(super) commit_notes: String,
}

/// Takes the answer to a question. The first answer is kept: the same text again gives the same reply, another text is
/// rejected.
pub fn process_ds_answer(context: &Context<'_>, input: &AnswerStep) -> Result<Step, StepError> {
    let conversation = context.conversation(&input.place)?;
    let text = input.answer.text();
    check_size(&text)?;
    let (pursuit, asked) = find(context, conversation, input)?;
    let (notes, mut events) = context.deliver_notes(&input.place, conversation);
    if let Some(answered) = &asked.answered {
        if !is_same_answer(&answered.answer, &text) {
            let message = format!(
                "the question {:?} was answered already; the first answer is kept",
                input.question_id
            );
            return Err(StepError::new(ErrorKind::Answered, message));
        }
        return Ok(Step { reply: same_again(pursuit, answered, &notes), events });
    }
    require_working(pursuit)?;
    if pursuit.answer_bytes() + text.len() > MAX_PURSUIT_BYTES {
        let message =
            format!("the answers of this pursuit together exceed {MAX_PURSUIT_BYTES} bytes; finalise it");
        return Err(StepError::new(ErrorKind::TooLarge, message));
    }
    let schema = schema_of(pursuit)?;
    let outcome = judge(context, pursuit, schema, &asked.question, input)?;
    let mut answer = Answer {
        digest: digest(&text),
        text,
        scr: outcome.scr,
        retract: outcome.retract,
        confidence: outcome.confidence,
        ambiguities: outcome.ambiguities,
        commit_notes: outcome.commit_notes,
        completeness: 0,
        next_action: NextAction::Continue,
    };
    let changes = answer_changes(&input.question_id, &answer, context.stamp.now);
    let (merged, completeness) = pursuit.preview(&changes);
    answer.completeness = completeness;
    answer.next_action = if completeness == COMPLETE {
        NextAction::Complete
    } else if answer.scr.is_none() && answer.retract.is_empty() {
        NextAction::NeedsClarification
    } else {
        NextAction::Continue
    };
    let place =
        |ds_id: &str| (input.place.project_id.clone(), input.place.conversation_id.clone(), ds_id.to_owned());
    let is_spent = !budget::covers(pursuit.budget(), pursuit.used(), schema.cost);
    let is_exhausted = is_spent && answer.next_action != NextAction::Complete;
    if is_exhausted {
        answer
            .commit_notes
            .push_str(" The budget is exhausted: no further question can be asked in this pursuit.");
    }
    let state = if is_exhausted { PursuitState::Exhausted } else { PursuitState::Working };
    let reply = reply(&answer, &merged.value, state, pursuit, &notes);
    let (project_id, conversation_id, ds_id) = place(&pursuit.ds_id);
    let question_id = input.question_id.clone();
    let given =
        What::AnswerGiven { project_id, conversation_id, ds_id, question_id, answer: Box::new(answer) };
    events.push(context.event(given));
    if is_exhausted {
        let (project_id, conversation_id, ds_id) = place(&pursuit.ds_id);
        let notes = String::new();
        events.push(context.event(What::PursuitEnded { project_id, conversation_id, ds_id, state, notes }));
    }
    Ok(Step { reply, events })
}

pub(super) fn check_size(text: &str) -> Result<(), StepError> {
    if text.len() <= MAX_ANSWER_BYTES {
        return Ok(());
    }
    let message = format!(
        "the answer has {} bytes; the largest size is {MAX_ANSWER_BYTES} (256 KB). The question stays open.",
        text.len()
    );
    Err(StepError::new(ErrorKind::TooLarge, message))
}

/// Finds a question in a conversation, or says where it is.
fn find<'a>(
    context: &Context<'a>,
    conversation: &'a Conversation,
    input: &AnswerStep,
) -> Result<(&'a Pursuit, &'a AskedQuestion), StepError> {
    for pursuit in &conversation.pursuits {
        let Some(asked) = pursuit.question(&input.question_id) else { continue };
        if let Some(ds_id) = input.place.ds_id.as_ref().filter(|ds_id| **ds_id != pursuit.ds_id) {
            let message = format!(
                "the question {:?} belongs to {:?}, not to {}",
                input.question_id,
                pursuit.ds_id,
                quoted(ds_id)
            );
            return Err(StepError::new(ErrorKind::Unknown, message));
        }
        return Ok((pursuit, asked));
    }
    for project in context.interviews.projects.values() {
        for other in &project.conversations {
            if other.pursuits.iter().any(|pursuit| pursuit.question(&input.question_id).is_some()) {
                let message = format!(
                    "the question {:?} belongs to the conversation {:?}",
                    input.question_id, other.conversation_id
                );
                return Err(StepError::new(ErrorKind::Unknown, message));
            }
        }
    }
    // Says first that the Discovery Schema is unknown or not pursued.
    context.pursuit(&input.place)?;
    let open = conversation.pursuits.iter().filter_map(Pursuit::open_question);
    let known: Vec<&str> = open.map(|asked| asked.question.question_id.as_str()).collect();
    Err(unknown("question", &input.question_id, &known, "Call get_next_question for the open one."))
}

/// Returns whether an answer is the one that was given: the same text, or the same JSON.
fn is_same_answer(given: &Answer, text: &str) -> bool {
    if given.digest == digest(text) {
        return true;
    }
    let json = |text: &str| serde_json::from_str::<Value>(text).ok().filter(Value::is_object);
    json(text).is_some_and(|value| json(&given.text) == Some(value))
}

/// Returns the reply that the first answer got.
fn same_again(pursuit: &Pursuit, answered: &Answered, notes: &Value) -> Value {
    let changes = pursuit.changes.get(..answered.changes).unwrap_or(&pursuit.changes);
    let merged = fold(changes);
    reply(&answered.answer, &merged.value, pursuit.state(), pursuit, notes)
}

fn reply(answer: &Answer, aggregate: &Value, state: PursuitState, pursuit: &Pursuit, notes: &Value) -> Value {
    let remaining = pursuit.budget().saturating_sub(pursuit.used());
    json!({
        "scr": answer.scr.clone().unwrap_or_else(|| json!({})),
        "updated_ascr": aggregate,
        "commit_notes": answer.commit_notes,
        "confidence": answer.confidence,
        "ambiguities": answer.ambiguities,
        "completeness": budget::number(answer.completeness),
        "next_action": answer.next_action.name(),
        "state": state.name(),
        "budget_remaining": budget::number(remaining),
        "notes": notes,
    })
}

/// Reads an answer, with the model's reading if there is one, and checks what it would change.
pub(super) fn judge(
    context: &Context<'_>,
    pursuit: &Pursuit,
    schema: &DiscoverySchema,
    question: &Question,
    input: &AnswerStep,
) -> Result<Outcome, StepError> {
    let mut outcome = match &input.reading {
        Some(reading) => Outcome {
            scr: Some(reading.scr.clone()),
            retract: existing(pursuit, &reading.retract),
            confidence: reading.confidence,
            ambiguities: reading.ambiguities.clone(),
            commit_notes: reading.commit_notes.clone(),
        },
        None => match read(schema, question, pursuit.aggregate(), &input.answer) {
            Read::Understood { checked, confidence, is_prose } => {
                let notes = if is_prose { "Taken over as it is." } else { "Read exactly." };
                let (scr, retract) = (Some(checked.scr), checked.retract);
                Outcome { scr, retract, confidence, ambiguities: Vec::new(), commit_notes: notes.to_owned() }
            }
            Read::Unclear(problem) if input.retract.is_empty() => return Ok(unclear(vec![problem])),
            Read::Unclear(_) => {
                let notes = "The answer retracts values and adds none.".to_owned();
                let ambiguities = Vec::new();
                Outcome { scr: None, retract: Vec::new(), confidence: 1.0, ambiguities, commit_notes: notes }
            }
            Read::Rejected(problem) => {
                let message = format!("the answer was not stored; the question stays open: {problem}");
                return Err(StepError::new(ErrorKind::Rejected, message));
            }
        },
    };
    outcome.retract.extend(input.retract.iter().cloned());
    check_retractions(pursuit, &outcome.retract)?;
    if !is_filled(outcome.scr.as_ref()) && outcome.retract.is_empty() {
        let mut ambiguities = outcome.ambiguities;
        ambiguities.push("the answer says nothing about the fields of this Discovery Schema".to_owned());
        return Ok(unclear(ambiguities));
    }
    let mut changes = Vec::new();
    if !outcome.retract.is_empty() {
        changes.push(Change::Retract { pointers: outcome.retract.clone(), at: context.stamp.now });
    }
    if let Some(scr) = &outcome.scr {
        let question_id = question.question_id.clone();
        changes.push(Change::Merge { question_id, scr: scr.clone(), at: context.stamp.now });
    }
    let (merged, _) = pursuit.preview(&changes);
    if let Some(json_schema) = &schema.validate {
        let before = (context.validate)(json_schema, pursuit.aggregate());
        let mut broken = (context.validate)(json_schema, &merged.value);
        broken.retain(|problem| !before.contains(problem));
        if !broken.is_empty() {
            broken.truncate(MAX_DESCRIBED);
            return Ok(unclear(broken));
        }
    }
    let is_new = |conflict: &&Conflict| !pursuit.conflicts().contains(conflict);
    for conflict in merged.conflicts.iter().filter(is_new).take(MAX_DESCRIBED) {
        let earlier = shortened(&conflict.earlier.to_string(), DESCRIBED_CHARS);
        let later = shortened(&conflict.later.to_string(), DESCRIBED_CHARS);
        outcome.ambiguities.push(format!("{} was {earlier}, now {later}", conflict.path));
    }
    if outcome.scr.as_ref().is_some_and(|scr| scr.get(INVENTED_KEY).is_some()) {
        outcome.commit_notes.push_str(" Values under \"invented\" are kept with the answer, not merged.");
    }
    Ok(outcome)
}

/// Keeps the retractions that a model names and that can be carried out.
fn existing(pursuit: &Pursuit, pointers: &[String]) -> Vec<String> {
    let can_retract = |place: &&String| check_retractions(pursuit, std::slice::from_ref(*place)).is_ok();
    pointers.iter().filter(can_retract).cloned().collect()
}

/// An answer that is stored with its question, and merged nowhere.
fn unclear(ambiguities: Vec<String>) -> Outcome {
    Outcome {
        scr: None,
        retract: Vec::new(),
        confidence: 0.0,
        ambiguities,
        commit_notes: "The answer is stored with this question. Nothing was merged.".to_owned(),
    }
}
