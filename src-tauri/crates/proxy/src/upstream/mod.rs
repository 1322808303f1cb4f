//! An upstream over its whole life: started when first needed, watched, restarted with back-off.
//!
//! Owns: the states and the reasons in plain words. Refuses to know: clients and calls.

pub(crate) mod connection;
mod handshake;
mod log;
mod process;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use schemascope_model::{Timestamp, UpstreamState};
use tokio::sync::{Notify, broadcast, watch};
use tokio_util::sync::CancellationToken;

use crate::config::{ServerEntry, StdioSpec};
use crate::observer::{ListedTool, Observer};
use connection::{Connection, Notification};
use handshake::Hello;
use log::LogTail;

/// An upstream that lived this long before it ended is started again at once when next needed.
const HEALTHY: Duration = Duration::from_secs(10);
/// Longest pause between two attempts.
const MAX_BACKOFF: Duration = Duration::from_secs(60);
/// How long the last words of an ended process are waited for.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// How long after a start a wish to restart is taken for the same wish.
const JUST_STARTED: Duration = Duration::from_secs(1);
/// Pause before changed tools that could not be listed are listed again.
const RELIST_PAUSE: Duration = Duration::from_secs(10);
/// Notifications that may wait for a slow listener.
const NOTIFICATIONS: usize = 256;

pub(crate) struct Upstream {
    name: String,
    entry: ServerEntry,
    observer: Arc<dyn Observer>,
    log: Arc<LogTail>,
    phase: Mutex<Phase>,
    /// Bumped with every change of phase, after it.
    changed: watch::Sender<u64>,
    notifications: broadcast::Sender<Notification>,
    /// What it listed last, also while it is away.
    listed: Mutex<Arc<[ListedTool]>>,
    stop: CancellationToken,
    /// Cancelled when somebody wants the process that runs now replaced. Changed under `phase`.
    replace: Mutex<CancellationToken>,
}

enum Phase {
    Idle,
    Starting { since: Instant, failures: u32 },
    Ready(Arc<Live>),
    Failed { reason: String, failures: u32, retry_at: Instant },
    Stopped,
}

