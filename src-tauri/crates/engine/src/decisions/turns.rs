//! What the adapter decides by itself: schemas go out of sight and come back.
//!
//! It decides on the call path, where nobody waits for a disk, so its turns are written a moment later, in their
//! order. The log is kept for ever: a tool that turns to and fro has its first turns of an hour noted, and the
//! others counted. Owns: that queue and its bounds. Refuses to know: why schemas turn.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use schemascope_model::{Timestamp, ToolId};
use schemascope_proxy::Turn;
use schemascope_registry::versions::{Actor, AuditEvent};

use crate::decisions::{Decisions, Proposal};

/// Turns of a tool noted in an hour.
const AN_HOUR: usize = 20;
const HOUR: u64 = 3_600_000;
/// Turns that may wait for the disk.
const WAITING: usize = 1_000;
/// Tools whose turns of the last hour are remembered.
const MAX_TOOLS: usize = 10_000;

/// Turns on their way to the audit log.
pub(crate) struct Turns {
    decisions: Arc<Decisions>,
    /// Nothing that passes is written while nothing is recorded.
    written: bool,
    waiting: Mutex<Waiting>,
    /// Held while they are written, so that their order stays.
    writing: Mutex<()>,
    not_noted: AtomicU64,
}

#[derive(Default)]
struct Waiting {
    turns: VecDeque<(ToolId, Turn)>,
    lately: HashMap<ToolId, VecDeque<Timestamp>>,
}

impl Turns {
    pub(crate) fn new(decisions: Arc<Decisions>, written: bool) -> Arc<Self> {
        let (waiting, writing, not_noted) = (Mutex::default(), Mutex::default(), AtomicU64::new(0));
        Arc::new(Self { decisions, written, waiting, writing, not_noted })
    }

    /// Takes a turn. Needs a tokio runtime; waits for nothing.
    pub(crate) fn note(self: &Arc<Self>, tool: &ToolId, turn: Turn, at: Timestamp) {
        if !self.written {
            return;
        }
        if !self.waiting().take(tool, turn, at) {
            self.not_noted.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let turns = Arc::clone(self);
        tokio::task::spawn_blocking(move || turns.write());
    }

    /// Writes what waits.
    pub(crate) fn write(&self) {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let Some((tool, turn)) = self.waiting().turns.pop_front() else { return };
            let event = match turn {
                Turn::Suspended => AuditEvent::Suspend {},
                Turn::Restored => AuditEvent::Restore {},
            };
            let reason = match turn {
                Turn::Suspended => "results kept coming without the structure the schema promises",
                Turn::Restored => "results have structure again",
            };
            let (actor, reason) = (Actor::policy(), Some(reason.into()));
            let proposal = Proposal { tool, actor, reason, known: None };
            if let Err(error) = self.decisions.write(proposal, |_| Ok(event)) {
                self.not_noted.fetch_add(1, Ordering::Relaxed);
                tracing::warn!(%error, "a schema's suspension could not be noted");
            }
        }
    }

    /// Turns since the start that are not in the log.
    pub(crate) fn not_noted(&self) -> u64 {
        self.not_noted.load(Ordering::Relaxed)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// Whether there is room for it.
    fn take(&mut self, tool: &ToolId, turn: Turn, at: Timestamp) -> bool {
        if self.lately.len() >= MAX_TOOLS && !self.lately.contains_key(tool) {
            self.lately.clear();
        }
        let lately = self.lately.entry(tool.clone()).or_default();
        while lately.front().is_some_and(|first| at.as_millis().saturating_sub(first.as_millis()) >= HOUR) {
            lately.pop_front();
        }
        if lately.len() >= AN_HOUR || self.turns.len() >= WAITING {
            return false;
        }
        lately.push_back(at);
        self.turns.push_back((tool.clone(), turn));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_turns_to_and_fro_does_not_fill_the_log() {
        let mut waiting = Waiting::default();
        let (a, b): (ToolId, ToolId) = ("s__a".parse().unwrap(), "s__b".parse().unwrap());
        let at = Timestamp::from_millis;
        let taken = (0..100).filter(|n| waiting.take(&a, Turn::Suspended, at(*n))).count();
        assert_eq!(taken, AN_HOUR);
        assert!(waiting.take(&b, Turn::Suspended, at(5)));
        assert!(!waiting.take(&a, Turn::Restored, at(HOUR - 1)));
        assert!(waiting.take(&a, Turn::Restored, at(HOUR)));
    }
}
