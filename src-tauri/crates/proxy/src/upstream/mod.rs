//! An upstream over its whole life: started when first needed, watched, restarted with back-off.
//!
//! Owns: the states and the reasons in plain words, and which session serves whom. Refuses to know: calls.

pub(crate) mod audience;
pub(crate) mod handshake;
pub(crate) mod http;
mod levels;
pub(crate) mod lines;
pub(crate) mod link;
mod log;
mod process;
mod reconfigure;
mod session;
mod sides;
pub(crate) mod sse;
pub(crate) mod subscriptions;
pub(crate) mod tasks;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use schemascope_model::{Timestamp, UpstreamState};
use tokio::sync::{Notify, broadcast, watch};
use tokio_util::sync::CancellationToken;

use crate::config::ServerEntry;
use crate::observer::{ListedTool, Observer};
use crate::wire::{Era, Who};
use audience::Said;
use handshake::Stranger;
use levels::Levels;
use link::{Link, Notification};
use log::LogTail;
pub use process::UPSTREAM_OF;
pub(crate) use session::Live;
use session::{Opening, Spec};
use sides::Sides;
use subscriptions::Subscriptions;
use tasks::Tasks;

/// An upstream that lived this long before it ended is started again at once when next needed.
const HEALTHY: Duration = Duration::from_secs(10);
/// Longest pause between two attempts.
const MAX_BACKOFF: Duration = Duration::from_secs(60);
/// How long after a start a wish to restart is taken for the same wish.
const JUST_STARTED: Duration = Duration::from_secs(1);
/// How long changes of tools are gathered before they are listed again.
const RELIST_AFTER: Duration = Duration::from_millis(200);
/// Pause before changed tools that could not be listed are listed again.
const RELIST_PAUSE: Duration = Duration::from_secs(10);
/// Notifications that may wait for a slow listener.
const NOTIFICATIONS: usize = 256;

pub(crate) struct Upstream {
    name: String,
    entry: Mutex<ServerEntry>,
    observer: Arc<dyn Observer>,
    log: Arc<LogTail>,
    phase: Mutex<Phase>,
    /// Bumped with every change of phase, after it.
    changed: watch::Sender<u64>,
    notifications: broadcast::Sender<Said>,
    /// What it listed last, also while it is away.
    listed: Mutex<Arc<[ListedTool]>>,
    stop: CancellationToken,
    /// Cancelled when somebody wants the session that runs now replaced. Changed under `phase`.
    replace: Mutex<CancellationToken>,
    /// The era of the session everybody shares, once it is known.
    era: Mutex<Option<Era>>,
    /// Sessions besides that one.
    sides: Sides,
    pub(crate) subscriptions: Subscriptions,
    /// What clients that share the session want to hear, and which tasks are theirs.
    pub(crate) levels: Levels,
    pub(crate) tasks: Tasks,
}

enum Phase {
    Idle,
    Starting { since: Instant, failures: u32 },
    Ready(Arc<Live>),
    Failed { reason: String, failures: u32, retry_at: Instant },
    Stopped,
}

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

/// An upstream's state for people.
#[derive(Debug, Clone)]
pub struct Status {
    /// Its name in the configuration.
    pub name: String,
    /// What it is doing.
    pub state: UpstreamState,
    /// Why, where that is not obvious.
    pub reason: Option<String>,
    /// Tools listed, while it is ready.
    pub tools: Option<usize>,
    /// Its process, while it is ready.
    pub pid: Option<u32>,
    /// Since when it is ready.
    pub since: Option<Timestamp>,
    /// Protocol version agreed on, while it is ready.
    pub protocol_version: Option<String>,
}

