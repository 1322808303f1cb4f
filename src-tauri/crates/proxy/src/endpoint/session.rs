//! Sessions: what a client said of itself, which of its requests are under way, and what it is asked.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use bytes::Bytes;
use schemascope_model::Client;
use tokio::sync::oneshot;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::refusal::Refusal;
use super::replay::{Budget, Replays};
use super::{Target, header_text};
use crate::exchange::{self, Ask, Event, Inbox, Outbox};
use crate::hub::changes::Lists;
use crate::wire::headers::SESSION_ID;
use crate::wire::{Body, RpcError, Who, message, version};

/// Sessions kept at most; then the one not heard of for longest goes.
const MAX_SESSIONS: usize = 10_000;
/// How long a session is kept that nobody uses or listens to. Its client begins another one.
const UNUSED: Duration = Duration::from_secs(30 * 60);
/// The same for one whose client left in the middle of a request.
const ABANDONED: Duration = Duration::from_secs(2 * 60 * 60);
/// How long what upstreams have open for a session alone is kept while nobody uses or listens to it.
const QUIET: Duration = Duration::from_secs(3 * 60);
/// Requests of one session that may be under way.
const MAX_REQUESTS: usize = 1_000;
/// Questions to a client that may be open at a time.
const MAX_ASKED: usize = 256;
/// Events that may wait until a client listens.
const OUTBOX: usize = 256;

pub(crate) struct Sessions {
    sessions: Mutex<HashMap<Box<str>, Arc<Session>>>,
    /// What their streams may keep together.
    budget: Arc<Budget>,
}

pub(crate) struct Session {
    pub(crate) id: Box<str>,
    /// The endpoint it was opened on.
    target: Target,
    who: Who,
    pub(crate) client: Option<Client>,
    pub(crate) protocol_version: Box<str>,
    /// Requests under way, each with the client's id, as sent. Ids should be different; nothing breaks
    /// when they are not.
    requests: Mutex<HashMap<u64, (Bytes, CancellationToken)>>,
    next_request: AtomicU64,
    /// What it was asked, by the ids we gave the questions.
    asked: Mutex<HashMap<u64, Asked>>,
    next_ask: AtomicU64,
    /// Streams it may come back to.
    pub(crate) replays: Replays,
    /// What belongs to none of its requests.
    pub(crate) outbox: Outbox,
    waiting: Mutex<Option<Inbox>>,
    /// Whether it comes through our own relay.
    relayed: bool,
    /// The log level it asked for, as sent.
    pub(crate) log_level: Mutex<Option<Bytes>>,
    /// The list of all tools it was given last.
    pub(crate) listed: Mutex<Option<Lists>>,
    /// Whether somebody listens on its GET stream.
    pub(crate) listening: AtomicBool,
    /// Cancelled when the session ends.
    pub(crate) ended: CancellationToken,
    heard: Mutex<Instant>,
}

struct Asked {
    answer: oneshot::Sender<Body>,
    /// Ends the watch for its withdrawal.
    _done: DropGuard,
}

