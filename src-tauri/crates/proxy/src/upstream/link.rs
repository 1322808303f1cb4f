//! One JSON-RPC link to an upstream, whatever carries its messages.
//!
//! Owns: which answer belongs to which request, whose business a message from the upstream is, and that
//! nothing overtakes the answer it came before. Refuses to know: handshakes, tools, processes, HTTP, and what
//! the messages say.

mod asked;
mod forgotten;
mod request;
#[cfg(test)]
mod tests;
mod told;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::log::LogTail;
use crate::exchange::{Event, Outbox};
use crate::patience::{Patience, is_crowded};
use crate::wire::message::{self, Body, Message};
use crate::wire::{RpcError, Who};
pub(crate) use request::{Answered, Asked, Closed, Head, Kind, Lost, Outgoing, Request};

/// Messages that may wait for an upstream to take them.
const OUTGOING: usize = 64;
/// Notifications that may wait for a slow listener.
const NOTIFICATIONS: usize = 256;

/// A notification an upstream sent on its own account.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Notification {
    pub(crate) method: String,
    pub(crate) params: Option<Bytes>,
}

#[derive(Debug)]
pub(crate) struct Link {
    outgoing: mpsc::Sender<Outgoing>,
    next: AtomicU64,
    pending: Mutex<HashMap<u64, Pending>>,
    /// What the upstream asks that is not answered yet, by its id.
    asked: Mutex<HashMap<Bytes, CancellationToken>>,
    notifications: broadcast::Sender<Notification>,
    /// Where goes what belongs to no request, if the link serves one client only.
    owner: Option<Outbox>,
    /// The client as it was introduced, which says what it can be asked.
    who: Who,
    /// Whether each request has a stream of its own.
    streams: bool,
    closed: CancellationToken,
    /// What was refused because the upstream does not know us any more; none where it does.
    forgotten: Mutex<Option<Vec<forgotten::Refused>>>,
    log: Arc<LogTail>,
    noise: AtomicU64,
    dropped: AtomicU64,
    /// Where little room is left.
    crowded: Mutex<Vec<mpsc::Sender<Event>>>,
    /// Whether listeners were told something since they were waited for.
    told: AtomicBool,
}

#[derive(Debug)]
struct Pending {
    /// Made by us, for ourselves.
    own: bool,
    /// Whether it is a client's, and of a kind the upstream may say or ask something for.
    speaks: bool,
    /// The client's own progress token, as sent, to be put back.
    token: Option<Bytes>,
    /// The client's own id, where notifications carry it.
    subscription: Option<Bytes>,
    /// Withdraws what is asked on its account; goes with it.
    asks: DropGuard,
    events: mpsc::Sender<Event>,
    answer: oneshot::Sender<Answered>,
}

impl Link {
    /// A link and the messages that a carrier must take from it. With an owner it serves that client alone,
    /// which may be asked.
    pub(crate) fn new(
        log: Arc<LogTail>,
        owner: Option<Outbox>,
        who: Who,
        streams: bool,
    ) -> (Arc<Self>, mpsc::Receiver<Outgoing>) {
        let (outgoing, messages) = mpsc::channel(OUTGOING);
        let link = Self {
            outgoing,
            next: AtomicU64::new(1),
            pending: Mutex::default(),
            asked: Mutex::default(),
            notifications: broadcast::Sender::new(NOTIFICATIONS),
            owner,
            who,
            streams,
            closed: CancellationToken::new(),
            forgotten: Mutex::default(),
            log,
            noise: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            crowded: Mutex::default(),
            told: AtomicBool::new(false),
        };
        (Arc::new(link), messages)
    }

    /// Notifications from now on that belong to no request.
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Notification> {
        self.notifications.subscribe()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.is_cancelled()
    }

    /// Waits until the link is gone.
    pub(crate) async fn closed(&self) {
        self.closed.cancelled().await;
    }

    /// Messages so far that were none.
    pub(crate) fn noise(&self) -> u64 {
        self.noise.load(Ordering::Relaxed)
    }

