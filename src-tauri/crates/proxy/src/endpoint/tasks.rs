//! Tasks: finding the upstream of a task on `/mcp` (2025-11-25), and recording the result of a task as that of the
//! call that created it. Task ids pass unchanged. [`crate::upstream`] decides which client may see a task.

use std::sync::Arc;

use bytes::Bytes;

use super::session::Session;
use crate::call::{Caller, Recording};
use crate::hub::Hub;
use crate::upstream::Upstream;
use crate::upstream::tasks::ToolCall;
use crate::wire::{RpcError, params};

/// The tasks of a session at all upstreams.
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

/// The upstream of a request's task.
pub(crate) fn upstream(
    hub: &Hub,
    session: &Session,
    params: Option<&Bytes>,
) -> Result<Arc<Upstream>, RpcError> {
    let task = params.and_then(|params| params::text(params, "taskId"));
    let task = task.ok_or_else(|| RpcError::invalid_params("params.taskId is missing or not a string"))?;
    let names = hub.names();
    let mut at = names
        .iter()
        .filter_map(|name| hub.upstream(name))
        .filter(|upstream| upstream.tasks.is_of(&task, &session.id));
    match (at.next(), at.next()) {
        (Some(upstream), None) => Ok(upstream),
        (None, _) => Err(RpcError::invalid_params(format!("Task not found: {task}"))),
        // It is unknown which one is meant, and the wrong one must not be cancelled.
        (Some(one), Some(other)) => Err(RpcError::invalid_params(format!(
            "Task {task} exists at {:?} and at {:?}; create it through /mcp/NAME to distinguish them",
            one.name(),
            other.name()
        ))),
    }
}

/// What to record of a request for the result of a task, if a tool call created the task.
pub(crate) fn recording(
    upstream: &Upstream,
    method: &str,
    params: Option<&Bytes>,
    caller: Caller,
) -> Option<Recording> {
    let session = caller.session.as_deref();
    // In the stateless era the task's state contains the result.
    if method != if session.is_some() { "tasks/result" } else { "tasks/get" } {
        return None;
    }
    let task = params::text(params?, "taskId")?;
    let ToolCall { tool, arguments } = upstream.tasks.call(&task, session)?;
    Some(Recording { tool, arguments, caller, task: Some(task) })
}
