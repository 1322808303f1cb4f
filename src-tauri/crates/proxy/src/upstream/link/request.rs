//! Requests on their way, and what a carrier must know of them.
//!
//! Owns: their ids and progress tokens, and that the upstream is told of those nobody waits for any longer. Refuses
//! to know: what is answered.

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

/// Events of a request that may wait for a slow client; further ones are dropped.
const EVENTS: usize = 256;

/// A message on its way to the upstream.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) bytes: Bytes,
    pub(crate) kind: Kind,
}

/// What a carrier must know of a message besides its bytes.
#[derive(Debug)]
pub(crate) enum Kind {
    Request {
        id: u64,
        /// What a carrier that has headers says there.
        head: Option<Box<Head>>,
        /// Cancelled when nobody waits for its answer any longer.
        gone: CancellationToken,
    },
    /// Says that a request is no longer wanted.
    Cancel,
    /// A notification, or an answer to the upstream.
    Other,
}

/// What of a request stands in headers as well.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) method: String,
    pub(crate) name: Option<String>,
    /// Arguments the tool marks.
    pub(crate) arguments: Vec<(String, String)>,
}

/// The upstream's answer, or why there is none.
pub(crate) type Answered = Result<Body, Lost>;

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lost {
    /// In plain words.
    pub(crate) reason: String,
    /// Whether the upstream cannot have begun with it, so that it may be sent again.
    pub(crate) was_refused: bool,
}

/// A request to be sent.
#[derive(Debug, Default)]
pub(crate) struct Asked<'a> {
    pub(crate) method: &'a str,
    pub(crate) params: Option<&'a Bytes>,
    pub(crate) head: Option<Box<Head>>,
    /// Made by us, for ourselves.
    pub(crate) own: bool,
    /// The client's own id, where it opens a subscription.
    pub(crate) subscription: Option<Bytes>,
}

/// A request under way. Dropping it forgets the request; the upstream is told by [`Request::cancel`].
#[derive(Debug)]
pub(crate) struct Request {
    id: u64,
    link: Arc<Link>,
    /// Whether the upstream may be told that it is no longer wanted.
    cancellable: bool,
    _gone: DropGuard,
    /// What the upstream says and asks meanwhile.
    pub(crate) events: mpsc::Receiver<Event>,
    /// The answer; closed without one when the link is lost.
    pub(crate) answer: oneshot::Receiver<Answered>,
}

/// The link is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Closed;

impl Link {
    /// Sends a request. A progress token in `params` is replaced by one of ours, so that clients
    /// sharing the link cannot collide.
    pub(crate) async fn request(self: &Arc<Self>, asked: Asked<'_>) -> Result<Request, Closed> {
        let Asked { method, params, head, own, subscription } = asked;
        if self.is_forgotten() {
            // Not before it is closed, or it would be sent on this one again.
            self.closed().await;
            return Err(Closed);
        }
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let token = params::Seen::of(params).progress_token;
        let params = match (params, &token) {
            (Some(params), Some(token)) => {
                Some(params::splice(params, vec![(token.range.clone(), id.to_string().into_bytes())]))
            }
            (params, _) => params.cloned(),
        };
        let (event_sender, events) = mpsc::channel(EVENTS);
        let (answer_sender, answer) = oneshot::channel();
        let token = token.map(|token| token.raw);
        let speaks = !own && bridge::may_ask(method);
        let asks = CancellationToken::new().drop_guard();
        let pending =
            Pending { own, speaks, token, subscription, asks, events: event_sender, answer: answer_sender };
        self.pending().insert(id, pending);
        let gone = CancellationToken::new();
        let cancellable = method != "initialize";
        let link = Arc::clone(self);
        let request = Request { id, link, cancellable, _gone: gone.clone().drop_guard(), events, answer };
        let bytes = message::request(id, method, params.as_deref());
        self.send(bytes, Kind::Request { id, head, gone }).await?;
        // Closing empties the table; a request that came in just behind it would wait for ever.
        if self.is_closed() { Err(Closed) } else { Ok(request) }
    }

    pub(crate) async fn notify(&self, method: &str, params: Option<&Bytes>) -> Result<(), Closed> {
        self.send(message::notification(method, params.map(AsRef::as_ref)), Kind::Other).await
    }

    pub(super) async fn send(&self, bytes: Bytes, kind: Kind) -> Result<(), Closed> {
        self.outgoing.send(Outgoing { bytes, kind }).await.map_err(|_| Closed)
    }
}

impl Drop for Request {
    /// Tells the upstream that nobody waits any longer, unless it has answered. One that does not read is not
    /// waited for: it would not read this either.
    fn drop(&mut self) {
        let unanswered = self.link.pending().remove(&self.id).is_some();
        if unanswered && self.cancellable {
            let params = serde_json::json!({"requestId": self.id, "reason": "no longer wanted"}).to_string();
            let bytes = message::notification("notifications/cancelled", Some(params.as_bytes()));
            let _ = self.link.outgoing.try_send(Outgoing { bytes, kind: Kind::Cancel });
        }
    }
}
