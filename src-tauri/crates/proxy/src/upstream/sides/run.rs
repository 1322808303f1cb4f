//! One of the sessions besides the shared one, from its opening to its end.
//!
//! Owns: that whoever comes first opens it and the others wait, and when it ends. Refuses to know: whom it serves.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::{Key, Side, Slot};
use crate::exchange::Outbox;
use crate::upstream::audience::Among;
use crate::upstream::handshake::{self, Stranger};
use crate::upstream::session::{self, Live, Opening, Spec};
use crate::upstream::{Upstream, subscriptions};
use crate::wire::{Era, Who};

/// Sessions besides the shared one, at most, and those of them for stateless clients that can be asked.
const MAX_SIDES: usize = 512;
const MAX_IN_TURN: usize = 64;
/// How often a session is looked at that may be unused, and how often in a row until it ends.
const LOOK: Duration = Duration::from_secs(60);
const UNUSED: u32 = 10;

impl Upstream {
    pub(super) async fn side(
        self: &Arc<Self>,
        key: Key,
        who: Who,
        owner: Option<Outbox>,
    ) -> Result<Arc<Live>, String> {
        let spec = self.spec()?;
        // One that ended while it was waited for is looked up anew.
        for _ in 0..3 {
            let side = self.known_side(&key)?;
            let slot = Arc::clone(&side.live).lock_owned().await;
            if side.end.is_cancelled() {
                continue;
            }
            match slot.as_ref() {
                Some(live) if !live.link.is_closed() => return Ok(Arc::clone(live)),
                // It is ending, and takes its place in the map with it.
                Some(_) => {
                    self.sides.forget_this(&key, &side);
                    continue;
                }
                None => {}
            }
            let (ready, begun) = oneshot::channel();
            let running = self.sides.tasks.spawn({
                let (upstream, key, side) = (Arc::clone(self), key.clone(), Arc::clone(&side));
                let (spec, who, owner) = (spec.clone(), who.clone(), owner.clone());
                async move {
                    let ended = upstream.run_side(spec, who, owner, &side, slot, ready).await;
                    upstream.sides.forget_this(&key, &side);
                    ended
                }
            });
            // Whoever asked may go meanwhile: the next one finds it open.
            return match begun.await {
                Ok(live) => {
                    *self.sides.failed() = None;
                    Ok(live)
                }
                Err(_) => {
                    let reason = match running.await {
                        Ok(Err(stranger)) => stranger.reason(),
                        _ => "it ended".into(),
                    };
                    // That it does not speak the stateless era is no failure.
                    if key != Key::Modern {
                        self.sides.note_failure(&reason);
                    }
                    Err(reason)
                }
            };
        }
        Err("its session ended again and again while it was opened".into())
    }

    fn known_side(&self, key: &Key) -> Result<Arc<Side>, String> {
        let mut sides = self.sides.lock();
        if let Some(side) = sides.get(key) {
            return Ok(Arc::clone(side));
        }
        if self.stop.is_cancelled() {
            return Err("Schemascope is shutting down".into());
        }
        if let Some((reason, _, until)) = &*self.sides.failed()
            && *until > Instant::now()
        {
            let pause = until.saturating_duration_since(Instant::now()).as_secs_f64().ceil();
            return Err(format!("{reason}; next attempt in {pause} s"));
        }
        let in_turn = sides.keys().filter(|key| matches!(key, Key::Capabilities(..))).count();
        if sides.len() >= MAX_SIDES || (matches!(key, Key::Capabilities(..)) && in_turn >= MAX_IN_TURN) {
            return Err("too many clients have sessions of their own with it already".into());
        }
        Ok(Arc::clone(sides.entry(key.clone()).or_default()))
    }

    async fn run_side(
        self: &Arc<Self>,
        spec: Spec,
        who: Who,
        owner: Option<Outbox>,
        side: &Side,
        mut slot: Slot,
        ready: oneshot::Sender<Arc<Live>>,
    ) -> Result<(), Stranger> {
        let belongs = who.session.is_some();
        let among = match who.era {
            Era::Modern => Some(Among::Stateless),
            Era::Legacy => Some(Among::InTurn(who.capabilities.clone())).filter(|_| !belongs),
        };
        let (gone, own) = (owner.clone(), who.session.clone());
        let opening = Opening { spec, era: who.era, who, owner, log: Arc::clone(&self.log) };
        let unused = CancellationToken::new();
        let stop = async {
            let owner_gone = async {
                match &gone {
                    Some(owner) => owner.closed().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = side.end.cancelled() => {}
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
                if let Some(session) = &own {
                    self.wishes.renew(&live, session).await;
                }
                let told = live.link.subscribe();
                let mut watched = HashSet::new();
                if let Some(among) = &among {
                    self.take_over(&live, among, &mut watched).await;
                }
                *slot = Some(Arc::clone(&live));
                drop(slot);
                // What came in between was not asked for here by who asked.
                if let Some(among) = &among {
                    self.take_over(&live, among, &mut watched).await;
                }
                let _ = ready.send(Arc::clone(&live));
                if !belongs {
                    tokio::select! {
                        () = until_unused(&live) => unused.cancel(),
                        () = self.tell_changes(told, among) => {}
                        () = subscriptions::keep_told(&live) => {}
                    }
                }
                std::future::pending().await
            }
        })
        .await
    }
}

/// Waits until nobody has used a session for a while.
async fn until_unused(live: &Live) {
    let (mut looks, mut requests) = (0, 0);
    while looks < UNUSED {
        tokio::time::sleep(LOOK).await;
        let now = live.link.requests();
        looks = if live.link.is_idle() && now == requests { looks + 1 } else { 0 };
        requests = now;
    }
}
