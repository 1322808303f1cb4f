//! The recorder: from the call path to disk, without delaying answers.
//!
//! Its queue is bounded in bytes. While there is room, handing a call over costs microseconds. When the queue fills up
//! a call waits for 250 ms at most, then its bodies are left out, then the call itself; each step is counted
//! and shown. While the disk takes no writes no call waits. Behind the queue are two stages in line: one makes records, the
//! other writes and counts them.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::SyncSender;
use std::thread::Thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use schemascope_api::{Latency, RecorderReport};
use schemascope_compose::Windows;
use schemascope_model::{CallId, CallRecord, IdSource, Timestamp, ToolId};
use schemascope_proxy::{FinishedCall, ListedTool, Observer};
use schemascope_redact::Redaction;
use schemascope_registry::{LearningRules, Registry, Validators};
use schemascope_shape::HashKey;
use schemascope_store::{Error, Packer, Policy, Writer, free_space};
use tokio::sync::{oneshot, watch};

use super::capacity::{MAX_BYTES, QueueCapacity, Reservation};
use super::draft::Draft;
use super::drafter::{Drafter, PIPELINE_DEPTH};
use super::events::Events;
use super::fold::Folds;
use super::metrics::Metrics;
use super::mode::{Durability, Recording};
use super::pacer::{Pacer, Speed};
use super::queue::{Job, Listings, QueuedCall, Relearn};
use super::relearn::Relearning;
use super::stage::{HasJobs, Threads};
use super::trails::Trails;
use super::writer::{Shared, WriterThread};

/// Longest time a reader waits until earlier answers are counted; a busy machine may take that long.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(5);
/// Jobs that may wait: as many calls as there is memory for, and some listings.
const MAX_JOBS: usize = MAX_BYTES / Draft::LIGHTEST + 1_024;

/// Free space below which people are warned; recording stops at a tenth of it.
const LOW_DISK_BYTES: u64 = 1_000_000_000;
/// Step of the free space that is reported, so that it does not change with every call.
const LOW_DISK_STEP: u64 = 10_000_000;

/// Why a tool was not learned again.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotRelearned {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] Error),
    /// The recorder takes no jobs.
    #[error("the recorder is busy or closed")]
    Closed,
}

/// Takes calls. One per engine.
pub(crate) struct Recorder {
    jobs: SyncSender<Job>,
    capacity: Arc<QueueCapacity>,
    metrics: Arc<Metrics>,
    durability: Durability,
    recording: Recording,
    ids: Arc<IdSource>,
    listings: Arc<Listings>,
    events: Arc<Events>,
    trails: Arc<Trails>,
    policy: watch::Sender<Policy>,
    writing: Mutex<Option<Threads>>,
    /// Threads to unpark when there is something to do after a pause.
    watchers: [Thread; 2],
    /// Folder of the journal.
    journal_dir: PathBuf,
}

/// Parts that a recorder works with.
pub(super) struct RecorderParts {
    pub(super) registry: Arc<Mutex<Registry>>,
    pub(super) folds: Folds,
    pub(super) ids: Arc<IdSource>,
    pub(super) events: Arc<Events>,
    pub(super) redaction: Arc<Redaction>,
}

