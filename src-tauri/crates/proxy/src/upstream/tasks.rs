//! Owners of tasks, where clients share a session with an upstream.
//!
//! In the session era (2025-11-25) the upstream takes clients that share a session for one and shows each the tasks of
//! all. This remembers which client made which task by which call.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use schemascope_model::ToolId;
use serde_json::value::RawValue;

use crate::wire::{RpcError, params};

/// Tasks remembered. The oldest are dropped first, and have no owner from then on.
const MAX_TASKS: usize = 10_000;
/// Longest id of a task that is remembered, in bytes. They are kept twice.
const MAX_ID_BYTES: usize = 1 << 10;
/// Bytes of arguments remembered. Results of further calls are recorded without arguments.
const MAX_ARGUMENT_BYTES: usize = 16 << 20;

/// Tasks by the session that made them and their id: two processes of an upstream may choose the same id. Stateless
/// clients have no session: any of them that knows a task's id may use it.
#[derive(Default)]
pub(crate) struct Tasks(Mutex<TaskTable>);

#[derive(Default)]
struct TaskTable {
    tasks: HashMap<Key, Task>,
    order: VecDeque<Key>,
    /// Bytes of all arguments.
    arguments: usize,
}

type Key = (Option<Box<str>>, Box<str>);

fn key(session: Option<&str>, task: &str) -> Key {
    (session.map(Into::into), task.into())
}

struct Task {
    call: Option<ToolCall>,
    /// Whether its result has been recorded.
    is_recorded: bool,
}

/// A tool call that was answered with a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolCall {
    pub(crate) tool: ToolId,
    /// The arguments, where they are remembered.
    pub(crate) arguments: Option<Bytes>,
}

impl TaskTable {
    fn put(&mut self, key: Key, mut task: Task) {
        if let Some(ToolCall { arguments, .. }) = &mut task.call {
            // A copy, because a slice would keep the whole request.
            *arguments = arguments
                .take()
                .filter(|arguments| self.arguments + arguments.len() <= MAX_ARGUMENT_BYTES)
                .map(|arguments| Bytes::copy_from_slice(&arguments));
        }
        self.arguments += task.weight();
        match self.tasks.insert(key.clone(), task) {
            Some(before) => self.arguments -= before.weight(),
            None => self.order.push_back(key),
        }
        while self.order.len() > MAX_TASKS {
            let oldest = self.order.pop_front().and_then(|oldest| self.tasks.remove(&oldest));
            self.arguments -= oldest.map_or(0, |oldest| oldest.weight());
        }
    }
}

impl Task {
    fn weight(&self) -> usize {
        self.call.as_ref().and_then(|call| call.arguments.as_ref()).map_or(0, Bytes::len)
    }
}

impl Tasks {
    fn lock(&self) -> MutexGuard<'_, TaskTable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the task that a call was answered with, if it was.
    pub(crate) fn note(
        &self,
        result: &Bytes,
        session: Option<&str>,
        call: impl FnOnce() -> Option<ToolCall>,
    ) {
        // Few results are tasks; a quick search spares parsing the others.
        if memchr::memmem::find(result, b"\"taskId\"").is_none() {
            return;
        }
        let stateless = || params::text(result, "resultType").is_some_and(|kind| kind == "task");
        let task = match params::field(result, "task") {
            Some(task) => params::text(&task.raw, "taskId"),
            None if stateless() => params::text(result, "taskId"),
            None => None,
        };
        if let Some(task) = task.filter(|task| task.len() <= MAX_ID_BYTES) {
            let made = Task { call: call(), is_recorded: false };
            self.lock().put(key(session, &task), made);
        }
    }

    /// Whether a task was made by this session.
    pub(crate) fn is_of(&self, task: &str, session: &str) -> bool {
        self.lock().tasks.contains_key(&key(Some(session), task))
    }

    /// Returns the call that made a task, if this client made it.
    pub(crate) fn call(&self, task: &str, session: Option<&str>) -> Option<ToolCall> {
        self.lock().tasks.get(&key(session, task))?.call.clone()
    }

    /// Notes that a task's result is recorded. Returns whether this is the first time.
    pub(crate) fn record(&self, task: &str, session: Option<&str>) -> bool {
        let mut made = self.lock();
        let Some(known) = made.tasks.get_mut(&key(session, task)).filter(|known| !known.is_recorded) else {
            return false;
        };
        known.is_recorded = true;
        let weight = known.weight();
        if let Some(call) = &mut known.call {
            call.arguments = None;
        }
        made.arguments -= weight;
        true
    }

