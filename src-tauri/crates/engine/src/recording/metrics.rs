//! Numbers that all parts of the recorder count and fronts show.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use schemascope_api::RecorderReport;
use schemascope_model::{CallRecord, Origin};
use tokio::sync::watch;

use super::histogram::Histogram;

/// Counters since the start.
#[derive(Debug, Default)]
pub(super) struct Metrics {
    pub(super) recorded: AtomicU64,
    pub(super) bodies_left_out: AtomicU64,
    pub(super) dropped: AtomicU64,
    pub(super) redacted_values: AtomicU64,
    pub(super) not_judged: AtomicU64,
    /// Sessions, and values of sessions, that are no longer followed from call to call.
    pub(super) evicted_sessions: AtomicU64,
    pub(super) evicted_values: AtomicU64,
    /// Calls in the queue.
    pub(super) waiting: AtomicU64,
    /// Readers that wait until the queue is empty.
    pub(super) awaited: AtomicU64,
    /// Why the disk takes no writes, while it takes none.
    pub(super) stalled: watch::Sender<Option<String>>,
    pub(super) index_behind: AtomicBool,
    pub(super) closing: AtomicBool,
    /// Whether the recorder ends and the disk takes no more.
    pub(super) given_up: AtomicBool,
    /// Time from the answer to the journal.
    pub(super) latency: Histogram,
    /// Time of calls from request to answer.
    pub(super) call_latency: Histogram,
}

impl Metrics {
    /// Adds the duration of a call that passed just now.
    pub(super) fn add_duration(&self, call: &CallRecord) {
        if let Some(micros) = call.total_us.filter(|_| call.origin != Origin::Backfill) {
            self.call_latency.add(micros);
        }
    }

    /// Waits until the disk takes no writes; returns at once while it takes none.
    pub(super) async fn until_stalled(&self) {
        // The sender is this, so it cannot be gone.
        let _ = self.stalled.subscribe().wait_for(Option::is_some).await;
    }

    /// Whether calls wait in the queue, or a reader waits until it is empty.
    pub(super) fn has_jobs(&self) -> bool {
        [&self.waiting, &self.awaited].iter().any(|counter| counter.load(Ordering::Relaxed) > 0)
    }

    /// The counters as fronts show them.
    pub(super) fn report(&self, off: bool) -> RecorderReport {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        RecorderReport {
            off,
            recorded: count(&self.recorded),
            bodies_left_out: count(&self.bodies_left_out),
            dropped: count(&self.dropped),
            redacted_values: count(&self.redacted_values),
            not_judged: count(&self.not_judged),
            evicted_sessions: count(&self.evicted_sessions),
            evicted_values: count(&self.evicted_values),
            waiting: count(&self.waiting),
            stalled: self.stalled.borrow().clone(),
            index_behind: self.index_behind.load(Ordering::Relaxed),
            // Measured by the recorder.
            low_disk_bytes: None,
            latency: self.latency.summary(),
        }
    }
}
