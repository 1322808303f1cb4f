//! An upstream over its whole life: started when first needed, watched, restarted with back-off.
//!
//! Owns: the states and the reasons in plain words, and which session serves whom. Refuses to know: calls.

pub(crate) mod audience;
pub(crate) mod handshake;
pub(crate) mod http;
mod levels;
mod life;
pub(crate) mod lines;
pub(crate) mod link;
mod log;
mod process;
mod reconfigure;
mod session;
mod sides;
pub(crate) mod sse;
mod status;
pub(crate) mod subscriptions;
pub(crate) mod tasks;
mod wishes;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;

use crate::config::ServerEntry;
use crate::observer::{ListedTool, Observer};
use crate::wire::Era;
use audience::Said;
use levels::Levels;
use log::LogTail;
pub use process::UPSTREAM_OF;
pub(crate) use session::Live;
use session::Spec;
use sides::Sides;
pub use status::Status;
use subscriptions::Subscriptions;
use tasks::Tasks;
use wishes::Wishes;

/// How long after a start a wish to restart is taken for the same wish.
const JUST_STARTED: Duration = Duration::from_secs(1);
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
    /// What clients said in sessions of their own.
    pub(crate) wishes: Wishes,
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
            wishes: Wishes::default(),
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

    /// The era of the session everybody shares, once one was open.
    fn era(&self) -> Option<Era> {
        *self.era.lock().unwrap_or_else(PoisonError::into_inner)
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
