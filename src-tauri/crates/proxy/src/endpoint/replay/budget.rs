//! How much the streams of all sessions keep together.
//!
//! Owns: which of them give way when that is too much: the oldest. Refuses to know: what a stream can give away
//! (see [`Replay::give_way`]).

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::Replay;

/// Bytes kept of all streams together, beyond what connected clients have not taken yet.
const LIMIT: usize = 64 << 20;
/// What a stream takes besides its events, in bytes, roughly.
pub(super) const WEIGHT: usize = 1 << 10;
/// Streams that ended may be among those remembered, up to so many more than there are.
const SLACK: usize = 1_024;

/// The room there is for all streams.
pub(crate) struct Budget {
    limit: usize,
    bytes: AtomicUsize,
    /// Bytes from which on it is looked for what may go.
    look_at: AtomicUsize,
    streams: AtomicUsize,
    /// In the order they began.
    oldest: Mutex<Vec<Weak<Replay>>>,
    /// Streams that gave away something no client had taken.
    lost: Arc<AtomicU64>,
}

impl Budget {
    /// Counts in `lost` the streams that gave away something no client had taken.
    pub(crate) fn new(lost: Arc<AtomicU64>) -> Self {
        Self::of(LIMIT, lost)
    }

    pub(super) fn of(limit: usize, lost: Arc<AtomicU64>) -> Self {
        let (bytes, streams) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { limit, bytes, look_at: AtomicUsize::new(limit), streams, oldest: Mutex::default(), lost }
    }

    fn oldest(&self) -> MutexGuard<'_, Vec<Weak<Replay>>> {
        self.oldest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a new stream.
    pub(super) fn begin(&self, replay: &Arc<Replay>) {
        let streams = self.streams.fetch_add(1, Ordering::Relaxed) + 1;
        self.bytes.fetch_add(WEIGHT, Ordering::Relaxed);
        let mut oldest = self.oldest();
        if oldest.len() > 2 * streams + SLACK {
            oldest.retain(|replay| replay.strong_count() > 0);
        }
        oldest.push(Arc::downgrade(replay));
    }

    /// A stream is gone, with what it kept.
    pub(super) fn end(&self, bytes: usize) {
        self.streams.fetch_sub(1, Ordering::Relaxed);
        self.give_back(bytes + WEIGHT);
    }

    /// Takes so many bytes more. Whoever calls this holds no lock of a stream.
    pub(super) fn take(&self, bytes: usize) {
        let now = self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if now > self.look_at.load(Ordering::Relaxed) {
            self.make_room();
        }
    }

    pub(super) fn give_back(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Counts a stream that gave away something no client had taken.
    pub(super) fn count_lost(&self) {
        self.lost.fetch_add(1, Ordering::Relaxed);
    }

    /// Has the oldest give way until there is some room, or all have.
    fn make_room(&self) {
        let some = self.limit / 8;
        let mut oldest = self.oldest();
        oldest.retain(|replay| {
            let Some(replay) = replay.upgrade() else { return false };
            if self.bytes.load(Ordering::Relaxed) > self.limit - some {
                replay.give_way();
            }
            true
        });
        // What is left is on its way to clients; it is not looked for again with each event.
        let left = self.bytes.load(Ordering::Relaxed);
        self.look_at.store(self.limit.max(left + some), Ordering::Relaxed);
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}
