//! An upstream's entry in the configuration changes while it runs.
//!
//! Owns: what becomes of what runs. Refuses to know: the other upstreams.

use std::sync::PoisonError;

use tokio_util::sync::CancellationToken;

use super::{Phase, Upstream};
use crate::config::ServerEntry;

impl Upstream {
    /// Takes another entry; false when it is the same. What runs by the old one ends, and requests under way on it
    /// with it; what ran begins anew by the new one, if that can be started.
    pub(crate) fn reconfigure(&self, entry: &ServerEntry) -> bool {
        {
            let mut known = self.entry();
            if *known == *entry {
                return false;
            }
            *known = entry.clone();
        }
        self.sides.end_all();
        // It may be another program by now.
        *self.era.lock().unwrap_or_else(PoisonError::into_inner) = None;
        {
            let mut phase = self.phase();
            match &*phase {
                // The task that runs it looks at the entry again.
                Phase::Ready(_) | Phase::Starting { .. } => self.replace_token().cancel(),
                Phase::Failed { .. } => *phase = Phase::Idle,
                Phase::Idle | Phase::Stopped => {}
            }
        }
        self.changed.send_modify(|version| *version += 1);
        true
    }

    /// Ends it for good: the configuration has it no longer.
    pub(crate) async fn remove(&self) {
        *self.entry() = ServerEntry::Invalid("it was removed from the configuration".into());
        self.stop().await;
    }

    /// Cancelled when it ends for good.
    pub(crate) fn ended(&self) -> CancellationToken {
        self.stop.clone()
    }
}
