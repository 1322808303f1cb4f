//! The life of a session besides the shared one. The first request opens it, others wait until it is open.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::{ClientSession, Crash, Key, OpenFailure, Slot};
use crate::exchange::Outbox;
use crate::upstream::audience::ClientGroup;
use crate::upstream::handshake::{self, SessionError};
use crate::upstream::life::not_yet;
use crate::upstream::session::{self, Live, Opening};
use crate::upstream::transport::Transport;
use crate::upstream::{Upstream, subscriptions};
use crate::wire::{Era, Who};

/// Sessions besides the shared one.
const MAX_SESSIONS: usize = 512;
/// Those of them in pools.
const MAX_POOLED: usize = 64;
/// Sessions up to which a client that cannot be asked gets one of its own. Further ones share a session.
const MAX_UNASKED: usize = 32;
/// Failures in a row to open a session after which clients that cannot be asked do not wait for another attempt.
const MAX_FAILURES: u32 = 2;
/// How long they do not.
const LONG_PAUSE: Duration = Duration::from_secs(10 * 60);
/// Time in which an upstream asks what it wants to know as soon as a session is open, and time in which it takes in the
/// answer: the filesystem server looks at each folder before it obeys.
const SETTLING_TIME: Duration = Duration::from_millis(100);
/// How long the first request of a session waits for such answers.
const QUESTION_TIMEOUT: Duration = Duration::from_secs(2);
/// How often a session is checked for use.
const USE_CHECK_INTERVAL: Duration = Duration::from_secs(60);
/// Checks in a row without use after which a session ends.
const MAX_UNUSED_CHECKS: u32 = 10;

impl Upstream {
    pub(super) async fn client_session(
        self: &Arc<Self>,
        key: Key,
        who: Who,
        owner: Option<Outbox>,
    ) -> Result<Arc<Live>, String> {
        let transport = self.transport()?;
        // A session may end while this waits for it.
        for _ in 0..3 {
            let session = self.entry_for(&key, &who)?;
            let slot = Arc::clone(&session.live).lock_owned().await;
            if session.end.is_cancelled() {
                continue;
            }
            match slot.as_ref() {
                Some(live) if !live.link.is_closed() => return Ok(Arc::clone(live)),
                // Only its end says whether another one may begin at once.
                Some(_) => {
                    drop(slot);
                    session.gone.cancelled().await;
                    // For one that panicked.
                    self.client_sessions.remove(&key, &session);
                    continue;
                }
                None => {}
            }
            let (ready, begun) = oneshot::channel();
            let running = self.client_sessions.tasks.spawn({
                let (upstream, key, session) = (Arc::clone(self), key.clone(), Arc::clone(&session));
                let (transport, who, owner) = (Arc::clone(&transport), who.clone(), owner.clone());
                async move {
                    let began = Instant::now();
                    let _gone = session.gone.clone().drop_guard();
                    let ended =
                        upstream.run_client_session(transport, who, owner, &session, slot, ready).await;
                    let crashed = session.opened.get().is_some_and(|live| !live.link.is_forgotten());
                    if let (Key::Session(own), Err(error), true) = (&key, &ended, crashed) {
                        upstream.crashed(own, error, began.elapsed());
                    }
                    upstream.client_sessions.remove(&key, &session);
                    ended
                }
            });
            // The caller may give up meanwhile; the next one finds the session open.
            return match begun.await {
                Ok(live) => {
                    *self.client_sessions.failed() = None;
                    if let Key::Session(session) = &key {
                        self.note_own(session);
                    }
                    Ok(live)
                }
                Err(_) => {
                    let reason = match running.await {
                        Ok(Err(stranger)) => stranger.reason(),
                        _ => "it ended".into(),
                    };
                    // An upstream that does not speak the stateless era has not failed.
                    if key != Key::Modern {
                        self.client_sessions.note_failure(&reason, matches!(key, Key::Session(_)));
                    }
                    Err(reason)
                }
            };
        }
        Err("its sessions ended repeatedly while they were opened".into())
    }

    /// Notes that a client's own session ended by itself after some time.
    fn crashed(&self, session: &str, error: &SessionError, lasted: Duration) {
        let (SessionError::Rejected(reason) | SessionError::Failed(reason)) = error;
        let reason = self.observer.without_secrets(reason.clone());
        let pause = self.client_sessions.note_crash(session, &reason, lasted);
        tracing::warn!(upstream = %self.name, %reason, retry_in_s = pause.as_secs(), "the session of one client ended");
        self.changed.send_modify(|version| *version += 1);
    }

