//! What may happen between a request and its answer.
//!
//! Owns: the things an upstream may have for a client meanwhile, whatever carries them on either side, and
//! where they wait.
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

/// Where goes what belongs to none of a client's requests. Questions have a queue of their own: news nobody
/// reads must not keep them out.
#[derive(Debug, Clone)]
pub(crate) struct Outbox {
    news: mpsc::Sender<Event>,
    asks: mpsc::Sender<Event>,
}

/// The other end of an [`Outbox`].
pub(crate) struct Inbox {
    news: mpsc::Receiver<Event>,
    asks: mpsc::Receiver<Event>,
}

/// A pair of ends; so many events may wait in each queue.
pub(crate) fn outbox(waiting: usize) -> (Outbox, Inbox) {
    let ((news, new), (asks, asked)) = (mpsc::channel(waiting), mpsc::channel(waiting));
    (Outbox { news, asks }, Inbox { news: new, asks: asked })
}

impl Outbox {
    /// Where news goes.
    pub(crate) fn news(&self) -> &mpsc::Sender<Event> {
        &self.news
    }

    /// Where questions go, and what withdraws them: in this order.
    pub(crate) fn asks(&self) -> &mpsc::Sender<Event> {
        &self.asks
    }

    /// Waits until the client is gone.
    pub(crate) async fn closed(&self) {
        self.news.closed().await;
    }
}

impl Inbox {
    /// What comes next, questions first; none once nobody can send any more.
    pub(crate) async fn recv(&mut self) -> Option<Event> {
        tokio::select! {
            biased;
            Some(ask) = self.asks.recv() => Some(ask),
            Some(news) = self.news.recv() => Some(news),
            else => None,
        }
    }
}

/// A request under way, seen from the client's side.
pub(crate) struct Active {
    /// In order, all of them before the answer.
    pub(crate) events: mpsc::Receiver<Event>,
    /// Closed without an answer when the request was cancelled.
    pub(crate) answer: oneshot::Receiver<Body>,
    /// Cancels the request.
    pub(crate) cancel: CancellationToken,
}
