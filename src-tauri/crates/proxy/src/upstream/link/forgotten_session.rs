//! Requests in a session that the upstream no longer knows.
//!
//! The upstream has not begun with a request that it rejects for this reason, so it may be sent again in a new session.
//! Other requests may have begun, and get a short time for their answers before the link closes. Rejected requests are
//! answered only after that, since a retry would otherwise use this link again.

use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use super::{Link, Lost, Pending};

/// How long answers to other requests are waited for. Most of them are rejected as well.
const OTHER_ANSWERS_TIMEOUT: Duration = Duration::from_secs(1);

/// A rejected request, with the reason for the user.
pub(super) type RejectedRequest = (Pending, String);

impl Link {
    /// Notes that the upstream no longer knows the session. `id` is the request it rejected, if any.
    pub(crate) fn forget(self: &Arc<Self>, id: Option<u64>, reason: String) {
        let rejected = id.and_then(|id| self.pending().remove(&id)).map(|pending| (pending, reason));
        let first = {
            let mut forgotten = self.forgotten();
            let first = forgotten.is_none();
            forgotten.get_or_insert_default().extend(rejected);
            first
        };
        self.close_if_forgotten();
        if first && !self.is_closed() {
            let link = Arc::clone(self);
            tokio::spawn(async move {
                let _ = tokio::time::timeout(OTHER_ANSWERS_TIMEOUT, link.closed()).await;
                link.close_forgotten();
            });
        }
    }

    /// Whether the link is closed, or about to be, because the upstream no longer knows the session.
    pub(crate) fn is_forgotten(&self) -> bool {
        self.forgotten().is_some()
    }

    /// Closes a forgotten link once no client waits for an answer.
    pub(super) fn close_if_forgotten(&self) {
        if self.is_forgotten() && self.ends_if_idle() {
            self.close_forgotten();
        }
    }

    /// Closes the link if it is idle, under one lock, so that no request is added in between. Returns whether it is closed.
    fn ends_if_idle(&self) -> bool {
        let pending = self.pending();
        if pending.values().all(|pending| pending.own) {
            self.closed.cancel();
        }
        self.is_closed()
    }

    fn close_forgotten(&self) {
        self.close();
        let rejected = self.forgotten().as_mut().map(std::mem::take).unwrap_or_default();
        for (pending, reason) in rejected {
            let _ = pending.answer.send(Err(Lost { reason, was_refused: true }));
        }
    }

    fn forgotten(&self) -> MutexGuard<'_, Option<Vec<RejectedRequest>>> {
        self.forgotten.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