    fn entry_for(&self, key: &Key, who: &Who) -> Result<Arc<ClientSession>, String> {
        let mut sessions = self.client_sessions.lock();
        if let Some(session) = sessions.get(key) {
            return Ok(Arc::clone(session));
        }
        if self.stop.is_cancelled() {
            return Err("Schemascope is shutting down".into());
        }
        if let Key::Session(own) = key
            && let Some(Crash { reason, retry_at, .. }) = self.client_sessions.crashes().get(own)
            && let Some(reason) = not_yet(reason, *retry_at)
        {
            return Err(reason);
        }
        let is_unasked = matches!(key, Key::Session(_)) && !who.may_be_asked();
        if let Some(OpenFailure { reason, times, retry_at, .. }) = &*self.client_sessions.failed() {
            if let Some(reason) = not_yet(reason, *retry_at) {
                return Err(reason);
            }
            if is_unasked && *times >= MAX_FAILURES && retry_at.elapsed() < LONG_PAUSE {
                return Err(reason.clone());
            }
        }
        let pooled = sessions.keys().filter(|key| matches!(key, Key::Pooled(..))).count();
        let limit = if is_unasked { MAX_UNASKED } else { MAX_SESSIONS };
        if sessions.len() >= limit || (matches!(key, Key::Pooled(..)) && pooled >= MAX_POOLED) {
            return Err("too many clients have sessions of their own with it".into());
        }
        Ok(Arc::clone(sessions.entry(key.clone()).or_default()))
    }

    async fn run_client_session(
        self: &Arc<Self>,
        transport: Arc<dyn Transport>,
        who: Who,
        owner: Option<Outbox>,
        session: &ClientSession,
        mut slot: Slot,
        ready: oneshot::Sender<Arc<Live>>,
    ) -> Result<(), SessionError> {
        let belongs = who.session.is_some();
        let group = match who.era {
            Era::Modern => Some(ClientGroup::Stateless),
            Era::Legacy => Some(ClientGroup::Pooled(who.capabilities.clone())).filter(|_| !belongs),
        };
        let (gone, own) = (owner.clone(), who.session.clone());
        let roots = owner.clone().filter(|_| who.may_be_asked_for("roots/list"));
        let (log, hurry) = (Arc::clone(&self.log), self.stop.clone());
        let opening = Opening { transport, era: who.era, who, owner, log, hurry };
        let unused = CancellationToken::new();
        let stop = async {
            let owner_gone = async {
                match &gone {
                    Some(owner) => owner.closed().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = session.end.cancelled() => {}
                () = self.stop.cancelled() => {}
                () = unused.cancelled() => {}
                () = owner_gone => {}
            }
        };
        session::run(opening, stop, |live| {
            let unused = unused.clone();
            async move {
                if let Ok(tools) = handshake::list_tools(&live.link, live.hello.era).await {
                    live.take_tools(tools.into());
                }
                if roots.is_some_and(|owner| owner.is_listening()) {
                    settle(&live).await;
                }
                if let Some(own) = &own {
                    self.session_states.restore(&live, own).await;
                }
                let notifications = live.link.subscribe();
                let mut watched = HashSet::new();
                if let Some(group) = &group {
                    self.take_over(&live, group, &mut watched).await;
                }
                let _ = session.opened.set(Arc::clone(&live));
                *slot = Some(Arc::clone(&live));
                drop(slot);
                // A client that subscribed in between did not find this session yet.
                if let Some(group) = &group {
                    self.take_over(&live, group, &mut watched).await;
                }
                let _ = ready.send(Arc::clone(&live));
                if !belongs {
                    tokio::select! {
                        () = until_unused(&live) => unused.cancel(),
                        () = self.announce_changes(notifications, group) => {}
                        () = subscriptions::keep_listening(&live) => {}
                    }
                }
                std::future::pending().await
            }
        })
        .await
    }
}

/// Lets an upstream ask for the roots before the first request of a session. Many allow more until they have them.
async fn settle(live: &Live) {
    tokio::time::sleep(SETTLING_TIME).await;
    if live.link.until_answered(QUESTION_TIMEOUT).await {
        tokio::time::sleep(SETTLING_TIME).await;
    }
}

/// Waits until a session was not used for a while.
async fn until_unused(live: &Live) {
    let (mut checks, mut requests) = (0, 0);
    while checks < MAX_UNUSED_CHECKS {
        tokio::time::sleep(USE_CHECK_INTERVAL).await;
        let now = live.link.requests();
        checks = if live.link.is_idle() && now == requests { checks + 1 } else { 0 };
        requests = now;
    }
}
