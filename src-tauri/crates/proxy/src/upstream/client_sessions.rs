//! Sessions with an upstream besides the shared one.
//!
//! A client with sampling, elicitation or roots needs a session of its own, because a question of the upstream does not
//! name its client. Other clients with a session need one where the upstream may keep state for its client, except for
//! the first (see [`super::occupancy`]). Stateless clients that can be asked use a pool of sessions, one request at a
//! time in each. Clients of the stateless era get a session of that era where the upstream speaks it.

mod run;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::audience::PendingChanges;
use super::handshake::{self, SessionError};
use super::life::{HEALTHY_AFTER, pause_after};
use super::session::Live;
use super::{Phase, Upstream};
use crate::exchange::Outbox;
use crate::wire::{Era, Who};

/// How long an upstream may take to answer whether it speaks the stateless era.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);
/// When an upstream that does not speak the stateless era is asked again.
const PROBE_INTERVAL: Duration = Duration::from_secs(60);
/// How long an upstream's state mentions the crash of a client's session.
const CRASH_SHOWN: Duration = Duration::from_secs(10 * 60);
/// Sessions in the pool for stateless clients with the same capabilities.
const POOL_SIZE: usize = 16;

/// Identifies a session.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    /// The session of one client session.
    Session(Box<str>),
    /// A session of the pool for stateless clients with these capabilities, by number.
    Pooled(Bytes, usize),
    /// The session in the stateless era, for all clients that speak it.
    Modern,
}

#[derive(Default)]
pub(crate) struct ClientSessions {
    by_key: Mutex<HashMap<Key, Arc<ClientSession>>>,
    pub(super) tasks: TaskTracker,
    /// Whether the upstream speaks the stateless era as well, and when it was asked.
    modern: tokio::sync::Mutex<Option<(bool, Instant)>>,
    /// Where clients are served, by their session; none for those of which it is not decided.
    places: Mutex<HashMap<Box<str>, Place>>,
    /// The failure to open the last session.
    failed: Mutex<Option<OpenFailure>>,
    /// The last crash of each client's own session.
    crashes: Mutex<HashMap<Box<str>, Crash>>,
    /// Changes announced by sessions of the pool that are being collected.
    pub(super) pending_changes: Mutex<PendingChanges>,
}

/// Where a client is served, once that is decided. A change would cost it what the upstream keeps for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In a session of its own.
    Own,
    /// In the shared session, because its own could not be opened.
    Shared,
}

/// Why the last session could not be opened.
struct OpenFailure {
    reason: String,
    /// Whether the session was for one client.
    of_one: bool,
    /// Failures in a row.
    times: u32,
    /// Until when no other attempt is made.
    retry_at: Instant,
}

/// The unexpected end of a client's own session.
struct Crash {
    reason: String,
    at: Instant,
    /// Crashes in a row soon after the session began.
    times: u32,
    /// Until when the client gets no other session.
    retry_at: Instant,
}

#[derive(Default)]
struct ClientSession {
    /// Locked while it is opened.
    live: Arc<tokio::sync::Mutex<Option<Arc<Live>>>>,
    end: CancellationToken,
    /// Set once it is open.
    opened: OnceLock<Arc<Live>>,
    /// Cancelled when it has ended and no longer stands for its client.
    gone: CancellationToken,
}

impl ClientSession {
    /// Returns the session, if it is open.
    fn open(&self) -> Option<Arc<Live>> {
        let live = self.live.try_lock().ok()?.clone()?;
        (!live.link.is_closed()).then_some(live)
    }
}

type Slot = tokio::sync::OwnedMutexGuard<Option<Arc<Live>>>;

