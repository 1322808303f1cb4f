//! An upstream: started when first needed, watched, restarted with back-off.
//!
//! Keeps the state that is shown to the user, and decides which session serves which client.

pub(crate) mod audience;
mod client_sessions;
mod expected;
pub(crate) mod handshake;
mod life;
pub(crate) mod link;
mod log;
mod log_levels;
mod occupancy;
mod reconfigure;
mod session;
mod session_states;
mod status;
pub(crate) mod subscriptions;
pub(crate) mod tasks;
pub(crate) mod transport;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use schemascope_model::Timestamp;
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;

use crate::config::ServerEntry;
use crate::observer::{Introduction, ListedTool, Observer};
use crate::wire::Era;
use audience::SharedNotification;
use client_sessions::ClientSessions;
use log::LogTail;
use log_levels::LogLevels;
use occupancy::Occupancy;
pub(crate) use session::Live;
use session_states::SessionStates;
pub use status::Status;
use subscriptions::Subscriptions;
use tasks::Tasks;
use transport::Transport;

/// A restart that is requested this soon after a start is ignored as a duplicate.
const RESTART_DEBOUNCE: Duration = Duration::from_secs(1);
/// Attempts to start an upstream in the background.
const MAX_RETRIES: usize = 10;
/// How long lists and calls wait for an upstream that is started again after it ended.
const RESTART_PATIENCE: Duration = Duration::from_secs(3);
/// Notifications that may wait for a slow listener.
const NOTIFICATION_CAPACITY: usize = 256;

/// That an upstream does not work.
struct Failing {
    since: Timestamp,
    /// Why the last attempt to start it failed.
    reason: Option<String>,
}

impl Failing {
    fn now() -> Self {
        Self { since: Timestamp::now(), reason: None }
    }
}

pub(crate) struct Upstream {
    name: String,
    entry: Mutex<ServerEntry>,
    observer: Arc<dyn Observer>,
    log: Arc<LogTail>,
    phase: Mutex<Phase>,
    /// When it began to fail, or its entry to be invalid; none once it is ready.
    failing: Mutex<Option<Failing>>,
    /// Incremented after every change of phase.
    changed: watch::Sender<u64>,
    notifications: broadcast::Sender<SharedNotification>,
    /// The tools it listed last. Kept while it does not run.
    listed: Mutex<Arc<[ListedTool]>>,
    /// Its last introduction.
    introduction: Mutex<Option<Introduction>>,
    /// Whether a client got expected prompts or resources.
    sent_expected: AtomicBool,
    /// Whether a client got a list without its tools, because it was not ready in time.
    missed: AtomicBool,
    /// Whether it is started again in the background, because it was missed.
    retrying: AtomicBool,
    stop: CancellationToken,
    /// Cancelled to replace the running session. Changed while `phase` is locked.
    replace: Mutex<CancellationToken>,
    /// The era of the shared session, once it is known.
    era: Mutex<Option<Era>>,
    /// The client that has the shared session to itself.
    occupancy: Occupancy<Live>,
    /// Sessions besides the shared one.
    client_sessions: ClientSessions,
    pub(crate) subscriptions: Subscriptions,
    /// Log levels and tasks of the clients that share a session.
    pub(crate) log_levels: LogLevels,
    pub(crate) tasks: Tasks,
    /// State of clients' own sessions, to be restored.
    pub(crate) session_states: SessionStates,
}

enum Phase {
    Idle,
    Starting { since: Instant, failures: u32 },
    Ready(Arc<Live>),
    Failed { reason: String, failures: u32, retry_at: Instant },
    Stopped,
}

