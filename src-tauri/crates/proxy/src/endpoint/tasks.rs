//! Tasks: on `/mcp` (2025-11-25) whose upstream carries one out, and on all endpoints which call made it.
//!
//! Ids pass as upstreams make them. Owns: finding the upstream a session's task is at, the list of all its tasks, and
//! which requests tell what became of one. Refuses to know: who may see a task (see [`crate::upstream`]).

use std::sync::Arc;

use bytes::Bytes;

use super::session::Session;
use crate::call::{Caller, Recording};
use crate::hub::Hub;
use crate::upstream::Upstream;
use crate::upstream::tasks::Called;
use crate::wire::{RpcError, params};

/// The session's tasks at all upstreams.
pub(crate) async fn list(hub: &Hub, session: &Session) -> Vec<Bytes> {
    let listed = hub.items("tasks/list", "tasks", "tasks", &session.who()).await;
    let is_own = |server: &str, task: &Bytes| {
        let (Some(upstream), Some(id)) = (hub.upstream(server), params::text(task, "taskId")) else {
            return false;
        };
        upstream.tasks.is_of(&id, &session.id)
    };
    listed.into_iter().filter_map(|(server, task)| is_own(&server, &task).then_some(task)).collect()
}

/// The upstream of the task a request is about.
pub(crate) fn upstream(
    hub: &Hub,
    session: &Session,
    params: Option<&Bytes>,
) -> Result<Arc<Upstream>, RpcError> {
    let task = params.and_then(|params| params::text(params, "taskId"));
    let task = task.ok_or_else(|| RpcError::invalid_params("params.taskId is missing"))?;
    let names = hub.names();
    let mut at = names
        .iter()
        .filter_map(|name| hub.upstream(name))
        .filter(|upstream| upstream.tasks.is_of(&task, &session.id));
    match (at.next(), at.next()) {
        (Some(upstream), None) => Ok(upstream),
        (None, _) => Err(RpcError::invalid_params(format!("Task not found: {task}"))),
        // Nothing says which is meant, and the wrong one must not be cancelled.
        (Some(one), Some(other)) => Err(RpcError::invalid_params(format!(
            "Task {task} is at {:?} and at {:?}; make it through /mcp/NAME to tell them apart",
            one.name(),
            other.name()
        ))),
    }
}

/// What to record of a request that asks what became of a task, if it was made by calling a tool.
pub(crate) fn recording(
    upstream: &Upstream,
    method: &str,
    params: Option<&Bytes>,
    caller: Caller,
) -> Option<Recording> {
    let session = caller.session.as_deref();
    // Without sessions it is told with the task's state.
    if method != if session.is_some() { "tasks/result" } else { "tasks/get" } {
        return None;
    }
    let task = params::text(params?, "taskId")?;
    let Called { tool, arguments } = upstream.tasks.call(&task, session)?;
    Some(Recording { tool, arguments, caller, task: Some(task) })
}