impl Recorder {
    /// Starts the recorder's threads.
    pub(super) fn start(
        writer: Writer,
        durability: Durability,
        recording: Recording,
        parts: RecorderParts,
    ) -> std::io::Result<Arc<Self>> {
        let RecorderParts { registry, folds, ids, events, redaction } = parts;
        let (jobs, queue) = std::sync::mpsc::sync_channel(MAX_JOBS);
        let (next, writer_jobs) = std::sync::mpsc::sync_channel(PIPELINE_DEPTH);
        let journal_dir = writer.journal_dir().to_owned();
        let (metrics, listings) = (Arc::new(Metrics::default()), Arc::new(Listings::default()));
        let trails = Arc::new(Trails::default());
        let (policy, policy_changes) = watch::channel(Policy::default());
        let capacity = Arc::new(QueueCapacity::new(Pacer::start()?));
        let HashKey(first, second) = registry.lock().key();
        let drafter = Drafter {
            windows: Windows::new((first, second)),
            trails: Arc::clone(&trails),
            registry: Arc::clone(&registry),
            metrics: Arc::clone(&metrics),
            queue,
            next,
            validators: Validators::default(),
            redaction: Arc::clone(&redaction),
            packer: Packer::new()?,
            capacity: Arc::clone(&capacity),
            began: Instant::now(),
            speed: Speed::default(),
            closing: false,
        };
        let shared = Shared {
            registry,
            folds,
            metrics: Arc::clone(&metrics),
            listings: Arc::clone(&listings),
            events: Arc::clone(&events),
            redaction,
            policy: policy_changes,
        };
        let waiting = Arc::clone(&metrics);
        let has_jobs: HasJobs = Arc::new(move || waiting.has_jobs());
        let thread = WriterThread::new(writer, durability, writer_jobs, shared);
        // These threads end when the others have, or when no one can send them jobs any more.
        let drafting = Threads::start("recorder-draft", drafter, &has_jobs)?;
        let writing = Threads::start("recorder-write", thread, &has_jobs)?;
        let watchers = [drafting.watcher(), writing.watcher()];
        let writing = Mutex::new(Some(writing));
        Ok(Arc::new(Self {
            jobs,
            capacity,
            metrics,
            durability,
            recording,
            ids,
            listings,
            events,
            trails,
            policy,
            writing,
            watchers,
            journal_dir,
        }))
    }

    /// An id for a call of a trace.
    pub(crate) fn id_at(&self, at: Timestamp) -> CallId {
        self.ids.at(at)
    }

    /// Records a call of a trace, and waits for memory as long as it takes. Returns whether it was taken.
    pub(crate) async fn submit(&self, record: CallRecord, own_export: bool) -> bool {
        let draft = Draft::Trace { record, own_export };
        let Some(reservation) = self.capacity.reserve(draft.weight()).await else { return false };
        self.enqueue(draft, reservation, None)
    }

    /// Waits until everything taken so far is journaled and counted.
    pub(crate) async fn flush(&self) {
        let (done, flushed) = oneshot::channel();
        if self.jobs.try_send(Job::Flush(done)).is_ok() {
            let _awaited = self.awaited();
            let _ = flushed.await;
        }
    }

    /// Keeps stored calls by this policy from now on.
    pub(crate) fn retain(&self, policy: Policy) {
        self.policy.send_replace(policy);
    }

    /// Learns a tool again from its stored calls, by these rules. `empty` is a registry without tools.
    pub(super) async fn relearn(
        &self,
        tool: ToolId,
        rules: LearningRules,
        empty: Registry,
    ) -> Result<(), NotRelearned> {
        let _awaited = self.awaited();
        let (told, end) = oneshot::channel();
        self.send(Job::Relearn(Relearn::Position(told)))?;
        let end = end.await.map_err(|_| NotRelearned::Closed)?;
        let journal = self.journal_dir.clone();
        let reading = move || {
            let mut relearning = Relearning::new(tool, rules, empty);
            relearning.read_to(&journal, end).map(|()| relearning)
        };
        let read = tokio::task::spawn_blocking(reading).await.map_err(|_| NotRelearned::Closed)?;
        let (done, is_done) = oneshot::channel();
        self.send(Job::Relearn(Relearn::Finish(Box::new(read?), done)))?;
        is_done.await.map_err(|_| NotRelearned::Closed)?.map_err(NotRelearned::Store)
    }

    /// Counts a reader that waits for the recorder, until this is dropped.
    fn awaited(&self) -> Awaited {
        let metrics = Arc::clone(&self.metrics);
        metrics.awaited.fetch_add(1, Ordering::Relaxed);
        self.watchers.iter().for_each(Thread::unpark);
        Awaited(metrics)
    }

    fn send(&self, job: Job) -> Result<(), NotRelearned> {
        self.jobs.try_send(job).map_err(|_| NotRelearned::Closed)
    }

    /// Waits until earlier answers are counted, so that a reader finds them. Does not wait while the disk takes no
    /// writes.
    pub(crate) async fn settle(&self) {
        tokio::select! {
            () = self.metrics.until_stalled() => {}
            _ = tokio::time::timeout(SETTLE_TIMEOUT, self.flush()) => {}
        }
    }

    /// Announces the end: from now on failing writes are given up after a while, so that calls that wait for them
    /// do not delay the end.
    pub(crate) fn begin_close(&self) {
        self.metrics.closing.store(true, Ordering::Relaxed);
    }