impl Upstream {
    pub(crate) fn new(name: &str, entry: ServerEntry, observer: Arc<dyn Observer>) -> Arc<Self> {
        Arc::new(Self {
            name: name.to_owned(),
            failing: Mutex::new(entry.is_invalid().then(Failing::now)),
            introduction: Mutex::new(observer.expected(name, &entry)),
            sent_expected: AtomicBool::new(false),
            entry: Mutex::new(entry),
            observer,
            log: Arc::default(),
            phase: Mutex::new(Phase::Idle),
            changed: watch::Sender::new(0),
            notifications: broadcast::Sender::new(NOTIFICATION_CAPACITY),
            listed: Mutex::default(),
            missed: AtomicBool::new(false),
            retrying: AtomicBool::new(false),
            stop: CancellationToken::new(),
            replace: Mutex::default(),
            era: Mutex::default(),
            occupancy: Occupancy::default(),
            client_sessions: ClientSessions::default(),
            subscriptions: Subscriptions::default(),
            log_levels: LogLevels::default(),
            tasks: Tasks::default(),
            session_states: SessionStates::default(),
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether the configuration has a usable entry for it.
    pub(crate) fn can_start(&self) -> bool {
        self.transport().is_ok()
    }

    /// Its only tool, if that can be called by the name of the server alone.
    pub(crate) fn only_tool(&self) -> Option<String> {
        match &*self.entry() {
            ServerEntry::CommandLine(tools) if tools.tools().answers_to_its_name() => {
                let definitions = tools.tools().definitions();
                definitions.first()?["name"].as_str().map(str::to_owned)
            }
            _ => None,
        }
    }

    /// Returns the way to reach it, or the reason why there is none.
    fn transport(&self) -> Result<Arc<dyn Transport>, String> {
        transport::of(&self.entry())
    }

    /// Notifications that belong to no request, across restarts.
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<SharedNotification> {
        self.notifications.subscribe()
    }

    /// Returns the shared session, opened where necessary. An error is a reason for the user.
    pub(crate) async fn live(self: &Arc<Self>) -> Result<Arc<Live>, String> {
        let mut changed = self.changed.subscribe();
        let mut waited = false;
        loop {
            // The entry may have changed meanwhile.
            self.transport()?;
            // A call right after a crash would fail without need.
            let pause = self.pause();
            if !waited && !pause.is_zero() && pause <= RESTART_PATIENCE {
                // It may be started earlier by someone else, or stopped.
                if let Ok(Err(_)) = tokio::time::timeout(pause, changed.changed()).await {
                    return Err("Schemascope is shutting down".into());
                }
                continue;
            }
            let begins;
            {
                let mut phase = self.phase();
                // The end of an open session says nothing about the next attempt.
                begins = !matches!(*phase, Phase::Ready(_));
                match &*phase {
                    Phase::Ready(live) if !live.link.is_closed() => return Ok(Arc::clone(live)),
                    // Wait until the task that runs it enters another phase.
                    Phase::Ready(_) | Phase::Starting { .. } => {}
                    Phase::Stopped => return Err("Schemascope is shutting down".into()),
                    Phase::Failed { reason, retry_at, .. } if waited || *retry_at > Instant::now() => {
                        return Err(life::not_yet(reason, *retry_at).unwrap_or_else(|| reason.clone()));
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

    /// Restarts it, without waiting for back-off.
    pub(crate) fn restart(self: &Arc<Self>) {
        if !self.can_start() {
            return;
        }
        self.client_sessions.end_all();
        let mut phase = self.phase();
        match &*phase {
            // The user clicked twice.
            Phase::Starting { since, .. } if since.elapsed() < RESTART_DEBOUNCE => {}
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

    /// Returns until when a list of all tools should wait for this upstream: for `limit` from its start. Once it has
    /// failed, not at all, or for a moment if it ran before: it is likely to run again.
    fn worth_waiting_until(&self, limit: Duration) -> Instant {
        let again = if self.listed().is_empty() { Duration::ZERO } else { RESTART_PATIENCE };
        match &*self.phase() {
            Phase::Starting { failures: 1.., since } => *since + again,
            Phase::Failed { failures: 1.., .. } => Instant::now() + again,
            Phase::Starting { since, .. } => *since + limit,
            _ => Instant::now() + limit,
        }
    }

    /// Notes that a client got a list without its tools. It is started again in the background, and the client is notified
    /// once the tools are there.
    pub(crate) fn note_missed(self: &Arc<Self>) {
        self.missed.store(true, Ordering::Relaxed);
        // It may have become ready just before.
        if self.live_now().is_some() {
            self.changed.send_modify(|version| *version += 1);
        } else {
            self.start_again_in_background();
        }
    }

    /// Tries to start it after each pause, a limited number of times, without waiting.
    pub(crate) fn start_again_in_background(self: &Arc<Self>) {
        if self.may_start_again() && !self.retrying.swap(true, Ordering::Relaxed) {
            let upstream = Arc::clone(self);
            tokio::spawn(async move {
                tokio::select! {
                    () = upstream.start_again() => {}
                    () = upstream.stop.cancelled() => {}
                }
                upstream.retrying.store(false, Ordering::Relaxed);
            });
        }
    }

    /// Tries to start it after each pause, a limited number of times.
    async fn start_again(self: &Arc<Self>) {
        for _ in 0..MAX_RETRIES {
            self.pause_is_over().await;
            if self.live().await.is_ok() || !self.may_start_again() {
                return;
            }
        }
    }

    fn may_start_again(&self) -> bool {
        self.can_start() && !self.stop.is_cancelled()
    }

    /// Returns the shared session if it is open by then, for a list. One that ran before is started again after its
    /// pause.
    pub(crate) async fn live_for_list(self: &Arc<Self>, limit: Duration) -> Option<Arc<Live>> {
        let deadline = self.worth_waiting_until(limit);
        let live = async {
            let mut live = self.live().await;
            while live.is_err() && !self.listed().is_empty() && self.may_start_again() {
                self.pause_is_over().await;
                live = self.live().await;
            }
            live.ok()
        };
        tokio::time::timeout_at(deadline.into(), live).await.ok()?
    }

    /// How long it is until it may be started again.
    fn pause(&self) -> Duration {
        match &*self.phase() {
            Phase::Failed { retry_at, .. } => retry_at.saturating_duration_since(Instant::now()),
            _ => Duration::ZERO,
        }
    }

    /// Waits until it may be started again.
    async fn pause_is_over(&self) {
        tokio::time::sleep(self.pause()).await;
    }

    /// Notes that a client got expected prompts or resources. It is notified once they can be listed.
    pub(crate) fn note_sent_expected(&self) {
        self.sent_expected.store(true, Ordering::Relaxed);
        // It may have become ready just before.
        if self.live_now().is_some() {
            self.changed.send_modify(|version| *version += 1);
        }
    }

    /// Returns whether a client got expected prompts or resources since the last time.
    pub(crate) fn had_sent_expected(&self) -> bool {
        self.sent_expected.swap(false, Ordering::Relaxed)
    }

    /// Returns whether a client got a list without its tools since the last time.
    pub(crate) fn was_missed(&self) -> bool {
        self.missed.swap(false, Ordering::Relaxed)
    }

    /// Returns the shared session, if it is open.
    pub(crate) fn live_now(&self) -> Option<Arc<Live>> {
        match &*self.phase() {
            Phase::Ready(live) => Some(Arc::clone(live)),
            _ => None,
        }
    }

    /// Returns the tools it listed last, before a restart if need be.
    pub(crate) fn listed(&self) -> Arc<[ListedTool]> {
        Arc::clone(&self.listed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the last lines of its log: stderr, and lines on stdout that are not messages.
    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lines()
    }

    /// Ends every session, and waits for that.
    pub(crate) async fn stop(&self) {
        self.stop.cancel();
        self.client_sessions.stop().await;
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

    /// Returns the era of the shared session, once it is known.
    fn era(&self) -> Option<Era> {
        *self.era.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, phase: Phase) {
        *self.phase() = phase;
        self.changed.send_modify(|version| *version += 1);
    }

    /// Signals changes of phase and of the listed tools.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Whether it serves Schemascope's own tools.
    pub(crate) fn is_own(&self) -> bool {
        matches!(*self.entry(), ServerEntry::BuiltIn(_))
    }

    fn entry(&self) -> MutexGuard<'_, ServerEntry> {
        self.entry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn replace_token(&self) -> MutexGuard<'_, CancellationToken> {
        self.replace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failing(&self) -> MutexGuard<'_, Option<Failing>> {
        self.failing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