impl Upstream {
    pub(crate) fn new(name: &str, entry: ServerEntry, observer: Arc<dyn Observer>) -> Arc<Self> {
        Arc::new(Self {
            name: name.to_owned(),
            entry: Mutex::new(entry),
            observer,
            log: Arc::default(),
            phase: Mutex::new(Phase::Idle),
            changed: watch::Sender::new(0),
            notifications: broadcast::Sender::new(NOTIFICATIONS),
            listed: Mutex::default(),
            stop: CancellationToken::new(),
            replace: Mutex::default(),
            era: Mutex::default(),
            sides: Sides::default(),
            subscriptions: Subscriptions::default(),
            levels: Levels::default(),
            tasks: Tasks::default(),
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether there is anything to start.
    pub(crate) fn can_start(&self) -> bool {
        self.spec().is_ok()
    }

    fn spec(&self) -> Result<Spec, String> {
        match &*self.entry() {
            ServerEntry::Stdio(spec) => Ok(Spec::Stdio(spec.clone())),
            ServerEntry::Http(spec) => Ok(Spec::Http(spec.clone())),
            ServerEntry::Disabled => Err("it is disabled in the configuration".into()),
            ServerEntry::Invalid(reason) => Err(reason.clone()),
        }
    }

    /// What it sends on its own account, over restarts.
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Said> {
        self.notifications.subscribe()
    }

    /// The session everybody shares, opened if need be. An error is the reason in plain words.
    pub(crate) async fn live(self: &Arc<Self>) -> Result<Arc<Live>, String> {
        let mut changed = self.changed.subscribe();
        let mut waited = false;
        loop {
            // It may have been switched off meanwhile.
            self.spec()?;
            let begins;
            {
                let mut phase = self.phase();
                // What becomes of a session that was open says nothing of the next one.
                begins = !matches!(*phase, Phase::Ready(_));
                match &*phase {
                    Phase::Ready(live) if !live.link.is_closed() => return Ok(Arc::clone(live)),
                    // The task that runs it will say in a moment what happened, or starts it.
                    Phase::Ready(_) | Phase::Starting { .. } => {}
                    Phase::Stopped => return Err("Schemascope is shutting down".into()),
                    Phase::Failed { reason, retry_at, .. } if waited || *retry_at > Instant::now() => {
                        let pause = retry_at.saturating_duration_since(Instant::now()).as_secs_f64().ceil();
                        return Err(if pause > 0.0 {
                            format!("{reason}; next attempt in {pause} s")
                        } else {
                            reason.clone()
                        });
                    }
                    Phase::Idle | Phase::Failed { .. } => {
                        let failures = match &*phase {
                            Phase::Failed { failures, .. } => *failures,
                            _ => 0,
                        };
                        *phase = Phase::Starting { since: Instant::now(), failures };
                        drop(phase);
                        self.changed.send_modify(|version| *version += 1);
                        changed.mark_unchanged();
                        tokio::spawn(Arc::clone(self).run(failures));
                    }
                }
            }
            if changed.changed().await.is_err() {
                return Err("Schemascope is shutting down".into());
            }
            waited |= begins;
        }
    }

    /// Replaces the running process, or starts one now, whatever back-off says.
    pub(crate) fn restart(self: &Arc<Self>) {
        if !self.can_start() {
            return;
        }
        self.sides.end_all();
        let mut phase = self.phase();
        match &*phase {
            // A second click while the first is being done.
            Phase::Starting { since, .. } if since.elapsed() < JUST_STARTED => {}
            Phase::Ready(_) | Phase::Starting { .. } => self.replace_token().cancel(),
            Phase::Idle | Phase::Failed { .. } => {
                *phase = Phase::Starting { since: Instant::now(), failures: 0 };
                drop(phase);
                self.changed.send_modify(|version| *version += 1);
                tokio::spawn(Arc::clone(self).run(0));
            }
            Phase::Stopped => {}
        }
    }

    /// Until when somebody who wants all upstreams should wait for this one: for `patience` from its
    /// start, and not at all once it has failed to start.
    pub(crate) fn worth_waiting_until(&self, patience: Duration) -> Instant {
        match &*self.phase() {
            Phase::Starting { failures: 1.., .. } | Phase::Failed { failures: 1.., .. } => Instant::now(),
            Phase::Starting { since, .. } => *since + patience,
            _ => Instant::now() + patience,
        }
    }

    /// The session everybody shares, if it is open now.
    pub(crate) fn live_now(&self) -> Option<Arc<Live>> {
        match &*self.phase() {
            Phase::Ready(live) => Some(Arc::clone(live)),
            _ => None,
        }
    }

    /// The tools it listed last, in this life or an earlier one.
    pub(crate) fn listed(&self) -> Arc<[ListedTool]> {
        Arc::clone(&self.listed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn status(&self) -> Status {
        let entry = self.entry().clone();
        let (state, reason, live) = match (&entry, &*self.phase()) {
            (ServerEntry::Disabled, _) => (UpstreamState::Disabled, None, None),
            (ServerEntry::Invalid(reason), _) => (UpstreamState::Invalid, Some(reason.clone()), None),
            (_, Phase::Idle) => (UpstreamState::Idle, Some("starts when first needed".into()), None),
            (_, Phase::Starting { since, .. }) => {
                let seconds = since.elapsed().as_secs();
                let reason = format!("started {seconds} s ago and is not ready yet");
                (UpstreamState::Starting, Some(reason).filter(|_| seconds > 0), None)
            }
            (_, Phase::Ready(live)) => {
                let (noise, dropped) = (live.link.noise(), live.link.dropped());
                let mut remarks = Vec::new();
                if noise > 0 {
                    remarks.push(format!("wrote {noise} lines to stdout that are no messages"));
                }
                if dropped > 0 {
                    remarks.push(format!("sent {dropped} notifications that slow clients missed"));
                }
                let reason = (!remarks.is_empty()).then(|| format!("works, but {}", remarks.join(" and ")));
                (UpstreamState::Ready, reason, Some(Arc::clone(live)))
            }
            (_, Phase::Failed { reason, .. }) => (UpstreamState::Failed, Some(reason.clone()), None),
            (_, Phase::Stopped) => (UpstreamState::Idle, Some("stopped".into()), None),
        };
        Status {
            name: self.name.clone(),
            state,
            reason,
            tools: live.as_ref().map(|live| live.tools().len()),
            pid: live.as_ref().and_then(|live| live.pid),
            since: live.as_ref().map(|live| live.since),
            protocol_version: live.as_ref().map(|live| live.hello.version.clone()),
        }
    }

    /// The last lines it wrote to stderr, and to stdout where they were no messages.
    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lines()
    }

    /// Ends every session and waits for that.
    pub(crate) async fn stop(&self) {
        self.stop.cancel();
        self.sides.stop().await;
        let mut changed = self.changed.subscribe();
        loop {
            {
                let mut phase = self.phase();
                if matches!(*phase, Phase::Idle | Phase::Failed { .. } | Phase::Stopped) {
                    *phase = Phase::Stopped;
                    return;
                }
            }
            if changed.changed().await.is_err() {
                return;
            }
        }
    }

    /// From start to end of one session.
    async fn run(self: Arc<Self>, mut failures: u32) {
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

    /// The era of the session everybody shares, once one was open.
    fn era(&self) -> Option<Era> {
        *self.era.lock().unwrap_or_else(PoisonError::into_inner)
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
        loop {
            match notifications.recv().await {
                Ok(notification) => {
                    if live.hello.has("tools") && notification.method == "notifications/tools/list_changed" {
                        relist.notify_one();
                    }
                    self.say(notification, None);
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

    fn enter(&self, phase: Phase) {
        *self.phase() = phase;
        self.changed.send_modify(|version| *version += 1);
    }

    /// Changes of phase and of the tools listed.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    fn entry(&self) -> MutexGuard<'_, ServerEntry> {
        self.entry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn replace_token(&self) -> MutexGuard<'_, CancellationToken> {
        self.replace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
