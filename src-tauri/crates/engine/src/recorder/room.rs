//! Room for calls on their way to disk.
//!
//! Two bounds, in bytes of memory. Within the lower one a call gets room at once; beyond it calls wait for the
//! recorder, so that it is never far behind for long. Whoever has waited long enough gets what is left below the
//! upper one, which is there for disks that stop for a moment. Owns: those bounds. Refuses to know: what calls
//! are.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// Bytes of calls that may wait.
pub(super) const BUDGET: usize = 64 << 20;
/// Bytes of calls from which on calls wait for the recorder.
const PACE: usize = 4 << 20;
/// How long a call waits for it.
pub(super) const PATIENCE: Duration = Duration::from_millis(250);

/// Both bounds.
pub(super) struct Rooms {
    pace: Arc<Semaphore>,
    budget: Arc<Semaphore>,
}

/// Room for one call, until it is dropped.
pub(super) struct Room {
    _pace: Option<OwnedSemaphorePermit>,
    _budget: OwnedSemaphorePermit,
}

impl Rooms {
    pub(super) fn new() -> Self {
        Self { pace: Arc::new(Semaphore::new(PACE)), budget: Arc::new(Semaphore::new(BUDGET)) }
    }

    /// Room without waiting; none when the recorder is behind.
    pub(super) fn at_once(&self, bytes: usize) -> Option<Room> {
        let pace = Arc::clone(&self.pace).try_acquire_many_owned(permits(bytes, PACE)).ok()?;
        let budget = Arc::clone(&self.budget).try_acquire_many_owned(permits(bytes, BUDGET)).ok()?;
        Some(Room { _pace: Some(pace), _budget: budget })
    }

    /// Room after some waiting; none when there is no room then.
    pub(super) async fn patiently(&self, bytes: usize) -> Option<Room> {
        let deadline = Instant::now() + PATIENCE;
        let pace = Arc::clone(&self.pace).acquire_many_owned(permits(bytes, PACE));
        let pace = timeout_at(deadline, pace).await.ok().and_then(Result::ok);
        let budget = Arc::clone(&self.budget).acquire_many_owned(permits(bytes, BUDGET));
        let budget = timeout_at(deadline, budget).await.ok()?.ok()?;
        Some(Room { _pace: pace, _budget: budget })
    }

    /// Room, however long that takes; none when the recorder has ended.
    pub(super) async fn whenever(&self, bytes: usize) -> Option<Room> {
        let pace = Arc::clone(&self.pace).acquire_many_owned(permits(bytes, PACE)).await.ok()?;
        let budget = Arc::clone(&self.budget).acquire_many_owned(permits(bytes, BUDGET)).await.ok()?;
        Some(Room { _pace: Some(pace), _budget: budget })
    }

    /// Room below the upper bound alone, for little.
    pub(super) fn left_over(&self, bytes: usize) -> Option<Room> {
        let budget = Arc::clone(&self.budget).try_acquire_many_owned(permits(bytes, BUDGET)).ok()?;
        Some(Room { _pace: None, _budget: budget })
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
    async fn calls_wait_before_they_lose_anything() {
        let rooms = Rooms::new();
        let first = rooms.at_once(PACE);
        assert!(first.is_some() && rooms.at_once(1).is_none());
        let second = rooms.patiently(1_000).await;
        assert!(second.is_some() && rooms.at_once(1).is_none());
        // The largest call gets in alone, and then there is nothing left.
        drop((first, second));
        let large = rooms.at_once(1 << 30);
        assert!(large.is_some() && rooms.patiently(1).await.is_none() && rooms.left_over(1).is_none());
        drop(large);
        assert!(rooms.at_once(1).is_some() && rooms.left_over(1).is_some());
    }
}
