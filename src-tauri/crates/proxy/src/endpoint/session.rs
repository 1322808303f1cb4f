//! Client sessions: the client, its requests in progress, and the open questions to it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use bytes::Bytes;
use schemascope_model::Client;
use tokio::sync::oneshot;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::rejection::Rejection;
use super::replay::{ReplayBudget, ReplayBuffers};
use super::{Target, header_text};
use crate::cancel::Cancel;
use crate::exchange::{self, Ask, Event, Inbox, Outbox};
use crate::hub::changes::ListVersion;
use crate::listed::ListedSchemas;
use crate::wire::headers::SESSION_ID;
use crate::wire::meta::Level;
use crate::wire::{Body, RpcError, Who, message, version};

/// Limit of sessions; beyond it the least recently used one ends.
const MAX_SESSIONS: usize = 10_000;
/// Time without use after which a session ends. Its client then opens another one.
const UNUSED_TIMEOUT: Duration = Duration::from_secs(30 * 60);
/// The same for a session with requests in progress.
const ABANDONED_TIMEOUT: Duration = Duration::from_secs(2 * 60 * 60);
/// Time without use after which the upstream sessions of a client session end, and the same for clients that cannot be
/// asked: they may never listen, however long they stay.
const QUIET_TIMEOUT: Duration = Duration::from_secs(3 * 60);
const UNASKED_QUIET_TIMEOUT: Duration = Duration::from_secs(15 * 60);
/// Limit of requests in progress of one session.
const MAX_REQUESTS: usize = 1_000;
/// Limit of open questions to one client.
const MAX_QUESTIONS: usize = 256;
/// Events that wait until a client listens.
const OUTBOX_CAPACITY: usize = 256;

/// Error for a request beyond [`MAX_REQUESTS`].
pub(super) const TOO_MANY_REQUESTS: &str =
    "too many requests of this session are in progress (limit: 1,000); the request was not carried out";

pub(crate) struct Sessions {
    sessions: Mutex<HashMap<Box<str>, Arc<Session>>>,
    /// Limits what the replay buffers of all sessions keep together.
    budget: Arc<ReplayBudget>,
}

pub(crate) struct Session {
    pub(crate) id: Box<str>,
    /// The endpoint on which the session was opened.
    target: Target,
    who: Who,
    pub(crate) client: Option<Client>,
    pub(crate) protocol_version: Box<str>,
    /// Requests in progress, each with the client's id as sent. Duplicate ids are allowed.
    requests: Mutex<HashMap<u64, (Bytes, Cancel)>>,
    next_request: AtomicU64,
    /// Open questions by the ids that we gave them.
    asked: Mutex<HashMap<u64, OpenQuestion>>,
    next_ask: AtomicU64,
    /// Streams that the client may resume.
    pub(crate) replays: ReplayBuffers,
    /// Queue for events that belong to none of its requests.
    pub(crate) outbox: Outbox,
    waiting: Mutex<Option<Inbox>>,
    /// Whether the client is connected through our own relay.
    relayed: bool,
    /// The log level that the client asked for, as sent.
    pub(crate) log_level: Mutex<Option<Bytes>>,
    /// Version of the list of all tools that the client got last.
    pub(crate) listed: Mutex<Option<ListVersion>>,
    /// The schemas in that list.
    pub(crate) listed_schemas: Mutex<ListedSchemas>,
    /// Cancelled when the session ends.
    pub(crate) ended: CancellationToken,
    used: Mutex<Instant>,
}

struct OpenQuestion {
    answer: oneshot::Sender<Body>,
    /// Ends the task that waits for the withdrawal.
    _done: DropGuard,
}

impl Sessions {
    /// Creates an empty set of sessions, whose replay buffers share a budget.
    pub(crate) fn new(budget: ReplayBudget) -> Self {
        Self { sessions: Mutex::default(), budget: Arc::new(budget) }
    }

