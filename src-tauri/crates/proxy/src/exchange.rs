//! What may happen between a request and its answer.
//!
//! Owns: the two things an upstream may have for a client meanwhile, whatever carries them on either side.
//! Refuses to know: who carries them.

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::wire::Body;

/// Something for a client, on account of a request of its own or without one.
#[derive(Debug)]
pub(crate) enum Event {
    /// It is told.
    Notification { method: String, params: Option<Bytes> },
    /// It is asked.
    Ask(Ask),
    /// Nothing comes for a while, for so many milliseconds if that was said; a stream need not stay open.
    Pause { retry: Option<u64> },
}

/// A question of an upstream to a client. Dropped unanswered, the upstream is told that there is no answer.
#[derive(Debug)]
pub(crate) struct Ask {
    pub(crate) method: String,
    pub(crate) params: Option<Bytes>,
    /// Cancelled when the upstream no longer wants to know.
    pub(crate) withdrawn: CancellationToken,
    pub(crate) answer: oneshot::Sender<Body>,
}

/// A request under way, seen from the client's side.
pub(crate) struct Active {
    /// In order, all of them before the answer.
    pub(crate) events: mpsc::Receiver<Event>,
    /// Closed without an answer when the request was cancelled.
    pub(crate) answer: oneshot::Receiver<Body>,
}
