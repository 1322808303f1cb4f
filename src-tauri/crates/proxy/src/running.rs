//! The tool calls in progress.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use schemascope_model::{Client, Timestamp, ToolId};

/// A tool call in progress.
#[derive(Debug, Clone)]
pub struct RunningCall {
    /// The tool.
    pub tool: ToolId,
    /// Time at which the request arrived.
    pub at: Timestamp,
    /// The client that called.
    pub client: Option<Client>,
}

/// The tool calls in progress, in the order in which they started.
#[derive(Default)]
pub(crate) struct RunningCalls(Mutex<Calls>);

#[derive(Default)]
struct Calls {
    next: u64,
    by_start: BTreeMap<u64, (Instant, RunningCall)>,
}

impl RunningCalls {
    /// Adds a call. It is removed when the returned guard is dropped.
    pub(crate) fn add(self: &Arc<Self>, call: RunningCall) -> Entry {
        let mut calls = self.lock();
        let key = calls.next;
        calls.next += 1;
        calls.by_start.insert(key, (Instant::now(), call));
        Entry { key, of: Arc::clone(self) }
    }

    /// The first `limit` calls that take at least `age` so far, longest first, and how many such calls there are.
    pub(crate) fn older_than(&self, age: Duration, limit: usize) -> (Vec<RunningCall>, usize) {
        let calls = self.lock();
        let count = calls.by_start.values().take_while(|(start, _)| start.elapsed() >= age).count();
        (calls.by_start.values().take(count.min(limit)).map(|(_, call)| call.clone()).collect(), count)
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps a call among the running ones.
pub(crate) struct Entry {
    key: u64,
    of: Arc<RunningCalls>,
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.of.lock().by_start.remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_listed_from_their_start_to_their_end() {
        let running = Arc::new(RunningCalls::default());
        let call = |tool: &str| RunningCall {
            tool: ToolId::new("server", tool).expect("a valid id"),
            at: Timestamp::now(),
            client: None,
        };
        let first = running.add(call("first"));
        let _second = running.add(call("second"));
        let _third = running.add(call("third"));
        let names = |age, limit| {
            let (calls, count) = running.older_than(age, limit);
            (calls.iter().map(|call| call.tool.tool().to_owned()).collect::<Vec<_>>(), count)
        };
        assert_eq!(names(Duration::ZERO, 2), (vec!["first".into(), "second".into()], 3));
        assert_eq!(names(Duration::from_secs(3_600), 2), (vec![], 0));
        drop(first);
        assert_eq!(names(Duration::ZERO, 9), (vec!["second".into(), "third".into()], 2));
    }
}