    pub(crate) fn open(
        &self,
        target: &Target,
        who: Who,
        protocol_version: &str,
        relayed: bool,
    ) -> Result<Arc<Session>, RpcError> {
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|error| {
            RpcError::internal(format!("the system has no random numbers for a session id: {error}"))
        })?;
        let id: Box<str> = random.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into();
        let (outbox, waiting) = exchange::outbox(OUTBOX_CAPACITY);
        let session = Arc::new(Session {
            id: id.clone(),
            target: target.clone(),
            client: who.client(),
            who: Who { session: Some(id.clone()), ..who },
            protocol_version: protocol_version.into(),
            requests: Mutex::default(),
            next_request: AtomicU64::new(0),
            asked: Mutex::default(),
            next_ask: AtomicU64::new(first_ask(random)),
            replays: ReplayBuffers::new(Arc::clone(&self.budget)),
            outbox,
            waiting: Mutex::new(Some(waiting)),
            relayed,
            log_level: Mutex::default(),
            listed: Mutex::default(),
            listed_schemas: Mutex::default(),
            ended: CancellationToken::new(),
            used: Mutex::new(Instant::now()),
        });
        self.lock().insert(id, Arc::clone(&session));
        Ok(session)
    }

    /// The session of a request, or the reason why there is none.
    pub(crate) fn of(&self, headers: &HeaderMap, target: &Target) -> Result<Arc<Session>, Rejection> {
        let Some(id) = header_text(headers, SESSION_ID) else {
            return Err(Rejection::NoSession);
        };
        let session = self.lock().get(&*id).cloned();
        let session = session.filter(|session| session.target.name() == target.name());
        let session = session.ok_or(Rejection::UnknownSession)?;
        session.touch();
        Ok(session)
    }

    /// Ends a session.
    pub(crate) fn end(&self, session: &Session) {
        self.lock().remove(&session.id);
        session.end();
    }

    /// Ends unused sessions, and the least recently used one if there are too many. Returns them.
    pub(crate) fn take_unused(&self) -> Vec<Arc<Session>> {
        let mut sessions = self.lock();
        let mut unused: Vec<_> =
            sessions.extract_if(|_, session| session.is_unused()).map(|(_, session)| session).collect();
        if sessions.len() >= MAX_SESSIONS {
            let oldest = sessions.values().min_by_key(|session| session.last_used()).cloned();
            unused.extend(oldest.inspect(|oldest| drop(sessions.remove(&oldest.id))));
        }
        drop(sessions);
        unused.iter().for_each(|session| session.end());
        unused
    }

    /// The quiet sessions. Also drops expired replay buffers of all sessions.
    pub(crate) fn quiet(&self) -> Vec<Arc<Session>> {
        let sessions = self.lock();
        sessions.values().for_each(|session| session.replays.drop_expired());
        sessions.values().filter(|session| session.is_quiet()).cloned().collect()
    }

    pub(crate) fn are_too_many(&self) -> bool {
        self.lock().len() >= MAX_SESSIONS
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, Arc<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// Registers a request until the result is dropped; `None` if there are too many.
    pub(crate) fn begin_request(self: &Arc<Self>, id: Bytes, cancel: &Cancel) -> Option<RequestGuard> {
        let number = self.next_request.fetch_add(1, Ordering::Relaxed);
        let mut requests = self.requests();
        if requests.len() >= MAX_REQUESTS {
            return None;
        }
        requests.insert(number, (id, cancel.clone()));
        drop(requests);
        // If the session has just ended, it does not cancel this request itself.
        if self.ended.is_cancelled() {
            cancel.cancel(None);
        }
        Some(RequestGuard { session: Arc::clone(self), number })
    }

    /// Sets the level from which on the client wants log messages.
    pub(crate) fn set_log_level(&self, level: Level) {
        let level = Bytes::from(format!("\"{}\"", level.name()));
        *self.log_level.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
    }

    /// Cancels a request by the client's id.
    pub(crate) fn cancel(&self, id: &[u8], reason: Option<&str>) {
        for (_, cancel) in self.requests().values().filter(|(own, _)| message::same_id(own, id)) {
            cancel.cancel(reason);
        }
    }

    /// Takes the session's only inbox for a GET stream; `None` if another stream has it.
    pub(crate) fn start_listening(&self) -> Option<Inbox> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        // A stream that did not get it does not listen.
        if waiting.is_some() {
            self.outbox.set_listening(true);
        }
        waiting
    }

    pub(crate) fn stop_listening(&self, waiting: Inbox) {
        self.outbox.set_listening(false);
        *self.waiting.lock().unwrap_or_else(PoisonError::into_inner) = Some(waiting);
    }

    /// Whether this client can resume streams.
    pub(crate) fn can_resume_streams(&self) -> bool {
        !self.relayed && *self.protocol_version >= *version::newest_legacy_text()
    }

    /// Registers a question and returns the request that asks it; `None` if it was withdrawn.
    pub(crate) fn ask(self: &Arc<Self>, ask: Ask) -> Option<Bytes> {
        let Ask { method, params, withdrawn, answer } = ask;
        let id = self.next_ask.fetch_add(1, Ordering::Relaxed);
        let done = CancellationToken::new();
        {
            let mut asked = self.asked();
            if withdrawn.is_cancelled() || self.ended.is_cancelled() {
                return None;
            }
            // The oldest question is most likely one that the upstream abandoned.
            if asked.len() >= MAX_QUESTIONS {
                let oldest = asked.keys().min().copied();
                oldest.and_then(|oldest| asked.remove(&oldest));
            }
            asked.insert(id, OpenQuestion { answer, _done: done.clone().drop_guard() });
        }
        let session = Arc::clone(self);
        tokio::spawn(async move {
            tokio::select! {
                () = done.cancelled() => {}
                () = withdrawn.cancelled() => {
                    if session.asked().remove(&id).is_some() {
                        let params = format!("{{\"requestId\":{id}}}").into();
                        let method = "notifications/cancelled".to_owned();
                        let _ = session.outbox.asks().try_send(Event::Notification { method, params: Some(params) });
                    }
                }
            }
        });
        Some(message::request(id, &method, params.as_deref()))
    }

    /// Passes the client's answer to a question on.
    pub(crate) fn take_answer(&self, id: &[u8], body: Body) {
        if let Some(asked) = message::number(id).and_then(|id| self.asked().remove(&id)) {
            // Fails if the upstream is gone.
            let _ = asked.answer.send(body);
        }
    }

    fn asked(&self) -> MutexGuard<'_, HashMap<u64, OpenQuestion>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_unused(&self) -> bool {
        let timeout = if self.requests().is_empty() { UNUSED_TIMEOUT } else { ABANDONED_TIMEOUT };
        self.last_used().elapsed() > timeout && !self.outbox.is_listening()
    }

    /// Whether the client was silent for so long that it may have been killed.
    fn is_quiet(&self) -> bool {
        let timeout = if self.who.may_be_asked() { QUIET_TIMEOUT } else { UNASKED_QUIET_TIMEOUT };
        self.last_used().elapsed() > timeout && !self.outbox.is_listening() && self.requests().is_empty()
    }

    /// The client with its current log level.
    pub(crate) fn who(&self) -> Who {
        let log_level = self.log_level.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Who { log_level, ..self.who.clone() }
    }

    /// The endpoint on which the session was opened.
    pub(crate) fn target(&self) -> &Target {
        &self.target
    }

    fn end(&self) {
        self.ended.cancel();
        for (_, cancel) in self.requests().values() {
            cancel.cancel(None);
        }
        self.asked().clear();
    }

    fn requests(&self) -> MutexGuard<'_, HashMap<u64, (Bytes, Cancel)>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn last_used(&self) -> Instant {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn touch(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

/// The first id of a session's questions. It is random, because a client that came from another session may answer
/// a question of that one late.
fn first_ask(random: [u8; 16]) -> u64 {
    let [a, b, c, d, ..] = random;
    // Below 2^53, because JavaScript cannot represent larger integers.
    u64::from(u32::from_le_bytes([a, b, c, d])) << 20
}

/// Keeps a request registered with its session while it is in progress.
pub(crate) struct RequestGuard {
    session: Arc<Session>,
    number: u64,
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.session.requests().remove(&self.number);
    }
}
