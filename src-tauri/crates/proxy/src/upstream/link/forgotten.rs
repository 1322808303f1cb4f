//! What becomes of requests when the upstream does not know us any more.
//!
//! It has looked at none of those it refuses, so they may be sent again once it was introduced to us anew; others it
//! has begun with, and they may not. Owns: that nobody is told before the link is closed, or it would be sent on this
//! one again, and that it is not closed before the others under way had their answers, or for long. Refuses to know:
//! how an upstream says it.

use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use super::{Link, Lost, Pending};

/// How long others are waited for: mostly the same is on its way to them.
const OTHERS: Duration = Duration::from_secs(1);

/// A request that was refused for it, with the reason in words.
pub(super) type Refused = (Pending, String);

impl Link {
    /// The upstream does not know us any more, as it said to the request with this id, if it was to one.
    pub(crate) fn forget(self: &Arc<Self>, id: Option<u64>, reason: String) {
        let refused = id.and_then(|id| self.pending().remove(&id)).map(|pending| (pending, reason));
        let first = {
            let mut forgotten = self.forgotten();
            let first = forgotten.is_none();
            forgotten.get_or_insert_default().extend(refused);
            first
        };
        self.close_if_forgotten();
        if first && !self.is_closed() {
            let link = Arc::clone(self);
            tokio::spawn(async move {
                let _ = tokio::time::timeout(OTHERS, link.closed()).await;
                link.close_forgotten();
            });
        }
    }

    /// Whether that is why it is closed, or about to be.
    pub(crate) fn is_forgotten(&self) -> bool {
        self.forgotten().is_some()
    }

    /// Closes it if nobody but us waits for an answer any more.
    pub(super) fn close_if_forgotten(&self) {
        if self.is_forgotten() && self.ends_if_idle() {
            self.close_forgotten();
        }
    }

    /// At once, so that no request comes in between: one that comes behind finds it closed.
    fn ends_if_idle(&self) -> bool {
        let pending = self.pending();
        if pending.values().all(|pending| pending.own) {
            self.closed.cancel();
        }
        self.is_closed()
    }

    fn close_forgotten(&self) {
        self.close();
        let refused = self.forgotten().as_mut().map(std::mem::take).unwrap_or_default();
        for (pending, reason) in refused {
            let _ = pending.answer.send(Err(Lost { reason, was_refused: true }));
        }
    }

    fn forgotten(&self) -> MutexGuard<'_, Option<Vec<Refused>>> {
        self.forgotten.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
