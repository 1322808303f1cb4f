//! Cancelling a client's request, with the reason the client gives.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::{CancellationToken, DropGuard, WaitForCancellationFuture};

/// Cancels a request. All clones are the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cancel {
    token: CancellationToken,
    reason: Arc<OnceLock<String>>,
}

impl Cancel {
    /// Cancels the request. The first reason holds.
    pub(crate) fn cancel(&self, reason: Option<&str>) {
        if let Some(reason) = reason {
            let _ = self.reason.set(reason.to_owned());
        }
        self.token.cancel();
    }

    /// Cancels the request, without a reason, when the guard is dropped.
    pub(crate) fn drop_guard(&self) -> DropGuard {
        self.token.clone().drop_guard()
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.token.is_cancelled()
    }

    pub(crate) fn cancelled(&self) -> WaitForCancellationFuture<'_> {
        self.token.cancelled()
    }

    /// Why it was cancelled, in the client's words.
    pub(crate) fn reason(&self) -> Option<&str> {
        self.reason.get().map(String::as_str)
    }

    /// Cancelled with the request.
    pub(crate) fn child_token(&self) -> CancellationToken {
        self.token.child_token()
    }
}