impl ClientSessions {
    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Arc<ClientSession>>> {
        self.by_key.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all sessions, without waiting.
    pub(crate) fn end_all(&self) {
        self.lock().drain().for_each(|(_, session)| session.end.cancel());
        *self.failed() = None;
        self.crashes().clear();
        // Another program may be started next.
        if let Ok(mut modern) = self.modern.try_lock() {
            *modern = None;
        }
    }

    /// Ends all sessions, and waits for that.
    pub(crate) async fn stop(&self) {
        self.end_all();
        self.tasks.close();
        self.tasks.wait().await;
    }

    fn forget(&self, key: &Key) {
        if let Some(session) = self.lock().remove(key) {
            session.end.cancel();
        }
    }

    /// Removes this session, but not one that replaced it under the same key.
    fn remove(&self, key: &Key, session: &Arc<ClientSession>) {
        session.end.cancel();
        let mut sessions = self.lock();
        if sessions.get(key).is_some_and(|known| Arc::ptr_eq(known, session)) {
            sessions.remove(key);
        }
    }

    fn places(&self) -> MutexGuard<'_, HashMap<Box<str>, Place>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self) -> MutexGuard<'_, Option<OpenFailure>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn crashes(&self) -> MutexGuard<'_, HashMap<Box<str>, Crash>> {
        self.crashes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a client's own session ended by itself after some time. The next one has to wait, as the shared one has.
    fn note_crash(&self, session: &str, reason: &str, lasted: Duration) -> Duration {
        let mut crashes = self.crashes();
        let before = crashes.get(session).map_or(0, |crash| crash.times);
        let times = if lasted >= HEALTHY_AFTER { 0 } else { before.saturating_add(1) };
        let (at, pause) = (Instant::now(), pause_after(times));
        let crash = Crash { reason: reason.to_owned(), at, times, retry_at: at + pause };
        // Also of clients that left before their session had ended.
        crashes.retain(|_, crash| crash.at.elapsed() < CRASH_SHOWN);
        crashes.insert(session.into(), crash);
        pause
    }

    /// Notes that a session could not be opened. The next attempt has to wait.
    fn note_failure(&self, reason: &str, of_one: bool) {
        let mut failed = self.failed();
        let times = failed.as_ref().map_or(0, |failure| failure.times).saturating_add(1);
        let pause = Duration::from_secs(1 << (times - 1).min(5));
        *failed =
            Some(OpenFailure { reason: reason.to_owned(), of_one, times, retry_at: Instant::now() + pause });
    }
}

impl Upstream {
    /// Returns the session that serves a client's request of this method, opened where necessary. `owner` receives what
    /// belongs to no request.
    pub(crate) async fn session(
        self: &Arc<Self>,
        who: &Who,
        owner: Option<&Outbox>,
        method: &str,
    ) -> Result<Arc<Live>, String> {
        // The end of the shared session says nothing about this one.
        let own = who.session.as_deref().filter(|_| who.era == Era::Legacy);
        if let Some(own) = own.and_then(|session| self.own_now(session)) {
            return Ok(own);
        }
        let shared = self.live().await?;
        let key = match (who.era, shared.hello.era) {
            (_, Era::Modern) => return Ok(shared),
            (Era::Legacy, _) => {
                let Some(session) = &who.session else { return Ok(shared) };
                let is_own = match self.place(session) {
                    Some(place) => place == Place::Own,
                    None => who.may_be_asked() || self.is_taken(&shared, session, method),
                };
                if !is_own {
                    return Ok(shared);
                }
                Key::Session(session.clone())
            }
            // Our own tools ask clients within a session, in either era.
            (Era::Modern, _) if self.is_own() && who.may_be_asked() => return self.pooled(who).await,
            (Era::Modern, _) if self.speaks_modern(&shared).await => Key::Modern,
            (Era::Modern, _) if !who.may_be_asked() => return Ok(shared),
            (Era::Modern, _) => return self.pooled(who).await,
        };
        match &key {
            Key::Session(session) => {
                let session = session.clone();
                let own = self.client_session(key, who.clone(), owner.cloned()).await;
                own.or_else(|reason| self.shared_instead(who, &session, shared).ok_or(reason))
            }
            Key::Pooled(..) | Key::Modern => {
                let who = Who { era: Era::Modern, ..Who::unknown() };
                self.client_session(key, who, owner.cloned()).await
            }
        }
    }

