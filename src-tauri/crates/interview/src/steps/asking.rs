//! Handing out questions.

use serde_json::{Value, json};

use super::{Context, Place, Step, require_working, schema_of};
use crate::budget;
use crate::error::{ErrorKind, StepError};
use crate::event::What;
use crate::model::Wording;
use crate::pursuit::Pursuit;
use crate::question::question;
use crate::record::Question;
use crate::schema::DiscoverySchema;
use crate::slots::next_slot;

/// Largest template that later questions of a pursuit repeat, in bytes.
const MAX_REPEATED_TEMPLATE: usize = 8 * 1024;

/// Input of [`get_next_question`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QuestionStep {
    /// The pursuit.
    pub place: Place,
    /// Whether to repeat the whole template.
    pub is_full: bool,
    /// Words from the client's model.
    pub wording: Option<Wording>,
}

/// Returns the open question, or hands out the next one and charges it.
pub fn get_next_question(context: &Context<'_>, input: &QuestionStep) -> Result<Step, StepError> {
    let conversation = context.conversation(&input.place)?;
    let pursuit = context.pursuit(&input.place)?;
    require_working(pursuit)?;
    let schema = schema_of(pursuit)?;
    let (notes, mut events) = context.deliver_notes(&input.place, conversation);
    let question = match pursuit.open_question() {
        Some(open) => open.question.clone(),
        None => {
            let question = next_question(context, pursuit, schema, input.wording.as_ref())?;
            events.push(context.event(What::QuestionAsked {
                project_id: input.place.project_id.clone(),
                conversation_id: input.place.conversation_id.clone(),
                ds_id: pursuit.ds_id.clone(),
                question: Box::new(question.clone()),
            }));
            question
        }
    };
    Ok(Step { reply: reply(context, pursuit, schema, &question, input.is_full, &notes), events })
}

/// Returns the open question of a conversation as [`get_next_question`] does, if there is one. Changes nothing.
pub fn get_open_question(context: &Context<'_>, place: &Place) -> Result<Option<Value>, StepError> {
    let pursuit = context.conversation(place)?.current();
    let Some((pursuit, open)) = pursuit.and_then(|pursuit| Some((pursuit, pursuit.open_question()?))) else {
        return Ok(None);
    };
    let notes = Value::Array(Vec::new());
    Ok(Some(reply(context, pursuit, schema_of(pursuit)?, &open.question, false, &notes)))
}

/// Words the next question. Fails if nothing is left to ask, or the budget does not cover it.
pub(super) fn next_question(
    context: &Context<'_>,
    pursuit: &Pursuit,
    schema: &DiscoverySchema,
    wording: Option<&Wording>,
) -> Result<Question, StepError> {
    let is_covered = budget::covers(pursuit.budget(), pursuit.used(), schema.cost);
    let Some(slot) = next_slot(schema, pursuit) else {
        let spent = if is_covered { "" } else { " (its budget is exhausted, too)" };
        let message = format!("everything in {:?} is filled{spent}; call finalize_ds", pursuit.ds_id);
        return Err(StepError::new(ErrorKind::Complete, message));
    };
    if !is_covered {
        let message = format!(
            "the budget of {:?} is exhausted: {} of {} used, a question costs {}; call finalize_ds, or start it again",
            pursuit.ds_id,
            budget::number(pursuit.used()),
            budget::number(pursuit.budget()),
            budget::number(schema.cost)
        );
        return Err(StepError::new(ErrorKind::Exhausted, message));
    }
    let own = question(schema, pursuit, &slot, &context.new_id("question"));
    Ok(match wording {
        // Someone may have answered that question since the model was asked.
        Some(wording) if wording.about.as_ref().is_none_or(|about| *about == own.place) => {
            wording.apply(own, schema)
        }
        Some(_) | None => own,
    })
}

fn reply(
    context: &Context<'_>,
    pursuit: &Pursuit,
    schema: &DiscoverySchema,
    question: &Question,
    is_full: bool,
    notes: &Value,
) -> Value {
    let first = pursuit.asked_in_run().next().map(|asked| &asked.question.question_id);
    let is_first = first.is_none_or(|first| *first == question.question_id);
    let is_whole = is_full || is_first || schema.template.to_string().len() <= MAX_REPEATED_TEMPLATE;
    let note = (!is_whole).then(|| {
        "The template was part of the first question of this pursuit. Ask with full: true to see it again.".to_owned()
    });
    let used =
        pursuit.used() + if pursuit.question(&question.question_id).is_some() { 0 } else { question.cost };
    let remaining = pursuit.budget().saturating_sub(used);
    json!({
        "ds_id": pursuit.ds_id,
        "question_id": question.question_id,
        "question": question.text,
        "question_type": question.question_type.name(),
        "table_template": question.table_template,
        "choices": question.choices,
        "help_text": question.help_text,
        "rationale": question.rationale,
        "expected_info": question.expected_info,
        "budget_cost": budget::number(question.cost),
        "budget_remaining": budget::number(remaining),
        "ds_template": is_whole.then(|| schema.template.clone()),
        "ds_template_note": note,
        "ds_changed": context.changed_note(pursuit),
        "current_ascr": pursuit.aggregate(),
        "notes": notes,
    })
}
