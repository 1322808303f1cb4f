//! Changing an upstream's entry in the configuration while it runs.

use std::sync::PoisonError;

use tokio_util::sync::CancellationToken;

use super::{Failing, Phase, Upstream};
use crate::config::ServerEntry;

impl Upstream {
    /// Takes another entry; returns whether it differs. Sessions of the old entry end, and requests under way with
    /// them. An upstream that ran is started again, if the new entry can be used.
    pub(crate) fn reconfigure(&self, entry: &ServerEntry) -> bool {
        {
            let mut known = self.entry();
            if *known == *entry {
                return false;
            }
            *known = entry.clone();
            *self.failing() = entry.is_invalid().then(Failing::now);
        }
        self.reset_expected();
        self.client_sessions.end_all();
        // The new entry may start another program.
        *self.era.lock().unwrap_or_else(PoisonError::into_inner) = None;
        {
            let mut phase = self.phase();
            match &*phase {
                // The task that runs it reads the entry again.
                Phase::Ready(_) | Phase::Starting { .. } => self.replace_token().cancel(),
                Phase::Failed { .. } => *phase = Phase::Idle,
                Phase::Idle | Phase::Stopped => {}
            }
        }
        self.changed.send_modify(|version| *version += 1);
        true
    }

    /// Ends an upstream that was removed from the configuration.
    pub(crate) async fn remove(&self) {
        *self.entry() = ServerEntry::Invalid("it was removed from the configuration".into());
        self.stop().await;
    }

    /// Cancelled when the upstream ends for good.
    pub(crate) fn ended(&self) -> CancellationToken {
        self.stop.clone()
    }
}
