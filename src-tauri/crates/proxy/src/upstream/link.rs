//! The JSON-RPC side of a session with an upstream, whatever transport carries its messages.
//!
//! Matches answers with requests, decides which client a message from the upstream is for, and keeps messages in order.

mod forgotten_session;
mod notifications;
mod questions;
mod request;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::{Notify, broadcast, mpsc, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::log::LogTail;
use crate::exchange::{Event, Outbox};
use crate::slow_consumers::{SlowConsumers, is_crowded};
use crate::wire::message::{self, Body, Message};
use crate::wire::{RpcError, Who};
pub(crate) use request::{Closed, Head, Kind, Lost, NewRequest, Outgoing, Reply, Request};

/// Messages that may wait until the transport takes them.
const OUTGOING_CAPACITY: usize = 64;
/// Notifications that may wait for a slow listener.
const NOTIFICATION_CAPACITY: usize = 256;
/// Progress tokens of tasks that are kept. The oldest are dropped first.
const MAX_TASK_TOKENS: usize = 1_024;

/// A notification that belongs to no request.
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
    /// The client's progress tokens of requests that were answered with a task, which goes on.
    task_tokens: Mutex<BTreeMap<u64, Bytes>>,
    /// Open questions of the upstream, by their ids.
    questions: Mutex<HashMap<Bytes, CancellationToken>>,
    /// Number of answers to questions that are being sent. Incremented while `questions` is locked.
    answering: AtomicUsize,
    /// Notified when a question was answered or withdrawn.
    question_over: Notify,
    notifications: broadcast::Sender<Notification>,
    /// Receives what belongs to no request, if the link serves one client only.
    owner: Option<Outbox>,
    /// The client as it was introduced. Its capabilities say what it can be asked.
    who: Who,
    /// Whether each request has a response stream of its own.
    separates_requests: bool,
    closed: CancellationToken,
    /// Requests that were rejected because the upstream no longer knows the session; none while it does.
    forgotten: Mutex<Option<Vec<forgotten_session::RejectedRequest>>>,
    log: Arc<LogTail>,
    noise: AtomicU64,
    dropped: AtomicU64,
    /// Queues with little room left.
    crowded: Mutex<Vec<mpsc::Sender<Event>>>,
    /// Whether listeners were notified since they were waited for last.
    notified: AtomicBool,
}

#[derive(Debug)]
struct Pending {
    /// Whether we made it for ourselves.
    own: bool,
    /// Whether messages and questions without a request may belong to it.
    may_ask: bool,
    /// The client's own progress token, as sent.
    token: Option<Bytes>,
    /// The client's own id, where notifications repeat it.
    subscription: Option<Bytes>,
    /// Withdraws questions that belong to it when it is dropped.
    questions: DropGuard,
    events: mpsc::Sender<Event>,
    answer: oneshot::Sender<Reply>,
}

impl Link {
    /// Creates a link, and the receiver of its messages for a transport. With an owner it serves that client alone.
    pub(crate) fn new(
        log: Arc<LogTail>,
        owner: Option<Outbox>,
        who: Who,
        separates_requests: bool,
    ) -> (Arc<Self>, mpsc::Receiver<Outgoing>) {
        let (outgoing, messages) = mpsc::channel(OUTGOING_CAPACITY);
        let link = Self {
            outgoing,
            next: AtomicU64::new(1),
            pending: Mutex::default(),
            task_tokens: Mutex::default(),
            questions: Mutex::default(),
            answering: AtomicUsize::new(0),
            question_over: Notify::new(),
            notifications: broadcast::Sender::new(NOTIFICATION_CAPACITY),
            owner,
            who,
            separates_requests,
            closed: CancellationToken::new(),
            forgotten: Mutex::default(),
            log,
            noise: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            crowded: Mutex::default(),
            notified: AtomicBool::new(false),
        };
        (Arc::new(link), messages)
    }

    /// Returns notifications from now on that belong to no request.
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Notification> {
        self.notifications.subscribe()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.is_cancelled()
    }

    /// Waits until the link is closed.
    pub(crate) async fn closed(&self) {
        self.closed.cancelled().await;
    }

    /// Number of received lines that were not messages.
    pub(crate) fn noise(&self) -> u64 {
        self.noise.load(Ordering::Relaxed)
    }

