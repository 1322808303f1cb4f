//! Sessions with an upstream besides the one everybody shares.
//!
//! A client that can be asked (sampling, elicitation, roots) needs a session of its own, because what an
//! upstream asks names nobody; and a client of the stateless era gets what an upstream that speaks it says
//! in that era. Owns: which session serves whom, and when one that nobody uses ends. Refuses to know: calls.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{OnceCell, mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::handshake::{self, Stranger};
use super::session::{self, Live, Opening};
use super::{Spec, Upstream};
use crate::exchange::Event;
use crate::wire::{Era, Who, params};

/// Sessions besides the shared one, at most.
const MAX_SIDES: usize = 1_000;
/// Sessions for stateless clients that can be asked the same things.
const IN_TURN: usize = 16;
/// How often a session is looked at that may be unused, and how often in a row until it ends.
const LOOK: Duration = Duration::from_secs(60);
const UNUSED: u32 = 10;

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
    tasks: TaskTracker,
    /// Whether the upstream speaks the stateless era besides the other.
    modern: OnceCell<bool>,
}

#[derive(Default)]
struct Side {
    live: tokio::sync::Mutex<Option<Arc<Live>>>,
    end: CancellationToken,
}

impl Sides {
    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Arc<Side>>> {
        self.sides.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all of them, without waiting.
    pub(crate) fn end_all(&self) {
        self.lock().drain().for_each(|(_, side)| side.end.cancel());
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
}

impl Upstream {
    /// The session that serves this client, opened if need be. `owner` is told what belongs to no request.
    pub(crate) async fn session(
        self: &Arc<Self>,
        who: &Who,
        owner: Option<&mpsc::Sender<Event>>,
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

    /// Whether this client has a session of its own.
    pub(crate) fn serves_alone(&self, who: &Who) -> bool {
        who.era == Era::Legacy && who.may_be_asked() && self.era.get() != Some(&Era::Modern)
    }

    /// Ends what there is for a client session alone.
    pub(crate) fn forget_session(self: &Arc<Self>, session: &str) {
        self.sides.forget(&Key::Session(session.into()));
        let unwatched = self.subscriptions.forget(session);
        let Some(live) =
            self.live_now().filter(|live| live.hello.era == Era::Legacy && !unwatched.is_empty())
        else {
            return;
        };
        tokio::spawn(async move {
            for uri in unwatched {
                let uri = serde_json::Value::from(uri).to_string();
                let params = params::with(None, &[("uri", uri.as_bytes())]);
                let _ = handshake::ask(&live.link, "resources/unsubscribe", Some(&params)).await;
            }
        });
    }

    /// Whether the upstream answers to the stateless era as well. Asked once, and after the handshake: an
    /// upstream that has never heard of it takes the question for a method it does not know.
    pub(crate) async fn speaks_modern(self: &Arc<Self>, shared: &Arc<Live>) -> bool {
        let ask = || async {
            let params = Who { era: Era::Modern, ..Who::nobody() }.introduced(None);
            let answer = handshake::ask(&shared.link, "server/discover", Some(&params)).await;
            // Some take it only as the first message.
            let worth_trying = match &answer {
                Ok(_) => true,
                Err(Stranger::OtherEra(reason)) => !reason.contains("-32601"),
                Err(Stranger::Silent(_)) => false,
            };
            let who = Who { era: Era::Modern, ..Who::nobody() };
            worth_trying && self.side(Key::Modern, who, None).await.is_ok()
        };
        *self.sides.modern.get_or_init(ask).await
    }

    async fn side(
        self: &Arc<Self>,
        key: Key,
        who: Who,
        owner: Option<mpsc::Sender<Event>>,
    ) -> Result<Arc<Live>, String> {
        let spec = self.spec()?;
        let side = {
            let mut sides = self.sides.lock();
            if sides.len() >= MAX_SIDES && !sides.contains_key(&key) {
                return Err(format!("{MAX_SIDES} clients have sessions of their own with it already"));
            }
            if self.stop.is_cancelled() {
                return Err("Schemascope is shutting down".into());
            }
            Arc::clone(sides.entry(key.clone()).or_default())
        };
        let mut slot = side.live.lock().await;
        if let Some(live) = slot.as_ref().filter(|live| !live.link.is_closed()) {
            return Ok(Arc::clone(live));
        }
        let (ready, begun) = oneshot::channel();
        let running = self.sides.tasks.spawn({
            let (upstream, key, side) = (Arc::clone(self), key.clone(), Arc::clone(&side));
            async move {
                let ended = upstream.run_side(spec, who, owner, &side, ready).await;
                // A session of one client stays its own; the next call opens it anew.
                if ended.is_ok() {
                    upstream.sides.forget(&key);
                }
                ended
            }
        });
        match begun.await {
            Ok(live) => {
                *slot = Some(Arc::clone(&live));
                Ok(live)
            }
            Err(_) => {
                self.sides.forget(&key);
                Err(match running.await {
                    Ok(Err(stranger)) => stranger.reason(),
                    _ => "it ended".into(),
                })
            }
        }
    }

    async fn run_side(
        self: &Arc<Self>,
        spec: Spec,
        who: Who,
        owner: Option<mpsc::Sender<Event>>,
        side: &Side,
        ready: oneshot::Sender<Arc<Live>>,
    ) -> Result<(), Stranger> {
        let belongs = who.session.is_some();
        let opening = Opening { spec, era: who.era, who, owner, log: Arc::clone(&self.log) };
        let unused = CancellationToken::new();
        let stop = async {
            tokio::select! {
                () = side.end.cancelled() => {}
                () = self.stop.cancelled() => {}
                () = unused.cancelled() => {}
            }
        };
        session::run(opening, stop, |live| {
            let unused = unused.clone();
            async move {
                if let Ok(tools) = handshake::list_tools(&live.link, live.hello.era).await {
                    live.take_tools(tools.into());
                }
                let _ = ready.send(Arc::clone(&live));
                if !belongs {
                    until_unused(&live).await;
                    unused.cancel();
                }
                std::future::pending().await
            }
        })
        .await
    }
}

/// Waits until nobody has used a session for a while.
async fn until_unused(live: &Live) {
    let mut looks = 0;
    while looks < UNUSED {
        tokio::time::sleep(LOOK).await;
        looks = if live.link.is_idle() { looks + 1 } else { 0 };
    }
}
