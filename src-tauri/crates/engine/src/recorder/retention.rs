//! When calls are removed: a round now and then, at once another while there is more to do.
//!
//! Owns: the pace, so that recording goes on between rounds. Refuses to know: which calls go; the store
//! does that.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use schemascope_model::{Timestamp, ToolId};
use schemascope_registry::Registry;
use schemascope_store::{Policy, Writer};

use super::writer::lock;

/// How often it is looked whether something is to go.
const EVERY: Duration = Duration::from_secs(60);
/// Between rounds that belong together; a round takes some ten milliseconds.
const PAUSE: Duration = Duration::from_millis(200);

pub(super) struct Retention {
    policy: Policy,
    next: Instant,
    removed: u64,
}

impl Retention {
    pub(super) fn new() -> Self {
        Self { policy: Policy::default(), next: Instant::now(), removed: 0 }
    }

    /// Keeps by this policy from now on.
    pub(super) fn set(&mut self, policy: Policy) {
        self.policy = policy;
        self.next = Instant::now();
    }

    /// A round, if it is time for one.
    pub(super) fn round(&mut self, writer: &mut Writer, registry: &Arc<Mutex<Registry>>) {
        if self.policy == Policy::default() || Instant::now() < self.next {
            return;
        }
        let more = match writer.retain(&self.policy, Timestamp::now(), || states(registry)) {
            Ok(done) => {
                self.removed += done.calls_removed;
                if !done.more && self.removed > 0 {
                    tracing::info!(calls = self.removed, "calls were removed, as retention says");
                    self.removed = 0;
                }
                done.more
            }
            Err(error) => {
                tracing::warn!(%error, "calls that should go could not be removed; trying again later");
                false
            }
        };
        self.next = Instant::now() + if more { PAUSE } else { EVERY };
    }
}

/// All tools' states, one at a time: all at once could be hundreds of megabytes.
pub(super) fn states(registry: &Arc<Mutex<Registry>>) -> impl Iterator<Item = (ToolId, Vec<u8>)> + use<> {
    let registry = Arc::clone(registry);
    let tools: Vec<ToolId> = lock(&registry).tools().keys().cloned().collect();
    tools.into_iter().filter_map(move |tool| lock(&registry).state(&tool).map(|state| (tool, state)))
}
