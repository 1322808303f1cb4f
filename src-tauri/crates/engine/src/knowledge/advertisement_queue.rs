//! Suspensions on their way to the audit log: the adapter stops advertising a schema that results keep missing, and
//! advertises it again later.
//!
//! The adapter does this on the call path, which does not wait for a disk, so entries are written a moment later, in
//! order. The log is kept for ever, so of a tool that changes often only the first changes of an hour are written;
//! the others are counted.

use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use schemascope_model::{Timestamp, ToolId};
use schemascope_proxy::SuspensionChange;
use schemascope_registry::versions::{Actor, AuditEvent};

use tokio::sync::Notify;

use super::decisions::{Decisions, Proposal};
use crate::background::{Service, Tasks};

/// Changes of one tool written in an hour.
const MAX_PER_HOUR: usize = 20;
const HOUR_MS: u64 = 3_600_000;
/// Changes that may wait for the disk.
const MAX_WAITING: usize = 1_000;
/// Tools whose changes of the last hour are remembered.
const MAX_TOOLS: usize = 10_000;

/// Suspensions and restorations that are to be written.
pub(crate) struct AdvertisementQueue {
    decisions: Arc<Decisions>,
    /// False while nothing is recorded: nothing that passes is written then.
    enabled: bool,
    waiting: Mutex<Waiting>,
    /// Notified when something waits.
    due: Notify,
    /// Held while changes are written, so that they stay in order.
    writing: Mutex<()>,
    not_written: AtomicU64,
}

#[derive(Default)]
struct Waiting {
    changes: VecDeque<(ToolId, SuspensionChange)>,
    /// Times of each tool's changes of the last hour.
    recent: HashMap<ToolId, Recent>,
}

impl AdvertisementQueue {
    pub(super) fn new(decisions: Arc<Decisions>, enabled: bool) -> Self {
        let (waiting, writing, not_written) = (Mutex::default(), Mutex::default(), AtomicU64::new(0));
        Self { decisions, enabled, waiting, due: Notify::new(), writing, not_written }
    }

    /// Adds a change. Waits for nothing.
    pub(crate) fn add(&self, tool: &ToolId, change: SuspensionChange, at: Timestamp) {
        if !self.enabled {
            return;
        }
        if self.waiting.lock().add(tool, change, at) {
            self.due.notify_one();
        } else {
            self.not_written.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Writes everything that waits. Blocks.
    pub(crate) fn write(&self) {
        let _writing = self.writing.lock();
        loop {
            let Some((tool, change)) = self.waiting.lock().changes.pop_front() else { return };
            let event = match change {
                SuspensionChange::Suspended => AuditEvent::Suspend {},
                SuspensionChange::Restored => AuditEvent::Restore {},
            };
            let reason = match change {
                SuspensionChange::Suspended => "results in a row were text that does not fit the schema",
                SuspensionChange::Restored => "results fit again, or have structure",
            };
            let (actor, reason) = (Actor::policy(), Some(reason.into()));
            let proposal = Proposal { tool, actor, reason, known: None };
            if let Err(error) = self.decisions.write(proposal, |_| Ok(event)) {
                self.not_written.fetch_add(1, Ordering::Relaxed);
                tracing::warn!(%error, "a schema's suspension could not be written to the audit log");
            }
        }
    }

    /// Number of changes since the start that are not in the log.
    pub(crate) fn not_written(&self) -> u64 {
        self.not_written.load(Ordering::Relaxed)
    }
}

impl Service for AdvertisementQueue {
    fn start(self: Arc<Self>, tasks: &Tasks) {
        tasks.spawn(async move {
            loop {
                self.due.notified().await;
                let queue = Arc::clone(&self);
                let _ = tokio::task::spawn_blocking(move || queue.write()).await;
            }
        });
    }

    fn stop(&self) {
        self.write();
    }
}

/// Changes of one tool's schema.
#[derive(Default)]
struct Recent {
    /// Times of those of the last hour that were taken.
    taken: VecDeque<Timestamp>,
    /// Whether a suspension was taken, and not its end.
    is_open: bool,
}

impl Waiting {
    /// Adds a change. Returns whether there was room for it.
    fn add(&mut self, tool: &ToolId, change: SuspensionChange, at: Timestamp) -> bool {
        if self.recent.len() >= MAX_TOOLS && !self.recent.contains_key(tool) {
            self.recent.clear();
        }
        let recent = self.recent.entry(tool.clone()).or_default();
        let is_old = |first: &Timestamp| at.as_millis().saturating_sub(first.as_millis()) >= HOUR_MS;
        while recent.taken.front().is_some_and(is_old) {
            recent.taken.pop_front();
        }
        // Without the end of what was written, a schema would look suspended for good.
        let is_end = recent.is_open && change == SuspensionChange::Restored;
        if !is_end && recent.taken.len() >= MAX_PER_HOUR || self.changes.len() >= MAX_WAITING {
            return false;
        }
        recent.is_open = change == SuspensionChange::Suspended;
        recent.taken.push_back(at);
        self.changes.push_back((tool.clone(), change));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_that_changes_often_does_not_fill_the_log() {
        let mut waiting = Waiting::default();
        let (a, b): (ToolId, ToolId) = ("s__a".parse().unwrap(), "s__b".parse().unwrap());
        let at = Timestamp::from_millis;
        let added = (0..100).filter(|n| waiting.add(&a, SuspensionChange::Suspended, at(*n))).count();
        assert_eq!(added, MAX_PER_HOUR);
        assert!(waiting.add(&b, SuspensionChange::Suspended, at(5)));
        assert!(!waiting.add(&a, SuspensionChange::Suspended, at(HOUR_MS - 1)));
        assert!(
            waiting.add(&a, SuspensionChange::Restored, at(HOUR_MS - 1)),
            "the end of one that was written"
        );
    }
}
