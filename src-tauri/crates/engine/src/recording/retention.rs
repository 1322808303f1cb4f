//! Pace at which old calls are removed: one round now and then, with pauses so that recording continues in between.

use std::time::{Duration, Instant};

use schemascope_model::Timestamp;
use schemascope_store::{Policy, Position, Writer};
use tokio::sync::watch;

use super::fold::Folds;

/// Time between two checks for calls to remove while none are recorded.
const ROUND_INTERVAL: Duration = Duration::from_secs(60);
/// The same while calls are recorded: how far they may exceed the limits.
const BUSY_INTERVAL: Duration = Duration::from_secs(1);
/// Pause between two rounds while there is more to remove; a round takes some ten milliseconds.
const ROUND_PAUSE: Duration = Duration::from_millis(200);

pub(super) struct Retention {
    policy: watch::Receiver<Policy>,
    last: Instant,
    pause: Duration,
    /// End of the journal after the last round.
    end: Option<Position>,
    removed: u64,
}

impl Retention {
    pub(super) fn new(policy: watch::Receiver<Policy>) -> Self {
        Self { policy, last: Instant::now(), pause: Duration::ZERO, end: None, removed: 0 }
    }

    /// Does a round, if one is due.
    pub(super) fn round(&mut self, writer: &mut Writer, folds: &Folds) {
        if self.policy.has_changed().unwrap_or(false) {
            self.pause = Duration::ZERO;
        }
        let is_busy = self.end.is_some_and(|end| end != writer.end());
        let pause = if is_busy { self.pause.min(BUSY_INTERVAL) } else { self.pause };
        if self.last.elapsed() < pause {
            return;
        }
        let policy = *self.policy.borrow_and_update();
        let more = match writer.retain(&policy, Timestamp::now(), || folds.states()) {
            Ok(done) => {
                self.removed += done.calls_removed;
                if !done.more && self.removed > 0 {
                    tracing::info!(calls = self.removed, "calls were removed, as the retention settings say");
                    self.removed = 0;
                }
                done.more
            }
            Err(error) => {
                tracing::warn!(%error, "old calls could not be removed; trying again later");
                false
            }
        };
        (self.last, self.end) = (Instant::now(), Some(writer.end()));
        self.pause = if more { ROUND_PAUSE } else { ROUND_INTERVAL };
    }
}
