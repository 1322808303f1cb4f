//! Pace at which old calls are removed: one round now and then, with pauses so that recording continues in between.

use std::time::{Duration, Instant};

use schemascope_model::Timestamp;
use schemascope_store::{Policy, Writer};

use super::fold::Folds;

/// Time between two checks for calls to remove.
const ROUND_INTERVAL: Duration = Duration::from_secs(60);
/// Pause between two rounds while there is more to remove; a round takes some ten milliseconds.
const ROUND_PAUSE: Duration = Duration::from_millis(200);

pub(super) struct Retention {
    policy: Policy,
    next: Instant,
    removed: u64,
}

impl Retention {
    pub(super) fn new() -> Self {
        Self { policy: Policy::default(), next: Instant::now(), removed: 0 }
    }

    /// Applies another policy from now on.
    pub(super) fn set(&mut self, policy: Policy) {
        self.policy = policy;
        self.next = Instant::now();
    }

    /// Does a round, if one is due.
    pub(super) fn round(&mut self, writer: &mut Writer, folds: &Folds) {
        if self.policy == Policy::default() || Instant::now() < self.next {
            return;
        }
        let more = match writer.retain(&self.policy, Timestamp::now(), || folds.states()) {
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
        self.next = Instant::now() + if more { ROUND_PAUSE } else { ROUND_INTERVAL };
    }
}
