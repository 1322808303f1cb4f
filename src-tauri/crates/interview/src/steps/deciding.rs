//! Decisions of people: conflicts, retractions, notes, proposals, deletion.

use serde_json::{Value, json};

use super::{Context, Place, Step, require_working, schema_of, unknown};
use crate::answer::{MAX_RETRACTIONS, is_retractable};
use crate::budget;
use crate::completeness::COMPLETE;
use crate::error::{ErrorKind, StepError};
use crate::event::What;
use crate::limits::{MAX_TEXT_BYTES, quoted};
use crate::merge::Change;
use crate::pointer;
use crate::proposal::Decision;
use crate::pursuit::Pursuit;
use crate::record::PursuitState;
use crate::tool_fields::descriptions;

/// Settles a conflict: one of the two values stays.
pub fn settle(context: &Context<'_>, place: &Place, path: &str, value: &Value) -> Result<Step, StepError> {
    let pursuit = context.pursuit(place)?;
    let conflicts: Vec<_> = pursuit.conflicts().iter().filter(|conflict| conflict.path == path).collect();
    if conflicts.is_empty() {
        let known: Vec<&str> = pursuit.conflicts().iter().map(|conflict| conflict.path.as_str()).collect();
        return Err(unknown("conflict", path, &known, ""));
    }
    let values = || conflicts.iter().flat_map(|conflict| [&conflict.earlier, &conflict.later]);
    // A value that was typed may be meant as text.
    let typed = value.to_string();
    let is_meant = |known: &&Value| known.as_str() == Some(&typed);
    let Some(value) = values().find(|known| *known == value).or_else(|| values().find(is_meant)) else {
        let said = value.as_str().map_or_else(|| value.to_string(), quoted);
        let message = format!("{said} is neither the earlier nor the later value of {path}");
        return Err(StepError::argument(message));
    };
    let change = Change::Settle { path: path.to_owned(), value: value.clone(), at: context.stamp.now };
    let (merged, _) = pursuit.preview(&[change]);
    let event = context.event(What::ConflictSettled {
        project_id: place.project_id.clone(),
        conversation_id: place.conversation_id.clone(),
        ds_id: pursuit.ds_id.clone(),
        path: path.to_owned(),
        value: value.clone(),
    });
    Ok(Step {
        reply: json!({"updated_ascr": merged.value, "conflicts": merged.conflicts}),
        events: vec![event],
    })
}

/// Retracts values of a pursuit that has not ended.
pub fn retract(context: &Context<'_>, place: &Place, pointers: &[String]) -> Result<Step, StepError> {
    let pursuit = context.pursuit(place)?;
    require_working(pursuit)?;
    check_retractions(pursuit, pointers)?;
    if pointers.is_empty() {
        return Err(StepError::argument("nothing is named to be retracted"));
    }
    let change = Change::Retract { pointers: pointers.to_vec(), at: context.stamp.now };
    let (merged, completeness) = pursuit.preview(&[change]);
    let event = context.event(What::Retracted {
        project_id: place.project_id.clone(),
        conversation_id: place.conversation_id.clone(),
        ds_id: pursuit.ds_id.clone(),
        pointers: pointers.to_vec(),
    });
    let mut events = vec![event];
    let is_spent = !budget::covers(pursuit.budget(), pursuit.used(), schema_of(pursuit)?.cost);
    if is_spent && completeness < COMPLETE && pursuit.open_question().is_none() {
        // No further question can be asked, so it can only be started again.
        events.push(context.event(What::PursuitEnded {
            project_id: place.project_id.clone(),
            conversation_id: place.conversation_id.clone(),
            ds_id: pursuit.ds_id.clone(),
            state: PursuitState::Exhausted,
            notes: String::new(),
        }));
    }
    let completeness = budget::number(completeness);
    Ok(Step { reply: json!({"updated_ascr": merged.value, "completeness": completeness}), events })
}

/// Gives a pursuit up. Its answers stay.
pub fn abandon(context: &Context<'_>, place: &Place, notes: &str) -> Result<Step, StepError> {
    let pursuit = context.pursuit(place)?;
    require_working(pursuit)?;
    let state = PursuitState::Abandoned;
    let event = context.event(What::PursuitEnded {
        project_id: place.project_id.clone(),
        conversation_id: place.conversation_id.clone(),
        ds_id: pursuit.ds_id.clone(),
        state,
        notes: notes.to_owned(),
    });
    Ok(Step { reply: json!({"ds_id": pursuit.ds_id, "state": state.name()}), events: vec![event] })
}

/// Leaves a note for the agent, which gets it once.
pub fn leave_note(context: &Context<'_>, place: &Place, text: &str) -> Result<Step, StepError> {
    context.conversation(place)?;
    if text.trim().is_empty() || text.len() > MAX_TEXT_BYTES {
        return Err(StepError::argument(format!(
            "a note has 1 to {MAX_TEXT_BYTES} bytes, this one {}",
            text.len()
        )));
    }
    let note_id = context.new_id("note");
    let event = context.event(What::NoteLeft {
        project_id: place.project_id.clone(),
        conversation_id: place.conversation_id.clone(),
        note_id: note_id.clone(),
        text: text.to_owned(),
    });
    Ok(Step { reply: json!({"note_id": note_id}), events: vec![event] })
}

