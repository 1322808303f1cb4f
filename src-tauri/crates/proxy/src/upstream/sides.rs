//! Sessions with an upstream besides the one everybody shares.
//!
//! A client that can be asked (sampling, elicitation, roots) needs a session of its own, because what an
//! upstream asks names nobody; and a client of the stateless era gets what an upstream that speaks it says
//! in that era. Owns: which session serves whom, and when one that nobody uses ends. Refuses to know: calls.

mod run;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::Upstream;
use super::audience::Gathered;
use super::handshake::{self, Stranger};
use super::session::Live;
use crate::exchange::Outbox;
use crate::wire::{Era, Who};

/// How long an upstream may take to say whether it speaks the stateless era, and when it is asked again
/// after it did not.
const PROBE: Duration = Duration::from_secs(5);
const ASK_AGAIN: Duration = Duration::from_secs(60);
/// Sessions for stateless clients that can be asked the same things.
const IN_TURN: usize = 16;

/// What tells sessions apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    /// One client session's.
    Session(Box<str>),
    /// One of those for clients of the stateless era that can be asked the same things.
    Capabilities(Bytes, usize),
    /// The upstream's own stateless era, for everybody who speaks it.
    Modern,
}

#[derive(Default)]
pub(crate) struct Sides {
    sides: Mutex<HashMap<Key, Arc<Side>>>,
    pub(super) tasks: TaskTracker,
    /// Whether the upstream speaks the stateless era besides the other, and since when that is known.
    modern: tokio::sync::Mutex<Option<(bool, Instant)>>,
    /// Why the last session could not be opened, how often in a row, and until when no other is tried.
    failed: Mutex<Option<(String, u32, Instant)>>,
    /// What sessions used in turn tell at the moment.
    pub(super) gathered: Mutex<Gathered>,
}

#[derive(Default)]
struct Side {
    /// Held while it is opened.
    live: Arc<tokio::sync::Mutex<Option<Arc<Live>>>>,
    end: CancellationToken,
}

impl Side {
    /// Its session, if that is open.
    fn open(&self) -> Option<Arc<Live>> {
        let live = self.live.try_lock().ok()?.clone()?;
        (!live.link.is_closed()).then_some(live)
    }
}

type Slot = tokio::sync::OwnedMutexGuard<Option<Arc<Live>>>;

impl Sides {
    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Arc<Side>>> {
        self.sides.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all of them, without waiting.
    pub(crate) fn end_all(&self) {
        self.lock().drain().for_each(|(_, side)| side.end.cancel());
        *self.failed() = None;
        // It may be another program by now.
        if let Ok(mut modern) = self.modern.try_lock() {
            *modern = None;
        }
    }

    /// Ends all of them and waits for that.
    pub(crate) async fn stop(&self) {
        self.end_all();
        self.tasks.close();
        self.tasks.wait().await;
    }

    fn forget(&self, key: &Key) {
        if let Some(side) = self.lock().remove(key) {
            side.end.cancel();
        }
    }

    /// Forgets this very side, not one that has taken its place.
    fn forget_this(&self, key: &Key, side: &Arc<Side>) {
        side.end.cancel();
        let mut sides = self.lock();
        if sides.get(key).is_some_and(|known| Arc::ptr_eq(known, side)) {
            sides.remove(key);
        }
    }

    fn failed(&self) -> MutexGuard<'_, Option<(String, u32, Instant)>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a session could not be opened; the next attempt waits.
    fn note_failure(&self, reason: &str) {
        let mut failed = self.failed();
        let times = failed.as_ref().map_or(0, |(_, times, _)| *times).saturating_add(1);
        let pause = Duration::from_secs(1 << (times - 1).min(5));
        *failed = Some((reason.to_owned(), times, Instant::now() + pause));
    }
}

impl Upstream {
    /// The session that serves this client, opened if need be. `owner` is told what belongs to no request.
    pub(crate) async fn session(
        self: &Arc<Self>,
        who: &Who,
        owner: Option<&Outbox>,
    ) -> Result<Arc<Live>, String> {
        let shared = self.live().await?;
        let key = match (who.era, shared.hello.era) {
            (_, Era::Modern) => return Ok(shared),
            (Era::Legacy, _) if !who.may_be_asked() => return Ok(shared),
            (Era::Legacy, _) => match &who.session {
                Some(session) => Key::Session(session.clone()),
                None => return Ok(shared),
            },
            (Era::Modern, _) if self.speaks_modern(&shared).await => Key::Modern,
            (Era::Modern, _) if !who.may_be_asked() => return Ok(shared),
            (Era::Modern, _) => return self.in_turn(who).await,
        };
        let who = match key {
            Key::Session(_) => who.clone(),
            Key::Capabilities(..) | Key::Modern => Who { era: Era::Modern, ..Who::nobody() },
        };
        self.side(key, who, owner.cloned()).await
    }

