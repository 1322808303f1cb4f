//! The shared session: which era is tried first, listing tools while it is open, and back-off after it ended.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use super::handshake::{self, SessionError};
use super::link::{Link, Notification};
use super::session::{self, Live, Opening};
use super::transport::Transport;
use super::{Failing, NOTIFICATION_CAPACITY, Phase, Upstream, subscriptions};
use crate::config::ServerEntry;
use crate::observer::ListedTool;
use crate::slow_consumers::SlowConsumers;
use crate::wire::{Era, Who};

/// An upstream that ran this long is started again without back-off.
pub(super) const HEALTHY_AFTER: Duration = Duration::from_secs(10);
/// Longest pause between two attempts to start, or to list the tools.
const MAX_BACKOFF: Duration = Duration::from_secs(60);
/// Failed attempts after which a session that never listed its tools ends: two minutes.
const MAX_LISTING_FAILURES: u32 = 7;
/// How long changes of the tools are collected before they are listed again.
const RELIST_DELAY: Duration = Duration::from_millis(200);

/// The pause after so many failed attempts in a row.
pub(super) fn pause_after(failures: u32) -> Duration {
    match failures {
        0 => Duration::ZERO,
        n => Duration::from_secs(1 << (n - 1).min(6)).min(MAX_BACKOFF),
    }
}

/// Why an upstream is not used, and when it is tried again; `None` once it may be.
pub(super) fn not_yet(reason: &str, retry_at: Instant) -> Option<String> {
    let pause = retry_at.saturating_duration_since(Instant::now()).as_secs_f64().ceil();
    (pause > 0.0).then(|| format!("{reason}; next attempt in {pause} s"))
}

/// How far a session got.
#[derive(Default)]
struct Progress {
    was_ready: bool,
    link: Option<Arc<Link>>,
}

impl Progress {
    /// Whether it ended because the upstream no longer knew it.
    fn was_forgotten(&self) -> bool {
        self.link.as_ref().is_some_and(|link| link.is_forgotten())
    }
}