/// Switches on or off that recommended Discovery Schemas start automatically.
pub fn switch_auto(context: &Context<'_>, place: &Place, is_on: bool) -> Result<Step, StepError> {
    let conversation = context.conversation(place)?;
    let reply = json!({"auto": is_on});
    if conversation.is_auto == is_on {
        return Ok(Step::reply(reply));
    }
    let event = context.event(What::AutoSwitched {
        project_id: place.project_id.clone(),
        conversation_id: place.conversation_id.clone(),
        is_on,
    });
    Ok(Step { reply, events: vec![event] })
}

/// Stores the MiniZinc model of an aggregate and its results.
pub fn store_minizinc(
    context: &Context<'_>,
    place: &Place,
    model: &str,
    results: &str,
) -> Result<Step, StepError> {
    context.conversation(place)?;
    let event = context.event(What::MinizincStored {
        project_id: place.project_id.clone(),
        conversation_id: place.conversation_id.clone(),
        model: model.to_owned(),
        results: results.to_owned(),
    });
    Ok(Step { reply: json!({"stored": true}), events: vec![event] })
}

/// Proposes the descriptions that a finished pursuit about a tool found out. Gives no event if it found none.
pub fn propose_descriptions(context: &Context<'_>, place: &Place) -> Result<Step, StepError> {
    let pursuit = context.pursuit(place)?;
    let Some(tool_id) = &pursuit.tool_id else {
        return Err(StepError::argument(format!("the pursuit of {:?} is not about a tool", pursuit.ds_id)));
    };
    let found = descriptions(schema_of(pursuit)?, pursuit.aggregate());
    if found.is_empty() {
        return Ok(Step::reply(json!({"proposal_id": null, "descriptions": {}})));
    }
    let proposal_id = context.new_id("proposal");
    let reply = json!({"proposal_id": proposal_id, "descriptions": found});
    let event = context.event(What::DescriptionsProposed {
        proposal_id,
        project_id: place.project_id.clone(),
        conversation_id: place.conversation_id.clone(),
        ds_id: pursuit.ds_id.clone(),
        tool_id: tool_id.clone(),
        descriptions: found,
    });
    Ok(Step { reply, events: vec![event] })
}

/// Decides about a proposal of descriptions.
pub fn decide_descriptions(
    context: &Context<'_>,
    proposal_id: &str,
    decision: Decision,
) -> Result<Step, StepError> {
    let proposals = &context.interviews.proposals;
    let Some(proposal) = proposals.get(proposal_id) else {
        let known: Vec<&str> = proposals.keys().map(String::as_str).collect();
        return Err(unknown("proposal", proposal_id, &known, ""));
    };
    let is_open = proposal.decision.is_none();
    if is_open == (decision == Decision::Undone) {
        let state = if is_open { "open" } else { "decided; undo the decision first" };
        let message = format!("the proposal {proposal_id:?} is {state}");
        return Err(StepError::new(ErrorKind::Argument, message));
    }
    let reply = json!({"tool_id": proposal.tool_id, "descriptions": proposal.descriptions});
    let proposal_id = proposal_id.to_owned();
    Ok(Step { reply, events: vec![context.event(What::DescriptionsDecided { proposal_id, decision })] })
}

/// Deletes a conversation, or a whole project, for good.
pub fn delete(
    context: &Context<'_>,
    project_id: &str,
    conversation_id: Option<&str>,
) -> Result<Step, StepError> {
    let projects = &context.interviews.projects;
    if !projects.contains_key(project_id) {
        let known: Vec<&str> = projects.keys().map(String::as_str).collect();
        return Err(unknown("project", project_id, &known, ""));
    }
    if let Some(id) = conversation_id {
        let place = Place { project_id: project_id.to_owned(), conversation_id: id.to_owned(), ds_id: None };
        context.conversation(&place)?;
    }
    let what = What::Deleted {
        project_id: project_id.to_owned(),
        conversation_id: conversation_id.map(str::to_owned),
    };
    Ok(Step { reply: json!({"deleted": true}), events: vec![context.event(what)] })
}

/// Rejects retractions of places that have no value, or of ids.
pub(super) fn check_retractions(pursuit: &Pursuit, pointers: &[String]) -> Result<(), StepError> {
    if pointers.len() > MAX_RETRACTIONS {
        let message = format!("an answer retracts at most {MAX_RETRACTIONS} places");
        return Err(StepError::new(ErrorKind::Rejected, message));
    }
    for place in pointers {
        let wrong = |reason: &str| {
            let message = format!("cannot retract {}: {reason}", quoted(place));
            Err(StepError::new(ErrorKind::Rejected, message))
        };
        if !is_retractable(place) {
            return wrong("it has to be a JSON pointer that starts with \"/\"");
        }
        if pointer::get(pursuit.aggregate(), place).is_none() {
            return wrong("there is no value at that place");
        }
        let parent = place.rfind('/').and_then(|at| place.get(..at)).unwrap_or_default();
        let key = pointer::segments(place).and_then(|mut segments| segments.pop());
        let item = pointer::get(pursuit.aggregate(), parent).and_then(pointer::identity);
        if !parent.is_empty() && item.is_some_and(|(id_key, _)| Some(id_key) == key.as_deref()) {
            return wrong("it identifies its item; retract the item");
        }
    }
    Ok(())
}