    /// A session for a client of the stateless era that can be asked. What is asked there names nobody, so
    /// each serves one request at a time; a request that waits for its client has the next one opened.
    async fn in_turn(self: &Arc<Self>, who: &Who) -> Result<Arc<Live>, String> {
        let asked = Who { era: Era::Legacy, session: None, info: None, log_level: None, ..who.clone() };
        let mut last = None;
        for number in 0..IN_TURN {
            let live =
                self.side(Key::Capabilities(who.capabilities.clone(), number), asked.clone(), None).await?;
            if live.turn.as_ref().is_none_or(|turn| turn.available_permits() > 0) {
                return Ok(live);
            }
            last = Some(live);
        }
        last.ok_or_else(|| "it has no session for this client".into())
    }

    /// Whether a session for clients like this one is free, or another may be opened.
    pub(crate) fn has_turns(&self, who: &Who) -> bool {
        let sides = self.sides.lock();
        let alike = |key: &&Key| matches!(key, Key::Capabilities(known, _) if *known == who.capabilities);
        sides.keys().filter(alike).count() < IN_TURN
    }

    /// Whether this client has a session of its own.
    pub(crate) fn serves_alone(&self, who: &Who) -> bool {
        who.era == Era::Legacy && who.may_be_asked() && self.era() != Some(Era::Modern)
    }

    /// The session a client has for itself, if it is open.
    pub(crate) fn own_now(&self, session: &str) -> Option<Arc<Live>> {
        let side = self.sides.lock().get(&Key::Session(session.into())).cloned()?;
        side.open()
    }

    /// The sessions that are open for stateless clients with these capabilities, the first one first.
    pub(crate) fn in_turn_now(&self, capabilities: &Bytes) -> Vec<Arc<Live>> {
        let alike = |key: &Key| matches!(key, Key::Capabilities(known, _) if known == capabilities);
        self.open_now(alike)
    }

    /// The session in the upstream's own stateless era, if that is open and not the one all share.
    pub(super) fn stateless_now(&self) -> Option<Arc<Live>> {
        self.sides.lock().get(&Key::Modern)?.open()
    }

    /// The sessions that are open for stateless clients that can be asked.
    pub(super) fn all_in_turn_now(&self) -> Vec<Arc<Live>> {
        self.open_now(|key| matches!(key, Key::Capabilities(..)))
    }

    fn open_now(&self, wanted: impl Fn(&Key) -> bool) -> Vec<Arc<Live>> {
        let sides = self.sides.lock();
        let mut found: Vec<_> = sides
            .iter()
            .filter_map(|(key, side)| match key {
                Key::Capabilities(_, number) if wanted(key) => Some((*number, side.open()?)),
                _ => None,
            })
            .collect();
        found.sort_by_key(|(number, _)| *number);
        found.into_iter().map(|(_, live)| live).collect()
    }

    /// Whether this client shares the session with others who are served with a handshake.
    pub(crate) fn shares(&self, who: &Who, live: &Live) -> bool {
        live.hello.era == Era::Legacy && !self.serves_alone(who)
    }

    /// Ends the session a client has for itself, until it needs one again.
    pub(crate) fn rest(&self, session: &str) {
        self.sides.forget(&Key::Session(session.into()));
    }

    /// Ends what there is for a client session alone.
    pub(crate) fn forget_session(self: &Arc<Self>, session: &str) {
        self.rest(session);
        self.wishes.forget(session);
        if self.levels.forget(session)
            && let Some(live) = self.live_now().filter(|live| live.hello.era == Era::Legacy)
        {
            let upstream = Arc::clone(self);
            tokio::spawn(async move { upstream.levels.renew(&live, false).await });
        }
        self.unwatch(session);
    }

    /// Whether the upstream answers to the stateless era as well. Over stdio that is asked after the handshake, since
    /// another process has to be started to see: an upstream that has never heard of it takes the question for a
    /// method it does not know. Over HTTP each request says of which era it is, and in a session some answer it as
    /// one of the session's era, so it is asked outside.
    pub(crate) async fn speaks_modern(self: &Arc<Self>, shared: &Arc<Live>) -> bool {
        let mut known = self.sides.modern.lock().await;
        if let Some((speaks, since)) = *known
            && (speaks || since.elapsed() < ASK_AGAIN)
        {
            return speaks;
        }
        let who = Who { era: Era::Modern, ..Who::nobody() };
        let worth_trying = shared.over_http || {
            let params = who.introduced(None);
            let answer = handshake::ask(&shared.link, "server/discover", Some(&params));
            // Some take it only as the first message.
            match tokio::time::timeout(PROBE, answer).await {
                Ok(Ok(_)) => true,
                Ok(Err(Stranger::OtherEra(reason))) => !reason.contains("-32601"),
                Ok(Err(Stranger::Silent(_))) | Err(_) => false,
            }
        };
        // A process may take longer to start than an answer to come.
        let patience = if shared.over_http { PROBE } else { Duration::MAX };
        let opened = tokio::time::timeout(patience, self.side(Key::Modern, who, None));
        let speaks = worth_trying && opened.await.is_ok_and(|opened| opened.is_ok());
        *known = Some((speaks, Instant::now()));
        speaks
    }
}
