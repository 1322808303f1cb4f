//! Events between a request and its answer, and the queues in which they wait. Independent of the transports on
//! either side.

use bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{Notify, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::cancel::Cancel;
use crate::wire::Body;

/// A message of an upstream for a client, about one of its requests or about none.
#[derive(Debug)]
pub(crate) enum Event {
    /// A notification.
    Notification { method: String, params: Option<Bytes> },
    /// A question.
    Ask(Ask),
    /// The upstream ended the stream of the request for now, and may have said after how many milliseconds to resume
    /// it. The client's stream need not stay open either. Whoever serves it notifies `resumed` when the client comes
    /// back.
    Pause { retry: Option<u64>, resumed: Arc<Notify> },
}

/// A question of an upstream to a client. If it is dropped, the upstream gets an error as the answer.
#[derive(Debug)]
pub(crate) struct Ask {
    pub(crate) method: String,
    pub(crate) params: Option<Bytes>,
    /// Cancelled when the upstream withdraws the question.
    pub(crate) withdrawn: CancellationToken,
    pub(crate) answer: oneshot::Sender<Body>,
}

/// The queues for events that belong to none of a client's requests. Questions have a queue of their own, so that
/// unread notifications do not block them.
#[derive(Debug, Clone)]
pub(crate) struct Outbox {
    news: mpsc::Sender<Event>,
    asks: mpsc::Sender<Event>,
    listening: Arc<AtomicBool>,
}

/// The receiving end of an [`Outbox`].
pub(crate) struct Inbox {
    news: mpsc::Receiver<Event>,
    asks: mpsc::Receiver<Event>,
}

/// Creates a pair of ends. Each queue holds `waiting` events.
pub(crate) fn outbox(waiting: usize) -> (Outbox, Inbox) {
    let ((news, new), (asks, asked)) = (mpsc::channel(waiting), mpsc::channel(waiting));
    (Outbox { news, asks, listening: Arc::default() }, Inbox { news: new, asks: asked })
}

impl Outbox {
    /// The queue for notifications.
    pub(crate) fn news(&self) -> &mpsc::Sender<Event> {
        &self.news
    }

    /// The queue for questions and their withdrawals, in order.
    pub(crate) fn asks(&self) -> &mpsc::Sender<Event> {
        &self.asks
    }

    /// Whether the client has its GET stream open, where it receives these events.
    pub(crate) fn is_listening(&self) -> bool {
        self.listening.load(Ordering::Acquire)
    }

    /// Notes whether the client has its GET stream open.
    pub(crate) fn set_listening(&self, listening: bool) {
        self.listening.store(listening, Ordering::Release);
    }

    /// Waits until the client is gone.
    pub(crate) async fn closed(&self) {
        self.news.closed().await;
    }
}

impl Inbox {
    /// The next event, questions first; `None` once all senders are gone.
    pub(crate) async fn recv(&mut self) -> Option<Event> {
        tokio::select! {
            biased;
            Some(ask) = self.asks.recv() => Some(ask),
            Some(news) = self.news.recv() => Some(news),
            else => None,
        }
    }
}

/// A request in progress, seen from the client's side.
pub(crate) struct ActiveRequest {
    /// Events in order, all of them before the answer.
    pub(crate) events: mpsc::Receiver<Event>,
    /// Closed without an answer when the request was cancelled.
    pub(crate) answer: oneshot::Receiver<Body>,
    /// Cancels the request.
    pub(crate) cancel: Cancel,
}
