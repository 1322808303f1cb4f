//! The state of a pursuit, and its end.

use serde_json::{Value, json};

use super::{Context, Place, Step, schema_of, standing};
use crate::budget;
use crate::completeness::progress;
use crate::error::StepError;
use crate::event::What;
use crate::pursuit::Pursuit;
use crate::record::PursuitState;

/// Returns how far a pursuit is.
pub fn get_ds_status(context: &Context<'_>, place: &Place) -> Result<Step, StepError> {
    let pursuit = context.pursuit(place)?;
    let progress = progress(schema_of(pursuit)?, pursuit.aggregate());
    let mut reply = json!({
        "ds_id": pursuit.ds_id,
        "state": pursuit.state().name(),
        "data_structure": pursuit.aggregate(),
        "completed_fields": progress.completed,
        "remaining_fields": progress.remaining,
        "completeness": budget::number(pursuit.completeness()),
        "budget_used": budget::number(pursuit.used()),
        "budget_remaining": budget::number(pursuit.budget().saturating_sub(pursuit.used())),
        "questions_asked": pursuit.questions.len(),
        "conflicts": pursuit.conflicts(),
    });
    if let Value::Object(members) = &mut reply {
        members.insert("ds_changed".to_owned(), json!(context.changed_note(pursuit)));
    }
    Ok(Step::reply(reply))
}

/// Ends a pursuit. One that is not complete stays as it is, unless `is_forced`, which abandons it.
pub fn finalize_ds(
    context: &Context<'_>,
    place: &Place,
    final_notes: &str,
    is_forced: bool,
) -> Result<Step, StepError> {
    let pursuit = context.pursuit(place)?;
    if !pursuit.is_working() {
        let is_complete = pursuit.state() == PursuitState::Complete;
        return Ok(Step::reply(reply(context, pursuit, is_complete, pursuit.state())));
    }
    let problems = problems(context, pursuit);
    let is_complete = pursuit.is_complete() && problems.is_empty();
    if !is_complete && !is_forced {
        return Ok(Step::reply(reply(context, pursuit, false, PursuitState::Working)));
    }
    let state = if is_complete { PursuitState::Complete } else { PursuitState::Abandoned };
    let event = context.event(What::PursuitEnded {
        project_id: place.project_id.clone(),
        conversation_id: place.conversation_id.clone(),
        ds_id: pursuit.ds_id.clone(),
        state,
        notes: final_notes.to_owned(),
    });
    Ok(Step { reply: reply(context, pursuit, is_complete, state), events: vec![event] })
}

/// Lists what breaks the JSON Schema of the file.
fn problems(context: &Context<'_>, pursuit: &Pursuit) -> Vec<String> {
    let json_schema = pursuit.schema.as_ref().and_then(|schema| schema.validate.as_ref());
    json_schema.map(|json_schema| (context.validate)(json_schema, pursuit.aggregate())).unwrap_or_default()
}

fn reply(context: &Context<'_>, pursuit: &Pursuit, is_success: bool, state: PursuitState) -> Value {
    let missing = match pursuit.schema.as_deref() {
        Some(schema) if !pursuit.is_complete() => progress(schema, pursuit.aggregate()).missing,
        _ => Vec::new(),
    };
    let problems = problems(context, pursuit);
    let advice = match (is_success, state) {
        (true, _) => None,
        (false, PursuitState::Working) if pursuit.is_complete() => Some(
            "The aggregate breaks the JSON Schema of the file. Correct it, or pass force: true to abandon the pursuit.",
        ),
        (false, PursuitState::Working) => {
            Some("Not everything is filled. Ask on, or pass force: true to abandon the pursuit.")
        }
        (false, PursuitState::Exhausted) => Some(
            "The budget was exhausted before everything was filled. Start the pursuit again to go on; its answers stay.",
        ),
        (false, _) => Some("The pursuit was abandoned. Start it again to go on; its answers stay."),
    };
    let mut status = standing(pursuit);
    // The event that ends the pursuit is not applied yet.
    if let Value::Object(members) = &mut status {
        members.insert("state".to_owned(), state.name().into());
    }
    json!({
        "success": is_success,
        "ds_id": pursuit.ds_id,
        "data_structure": pursuit.aggregate(),
        "validation_results": {
            "complete": pursuit.is_complete(),
            "valid": problems.is_empty(),
            "missing": missing,
            "problems": problems,
            "unsettled_conflicts": pursuit.conflicts().len(),
            "advice": advice,
        },
        "state": state.name(),
        "status": status,
    })
}
