//! Requests to an upstream: their ids and progress tokens, and cancelling those that are no longer waited for.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{Link, Pending};
use crate::bridge;
use crate::exchange::Event;
use crate::wire::message::{self, Body};
use crate::wire::params;

/// Events of a request that may wait for a slow client. Further ones are dropped.
const EVENT_CAPACITY: usize = 256;

/// A message on its way to the upstream.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) bytes: Bytes,
    pub(crate) kind: Kind,
}

/// What a transport needs to know about a message.
#[derive(Debug)]
pub(crate) enum Kind {
    Request {
        id: u64,
        /// Parts that a transport with headers repeats in them.
        head: Option<Box<Head>>,
        /// Cancelled when no one waits for the answer any longer.
        gone: CancellationToken,
    },
    /// Cancels a request.
    Cancel,
    /// A notification, or an answer to the upstream.
    Other,
}

/// Parts of a request that HTTP headers repeat.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) method: String,
    pub(crate) name: Option<String>,
    /// Arguments that the tool's definition marks, by header name.
    pub(crate) arguments: Vec<(String, String)>,
}

/// The upstream's answer, or why there is none.
pub(crate) type Reply = Result<Body, Lost>;

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lost {
    /// The reason for the user.
    pub(crate) reason: String,
    /// Whether the upstream has certainly not begun with it, so that it may be sent again.
    pub(crate) was_refused: bool,
}

/// A request to be sent.
#[derive(Debug, Default)]
pub(crate) struct NewRequest<'a> {
    pub(crate) method: &'a str,
    pub(crate) params: Option<&'a Bytes>,
    pub(crate) head: Option<Box<Head>>,
    /// Whether we make it for ourselves.
    pub(crate) own: bool,
    /// The client's own id, where it opens a subscription.
    pub(crate) subscription: Option<Bytes>,
}

/// A request under way. Dropping it before its answer cancels the request.
#[derive(Debug)]
pub(crate) struct Request {
    id: u64,
    link: Arc<Link>,
    /// Whether it may be cancelled.
    cancellable: bool,
    /// The reason sent to the upstream when it is.
    reason: String,
    _gone: DropGuard,
    /// Notifications and questions that belong to it.
    pub(crate) events: mpsc::Receiver<Event>,
    /// The answer; closed without one when the link is lost.
    pub(crate) answer: oneshot::Receiver<Reply>,
}

/// The link is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Closed;

impl Link {
    /// Sends a request. A progress token in `params` is replaced by one of ours, because clients that share the link may
    /// use the same.
    pub(crate) async fn request(self: &Arc<Self>, asked: NewRequest<'_>) -> Result<Request, Closed> {
        let NewRequest { method, params, head, own, subscription } = asked;
        if self.is_forgotten() {
            // The caller tries again; only a closed link makes it open a new session.
            self.closed().await;
            return Err(Closed);
        }
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let token = params::KnownParams::of(params).progress_token;
        let params = match (params, &token) {
            (Some(params), Some(token)) => {
                Some(params::splice(params, vec![(token.range.clone(), id.to_string().into_bytes())]))
            }
            (params, _) => params.cloned(),
        };
        let (event_sender, events) = mpsc::channel(EVENT_CAPACITY);
        let (answer_sender, answer) = oneshot::channel();
        let token = token.map(|token| token.raw);
        let may_ask = !own && bridge::may_ask(method);
        let questions = CancellationToken::new().drop_guard();
        let pending = Pending {
            own,
            may_ask,
            token,
            subscription,
            questions,
            events: event_sender,
            answer: answer_sender,
        };
        self.pending().insert(id, pending);
        let gone = CancellationToken::new();
        let cancellable = method != "initialize";
        let link = Arc::clone(self);
        let reason = "no longer wanted".to_owned();
        let request =
            Request { id, link, cancellable, reason, _gone: gone.clone().drop_guard(), events, answer };
        let bytes = message::request(id, method, params.as_deref());
        self.send(bytes, Kind::Request { id, head, gone }).await?;
        // A request that was added after the link closed would wait for ever.
        if self.is_closed() { Err(Closed) } else { Ok(request) }
    }

    pub(crate) async fn notify(&self, method: &str, params: Option<&Bytes>) -> Result<(), Closed> {
        self.send(message::notification(method, params.map(AsRef::as_ref)), Kind::Other).await
    }

    pub(super) async fn send(&self, bytes: Bytes, kind: Kind) -> Result<(), Closed> {
        self.outgoing.send(Outgoing { bytes, kind }).await.map_err(|_| Closed)
    }
}

impl Request {
    /// Cancels it for a reason that the client gave.
    pub(crate) fn cancel(mut self, reason: Option<&str>) {
        if let Some(reason) = reason {
            reason.clone_into(&mut self.reason);
        }
    }
}

impl Drop for Request {
    /// Cancels the request at the upstream, unless it was answered. Does not wait for an upstream that does not read.
    fn drop(&mut self) {
        let unanswered = self.link.pending().remove(&self.id).is_some();
        if unanswered && self.cancellable {
            let params = serde_json::json!({"requestId": self.id, "reason": self.reason}).to_string();
            let bytes = message::notification("notifications/cancelled", Some(params.as_bytes()));
            let _ = self.link.outgoing.try_send(Outgoing { bytes, kind: Kind::Cancel });
        }
    }
}