/// A connected upstream.
pub(crate) struct Live {
    pub(crate) connection: Arc<Connection>,
    pub(crate) hello: Hello,
    tools: Mutex<Arc<[ListedTool]>>,
    pid: Option<u32>,
    since: Timestamp,
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

impl Live {
    pub(crate) fn tools(&self) -> Arc<[ListedTool]> {
        Arc::clone(&self.tools.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Upstream {
    pub(crate) fn new(name: &str, entry: ServerEntry, observer: Arc<dyn Observer>) -> Arc<Self> {
        Arc::new(Self {
            name: name.to_owned(),
            entry,
            observer,
            log: Arc::default(),
            phase: Mutex::new(Phase::Idle),
            changed: watch::Sender::new(0),
            notifications: broadcast::Sender::new(NOTIFICATIONS),
            listed: Mutex::default(),
            stop: CancellationToken::new(),
            replace: Mutex::default(),
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether there is anything to start.
    pub(crate) fn can_start(&self) -> bool {
        matches!(self.entry, ServerEntry::Stdio(_))
    }

    /// What it sends on its own account, over restarts.
    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Notification> {
        self.notifications.subscribe()
    }

    /// The connected upstream, started if need be. An error is the reason in plain words.
    pub(crate) async fn live(self: &Arc<Self>) -> Result<Arc<Live>, String> {
        let spec = match &self.entry {
            ServerEntry::Stdio(spec) => spec,
            ServerEntry::Disabled => return Err("it is disabled in the configuration".into()),
            ServerEntry::Invalid(reason) => return Err(reason.clone()),
        };
        let mut changed = self.changed.subscribe();
        let mut waited = false;
        loop {
            {
                let mut phase = self.phase();
                match &*phase {
                    Phase::Ready(live) if !live.connection.is_closed() => return Ok(Arc::clone(live)),
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
                        tokio::spawn(Arc::clone(self).run(spec.clone(), failures));
                    }
                }
            }
            if changed.changed().await.is_err() {
                return Err("Schemascope is shutting down".into());
            }
            waited = true;
        }
    }

    /// Replaces the running process, or starts one now, whatever back-off says.
    pub(crate) fn restart(self: &Arc<Self>) {
        let ServerEntry::Stdio(spec) = &self.entry else { return };
        let mut phase = self.phase();
        match &*phase {
            // A second click while the first is being done.
            Phase::Starting { since, .. } if since.elapsed() < JUST_STARTED => {}
            Phase::Ready(_) | Phase::Starting { .. } => self.replace_token().cancel(),
            Phase::Idle | Phase::Failed { .. } => {
                *phase = Phase::Starting { since: Instant::now(), failures: 0 };
                drop(phase);
                self.changed.send_modify(|version| *version += 1);
                tokio::spawn(Arc::clone(self).run(spec.clone(), 0));
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

    /// Its tools if it is ready now.
    pub(crate) fn tools_now(&self) -> Option<Arc<[ListedTool]>> {
        match &*self.phase() {
            Phase::Ready(live) => Some(live.tools()),
            _ => None,
        }
    }

    /// The tools it listed last, in this life or an earlier one.
    pub(crate) fn listed(&self) -> Arc<[ListedTool]> {
        Arc::clone(&self.listed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn status(&self) -> Status {
        let (state, reason, live) = match (&self.entry, &*self.phase()) {
            (ServerEntry::Disabled, _) => (UpstreamState::Disabled, None, None),
            (ServerEntry::Invalid(reason), _) => (UpstreamState::Invalid, Some(reason.clone()), None),
            (_, Phase::Idle) => (UpstreamState::Idle, Some("starts when first needed".into()), None),
            (_, Phase::Starting { since, .. }) => {
                let seconds = since.elapsed().as_secs();
                let reason = format!("started {seconds} s ago and is not ready yet");
                (UpstreamState::Starting, Some(reason).filter(|_| seconds > 0), None)
            }
            (_, Phase::Ready(live)) => {
                let (noise, dropped) = (live.connection.noise(), live.connection.dropped_progress());
                let mut remarks = Vec::new();
                if noise > 0 {
                    remarks.push(format!("wrote {noise} lines to stdout that are no messages"));
                }
                if dropped > 0 {
                    remarks.push(format!("sent {dropped} progress notifications that slow clients missed"));
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

    /// Ends the process and waits for it.
    pub(crate) async fn stop(&self) {
        self.stop.cancel();
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

    /// From start to end of one process.
    async fn run(self: Arc<Self>, spec: StdioSpec, mut failures: u32) {
        loop {
            let began = Instant::now();
            tracing::info!(upstream = %self.name, command = %spec.command, "starting");
            let mut was_ready = false;
            let replace = CancellationToken::new();
            *self.replace_token() = replace.clone();
            let ended = self.run_process(&spec, &mut was_ready, &replace).await;
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
                    let healthy = was_ready && began.elapsed() >= HEALTHY;
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

    /// Runs the process until it ends, by itself (an error, with the reason) or because we end it.
    async fn run_process(
        self: &Arc<Self>,
        spec: &StdioSpec,
        was_ready: &mut bool,
        replace: &CancellationToken,
    ) -> Result<(), String> {
        let mut process = process::start(spec)?;
        let pid = process.child.id();
        let stderr = {
            let log = Arc::clone(&self.log);
            tokio::spawn(connection::read_lines(process.stderr, move |line| {
                if let connection::Line::Whole(line) = line {
                    log.push(&line);
                }
            }))
        };
        let (connection, reading) = Connection::run(process.stdout, process.stdin, Arc::clone(&self.log));
        let mut notifications = connection.subscribe();
        let outcome = tokio::select! {
            biased;
            () = self.stop.cancelled() => Ok(()),
            () = replace.cancelled() => Ok(()),
            reason = self.serve(&connection, pid, &mut notifications, was_ready) => Err(reason),
            // A grandchild may hold its stdout open; what it still had to say is read for a moment.
            _ = process.child.wait() => {
                let _ = tokio::time::timeout(LAST_WORDS, reading).await;
                connection.close();
                Err("it ended".to_owned())
            }
        };
        let lost = connection.is_closed();
        connection.close();
        let status = process.child.end().await;
        // What it wrote last is often the reason; a grandchild holding the pipe must not hold us up.
        let _ = tokio::time::timeout(LAST_WORDS, stderr).await;
        match outcome {
            Err(reason) if lost => Err(self.epitaph(reason, status)),
            other => other,
        }
    }

    /// From handshake to end; why it ended.
    async fn serve(
        self: &Arc<Self>,
        connection: &Arc<Connection>,
        pid: Option<u32>,
        notifications: &mut broadcast::Receiver<Notification>,
        was_ready: &mut bool,
    ) -> String {
        let (hello, tools) = match handshake_and_list(connection).await {
            Ok(begun) => begun,
            Err(reason) => return reason,
        };
        self.take_listing(&tools);
        tracing::info!(upstream = %self.name, tools = tools.len(), protocol = %hello.version, "ready");
        let live = Arc::new(Live {
            connection: Arc::clone(connection),
            hello,
            tools: Mutex::new(tools.into()),
            pid,
            since: Timestamp::now(),
        });
        *was_ready = true;
        self.enter(Phase::Ready(Arc::clone(&live)));
        let relist = Notify::new();
        tokio::select! {
            () = self.relay(&live, notifications, &relist) => {}
            () = self.keep_listed(&live, &relist) => {}
            () = live.connection.closed() => {}
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
                    if live.hello.has_tools && notification.method == "notifications/tools/list_changed" {
                        relist.notify_one();
                    }
                    // Nobody listening is fine.
                    let _ = self.notifications.send(notification);
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
            match handshake::list_tools(&live.connection).await {
                Ok(tools) => {
                    self.take_listing(&tools);
                    *live.tools.lock().unwrap_or_else(PoisonError::into_inner) = tools.into();
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

    /// Why a process that ended did, as far as can be known.
    fn epitaph(&self, reason: String, status: Option<std::process::ExitStatus>) -> String {
        let how = status.map_or(reason, |status| match status.code() {
            Some(code) => format!("it exited with code {code}"),
            None => format!("it was ended ({status})"),
        });
        match self.log.last() {
            Some(line) => format!("{how}; its last output: {line:?}"),
            None => format!("{how} without saying why"),
        }
    }

    fn take_listing(&self, tools: &[ListedTool]) {
        self.observer.listed(&self.name, tools);
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = tools.into();
    }

    fn enter(&self, phase: Phase) {
        *self.phase() = phase;
        self.changed.send_modify(|version| *version += 1);
    }

    /// Changes of phase and of the tools listed.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    fn replace_token(&self) -> MutexGuard<'_, CancellationToken> {
        self.replace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn handshake_and_list(connection: &Arc<Connection>) -> Result<(Hello, Vec<ListedTool>), String> {
    let hello = handshake::initialize(connection).await?;
    let tools = if hello.has_tools { handshake::list_tools(connection).await? } else { Vec::new() };
    Ok((hello, tools))
}