    /// Writes what is waiting and ends the threads. Later calls are counted as dropped. Blocks.
    pub(crate) fn close(&self) {
        let writing = self.writing.lock().take();
        if let Some(writing) = writing {
            self.begin_close();
            let _awaited = self.awaited();
            // A full queue is being written; it has room in a moment.
            let _ = self.jobs.send(Job::Close);
            if !writing.join() {
                tracing::error!("the recorder ended with a panic; what was journaled is safe");
            }
        }
    }

    pub(crate) fn report(&self) -> RecorderReport {
        let free = free_space(&self.journal_dir).filter(|free| *free < LOW_DISK_BYTES);
        RecorderReport {
            low_disk_bytes: free.map(|free| free - free % LOW_DISK_STEP),
            ..self.metrics.report(self.recording == Recording::Off)
        }
    }

    /// The latest calls of the sessions in progress.
    pub(crate) fn trails(&self) -> &Trails {
        &self.trails
    }

    /// Durations of calls since the start, from request to answer.
    pub(crate) fn call_latency(&self) -> Latency {
        self.metrics.call_latency.summary()
    }

    async fn record(&self, call: FinishedCall) {
        let mut draft = Draft::live(self.ids.live(call.at), call);
        let mut reservation = self.admit(draft.weight()).await;
        if reservation.is_none() {
            draft.leave_bodies_out();
            reservation = self.capacity.try_reserve_beyond_pace(draft.weight());
            if reservation.is_some() {
                self.metrics.bodies_left_out.fetch_add(1, Ordering::Relaxed);
            }
        }
        let Some(reservation) = reservation else {
            self.metrics.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        };
        match self.durability {
            Durability::Relaxed => drop(self.enqueue(draft, reservation, None)),
            Durability::Strict => {
                let (done, journaled) = oneshot::channel();
                if self.enqueue(draft, reservation, Some(done)) {
                    tokio::select! {
                        _ = journaled => {}
                        () = self.metrics.until_stalled() => {}
                    }
                }
            }
        }
    }

    /// Memory for a call, at once or after a wait. A recorder that has stopped is not waited for: the call gets memory
    /// as long as there is any.
    async fn admit(&self, bytes: usize) -> Option<Reservation> {
        if let Some(reservation) = self.capacity.try_reserve(bytes) {
            return Some(reservation);
        }
        tokio::select! {
            biased;
            () = self.metrics.until_stalled() => self.capacity.try_reserve_beyond_pace(bytes),
            reservation = self.capacity.reserve_in_time(bytes) => reservation,
        }
    }

    fn enqueue(&self, draft: Draft, reservation: Reservation, done: Option<oneshot::Sender<()>>) -> bool {
        if self.metrics.waiting.fetch_add(1, Ordering::Relaxed) == 0 {
            self.watchers.iter().for_each(Thread::unpark);
        }
        let call = QueuedCall { draft, since: Instant::now(), done, reservation };
        let taken = self.jobs.try_send(Job::Call(Box::new(call))).is_ok();
        if !taken {
            self.metrics.waiting.fetch_sub(1, Ordering::Relaxed);
            self.metrics.dropped.fetch_add(1, Ordering::Relaxed);
        }
        taken
    }
}

/// A reader that waits for the recorder.
struct Awaited(Arc<Metrics>);

impl Drop for Awaited {
    fn drop(&mut self) {
        self.0.awaited.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Observer for Recorder {
    fn finished(&self, call: FinishedCall) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        match self.recording {
            Recording::On => Box::pin(self.record(call)),
            Recording::Off => Box::pin(std::future::ready(())),
        }
    }

    fn listed(&self, server: &str, tools: &[ListedTool]) {
        if self.recording == Recording::Off {
            return;
        }
        let first = self.listings.put(server, tools, Timestamp::now());
        if first && self.jobs.try_send(Job::Listed(server.to_owned())).is_err() {
            // Or the next listing would be taken for one that is in the queue.
            self.listings.take(server);
            tracing::warn!(
                server,
                "the recorder is too busy for a listing of tools; the next one replaces it"
            );
        }
    }

    fn changed(&self, server: &str) {
        self.events.server_changed(server);
    }
}
