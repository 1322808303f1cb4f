//! The client's own model: when it is asked, and the two tools that word and read without changing anything.

use serde_json::json;

use super::answering::{AnswerStep, check_size, judge};
use super::asking::{QuestionStep, next_question};
use super::{Context, Place, Step, require_working, schema_of};
use crate::error::StepError;
use crate::model::{ANSWER_CHARS, Prompt, Reading, about_answer, about_question};
use crate::pursuit::Pursuit;
use crate::reading::{AnswerInput, Read, read};
use crate::record::{Question, QuestionType};

/// Returns the prompt for the words of the next question, and the place it is about. `None` if a question is open already.
pub fn question_prompt(context: &Context<'_>, place: &Place) -> Result<Option<(Prompt, String)>, StepError> {
    context.conversation(place)?;
    let pursuit = context.pursuit(place)?;
    require_working(pursuit)?;
    if pursuit.open_question().is_some() {
        return Ok(None);
    }
    let schema = schema_of(pursuit)?;
    let own = next_question(context, pursuit, schema, None)?;
    Ok(Some((about_question(schema, pursuit, &own), own.place)))
}

/// Returns the prompt for reading an answer. `None` if no model is needed: the answer was given already, it can be read
/// exactly, or it will be rejected.
pub fn reading_prompt(context: &Context<'_>, input: &AnswerStep) -> Result<Option<Prompt>, StepError> {
    let conversation = context.conversation(&input.place)?;
    let mut pursuits = conversation.pursuits.iter();
    let found =
        pursuits.find_map(|pursuit| pursuit.question(&input.question_id).map(|asked| (pursuit, asked)));
    match found {
        Some((pursuit, asked)) if asked.answered.is_none() => prompt(pursuit, &asked.question, &input.answer),
        _ => Ok(None),
    }
}

/// Returns the prompt for reading an answer to a question that is named by its words.
pub fn interpretation_prompt(
    context: &Context<'_>,
    place: &Place,
    answer: &AnswerInput,
    question_asked: &str,
) -> Result<Option<Prompt>, StepError> {
    let pursuit = context.pursuit(place)?;
    prompt(pursuit, &named_question(pursuit, question_asked), answer)
}

fn prompt(pursuit: &Pursuit, question: &Question, answer: &AnswerInput) -> Result<Option<Prompt>, StepError> {
    let schema = schema_of(pursuit)?;
    let text = answer.text();
    check_size(&text)?;
    // A model would see the beginning of a longer answer only.
    let is_seen_whole = text.chars().count() <= ANSWER_CHARS;
    let needs_model = match read(schema, question, pursuit.aggregate(), answer) {
        Read::Understood { is_prose, .. } => is_prose && is_seen_whole,
        Read::Unclear(_) => !text.trim().is_empty() && is_seen_whole,
        Read::Rejected(_) => false,
    };
    Ok(needs_model.then(|| about_answer(schema, pursuit, &question.text, &text)))
}

/// Words the next question without asking it.
pub fn formulate_question(context: &Context<'_>, input: &QuestionStep) -> Result<Step, StepError> {
    let pursuit = context.pursuit(&input.place)?;
    require_working(pursuit)?;
    let question = match pursuit.open_question() {
        Some(open) => open.question.clone(),
        None => next_question(context, pursuit, schema_of(pursuit)?, input.wording.as_ref())?,
    };
    Ok(Step::reply(json!({
        "question": question.text,
        "question_type": question.question_type.name(),
        "rationale": question.rationale,
        "expected_info": question.expected_info,
        "table_template": question.table_template,
        "choices": question.choices,
    })))
}

/// Reads an answer without storing it.
pub fn interpret_response(
    context: &Context<'_>,
    place: &Place,
    answer: &AnswerInput,
    question_asked: &str,
    reading: Option<&Reading>,
) -> Result<Step, StepError> {
    let pursuit = context.pursuit(place)?;
    let schema = schema_of(pursuit)?;
    check_size(&answer.text())?;
    let question = named_question(pursuit, question_asked);
    let input = AnswerStep {
        place: place.clone(),
        question_id: question.question_id.clone(),
        answer: answer.clone(),
        retract: Vec::new(),
        reading: reading.cloned(),
    };
    let outcome = judge(context, pursuit, schema, &question, &input)?;
    let notes = match &outcome.scr {
        Some(_) => "The answer was read. Nothing was stored.",
        None => "The answer could not be read. Nothing was stored.",
    };
    Ok(Step::reply(json!({
        "scr": outcome.scr.unwrap_or_else(|| json!({})),
        "confidence": outcome.confidence,
        "ambiguities": outcome.ambiguities,
        "commit_notes": notes,
    })))
}

/// Returns the latest question with these words, or one about the whole Discovery Schema.
fn named_question(pursuit: &Pursuit, words: &str) -> Question {
    let asked = pursuit.questions.iter().rev().find(|asked| asked.question.text.trim() == words.trim());
    if let Some(asked) = asked {
        return asked.question.clone();
    }
    Question {
        question_id: String::new(),
        text: words.to_owned(),
        question_type: QuestionType::Text,
        table_template: None,
        choices: Vec::new(),
        help_text: String::new(),
        rationale: String::new(),
        expected_info: Vec::new(),
        place: String::new(),
        items: Vec::new(),
        is_review: false,
        cost: 0,
    }
}
