//! Whose a task is (2025-11-25), where clients share a session with an upstream.
//!
//! The upstream takes them for one client and shows each the tasks of all. Owns: who made which task. Refuses
//! to know: how tasks are carried out and asked for.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use serde_json::value::RawValue;

use crate::wire::{RpcError, params};

/// Tasks remembered; the oldest go first, and are nobody's from then on.
const MAX_TASKS: usize = 10_000;

/// Tasks by their ids, with the session that made them. Those of stateless clients are not among them: nothing
/// tells such clients apart but that they know their ids.
#[derive(Default)]
pub(crate) struct Tasks(Mutex<Made>);

#[derive(Default)]
struct Made {
    owners: HashMap<String, Box<str>>,
    order: VecDeque<String>,
}

impl Tasks {
    fn lock(&self) -> MutexGuard<'_, Made> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the task a call was answered with, if it was.
    pub(crate) fn note(&self, result: &Bytes, session: Option<&str>) {
        // Nearly no result is one; a large one need not be read through for it.
        if memchr::memmem::find(result, b"\"taskId\"").is_none() {
            return;
        }
        let task = params::field(result, "task").and_then(|task| params::text(&task.raw, "taskId"));
        let (Some(task), Some(session)) = (task, session) else { return };
        let mut made = self.lock();
        if made.owners.insert(task.clone(), session.into()).is_none() {
            made.order.push_back(task);
        }
        while made.order.len() > MAX_TASKS {
            let oldest = made.order.pop_front();
            oldest.and_then(|oldest| made.owners.remove(&oldest));
        }
    }

    /// Whether a task was made by this session.
    pub(crate) fn is_of(&self, task: &str, session: &str) -> bool {
        self.lock().owners.get(task).is_some_and(|owner| **owner == *session)
    }

    /// Why a request is not passed on: it is about a task its client did not make.
    pub(crate) fn refuses(
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
            None => self.lock().owners.contains_key(&task),
        };
        is_others.then(|| RpcError::invalid_params(format!("Task not found: {task}")))
    }

    /// The result of `tasks/list` with nothing but this session's tasks.
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
    fn tasks_are_seen_by_who_made_them() {
        let tasks = Tasks::default();
        tasks.note(&made("a1"), Some("a"));
        tasks.note(&made("b1"), Some("b"));
        tasks.note(&made("s1"), None);
        tasks.note(&Bytes::from(r#"{"content":["\"taskId\""],"taskId":"x"}"#), Some("a"));
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
            let refusal = tasks.refuses("tasks/result", about(task).as_ref(), session);
            assert_eq!(refusal.is_some(), refused, "{task} {session:?}");
        }
        assert!(tasks.refuses("tools/call", about("b1").as_ref(), Some("a")).is_none());
        // What names no task is answered by the upstream.
        assert!(tasks.refuses("tasks/get", None, Some("a")).is_none());
        (0..MAX_TASKS).for_each(|n| tasks.note(&made(&n.to_string()), Some("c")));
        assert!(!tasks.is_of("a1", "a") && tasks.is_of("0", "c"));
        assert_eq!(tasks.lock().owners.len(), MAX_TASKS);
    }
}