impl Sessions {
    /// None yet; their streams keep no more than there is room for.
    pub(crate) fn new(budget: Budget) -> Self {
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
        getrandom::fill(&mut random)
            .map_err(|error| RpcError::internal(format!("no random numbers for a session id: {error}")))?;
        let id: Box<str> = random.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into();
        let (outbox, waiting) = exchange::outbox(OUTBOX);
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
            replays: Replays::new(Arc::clone(&self.budget)),
            outbox,
            waiting: Mutex::new(Some(waiting)),
            relayed,
            log_level: Mutex::default(),
            listed: Mutex::default(),
            listening: AtomicBool::new(false),
            ended: CancellationToken::new(),
            heard: Mutex::new(Instant::now()),
        });
        self.lock().insert(id, Arc::clone(&session));
        Ok(session)
    }

    /// The session a request belongs to, or why it is refused.
    pub(crate) fn of(&self, headers: &HeaderMap, target: &Target) -> Result<Arc<Session>, Refusal> {
        let Some(id) = header_text(headers, SESSION_ID) else {
            return Err(Refusal::NoSession);
        };
        let session = self.lock().get(&*id).cloned();
        let session = session.filter(|session| session.target.name() == target.name());
        let session = session.ok_or(Refusal::UnknownSession)?;
        session.heard_now();
        Ok(session)
    }

    /// Takes a session out; it has ended.
    pub(crate) fn end(&self, session: &Session) {
        self.lock().remove(&session.id);
        session.end();
    }

    /// Takes out those nobody has used for long, and where there are too many the one not heard of for longest.
    pub(crate) fn take_unused(&self) -> Vec<Arc<Session>> {
        let mut sessions = self.lock();
        let mut unused: Vec<_> =
            sessions.extract_if(|_, session| session.is_unused()).map(|(_, session)| session).collect();
        if sessions.len() >= MAX_SESSIONS {
            let oldest = sessions.values().min_by_key(|session| session.heard_at()).cloned();
            unused.extend(oldest.inspect(|oldest| drop(sessions.remove(&oldest.id))));
        }
        drop(sessions);
        unused.iter().for_each(|session| session.end());
        unused
    }

    /// Those that are quiet; streams nobody comes back to are dropped on the way.
    pub(crate) fn quiet(&self) -> Vec<Arc<Session>> {
        let sessions = self.lock();
        sessions.values().for_each(|session| session.replays.forget_old());
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
    /// Notes a request under way, until the returned value is dropped; none if there are so many that no other is
    /// taken.
    pub(crate) fn under_way(self: &Arc<Self>, id: Bytes, cancel: &CancellationToken) -> Option<UnderWay> {
        let number = self.next_request.fetch_add(1, Ordering::Relaxed);
        let mut requests = self.requests();
        if requests.len() >= MAX_REQUESTS {
            return None;
        }
        requests.insert(number, (id, cancel.clone()));
        drop(requests);
        // A session that ended meanwhile cancels nothing more by itself.
        if self.ended.is_cancelled() {
            cancel.cancel();
        }
        Some(UnderWay { session: Arc::clone(self), number })
    }

    /// Cancels a request of this client, by the id it gave it.
    pub(crate) fn cancel(&self, id: &[u8]) {
        for (_, cancel) in self.requests().values().filter(|(own, _)| message::same_id(own, id)) {
            cancel.cancel();
        }
    }

    /// Takes the one GET stream there is, unless somebody has it: what waits for the client.
    pub(crate) fn start_listening(&self) -> Option<Inbox> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.listening.store(true, Ordering::Release);
        waiting
    }

    pub(crate) fn stop_listening(&self, waiting: Inbox) {
        self.listening.store(false, Ordering::Release);
        *self.waiting.lock().unwrap_or_else(PoisonError::into_inner) = Some(waiting);
    }

    /// Whether this client knows how to come back to a stream.
    pub(crate) fn may_come_back(&self) -> bool {
        !self.relayed && *self.protocol_version >= *version::newest_legacy_text()
    }

    /// The request that asks the client; none where nobody wants to know any more.
    pub(crate) fn ask(self: &Arc<Self>, ask: Ask) -> Option<Bytes> {
        let Ask { method, params, withdrawn, answer } = ask;
        let id = self.next_ask.fetch_add(1, Ordering::Relaxed);
        let done = CancellationToken::new();
        {
            let mut asked = self.asked();
            if withdrawn.is_cancelled() || self.ended.is_cancelled() {
                return None;
            }
            // Of an upstream that gave up without a word.
            if asked.len() >= MAX_ASKED {
                let oldest = asked.keys().min().copied();
                oldest.and_then(|oldest| asked.remove(&oldest));
            }
            asked.insert(id, Asked { answer, _done: done.clone().drop_guard() });
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

    /// Takes the client's answer to what it was asked.
    pub(crate) fn answered(&self, id: &[u8], body: Body) {
        if let Some(asked) = message::number(id).and_then(|id| self.asked().remove(&id)) {
            // The upstream may have gone meanwhile.
            let _ = asked.answer.send(body);
        }
    }

    fn asked(&self) -> MutexGuard<'_, HashMap<u64, Asked>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_unused(&self) -> bool {
        let patience = if self.requests().is_empty() { UNUSED } else { ABANDONED };
        self.heard_at().elapsed() > patience && !self.listening.load(Ordering::Acquire)
    }

    /// Whether its client has shown no sign of life for so long that it may have been killed.
    fn is_quiet(&self) -> bool {
        self.heard_at().elapsed() > QUIET
            && !self.listening.load(Ordering::Acquire)
            && self.requests().is_empty()
    }

    /// Who the client is, as it is now.
    pub(crate) fn who(&self) -> Who {
        let log_level = self.log_level.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Who { log_level, ..self.who.clone() }
    }

    /// The endpoint it was opened on.
    pub(crate) fn target(&self) -> &Target {
        &self.target
    }

    fn end(&self) {
        self.ended.cancel();
        for (_, cancel) in self.requests().values() {
            cancel.cancel();
        }
        self.asked().clear();
    }

    fn requests(&self) -> MutexGuard<'_, HashMap<u64, (Bytes, CancellationToken)>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn heard_at(&self) -> Instant {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn heard_now(&self) {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

/// Where the ids of a session's questions begin: a client that goes on from another session may answer a
/// question of that one late, and must not be taken to answer one of this.
fn first_ask(random: [u8; 16]) -> u64 {
    let [a, b, c, d, ..] = random;
    // Below 2^53: for JavaScript larger numbers are not whole.
    u64::from(u32::from_le_bytes([a, b, c, d])) << 20
}

/// Keeps a request cancellable while it is under way.
pub(crate) struct UnderWay {
    session: Arc<Session>,
    number: u64,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.session.requests().remove(&self.number);
    }
}