    /// Returns an error where a request is about a task of another client.
    pub(crate) fn rejection(
        &self,
        method: &str,
        params: Option<&Bytes>,
        session: Option<&str>,
    ) -> Option<RpcError> {
        if !matches!(method, "tasks/get" | "tasks/result" | "tasks/cancel") {
            return None;
        }
        let task = params.and_then(|params| params::text(params, "taskId"))?;
        let is_others = match session {
            Some(session) => !self.is_of(&task, session),
            None => {
                let made = self.lock();
                let is_stateless = made.tasks.contains_key(&key(None, &task));
                !is_stateless && made.tasks.keys().any(|(_, known)| **known == *task)
            }
        };
        is_others.then(|| RpcError::invalid_params(format!("Task not found: {task}")))
    }

    /// Returns the result of `tasks/list` reduced to this session's tasks.
    pub(crate) fn own(&self, result: &Bytes, session: Option<&str>) -> Bytes {
        let Some(listed) = params::field(result, "tasks") else { return result.clone() };
        let tasks: Vec<&RawValue> = serde_json::from_slice(&listed.raw).unwrap_or_default();
        let own = tasks.into_iter().filter_map(|task| {
            let task = Bytes::copy_from_slice(task.get().as_bytes());
            let id = params::text(&task, "taskId")?;
            self.is_of(&id, session?).then_some(task)
        });
        let own = [b"[", &own.collect::<Vec<_>>().join(&b","[..])[..], b"]"].concat();
        params::splice(result, vec![(listed.range, own)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(task: &str) -> Bytes {
        format!(r#"{{"task":{{"taskId":"{task}","status":"working"}}}}"#).into()
    }

    #[test]
    fn tasks_are_visible_to_the_session_that_made_them() {
        let tasks = Tasks::default();
        let note = |result: &Bytes, session: Option<&str>| tasks.note(result, session, || None);
        note(&made("a1"), Some("a"));
        note(&made("b1"), Some("b"));
        note(&made("s1"), None);
        note(&Bytes::from(r#"{"content":["\"taskId\""],"taskId":"x"}"#), Some("a"));
        let list = Bytes::from(
            r#"{"n":1.10,"tasks":[{"taskId":"a1","x":1E5}, {"taskId":"b1"},{"taskId":"s1"},7],"nextCursor":"c"}"#,
        );
        assert_eq!(
            tasks.own(&list, Some("a")),
            r#"{"n":1.10,"tasks":[{"taskId":"a1","x":1E5}],"nextCursor":"c"}"#
        );
        assert_eq!(tasks.own(&list, None), r#"{"n":1.10,"tasks":[],"nextCursor":"c"}"#);
        let about = |task: &str| Some(Bytes::from(format!(r#"{{"taskId":"{task}"}}"#)));
        for (task, session, refused) in [
            ("a1", Some("a"), false),
            ("a1", Some("b"), true),
            ("a1", None, true),
            ("s1", None, false),
            ("x", None, false),
            ("s1", Some("a"), true),
            ("x", Some("a"), true),
        ] {
            let refusal = tasks.rejection("tasks/result", about(task).as_ref(), session);
            assert_eq!(refusal.is_some(), refused, "{task} {session:?}");
        }
        assert!(tasks.rejection("tools/call", about("b1").as_ref(), Some("a")).is_none());
        // A request without a task is answered by the upstream.
        assert!(tasks.rejection("tasks/get", None, Some("a")).is_none());
        (0..MAX_TASKS).for_each(|n| note(&made(&n.to_string()), Some("c")));
        assert!(!tasks.is_of("a1", "a") && tasks.is_of("0", "c"));
        note(&made("5"), Some("a"));
        assert!(tasks.is_of("5", "a") && tasks.is_of("5", "c"), "of different processes");
        assert_eq!(tasks.lock().tasks.len(), MAX_TASKS);
    }

    #[test]
    fn record_reports_the_first_result_of_a_task_only() {
        let tasks = Tasks::default();
        let call = |size: usize| {
            let tool = ToolId::new("s", "t").unwrap();
            Some(ToolCall { tool, arguments: Some(Bytes::from(vec![b' '; size])) })
        };
        tasks.note(&Bytes::from(r#"{"resultType":"task","taskId":"m"}"#), None, || call(2));
        tasks.note(&made("a"), Some("a"), || call(MAX_ARGUMENT_BYTES - 1));
        tasks.note(&made("a"), Some("a"), || call(MAX_ARGUMENT_BYTES - 2));
        assert_eq!(tasks.call("m", None), call(2));
        assert_eq!(tasks.call("m", Some("a")), None);
        assert_eq!(
            tasks.call("a", Some("a")),
            call(MAX_ARGUMENT_BYTES - 2),
            "the arguments of the first call were too long"
        );
        let record = |task: &str| tasks.record(task, Some("a"));
        assert!(record("a") && !record("a") && !record("x") && !record("m"));
        assert_eq!(tasks.call("a", Some("a")).unwrap().arguments, None);
        assert_eq!(tasks.lock().arguments, 2);
    }
}
