//! Starting interviews and pursuits, and what can be pursued.

use serde_json::{Value, json};

use super::{Context, Place, Step, standing};
use crate::budget;
use crate::error::{ErrorKind, StepError};
use crate::event::What;
use crate::limits::{quoted, shortened};
use crate::order::{recommend, unmet};
use crate::record::Run;
use crate::schema::DiscoverySchema;
use crate::tool_fields::{ToolField, seed, undescribed};

/// Name of a project that is given none.
const UNNAMED: &str = "Interview";
/// Longest name of a project, in characters.
const MAX_NAME_CHARS: usize = 200;
/// Characters of an objective in a list.
const OBJECTIVE_CHARS: usize = 400;

/// Input of [`start_ds_pursuit`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StartStep {
    /// The pursuit; the Discovery Schema has to be named.
    pub place: Place,
    /// Budget; 1.0 if there is none.
    pub budget: Option<f64>,
    /// The tool that it is about.
    pub tool_id: Option<String>,
    /// What is known of the tool's fields. Supplied by the engine, not by the caller.
    pub tool_fields: Vec<ToolField>,
}

/// Starts a new project, or a further conversation in one.
pub fn start_interview(
    context: &Context<'_>,
    project_name: Option<&str>,
    project_id: Option<&str>,
) -> Result<Step, StepError> {
    let conversation_id = context.new_id("conversation");
    let mut events = Vec::new();
    let project_id = match project_id {
        Some(id) if context.interviews.projects.contains_key(id) => id.to_owned(),
        Some(id) => {
            let known: Vec<&str> = context.interviews.projects.keys().map(String::as_str).collect();
            return Err(super::unknown("project", id, &known, "Leave out project_id to begin a new one."));
        }
        None => {
            let name = project_name.map(str::trim).filter(|name| !name.is_empty()).unwrap_or(UNNAMED);
            let id = context.new_id("project");
            let name = shortened(name, MAX_NAME_CHARS);
            events.push(context.event(What::ProjectStarted { project_id: id.clone(), name }));
            id
        }
    };
    events.push(context.event(What::ConversationStarted {
        project_id: project_id.clone(),
        conversation_id: conversation_id.clone(),
    }));
    Ok(Step { reply: json!({"project_id": project_id, "conversation_id": conversation_id}), events })
}

/// Lists the Discovery Schemas, of one interviewer if it is named, without those that are completed.
pub fn list_available_ds(
    context: &Context<'_>,
    interviewer_type: Option<&str>,
    completed_ds: &[String],
) -> Result<Step, StepError> {
    if let Some(wanted) = interviewer_type {
        let mut known: Vec<&str> =
            context.library.entries().map(|entry| entry.schema.interviewer.as_str()).collect();
        known.sort_unstable();
        known.dedup();
        if !known.contains(&wanted) && !crate::schema::INTERVIEWER_TYPES.contains(&wanted) {
            let reason =
                format!("there is no interviewer type {}; there are: {}", quoted(wanted), known.join(", "));
            return Err(StepError::new(ErrorKind::Argument, reason));
        }
    }
    let schemas = context.library.entries().map(|entry| &entry.schema);
    let listed: Vec<Value> = schemas
        .filter(|schema| interviewer_type.is_none_or(|wanted| schema.interviewer == wanted))
        .filter(|schema| !completed_ds.contains(&schema.id))
        .map(|schema| {
            json!({
                "id": schema.id,
                "name": schema.name,
                "objective": shortened(&schema.objective, OBJECTIVE_CHARS),
                "prerequisites": schema.prerequisites,
            })
        })
        .collect();
    Ok(Step::reply(json!({"ds_list": listed})))
}

/// Recommends what to pursue next.
pub fn get_next_ds(context: &Context<'_>, place: &Place, tool_id: Option<&str>) -> Result<Step, StepError> {
    let conversation = context.conversation(place)?;
    let found = recommend(context.library, conversation, tool_id);
    let alternatives: Vec<Value> = found
        .alternatives
        .iter()
        .map(|other| {
            json!({
                "ds_id": other.ds_id,
                "name": other.name,
                "interviewer_type": other.interviewer,
                "rationale": other.rationale,
            })
        })
        .collect();
    let priority = if found.ds_id.is_some() { 1 } else { 0 };
    Ok(Step::reply(json!({
        "ds_id": found.ds_id,
        "rationale": found.rationale,
        "interviewer_type": found.interviewer,
        "priority": priority,
        "alternatives": alternatives,
    })))
}

