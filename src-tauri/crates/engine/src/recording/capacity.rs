//! Memory for calls on their way to disk.
//!
//! There are limits in bytes. As long as few bytes wait, a call gets memory at once. Then calls are paced, so that the recorder
//! does not stay far behind, and at the lower limit they wait for it. A call that has waited long enough gets memory up
//! to the upper limit, which exists for disks that stop for a moment.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::pacer::Pacer;

/// Bytes of calls that may wait in all.
pub(super) const MAX_BYTES: usize = 64 << 20;
/// Bytes of waiting calls above which further calls wait for the recorder.
const PACE_BYTES: usize = 8 << 20;
/// Bytes of waiting calls above which further calls are paced.
const FREE_BYTES: usize = 512 << 10;
/// Bytes of waiting calls that paced calls are to come to. The recorder never runs out of them when calls come late, and has
/// room for them when it is late itself.
const AIM_BYTES: usize = 2 << 20;
/// Share by which calls are slowed down when twice as many bytes wait. A stronger correction swings: it takes effect
/// only when the calls that were given a time before have come, and calls that come take time from the recorder.
const CORRECTION: f64 = 0.15;
/// Longest time a call waits for the recorder.
const ADMISSION_TIMEOUT: Duration = Duration::from_millis(250);

/// The memory that is left under both limits.
pub(super) struct QueueCapacity {
    pace: Arc<Semaphore>,
    total: Arc<Semaphore>,
    pub(super) pacer: Pacer,
}

/// Memory for one call, until it is dropped.
pub(super) struct Reservation {
    _pace: Option<OwnedSemaphorePermit>,
    _total: OwnedSemaphorePermit,
}

impl Reservation {
    /// The call is drafted, which is most of the work. It makes room for the next one at once: if calls waited for a whole
    /// group to be written, each hundredth would wait long.
    pub(super) fn drafted(self) -> Self {
        Self { _pace: None, ..self }
    }
}

impl QueueCapacity {
    pub(super) fn new(pacer: Pacer) -> Self {
        let semaphore = |bytes| Arc::new(Semaphore::new(bytes));
        Self { pace: semaphore(PACE_BYTES), total: semaphore(MAX_BYTES), pacer }
    }

    /// Bytes of calls that were not drafted yet.
    fn undrafted(&self) -> usize {
        PACE_BYTES - self.pace.available_permits().min(PACE_BYTES)
    }

    /// Reserves memory without waiting; none when the recorder is behind.
    pub(super) fn try_reserve(&self, bytes: usize) -> Option<Reservation> {
        if self.undrafted() > FREE_BYTES {
            return None;
        }
        let pace = Arc::clone(&self.pace).try_acquire_many_owned(permits(bytes, PACE_BYTES)).ok()?;
        let total = Arc::clone(&self.total).try_acquire_many_owned(permits(bytes, MAX_BYTES)).ok()?;
        Some(Reservation { _pace: Some(pace), _total: total })
    }

    /// Reserves memory after waiting for [`ADMISSION_TIMEOUT`] at most; none when there is none then.
    pub(super) async fn reserve_in_time(&self, bytes: usize) -> Option<Reservation> {
        let deadline = Instant::now() + ADMISSION_TIMEOUT;
        let slower = 1.0 + CORRECTION * (self.undrafted() as f64 / AIM_BYTES as f64 - 1.0);
        let _ = timeout_at(deadline, self.pacer.turn(bytes, slower, ADMISSION_TIMEOUT)).await;
        let pace = Arc::clone(&self.pace).acquire_many_owned(permits(bytes, PACE_BYTES));
        let pace = timeout_at(deadline, pace).await.ok().and_then(Result::ok);
        let total = Arc::clone(&self.total).acquire_many_owned(permits(bytes, MAX_BYTES));
        let total = timeout_at(deadline, total).await.ok()?.ok()?;
        Some(Reservation { _pace: pace, _total: total })
    }

    /// Reserves memory, however long that takes; none when the recorder has ended.
    pub(super) async fn reserve(&self, bytes: usize) -> Option<Reservation> {
        let pace = Arc::clone(&self.pace).acquire_many_owned(permits(bytes, PACE_BYTES)).await.ok()?;
        let total = Arc::clone(&self.total).acquire_many_owned(permits(bytes, MAX_BYTES)).await.ok()?;
        Some(Reservation { _pace: Some(pace), _total: total })
    }

    /// Reserves memory below the upper limit alone, for a call that has waited already, or that must not wait.
    pub(super) fn try_reserve_beyond_pace(&self, bytes: usize) -> Option<Reservation> {
        let total = Arc::clone(&self.total).try_acquire_many_owned(permits(bytes, MAX_BYTES)).ok()?;
        Some(Reservation { _pace: None, _total: total })
    }
}

/// Never more than there is, so that the largest call gets in alone.
fn permits(bytes: usize, of: usize) -> u32 {
    u32::try_from(bytes.min(of)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn calls_wait_before_they_lose_their_bodies() {
        let capacity = QueueCapacity::new(Pacer::start().unwrap());
        let first = capacity.try_reserve(PACE_BYTES);
        assert!(first.is_some() && capacity.try_reserve(1).is_none());
        let second = capacity.reserve_in_time(1_000).await;
        assert!(second.is_some() && capacity.try_reserve(1).is_none());
        // The largest call gets in alone, and then there is nothing left.
        drop((first, second));
        let large = capacity.try_reserve(1 << 30);
        assert!(large.is_some() && capacity.reserve_in_time(1).await.is_none());
        assert!(capacity.try_reserve_beyond_pace(1).is_none());
        drop(large);
        assert!(capacity.try_reserve(1).is_some() && capacity.try_reserve_beyond_pace(1).is_some());
    }
}
