//! The life of the session everybody shares: from start to end, and when it is tried again.
//!
//! Owns: eras that are tried, back-off, and listing tools as long as it lasts. Refuses to know: who uses it.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, broadcast};
use tokio_util::sync::CancellationToken;

use super::handshake::{self, Stranger};
use super::link::{Link, Notification};
use super::session::{self, Live, Opening, Spec};
use super::{NOTIFICATIONS, Phase, Upstream, subscriptions};
use crate::observer::ListedTool;
use crate::patience::Patience;
use crate::wire::{Era, Who};

/// An upstream that lived this long before it ended is started again at once when next needed.
const HEALTHY: Duration = Duration::from_secs(10);
/// Longest pause between two attempts.
const MAX_BACKOFF: Duration = Duration::from_secs(60);
/// How long changes of tools are gathered before they are listed again.
const RELIST_AFTER: Duration = Duration::from_millis(200);
/// Pause before changed tools that could not be listed are listed again.
const RELIST_PAUSE: Duration = Duration::from_secs(10);

/// How far a session came.
#[derive(Default)]
struct Life {
    was_ready: bool,
    link: Option<Arc<Link>>,
}

impl Life {
    /// Whether it ended because the upstream did not know it any more.
    fn was_forgotten(&self) -> bool {
        self.link.as_ref().is_some_and(|link| link.is_forgotten())
    }
}

impl Upstream {
    /// From start to end of one session.
    pub(super) async fn run(self: Arc<Self>, mut failures: u32) {
        loop {
            let began = Instant::now();
            let mut life = Life::default();
            let replace = CancellationToken::new();
            *self.replace_token() = replace.clone();
            // Behind the token: an entry that changes from here on replaces what begins by this one.
            let Ok(spec) = self.spec() else {
                self.enter(Phase::Idle);
                return;
            };
            tracing::info!(upstream = %self.name, "starting");
            let ended = self.run_session(&spec, &mut life, &replace).await;
            if self.stop.is_cancelled() {
                self.enter(Phase::Stopped);
                return;
            }
            let phase = {
                // Under the lock, so that no wish to restart comes in between.
                let mut phase = self.phase();
                if replace.is_cancelled() {
                    failures = 0;
                    *phase = Phase::Starting { since: Instant::now(), failures };
                    None
                } else {
                    let reason = ended.err().unwrap_or_else(|| "it ended".to_owned());
                    let healthy = life.was_ready && (life.was_forgotten() || began.elapsed() >= HEALTHY);
                    let failures = if healthy { 0 } else { failures.saturating_add(1) };
                    let pause = match failures {
                        0 => Duration::ZERO,
                        n => Duration::from_secs(1 << (n - 1).min(6)).min(MAX_BACKOFF),
                    };
                    let retry_at = Instant::now() + pause;
                    *phase = Phase::Failed { reason: reason.clone(), failures, retry_at };
                    Some((reason, pause))
                }
            };
            self.changed.send_modify(|version| *version += 1);
            if let Some((reason, pause)) = phase {
                tracing::warn!(upstream = %self.name, %reason, retry_in_s = pause.as_secs(), "upstream is not available");
                return;
            }
        }
    }

    /// Runs the session everybody shares, in the era the upstream speaks: the older one where it speaks
    /// both, since nearly all clients do.
    async fn run_session(
        self: &Arc<Self>,
        spec: &Spec,
        life: &mut Life,
        replace: &CancellationToken,
    ) -> Result<(), String> {
        let first = self.era().unwrap_or(Era::Legacy);
        let second = if first == Era::Legacy { Era::Modern } else { Era::Legacy };
        match self.run_in(spec, first, life, replace).await {
            Err(Stranger::OtherEra(reason)) => {
                let ended = self.run_in(spec, second, life, replace).await;
                // What it said first is what most people would want to know.
                ended.map_err(|stranger| if life.was_ready { stranger.reason() } else { reason })
            }
            ended => ended.map_err(Stranger::reason),
        }
    }

