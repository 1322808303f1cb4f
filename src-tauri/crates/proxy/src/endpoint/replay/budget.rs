//! The memory limit for the replay buffers of all sessions. The oldest streams free memory first.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::ReplayBuffer;

/// Limit of bytes kept for all streams together, not counting events on their way to connected clients.
const MAX_TOTAL_BYTES: usize = 64 << 20;
/// Approximate bytes that a stream takes besides its events.
pub(super) const STREAM_OVERHEAD: usize = 1 << 10;
/// Number of dropped streams that may stay in the list before it is cleaned.
const MAX_STALE_STREAMS: usize = 1_024;

/// The memory budget of all streams.
pub(crate) struct ReplayBudget {
    limit: usize,
    bytes: AtomicUsize,
    /// Number of bytes above which memory is freed.
    free_above: AtomicUsize,
    streams: AtomicUsize,
    /// Streams, oldest first.
    by_age: Mutex<Vec<Weak<ReplayBuffer>>>,
    /// Number of streams that lost events before a client took them.
    lost: Arc<AtomicU64>,
}

impl ReplayBudget {
    /// Creates a budget that counts in `lost` the streams that lose events before a client takes them.
    pub(crate) fn new(lost: Arc<AtomicU64>) -> Self {
        Self::of(MAX_TOTAL_BYTES, lost)
    }

    pub(super) fn of(limit: usize, lost: Arc<AtomicU64>) -> Self {
        let (bytes, streams) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { limit, bytes, free_above: AtomicUsize::new(limit), streams, by_age: Mutex::default(), lost }
    }

    fn by_age(&self) -> MutexGuard<'_, Vec<Weak<ReplayBuffer>>> {
        self.by_age.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a new stream.
    pub(super) fn add_stream(&self, replay: &Arc<ReplayBuffer>) {
        let streams = self.streams.fetch_add(1, Ordering::Relaxed) + 1;
        self.bytes.fetch_add(STREAM_OVERHEAD, Ordering::Relaxed);
        let mut by_age = self.by_age();
        if by_age.len() > 2 * streams + MAX_STALE_STREAMS {
            by_age.retain(|replay| replay.strong_count() > 0);
        }
        by_age.push(Arc::downgrade(replay));
    }

    /// Removes a stream and the bytes it kept.
    pub(super) fn remove_stream(&self, bytes: usize) {
        self.streams.fetch_sub(1, Ordering::Relaxed);
        self.subtract(bytes + STREAM_OVERHEAD);
    }

    /// Adds bytes, and frees memory if there are too many. The caller must not hold the lock of a stream.
    pub(super) fn add(&self, bytes: usize) {
        let now = self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if now > self.free_above.load(Ordering::Relaxed) {
            self.free_memory();
        }
    }

    pub(super) fn subtract(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Counts a stream that lost events before a client took them.
    pub(super) fn count_lost(&self) {
        self.lost.fetch_add(1, Ordering::Relaxed);
    }

    /// Frees memory of the oldest streams until an eighth of the limit is free.
    fn free_memory(&self) {
        let some = self.limit / 8;
        let mut by_age = self.by_age();
        by_age.retain(|replay| {
            let Some(replay) = replay.upgrade() else { return false };
            if self.bytes.load(Ordering::Relaxed) > self.limit - some {
                replay.free_memory();
            }
            true
        });
        // The rest is on its way to clients. The threshold is raised, so that not every event searches again.
        let left = self.bytes.load(Ordering::Relaxed);
        self.free_above.store(self.limit.max(left + some), Ordering::Relaxed);
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}