    /// Returns the shared session for a client whose own could not be opened: some upstreams can run only once, because
    /// they lock their data or listen on a port. Not for a client that had a session of its own, whose state is lost,
    /// and not for one with roots, which limit what the upstream may do.
    fn shared_instead(&self, who: &Who, session: &str, shared: Arc<Live>) -> Option<Arc<Live>> {
        if who.may_be_asked_for("roots/list") || self.stop.is_cancelled() {
            return None;
        }
        let place = *self.client_sessions.places().entry(session.into()).or_insert(Place::Shared);
        (place == Place::Shared).then_some(shared)
    }

    /// Notes that a client has a session of its own from now on, and ends what it had in the shared one.
    pub(super) fn note_own(self: &Arc<Self>, session: &str) {
        if self.client_sessions.places().insert(session.into(), Place::Own).is_none() {
            self.leave_shared(session);
        }
    }

    fn place(&self, session: &str) -> Option<Place> {
        self.client_sessions.places().get(session).copied()
    }

    /// Whether state that this request may leave behind would be seen by another client, which has the shared session.
    fn is_taken(&self, shared: &Arc<Live>, session: &str, method: &str) -> bool {
        shared.keeps_state && may_leave_state(method) && !self.occupancy.take(shared, session)
    }

    /// Returns a session of the pool for a stateless client. Each serves one request at a time. While one waits for
    /// its client, another session is opened.
    async fn pooled(self: &Arc<Self>, who: &Who) -> Result<Arc<Live>, String> {
        let asked = Who { era: Era::Legacy, session: None, info: None, log_level: None, ..who.clone() };
        let mut last = None;
        for number in 0..POOL_SIZE {
            let live = self
                .client_session(Key::Pooled(who.capabilities.clone(), number), asked.clone(), None)
                .await?;
            if live.turn.as_ref().is_none_or(|turn| turn.available_permits() > 0) {
                return Ok(live);
            }
            last = Some(live);
        }
        last.ok_or_else(|| "it has no session for this client".into())
    }

    /// Whether the pool for this client may grow.
    pub(crate) fn has_turns(&self, who: &Who) -> bool {
        let sessions = self.client_sessions.lock();
        let alike = |key: &&Key| matches!(key, Key::Pooled(known, _) if *known == who.capabilities);
        sessions.keys().filter(alike).count() < POOL_SIZE
    }

    /// Whether this client can be asked and is served in a session of its own, or is with its next request.
    pub(crate) fn serves_alone(&self, who: &Who) -> bool {
        let session = who.session.as_deref();
        who.era == Era::Legacy
            && who.may_be_asked()
            && self.era() != Some(Era::Modern)
            && session.is_none_or(|session| self.place(session) != Some(Place::Shared))
    }

    /// Returns why a client got no session of its own the last time; `None` if it did.
    pub(super) fn sharing_reason(&self) -> Option<String> {
        self.client_sessions
            .failed()
            .as_ref()
            .filter(|failure| failure.of_one)
            .map(|failure| failure.reason.clone())
    }

    /// Returns how many clients' own sessions crashed lately, and why the last one did.
    pub(super) fn crash_reason(&self) -> Option<(usize, String)> {
        let crashes = self.client_sessions.crashes();
        let lately = || crashes.values().filter(|crash| crash.at.elapsed() < CRASH_SHOWN);
        let last = lately().max_by_key(|crash| crash.at)?;
        Some((lately().count(), last.reason.clone()))
    }

    /// Returns a client's own session, if it is open.
    pub(crate) fn own_now(&self, session: &str) -> Option<Arc<Live>> {
        let own = self.client_sessions.lock().get(&Key::Session(session.into())).cloned()?;
        own.open()
    }

    /// Returns the open sessions of the pool for stateless clients with these capabilities, in order.
    pub(crate) fn pooled_now(&self, capabilities: &Bytes) -> Vec<Arc<Live>> {
        let alike = |key: &Key| matches!(key, Key::Pooled(known, _) if known == capabilities);
        self.open_now(alike)
    }

    /// Returns the session in the stateless era, if it is open and not the shared one.
    pub(super) fn stateless_now(&self) -> Option<Arc<Live>> {
        self.client_sessions.lock().get(&Key::Modern)?.open()
    }