/// Starts the pursuit of a Discovery Schema. Starting one that is being pursued changes nothing; starting one that has
/// ended keeps its answers and gives it a new budget.
pub fn start_ds_pursuit(context: &Context<'_>, input: &StartStep) -> Result<Step, StepError> {
    let place = &input.place;
    let conversation = context.conversation(place)?;
    let Some(ds_id) = &place.ds_id else {
        return Err(StepError::argument("the argument \"ds_id\" is missing; get_next_ds recommends one"));
    };
    let known = conversation.pursuit(ds_id);
    if let Some(pursuit) = known.filter(|pursuit| pursuit.is_working()) {
        let schema = super::schema_of(pursuit)?;
        let mut reply = reply(schema, pursuit.aggregate(), pursuit.budget());
        set(&mut reply, "status", standing(pursuit));
        set(&mut reply, "note", json!("It is being pursued already. Nothing was changed."));
        return Ok(Step::reply(reply));
    }
    let schema = context.known_ds(ds_id)?;
    let unmet = unmet(schema, conversation);
    if !unmet.is_empty() {
        let names: Vec<String> = unmet
            .iter()
            .map(|id| match context.library.get(id) {
                Some(_) => format!("{id:?}"),
                None => format!("{id:?} (which no file has)"),
            })
            .collect();
        let message = format!("{ds_id:?} cannot start yet: pursue {} first", names.join(" and "));
        return Err(StepError::new(ErrorKind::Prerequisite, message));
    }
    let budget = match input.budget {
        None => budget::DEFAULT_BUDGET,
        Some(given) => budget::thousandths(given).ok_or_else(|| {
            StepError::argument(format!("the budget has to be from 0.001 to 10, not {given}"))
        })?,
    };
    if budget < schema.cost {
        let (budget, cost) = (budget::number(budget), budget::number(schema.cost));
        let message = format!("a budget of {budget} does not cover one question, which costs {cost}");
        return Err(StepError::argument(message));
    }
    let tool_id = tool(input, conversation.tool_id(), schema)?;
    let facts = if schema.needs_tool { undescribed(&input.tool_fields) } else { Vec::new() };
    let seed = seed(schema, &facts);
    let aggregate = known.map(|pursuit| pursuit.aggregate().clone()).or_else(|| seed.clone());
    let run = Run {
        pursuit_id: context.new_id("pursuit"),
        budget,
        ds_digest: schema.digest.clone(),
        ds_text: schema.text.clone(),
        seed,
        facts,
    };
    let mut reply = reply(schema, &aggregate.unwrap_or_else(|| json!({})), budget);
    let note = known.map(|pursuit| format!("It was {}. Its answers stay.", pursuit.state().name()));
    set(&mut reply, "note", json!(note));
    let event = context.event(What::PursuitStarted {
        project_id: place.project_id.clone(),
        conversation_id: place.conversation_id.clone(),
        ds_id: ds_id.clone(),
        run: Box::new(run),
        tool_id,
    });
    Ok(Step { reply, events: vec![event] })
}

/// Returns the tool that a pursuit is about. A conversation is about one tool at most.
fn tool(
    input: &StartStep,
    of_conversation: Option<&str>,
    schema: &DiscoverySchema,
) -> Result<Option<String>, StepError> {
    if !schema.needs_tool {
        return Ok(None);
    }
    match (input.tool_id.as_deref(), of_conversation) {
        (None, None) => {
            let message = format!("{:?} is about one tool: give its id as tool_id", schema.id);
            Err(StepError::argument(message))
        }
        (Some(wanted), Some(known)) if wanted != known => {
            let message = format!(
                "this conversation is about the tool {known:?}; start another one for {}",
                quoted(wanted)
            );
            Err(StepError::argument(message))
        }
        (Some(wanted), _) => Ok(Some(wanted.to_owned())),
        (None, Some(known)) => Ok(Some(known.to_owned())),
    }
}

fn reply(schema: &DiscoverySchema, aggregate: &Value, budget: u32) -> Value {
    json!({
        "ds_instructions": {
            "ds_id": schema.id,
            "name": schema.name,
            "version": schema.version,
            "interviewer_type": schema.interviewer,
            "objective": schema.objective,
            "required": schema.required,
            "rules": RULES,
        },
        "current_state": aggregate,
        "budget": budget::number(budget),
        "budget_cost": budget::number(schema.cost),
    })
}

/// Rules of every interview, for the agent that conducts it.
const RULES: [&str; 5] = [
    "Call get_next_question, ask the person, and pass the answer to process_ds_answer with the question_id.",
    "Pass the person's own words, or JSON in the form of ds_template that contains only what the answer says.",
    "Use only keys of the template. Put what it has no field for under \"invented\".",
    "If next_action is needs_clarification, call get_next_question again: the next question asks in other words.",
    "If next_action is complete, call finalize_ds.",
];

fn set(reply: &mut Value, key: &str, value: Value) {
    if let Value::Object(members) = reply {
        members.insert(key.to_owned(), value);
    }
}