    /// Requests so far.
    pub(crate) fn requests(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    /// Whether no request is under way but for our own.
    pub(crate) fn is_idle(&self) -> bool {
        self.pending().values().all(|pending| pending.own)
    }

    /// Hands an event on unless the receiver is too far behind; what is dropped is counted.
    pub(crate) fn pass(&self, to: &mpsc::Sender<Event>, event: Event) {
        if let Err(mpsc::error::TrySendError::Full(_)) = to.try_send(event) {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The same of what was just received: where little room is left, [`Link::until_taken`] waits.
    fn pass_on(&self, to: &mpsc::Sender<Event>, event: Event) {
        self.pass(to, event);
        if is_crowded(to) {
            let mut crowded = self.crowded();
            if !crowded.iter().any(|known| known.same_channel(to)) {
                crowded.push(to.clone());
            }
        }
    }

    /// Waits until there is room again for what the upstream says, or until that has taken too long. Whoever reads
    /// from it does so after each message.
    pub(crate) async fn until_taken(&self, patience: &mut Patience<Event>) {
        patience.forgive();
        let crowded = std::mem::take(&mut *self.crowded());
        for queue in crowded {
            patience.wait_for(&queue).await;
        }
        if self.told.swap(false, Ordering::Relaxed) {
            patience.wait_for_listeners(NOTIFICATIONS, || self.notifications.len()).await;
        }
    }

    fn crowded(&self) -> MutexGuard<'_, Vec<mpsc::Sender<Event>>> {
        self.crowded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Events dropped so far because a client was too slow.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    fn pending(&self) -> MutexGuard<'_, HashMap<u64, Pending>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn asked(&self) -> MutexGuard<'_, HashMap<Bytes, CancellationToken>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends every request under way and tells the carrier to end.
    pub(crate) fn close(&self) {
        self.closed.cancel();
        self.pending().clear();
        self.asked().drain().for_each(|(_, withdrawn)| withdrawn.cancel());
    }

    /// Takes a message of the upstream; `origin` is the request on whose stream it came, where there is one.
    pub(crate) fn receive(self: &Arc<Self>, bytes: &Bytes, origin: Option<u64>) {
        match message::batch(bytes) {
            // Some versions have several messages in one; others may do as they like, it is clear what is meant.
            Some(Ok(messages)) if messages.iter().all(|message| message.starts_with(b"{")) => {
                messages.iter().for_each(|message| self.receive_one(message, origin));
            }
            _ => self.receive_one(bytes, origin),
        }
    }

    fn receive_one(self: &Arc<Self>, bytes: &Bytes, origin: Option<u64>) {
        match Message::parse(bytes) {
            // On a request's own stream nothing else is answered.
            Ok(Message::Response { id, .. }) if origin.is_some_and(|origin| !is_id(&id, origin)) => {
                self.log.push(&[b"(answer to another request on a request's stream) ", id.as_ref()].concat());
            }
            Ok(Message::Response { id, body }) => self.answer(&id, body),
            Ok(Message::Notification { method, params }) => self.notified(method, params, origin),
            Ok(Message::Request { id, method, params }) => self.ask(&id, method, params, origin),
            Err(error) => {
                self.noise.fetch_add(1, Ordering::Relaxed);
                self.log.push(&[b"(not a message) ", bytes.as_ref()].concat());
                // Noise may have an "id" too; only what means to be a message answers anybody.
                if memchr::memmem::find(bytes, b"\"jsonrpc\"").is_some() {
                    self.refuse(bytes, bytes, &format!("its answer is not a JSON-RPC message: {error}"));
                }
            }
        }
    }

    /// Notes a message of which only the ends were kept.
    pub(crate) fn refuse_too_long(&self, head: &[u8], tail: &[u8]) {
        self.log.push(b"(a line longer than 64 MB was skipped)");
        self.refuse(head, tail, "its answer is longer than 64 MB");
    }

    /// Ends the request that a broken message seems to answer, if there is one.
    fn refuse(&self, head: &[u8], tail: &[u8], reason: &str) {
        if let Some(id) = message::probable_id(head, tail) {
            let error = RpcError::internal(format!("the upstream broke the protocol: {reason}"));
            self.end(id, Ok(error.body()));
        }
    }

    /// Ends a request whose answer was lost on its way.
    pub(crate) fn lose(&self, id: u64, lost: Lost) {
        self.end(id, Err(lost));
    }

    fn end(&self, id: u64, answer: Answered) {
        if let Some(pending) = self.pending().remove(&id) {
            let _ = pending.answer.send(answer);
        }
        self.close_if_forgotten();
    }

    /// The upstream ended a request's stream for now, and may have said for how many milliseconds.
    pub(crate) fn pause(&self, id: u64, retry: Option<u64>) {
        if let Some(pending) = self.pending().get(&id) {
            self.pass_on(&pending.events, Event::Pause { retry });
        }
    }

    /// Whether a request still waits for its answer.
    pub(crate) fn awaits(&self, id: u64) -> bool {
        self.pending().contains_key(&id)
    }

    fn answer(&self, id: &[u8], body: Body) {
        match message::number(id).and_then(|number| self.pending().remove(&number)) {
            // The caller may have gone meanwhile.
            Some(pending) => drop(pending.answer.send(Ok(body))),
            None => self.log.push(&[b"(answer to an unknown or cancelled request) ", id].concat()),
        }
        self.close_if_forgotten();
    }
}

fn is_id(id: &[u8], number: u64) -> bool {
    message::number(id) == Some(number)
}