    /// Returns the open sessions of all pools.
    pub(super) fn all_pooled_now(&self) -> Vec<Arc<Live>> {
        self.open_now(|key| matches!(key, Key::Pooled(..)))
    }

    fn open_now(&self, wanted: impl Fn(&Key) -> bool) -> Vec<Arc<Live>> {
        let sessions = self.client_sessions.lock();
        let mut found: Vec<_> = sessions
            .iter()
            .filter_map(|(key, session)| match key {
                Key::Pooled(_, number) if wanted(key) => Some((*number, session.open()?)),
                _ => None,
            })
            .collect();
        found.sort_by_key(|(number, _)| *number);
        found.into_iter().map(|(_, live)| live).collect()
    }

    /// Ends a client's own session until it needs one again.
    pub(crate) fn rest(&self, session: &str) {
        self.client_sessions.forget(&Key::Session(session.into()));
    }

    /// Ends everything that exists for one client session.
    pub(crate) fn forget_session(self: &Arc<Self>, session: &str) {
        self.rest(session);
        self.occupancy.leave(session);
        self.client_sessions.places().remove(session);
        self.client_sessions.crashes().remove(session);
        self.session_states.forget(session);
        self.leave_shared(session);
    }

    /// Ends what the shared session does for a client: its log level and its watched resources.
    fn leave_shared(self: &Arc<Self>, session: &str) {
        if self.log_levels.forget(session)
            && let Some(live) = self.live_now().filter(|live| live.hello.era == Era::Legacy)
        {
            let upstream = Arc::clone(self);
            tokio::spawn(async move { upstream.log_levels.renew(&live, false).await });
        }
        self.unwatch(session);
    }

    /// Replaces the shared session if its client has left and it is not used.
    pub(crate) fn replace_left(&self) {
        // Under the lock, as every change of the session.
        let phase = self.phase();
        if let Phase::Ready(live) = &*phase
            && live.link.is_idle()
            && self.occupancy.is_over(live, live.link.requests())
        {
            tracing::info!(upstream = %self.name, "its client has left; starting it again for the next one");
            self.replace_token().cancel();
        }
    }

    /// Whether the upstream speaks the stateless era as well. Over stdio the open session is asked first, because
    /// trying costs another process; an upstream of the session era answers that it does not know the method. Over
    /// HTTP a session of the stateless era is tried at once, because some servers answer such a request within a
    /// session as one of the session era.
    pub(crate) async fn speaks_modern(self: &Arc<Self>, shared: &Arc<Live>) -> bool {
        let mut known = self.client_sessions.modern.lock().await;
        if let Some((speaks, since)) = *known
            && (speaks || since.elapsed() < PROBE_INTERVAL)
        {
            return speaks;
        }
        let who = Who { era: Era::Modern, ..Who::unknown() };
        let worth_trying = shared.separates_requests || {
            let params = who.introduced(None);
            let answer = handshake::ask(&shared.link, "server/discover", Some(&params));
            // Some servers accept the question only as the first message.
            match tokio::time::timeout(PROBE_TIMEOUT, answer).await {
                Ok(Ok(_)) => true,
                Ok(Err(SessionError::Rejected(reason))) => !reason.contains("-32601"),
                Ok(Err(SessionError::Failed(_))) | Err(_) => false,
            }
        };
        // A process may take longer to start than an answer to come.
        let limit = if shared.separates_requests { PROBE_TIMEOUT } else { Duration::MAX };
        let opened = tokio::time::timeout(limit, self.client_session(Key::Modern, who, None));
        let speaks = worth_trying && opened.await.is_ok_and(|opened| opened.is_ok());
        *known = Some((speaks, Instant::now()));
        speaks
    }
}

/// Whether a request may leave state behind that later ones depend on. Lists do not, and a log level is given to every
/// session of a client.
fn may_leave_state(method: &str) -> bool {
    let is_list = method.ends_with("/list") || method.starts_with("notifications/");
    !is_list && !matches!(method, "initialize" | "logging/setLevel")
}