    async fn run_in(
        self: &Arc<Self>,
        spec: &Spec,
        era: Era,
        life: &mut Life,
        replace: &CancellationToken,
    ) -> Result<(), Stranger> {
        let opening = Opening {
            spec: spec.clone(),
            era,
            // No client features are offered: a session shared by clients could not tell whose they are.
            who: Who { era, ..Who::nobody() },
            owner: None,
            log: Arc::clone(&self.log),
        };
        let stop = async {
            tokio::select! {
                () = self.stop.cancelled() => {}
                () = replace.cancelled() => {}
            }
        };
        session::run(opening, stop, |live| self.serve(live, life)).await
    }

    /// From handshake to end; why it ended.
    async fn serve(self: &Arc<Self>, live: Arc<Live>, life: &mut Life) -> String {
        let mut notifications = live.link.subscribe();
        let era = live.hello.era;
        let tools = match live.hello.has("tools") {
            true => handshake::list_tools(&live.link, era).await,
            false => Ok(Vec::new()),
        };
        let tools = match tools {
            Ok(tools) => tools,
            Err(reason) => return reason,
        };
        self.take_listing(&live, tools);
        tracing::info!(upstream = %self.name, tools = live.tools().len(), protocol = %live.hello.version, "ready");
        (life.was_ready, life.link) = (true, Some(Arc::clone(&live.link)));
        *self.era.lock().unwrap_or_else(PoisonError::into_inner) = Some(era);
        self.enter(Phase::Ready(Arc::clone(&live)));
        self.subscriptions.renew(&live);
        let renewed = async {
            if era == Era::Legacy {
                self.levels.renew(&live, true).await;
            }
            std::future::pending::<()>().await;
        };
        let relist = Notify::new();
        tokio::select! {
            () = self.relay(&live, &mut notifications, &relist) => {}
            () = self.keep_listed(&live, &relist) => {}
            () = subscriptions::keep_told(&live) => {}
            () = renewed => {}
            () = live.link.closed() => {}
        }
        "it ended".into()
    }

    /// Passes notifications on, and notes when the upstream says that its tools changed.
    async fn relay(
        &self,
        live: &Live,
        notifications: &mut broadcast::Receiver<Notification>,
        relist: &Notify,
    ) {
        let mut patience = Patience::<()>::default();
        loop {
            match notifications.recv().await {
                Ok(notification) => {
                    if live.hello.has("tools") && notification.method == "notifications/tools/list_changed" {
                        relist.notify_one();
                    }
                    self.say(notification, None);
                    patience.wait_for_listeners(NOTIFICATIONS, || self.notifications.len()).await;
                }
                // One of those missed may have said so.
                Err(broadcast::error::RecvError::Lagged(_)) => relist.notify_one(),
                Err(broadcast::error::RecvError::Closed) => return,
            }
        }
    }

    /// Lists again whenever asked to, until it works.
    async fn keep_listed(&self, live: &Live, relist: &Notify) {
        loop {
            relist.notified().await;
            // Some say so whenever they are asked.
            tokio::time::sleep(RELIST_AFTER).await;
            match handshake::list_tools(&live.link, live.hello.era).await {
                Ok(tools) => {
                    self.take_listing(live, tools);
                    self.changed.send_modify(|version| *version += 1);
                }
                Err(reason) => {
                    tracing::warn!(upstream = %self.name, %reason, "its changed tools could not be listed; trying again");
                    tokio::time::sleep(RELIST_PAUSE).await;
                    relist.notify_one();
                }
            }
        }
    }

    fn take_listing(&self, live: &Live, tools: Vec<ListedTool>) {
        self.observer.listed(&self.name, &tools);
        let tools: Arc<[ListedTool]> = tools.into();
        live.take_tools(Arc::clone(&tools));
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = tools;
    }
}
