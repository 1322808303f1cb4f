//! The schema of those calls of a tool that have a certain argument.

use schemascope_api::{ApiError, ErrorKind, InferWhere, InferredWhere};
use schemascope_model::{CallRecord, ToolId};
use schemascope_registry::Tool;
use schemascope_store::{CallQuery, Reader};
use serde_json::Value;

use super::{Handle, internal};
use crate::engine::Engine;

handlers![InferWhere];

/// Calls examined at most.
const MAX_CALLS: u64 = 20_000;
/// Calls read at a time.
const PAGE: usize = 500;

impl Handle<InferWhere> for Engine {
    async fn handle(&self, command: InferWhere) -> Result<InferredWhere, ApiError> {
        self.records.recorder.settle().await;
        let id = self.find(&command.tool_id)?;
        let reader = self.records.reader.clone();
        let InferWhere { tool_id, argument, value } = command;
        let wanted = match &value {
            Some(_) => format!("has that value of {argument:?} and a result to learn from"),
            None => format!("leaves {argument:?} out and has a result to learn from"),
        };
        let learning = tokio::task::spawn_blocking(move || learn(&reader, id, &argument, value.as_ref()));
        let (tool, calls) = learning.await.map_err(internal)?.map_err(internal)?;
        let observations = tool.shape.observations();
        if observations == 0 {
            let message = match calls {
                0 => format!("no call of {tool_id} is stored"),
                _ => format!("none of the latest {calls} calls of {tool_id} {wanted}"),
            };
            return Err(ApiError::new(ErrorKind::NotFound, message));
        }
        Ok(InferredWhere {
            call_count: calls,
            observation_count: observations,
            schema: tool.inferred_schema(),
        })
    }
}

fn learn(
    reader: &Reader,
    id: ToolId,
    argument: &str,
    value: Option<&Value>,
) -> Result<(Tool, u64), schemascope_store::Error> {
    let (mut tool, mut calls) = (Tool::default(), 0);
    let mut query = CallQuery { tool: Some(id), limit: PAGE, ..CallQuery::default() };
    loop {
        let page = reader.calls(&query)?;
        calls += page.calls.len() as u64;
        for call in page.calls.iter().filter(|call| given(call, argument).as_ref() == value) {
            tool.record(call);
        }
        query.before = page.next;
        if page.next.is_none() || calls >= MAX_CALLS {
            return Ok((tool, calls));
        }
    }
}

/// The value of an argument, found by its name or by its path through objects.
fn given(call: &CallRecord, name: &str) -> Option<Value> {
    let arguments: Value = serde_json::from_str(call.arguments.as_ref()?.get()).ok()?;
    let by_path = || name.split('.').try_fold(&arguments, |value, key| value.get(key));
    arguments.get(name).or_else(by_path).cloned()
}
