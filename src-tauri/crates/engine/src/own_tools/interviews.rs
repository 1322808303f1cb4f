//! The group `interviews`: interviewing people by Discovery Schemas.

use schemascope_interview::{TOOL_NAMES, definition};
use schemascope_proxy::CallerSession;
use serde_json::{Map, Value, json};

use super::{Answering, Arguments, Group, OwnTool, Sources};
use crate::interviews::fields::fields;

/// Declares the tools by name. What they do is in the crate `interview`.
macro_rules! tools {
    ($($name:literal),+ $(,)?) => {
        &[$(OwnTool {
            name: $name,
            group: Group::Interviews,
            definition: || definition($name).unwrap_or_default(),
            call: |sources, arguments, caller| -> Answering<'_> { Box::pin(call(sources, $name, arguments, caller)) },
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
const _: () = assert!(TOOLS.len() == TOOL_NAMES.len(), "every tool of the crate is served");

async fn call(
    sources: &Sources,
    name: &'static str,
    arguments: Arguments,
    caller: CallerSession,
) -> Result<Value, String> {
    let actor = caller.client.map_or_else(|| "agent".to_owned(), |client| client.name.to_string());
    let (interviews, arguments) = (sources.interviews.clone(), arguments.all());
    let registry = sources.registry.clone();
    let known = move |tool: &str| fields(&registry.lock(), tool);
    // The disk syncs.
    let calling = tokio::task::spawn_blocking(move || interviews.call(name, arguments, &actor, known));
    match calling.await {
        Ok(called) => called.map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
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