impl Upstream {
    /// Runs sessions until one ends without a restart being requested.
    pub(super) async fn run(self: Arc<Self>, mut failures: u32) {
        loop {
            let began = Instant::now();
            let mut progress = Progress::default();
            let replace = CancellationToken::new();
            *self.replace_token() = replace.clone();
            // Read after the token was set: a change of the entry from here on cancels the token.
            let Ok(transport) = self.transport() else {
                self.enter(Phase::Idle);
                return;
            };
            tracing::info!(upstream = %self.name, "starting");
            let ended = self.run_session(&transport, &mut progress, &replace).await;
            if self.stop.is_cancelled() {
                self.enter(Phase::Stopped);
                return;
            }
            let phase = {
                // Under the lock, so that no restart is requested in between.
                let mut phase = self.phase();
                if replace.is_cancelled() {
                    failures = 0;
                    *phase = Phase::Starting { since: Instant::now(), failures };
                    None
                } else {
                    let reason = ended.err().unwrap_or_else(|| "it ended".to_owned());
                    let reason = self.observer.without_secrets(reason);
                    let healthy =
                        progress.was_ready && (progress.was_forgotten() || began.elapsed() >= HEALTHY_AFTER);
                    let failures = if healthy { 0 } else { failures.saturating_add(1) };
                    let pause = pause_after(failures);
                    let retry_at = Instant::now() + pause;
                    self.failing().get_or_insert_with(Failing::now).reason = Some(reason.clone());
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

    /// Runs the shared session in the era the upstream speaks. Where it speaks both, this is the session era, which
    /// nearly all clients speak.
    async fn run_session(
        self: &Arc<Self>,
        transport: &Arc<dyn Transport>,
        progress: &mut Progress,
        replace: &CancellationToken,
    ) -> Result<(), String> {
        let first = self.era().unwrap_or(Era::Legacy);
        let second = if first == Era::Legacy { Era::Modern } else { Era::Legacy };
        match self.run_in(transport, first, progress, replace).await {
            Err(SessionError::Rejected(reason)) => {
                let ended = self.run_in(transport, second, progress, replace).await;
                // The first error is the more helpful one.
                ended.map_err(|stranger| if progress.was_ready { stranger.reason() } else { reason })
            }
            ended => ended.map_err(SessionError::reason),
        }
    }

    async fn run_in(
        self: &Arc<Self>,
        transport: &Arc<dyn Transport>,
        era: Era,
        progress: &mut Progress,
        replace: &CancellationToken,
    ) -> Result<(), SessionError> {
        let opening = Opening {
            transport: Arc::clone(transport),
            era,
            // Without client capabilities: a question in a shared session would not say which client it is for.
            who: Who { era, ..Who::unknown() },
            owner: None,
            log: Arc::clone(&self.log),
            hurry: self.stop.clone(),
        };
        let stop = async {
            tokio::select! {
                () = self.stop.cancelled() => {}
                () = replace.cancelled() => {}
            }
        };
        session::run(opening, stop, |live| self.serve(live, progress)).await
    }

    /// Serves an open session. Returns why it ended.
    async fn serve(self: &Arc<Self>, live: Arc<Live>, progress: &mut Progress) -> String {
        let mut notifications = live.link.subscribe();
        let (era, entry) = (live.hello.era, self.entry().clone());
        let tools = match live.hello.has("tools") {
            true => handshake::list_tools(&live.link, era).await,
            false => Ok(Vec::new()),
        };
        match tools {
            Ok(tools) => self.take_new_listing(&live, &entry, tools),
            // Everything else may work, and listing later: what it lists may be somewhere else.
            Err(SessionError::Rejected(reason)) => {
                tracing::warn!(upstream = %self.name, %reason, "cannot list the tools; trying again");
                live.take_tools(self.introduced_tools());
                live.set_listing_error(Some(self.observer.without_secrets(reason)));
            }
            Err(SessionError::Failed(reason)) => return reason,
        }
        tracing::info!(upstream = %self.name, tools = live.tools().len(), protocol = %live.hello.version, "ready");
        (progress.was_ready, progress.link) = (true, Some(Arc::clone(&live.link)));
        *self.era.lock().unwrap_or_else(PoisonError::into_inner) = Some(era);
        *self.failing() = None;
        self.enter(Phase::Ready(Arc::clone(&live)));
        self.subscriptions.renew(&live);
        let renewed = async {
            if era == Era::Legacy {
                self.log_levels.renew(&live, true).await;
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = self.relay(&live, &mut notifications) => {}
            reason = self.keep_listed(&live, &entry) => return reason,
            () = subscriptions::keep_listening(&live) => {}
            () = renewed => {}
            () = live.link.closed() => {}
        }
        "it ended".into()
    }

    /// Passes notifications on, and requests a new list when the tools changed.
    async fn relay(&self, live: &Live, notifications: &mut broadcast::Receiver<Notification>) {
        let mut consumers = SlowConsumers::<()>::default();
        loop {
            match notifications.recv().await {
                Ok(notification) => {
                    if live.hello.has("tools") && notification.method == "notifications/tools/list_changed" {
                        live.relist.notify_one();
                    }
                    self.publish(notification, None);
                    consumers.wait_for_listeners(NOTIFICATION_CAPACITY, || self.notifications.len()).await;
                }
                // A missed notification may have announced a change.
                Err(broadcast::error::RecvError::Lagged(_)) if live.hello.has("tools") => {
                    live.relist.notify_one();
                }
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return,
            }
        }
    }

    /// Lists the tools again whenever requested, and until that succeeds. Returns why not, if a session never listed them:
    /// another one may.
    async fn keep_listed(&self, live: &Live, entry: &ServerEntry) -> String {
        let mut failures = u32::from(live.listing_error().is_some());
        let mut listed_before = failures == 0;
        loop {
            let requested = live.relist.notified();
            match failures {
                0 => requested.await,
                _ => drop(tokio::time::timeout(pause_after(failures), requested).await),
            }
            // Some upstreams announce a change with every list.
            tokio::time::sleep(RELIST_DELAY).await;
            match handshake::list_tools(&live.link, live.hello.era).await {
                Ok(tools) if listed_before => self.take_listing(live, entry, tools.into()),
                Ok(tools) => self.take_new_listing(live, entry, tools),
                Err(error) => {
                    failures += 1;
                    let reason = self.observer.without_secrets(error.reason());
                    if !listed_before && failures >= MAX_LISTING_FAILURES && live.link.is_idle() {
                        return reason;
                    }
                    if failures == 1 {
                        tracing::warn!(upstream = %self.name, %reason, "cannot list the changed tools; trying again");
                    }
                    live.set_listing_error(Some(reason));
                    self.changed.send_modify(|version| *version += 1);
                    continue;
                }
            }
            (failures, listed_before) = (0, true);
            live.set_listing_error(None);
            self.changed.send_modify(|version| *version += 1);
        }
    }

    /// Takes the first listing of a session. Sessions of clients go on after a restart, and know the tools from before.
    fn take_new_listing(&self, live: &Live, entry: &ServerEntry, tools: Vec<ListedTool>) {
        let before = self.listed();
        self.take_listing(live, entry, tools.into());
        if !before.is_empty() && before != self.listed() {
            let method = "notifications/tools/list_changed".to_owned();
            self.publish(Notification { method, params: None }, None);
        }
    }

    fn take_listing(&self, live: &Live, entry: &ServerEntry, tools: Arc<[ListedTool]>) {
        self.observer.listed(&self.name, &tools);
        self.introduce(live, entry, &tools);
        live.take_tools(Arc::clone(&tools));
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = tools;
    }
}
