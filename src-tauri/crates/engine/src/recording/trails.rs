//! The latest successful calls of each session, for suggestions of what to call next.

use std::collections::{BTreeMap, VecDeque};

use parking_lot::Mutex;
use schemascope_compose::MAX_SESSIONS;

/// Calls kept of one session.
const MAX_CALLS: usize = 8;

/// The latest calls of the sessions in progress.
#[derive(Default)]
pub(crate) struct Trails(Mutex<Sessions>);

#[derive(Default)]
struct Sessions {
    /// By session: when it was last used, and its calls, the latest last.
    calls: BTreeMap<String, (u64, VecDeque<Box<str>>)>,
    tick: u64,
}

impl Trails {
    pub(super) fn add(&self, session: &str, tool: &str) {
        let mut sessions = self.0.lock();
        sessions.tick += 1;
        let tick = sessions.tick;
        let (last, calls) = sessions.calls.entry(session.to_owned()).or_default();
        *last = tick;
        calls.push_back(tool.into());
        if calls.len() > MAX_CALLS {
            calls.pop_front();
        }
        if sessions.calls.len() > MAX_SESSIONS {
            let oldest = sessions.calls.iter().min_by_key(|(_, (last, _))| *last);
            let oldest = oldest.map(|(session, _)| session.clone());
            oldest.and_then(|session| sessions.calls.remove(&session));
        }
    }

    /// Tools that a session called, the latest last.
    pub(crate) fn of(&self, session: &str) -> Vec<Box<str>> {
        let sessions = self.0.lock();
        sessions.calls.get(session).map(|(_, calls)| calls.iter().cloned().collect()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trail_has_the_latest_calls_of_its_session() {
        let trails = Trails::default();
        for n in 0..MAX_CALLS + 2 {
            trails.add("a", &format!("s__{n}"));
        }
        assert_eq!((trails.of("a").len(), &*trails.of("a")[0]), (MAX_CALLS, "s__2"));
        for n in 0..=MAX_SESSIONS {
            trails.add(&format!("other {n}"), "s__x");
        }
        assert!(trails.of("a").is_empty() && trails.0.lock().calls.len() == MAX_SESSIONS);
    }
}
