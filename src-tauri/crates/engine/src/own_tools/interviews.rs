//! The group `interviews`: interviewing people by Discovery Schemas.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use schemascope_interview::{
    Aid, AnswerInput, TOOL_NAMES, definition, form_answer, place_arguments, question_form,
    surrogate_arguments,
};
use schemascope_proxy::{Asker, CallContext, FilledForm};
use schemascope_registry::Registry;
use serde_json::{Map, Value, json};

use super::{Answering, Arguments, Group, OwnTool, Sources, surrogates};
use crate::interviews::Interviews;
use crate::interviews::fields::fields;
use crate::interviews::language;

/// How long a person may take for a form.
const PATIENCE: Duration = Duration::from_secs(600);

/// Declares the tools by name. What they do is in the crate `interview`.
macro_rules! tools {
    ($($name:literal),+ $(,)?) => {
        &[$(OwnTool {
            name: $name,
            group: Group::Interviews,
            definition: || definition($name).unwrap_or_default(),
            call: |sources, arguments, context| -> Answering<'_> { Box::pin(call(sources, $name, arguments, context)) },
        }),+]
    };
}

pub(super) const TOOLS: &[OwnTool] = tools![
    "start_interview",
    "list_available_ds",
    "get_next_ds",
    "start_ds_pursuit",
    "get_next_question",
    "process_ds_answer",
    "get_ds_status",
    "finalize_ds",
    "get_conversation_history",
    "get_aggregated_scr",
    "interviewer_formulates_question",
    "interviewer_interprets_response",
    "create_surrogate_expert",
    "run_surrogate_interview",
];

// Every tool of the crate is served, under its name.
const _: () = {
    assert!(TOOLS.len() == TOOL_NAMES.len());
    let mut at = 0;
    while at < TOOLS.len() {
        let (name, other) = (TOOLS[at].name.as_bytes(), TOOL_NAMES[at].as_bytes());
        assert!(name.len() == other.len());
        let mut byte = 0;
        while byte < name.len() {
            assert!(name[byte] == other[byte]);
            byte += 1;
        }
        at += 1;
    }
};

async fn call(
    sources: &Sources,
    name: &'static str,
    arguments: Arguments,
    context: CallContext,
) -> Result<Value, String> {
    let actor = context.caller.client.map_or_else(|| "agent".to_owned(), |client| client.name.to_string());
    let (arguments, asker) = (arguments.all(), context.asker);
    let step = Steps { interviews: &sources.interviews, registry: &sources.registry, actor: &actor };
    if name == "run_surrogate_interview" && asker.has_model() {
        let run = surrogate_arguments(arguments).map_err(|error| error.to_string())?;
        return surrogates::run(&step, &asker, &context.progress, run).await;
    }
    let aid = language::aid(step.interviews, &asker, name, &arguments).await;
    let is_for_person =
        name == "get_next_question" && arguments.get("deliver").is_some_and(|to| to == "person");
    let place = is_for_person.then(|| arguments.clone());
    let mut reply = step.take(name, arguments, aid).await?;
    if name == "finalize_ds" {
        // It may have made a proposal of descriptions.
        sources.events.renewed();
    }
    if let Some(place) = place {
        reply["delivery"] = deliver(&step, &asker, place).await;
    }
    Ok(reply)
}

/// Takes steps of interviews for one caller.
pub(super) struct Steps<'a> {
    pub(super) interviews: &'a Arc<Interviews>,
    registry: &'a Arc<Mutex<Registry>>,
    actor: &'a str,
}

impl Steps<'_> {
    pub(super) async fn take(
        &self,
        name: &'static str,
        arguments: Map<String, Value>,
        aid: Aid,
    ) -> Result<Value, String> {
        let (interviews, registry) = (Arc::clone(self.interviews), Arc::clone(self.registry));
        let actor = self.actor.to_owned();
        let known = move |tool: &str| fields(&registry.lock(), tool);
        // The disk syncs.
        let calling =
            tokio::task::spawn_blocking(move || interviews.call(name, arguments, &actor, aid, known));
        match calling.await {
            Ok(called) => called.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Shows the open question to the client's user and takes the answer. Returns what became of it.
async fn deliver(step: &Steps<'_>, asker: &Asker, place: Map<String, Value>) -> Value {
    let to = |state: &str, more: Value| json!({"to": "person", "state": state, "result": more});
    if !asker.has_forms() {
        return to("unsupported", Value::Null);
    }
    let form = step.interviews.look(|context| {
        let place = place_arguments(place.clone()).ok()?;
        question_form(context, &place).ok().flatten()
    });
    let Some((question_id, question, form)) = form else { return to("unsupported", Value::Null) };
    let answer = match tokio::time::timeout(PATIENCE, asker.ask_user(&question, &form)).await {
        Ok(Ok(FilledForm::Accepted(content))) => form_answer(&content),
        Ok(Ok(FilledForm::Declined)) => return to("declined", Value::Null),
        Ok(Ok(FilledForm::Cancelled)) => return to("cancelled", Value::Null),
        Ok(Err(reason)) => return to("failed", reason.into()),
        Err(_) => return to("failed", "the user did not answer in time".into()),
    };
    let Some(AnswerInput::Text(answer)) = answer else {
        return to("failed", "the form has no answer".into());
    };
    let mut arguments = place;
    arguments.retain(|key, _| ["project_id", "conversation_id", "ds_id"].contains(&key.as_str()));
    arguments.insert("question_id".to_owned(), question_id.into());
    arguments.insert("answer".to_owned(), answer.into());
    let aid = language::aid(step.interviews, asker, "process_ds_answer", &arguments).await;
    match step.take("process_ds_answer", arguments, aid).await {
        Ok(processed) => to("answered", processed),
        Err(reason) => to("failed", reason.into()),
    }
}

/// The prompts, as `prompts/list` has them.
pub(super) fn prompts() -> Vec<Value> {
    schemascope_interview::prompt_definitions()
}

/// The text of a prompt.
pub(super) fn prompt(sources: &Sources, name: &str, arguments: &Map<String, Value>) -> Option<String> {
    let topic = arguments.get("topic").and_then(Value::as_str);
    let prompt = schemascope_interview::get_prompt(&sources.interviews.library(), name, topic).ok()?;
    let text = prompt.pointer("/messages/0/content/text").unwrap_or(&json!(null)).as_str()?.to_owned();
    Some(text)
}