    /// Number of requests so far.
    pub(crate) fn requests(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    /// Whether no request of a client is under way.
    pub(crate) fn is_idle(&self) -> bool {
        self.pending().values().all(|pending| pending.own)
    }

    /// Passes an event on. Drops and counts it where the receiver is too far behind.
    pub(crate) fn pass(&self, to: &mpsc::Sender<Event>, event: Event) {
        if let Err(mpsc::error::TrySendError::Full(_)) = to.try_send(event) {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Passes an event on that was just received. Where little room is left, [`Link::until_taken`] waits.
    fn pass_on(&self, to: &mpsc::Sender<Event>, event: Event) {
        self.pass(to, event);
        if is_crowded(to) {
            let mut crowded = self.crowded();
            if !crowded.iter().any(|known| known.same_channel(to)) {
                crowded.push(to.clone());
            }
        }
    }

    /// Waits until receivers have room again, up to a limit. A transport calls this after each message.
    pub(crate) async fn until_taken(&self, consumers: &mut SlowConsumers<Event>) {
        consumers.forget_recovered();
        let crowded = std::mem::take(&mut *self.crowded());
        for queue in crowded {
            consumers.wait_for(&queue).await;
        }
        if self.notified.swap(false, Ordering::Relaxed) {
            consumers.wait_for_listeners(NOTIFICATION_CAPACITY, || self.notifications.len()).await;
        }
    }

    fn crowded(&self) -> MutexGuard<'_, Vec<mpsc::Sender<Event>>> {
        self.crowded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of events dropped because a client was too slow.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    fn pending(&self) -> MutexGuard<'_, HashMap<u64, Pending>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn questions(&self) -> MutexGuard<'_, HashMap<Bytes, CancellationToken>> {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends every request under way, and makes the transport end.
    pub(crate) fn close(&self) {
        self.closed.cancel();
        self.pending().clear();
        self.questions().drain().for_each(|(_, withdrawn)| withdrawn.cancel());
    }

    /// Takes a message from the upstream. `origin` is the request whose response stream it came on, if any.
    pub(crate) fn receive(self: &Arc<Self>, bytes: &Bytes, origin: Option<u64>) {
        match message::batch(bytes) {
            // Only 2025-03-26 has batches, but they are accepted in every version.
            Some(Ok(messages)) if messages.iter().all(|message| message.starts_with(b"{")) => {
                messages.iter().for_each(|message| self.receive_one(message, origin));
            }
            _ => self.receive_one(bytes, origin),
        }
    }

    fn receive_one(self: &Arc<Self>, bytes: &Bytes, origin: Option<u64>) {
        match Message::parse(bytes) {
            // A request's own stream answers this request only.
            Ok(Message::Response { id, .. }) if origin.is_some_and(|origin| !is_id(&id, origin)) => {
                self.log.note(&[b"(answer to another request on a request's stream) ", id.as_ref()].concat());
            }
            Ok(Message::Response { id, body }) => self.answer(&id, body),
            Ok(Message::Notification { method, params }) => self.notified(method, params, origin),
            Ok(Message::Request { id, method, params }) => self.ask(&id, method, params, origin),
            Err(error) => {
                self.noise.fetch_add(1, Ordering::Relaxed);
                self.log.note(&[b"(not a message) ", bytes.as_ref()].concat());
                // Other output may contain an "id" too; only a line that looks like a message ends a request.
                if memchr::memmem::find(bytes, b"\"jsonrpc\"").is_some() {
                    self.fail(bytes, bytes, &format!("its answer is not a JSON-RPC message: {error}"));
                }
            }
        }
    }

    /// Ends the request whose answer was too long, from both ends of the line.
    pub(crate) fn fail_too_long(&self, head: &[u8], tail: &[u8]) {
        self.log.note(b"(a line longer than 64 MB was skipped)");
        self.fail(head, tail, "its answer is longer than 64 MB");
    }

    /// Ends the request that a malformed message seems to answer, if there is one.
    fn fail(&self, head: &[u8], tail: &[u8], reason: &str) {
        if let Some(id) = message::probable_id(head, tail) {
            let error = RpcError::internal(format!("the upstream broke the protocol: {reason}"));
            self.end(id, Ok(error.body()));
        }
    }

    /// Ends a request whose answer was lost on its way.
    pub(crate) fn lose(&self, id: u64, lost: Lost) {
        self.end(id, Err(lost));
    }

    fn end(&self, id: u64, answer: Reply) {
        if let Some(pending) = self.pending().remove(&id) {
            let _ = pending.answer.send(answer);
        }
        self.close_if_forgotten();
    }

    /// Passes on that the upstream ended a request's stream for now, and may have said for how many milliseconds. The
    /// result is notified when the client resumes its own stream of the request.
    pub(crate) fn pause(&self, id: u64, retry: Option<u64>) -> Arc<Notify> {
        let resumed = Arc::new(Notify::new());
        if let Some(pending) = self.pending().get(&id) {
            self.pass_on(&pending.events, Event::Pause { retry, resumed: Arc::clone(&resumed) });
        }
        resumed
    }

    /// Whether a request still waits for its answer.
    pub(crate) fn awaits(&self, id: u64) -> bool {
        self.pending().contains_key(&id)
    }

    fn answer(&self, id: &[u8], body: Body) {
        match message::number(id).and_then(|number| self.pending().remove(&number)) {
            Some(pending) => {
                if let (Some(number), Some(token), Body::Result(result)) =
                    (message::number(id), &pending.token, &body)
                {
                    self.keep_token(number, token, result);
                }
                // The caller may be gone.
                drop(pending.answer.send(Ok(body)));
            }
            None => self.log.note(&[b"(answer to an unknown or cancelled request) ", id].concat()),
        }
        self.close_if_forgotten();
    }
}

impl Link {
    /// Keeps a progress token whose request was answered with a task: it is valid as long as the task. In a session that
    /// clients share, nothing says later whose it is.
    fn keep_token(&self, id: u64, token: &Bytes, result: &Bytes) {
        if self.owner.is_none() || memchr::memmem::find(result, b"\"taskId\"").is_none() {
            return;
        }
        let mut tokens = self.task_tokens.lock().unwrap_or_else(PoisonError::into_inner);
        // A slice would keep the whole request.
        tokens.insert(id, Bytes::copy_from_slice(token));
        if tokens.len() > MAX_TASK_TOKENS {
            tokens.pop_first();
        }
    }

    fn task_token(&self, id: u64) -> Option<Bytes> {
        self.task_tokens.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
    }
}

fn is_id(id: &[u8], number: u64) -> bool {
    message::number(id) == Some(number)
}
