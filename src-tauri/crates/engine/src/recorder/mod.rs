//! The recorder: from the call path to disk, without holding calls up.
//!
//! A queue bounded in bytes. While there is room, handing a call over costs microseconds. When it is
//! full a call waits for 250 ms at most, then its bodies are left out, then the call itself; each step
//! is counted and shown. Behind it two threads in line: one makes records, the other writes and counts
//! them. Owns: the queue and what is counted. Refuses to know: upstreams, commands.

mod draft;
mod drafter;
mod known;
mod retention;
mod room;
mod writer;

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use schemascope_api::{Latency, RecorderReport};
use schemascope_model::{CallId, CallRecord, IdSource, Origin, Timestamp};
use schemascope_proxy::{FinishedCall, ListedTool, Observer};
use schemascope_registry::{Registry, Validators};
use schemascope_store::{Packer, Policy, Writer};
use tokio::sync::oneshot;

use crate::events::Events;
use crate::histogram::Histogram;
use crate::redact::Redaction;
use draft::Draft;
use drafter::Drafter;
use room::{BUDGET, PATIENCE, Room, Rooms};

/// How long a reader waits for what was answered before it asked: a machine that is busy takes its time.
const SETTLING: Duration = Duration::from_secs(5);
/// Jobs that may wait: as many calls as the budget allows, and some listings.
const JOBS: usize = BUDGET / Draft::LIGHTEST + 1_024;

/// How much less the recorder's threads matter than those that answer calls, in steps of some 25 %.
#[cfg(target_os = "linux")]
const NICE: i32 = 5;

/// When an answer may go out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Durability {
    /// At once; a kill costs at most the last 50 ms of calls.
    #[default]
    Relaxed,
    /// When the call is on disk.
    Strict,
}

/// Whether calls that pass are recorded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Recording {
    /// Every call, and what upstreams list.
    #[default]
    On,
    /// Neither: nothing that passes is stored or learned from. What is stored already stays and is shown.
    Off,
}

/// What all parts of the recorder count.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    recorded: AtomicU64,
    bodies_left_out: AtomicU64,
    dropped: AtomicU64,
    redacted_values: AtomicU64,
    not_judged: AtomicU64,
    waiting: AtomicU64,
    stalled: Mutex<Option<String>>,
    index_behind: AtomicBool,
    closing: AtomicBool,
    /// From answer to journaled.
    latency: Histogram,
    /// Of calls, from request to answer.
    call_latency: Histogram,
}

impl Metrics {
    fn count_not_judged(&self) {
        self.not_judged.fetch_add(1, Ordering::Relaxed);
    }

    fn count(&self, call: &CallRecord) {
        if let Some(micros) = call.total_us.filter(|_| call.origin != Origin::Backfill) {
            self.call_latency.add(micros);
        }
    }
}

/// Takes calls. One per engine.
pub(crate) struct Recorder {
    jobs: SyncSender<Job>,
    rooms: Rooms,
    metrics: Arc<Metrics>,
    durability: Durability,
    recording: Recording,
    ids: IdSource,
    listings: Arc<Listings>,
    events: Arc<Events>,
    writing: Mutex<Option<JoinHandle<()>>>,
}

/// What is to be done, in order.
enum Job {
    Call(Box<Waiting>),
    /// The newest listing of this server, in [`Listings`].
    Listed(String),
    Flush(oneshot::Sender<()>),
    /// Which calls are kept, from now on.
    Retain(Policy),
    Close,
}

/// The newest listing of each server that is not written yet: an upstream that lists again and again
/// replaces its own.
#[derive(Default)]
struct Listings(Mutex<BTreeMap<String, (Vec<ListedTool>, Timestamp)>>);

impl Listings {
    /// Whether there was none of this server waiting.
    fn put(&self, server: &str, tools: &[ListedTool], at: Timestamp) -> bool {
        self.lock().insert(server.to_owned(), (tools.to_vec(), at)).is_none()
    }

    fn take(&self, server: &str) -> Option<(Vec<ListedTool>, Timestamp)> {
        self.lock().remove(server)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, (Vec<ListedTool>, Timestamp)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call in the queue.
struct Waiting {
    draft: Draft,
    since: Instant,
    done: Option<oneshot::Sender<()>>,
    room: Room,
}

impl Recorder {
    pub(crate) fn start(
        writer: Writer,
        registry: Arc<Mutex<Registry>>,
        ids: IdSource,
        durability: Durability,
        recording: Recording,
        events: Arc<Events>,
        redaction: Arc<Redaction>,
    ) -> std::io::Result<Arc<Self>> {
        let (jobs, queue) = std::sync::mpsc::sync_channel(JOBS);
        let (next, steps) = std::sync::mpsc::sync_channel(drafter::BETWEEN);
        let metrics = Arc::new(Metrics::default());
        let listings = Arc::new(Listings::default());
        let drafter = Drafter {
            registry: Arc::clone(&registry),
            metrics: Arc::clone(&metrics),
            queue,
            next,
            validators: Validators::default(),
            redaction: Arc::clone(&redaction),
            packer: Packer::new()?,
        };
        let shared = writer::Shared {
            registry,
            metrics: Arc::clone(&metrics),
            listings: Arc::clone(&listings),
            events: Arc::clone(&events),
            redaction,
        };
        let thread = writer::WriterThread::new(writer, durability, steps, shared);
        // It ends when the other has, or when there is nobody left to send it anything.
        behind("recorder-draft", move || drafter.run())?;
        let writing = behind("recorder-write", move || thread.run())?;
        Ok(Arc::new(Self {
            jobs,
            rooms: Rooms::new(),
            metrics,
            durability,
            recording,
            ids,
            listings,
            events,
            writing: Mutex::new(Some(writing)),
        }))
    }

    /// An id for a call of a trace.
    pub(crate) fn id_at(&self, at: Timestamp) -> CallId {
        self.ids.at(at)
    }

    /// Takes a call of a trace, waiting for room as long as it takes. Whether it was taken.
    pub(crate) async fn submit(&self, record: CallRecord, own_export: bool) -> bool {
        let draft = Draft::Trace { record, own_export };
        let Some(room) = self.rooms.whenever(draft.weight()).await else { return false };
        self.enqueue(draft, room, None)
    }

    /// Waits until everything taken so far is journaled and counted.
    pub(crate) async fn flush(&self) {
        let (done, flushed) = oneshot::channel();
        if self.jobs.try_send(Job::Flush(done)).is_ok() {
            let _ = flushed.await;
        }
    }

    /// Keeps stored calls by this policy from now on. Whether that was taken.
    pub(crate) fn retain(&self, policy: Policy) -> bool {
        self.jobs.try_send(Job::Retain(policy)).is_ok()
    }

    /// Lets what was just answered be counted, so that a reader finds it; hardly where the disk refuses, which
    /// should not hold readers up.
    pub(crate) async fn settle(&self) {
        let patience = if self.is_stalled() { PATIENCE } else { SETTLING };
        let _ = tokio::time::timeout(patience, self.flush()).await;
    }

    fn is_stalled(&self) -> bool {
        self.metrics.stalled.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Says that the end is near: writes that the disk refuses are given up after a while, so that
    /// nobody who waits for them holds the end up.
    pub(crate) fn begin_close(&self) {
        self.metrics.closing.store(true, Ordering::Relaxed);
    }

    /// Writes what is waiting and ends the thread. Calls that come later are counted as dropped.
    pub(crate) fn close(&self) {
        let writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(writing) = writing {
            self.begin_close();
            // A full queue is being written; there is room in a moment.
            let _ = self.jobs.send(Job::Close);
            if writing.join().is_err() {
                tracing::error!("the recorder ended with a panic; what was journaled is safe");
            }
        }
    }

    pub(crate) fn report(&self) -> RecorderReport {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        RecorderReport {
            off: self.recording == Recording::Off,
            recorded: count(&self.metrics.recorded),
            bodies_left_out: count(&self.metrics.bodies_left_out),
            dropped: count(&self.metrics.dropped),
            redacted_values: count(&self.metrics.redacted_values),
            not_judged: count(&self.metrics.not_judged),
            waiting: count(&self.metrics.waiting),
            stalled: self.metrics.stalled.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            index_behind: self.metrics.index_behind.load(Ordering::Relaxed),
            latency: self.metrics.latency.summary(),
        }
    }

    /// Times of calls since the start, from request to answer.
    pub(crate) fn call_latency(&self) -> Latency {
        self.metrics.call_latency.summary()
    }

    async fn take(&self, call: FinishedCall) {
        let mut draft = Draft::live(self.ids.live(call.at), call);
        let mut room = self.rooms.at_once(draft.weight());
        if room.is_none() {
            room = self.rooms.patiently(draft.weight()).await;
        }
        if room.is_none() {
            draft.leave_bodies_out();
            room = self.rooms.left_over(draft.weight());
            if room.is_some() {
                self.metrics.bodies_left_out.fetch_add(1, Ordering::Relaxed);
            }
        }
        let Some(room) = room else {
            self.metrics.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        };
        match self.durability {
            Durability::Relaxed => drop(self.enqueue(draft, room, None)),
            Durability::Strict => {
                let (done, journaled) = oneshot::channel();
                if self.enqueue(draft, room, Some(done)) {
                    let _ = journaled.await;
                }
            }
        }
    }

    fn enqueue(&self, draft: Draft, room: Room, done: Option<oneshot::Sender<()>>) -> bool {
        self.metrics.waiting.fetch_add(1, Ordering::Relaxed);
        let waiting = Waiting { draft, since: Instant::now(), done, room };
        let taken = self.jobs.try_send(Job::Call(Box::new(waiting))).is_ok();
        if !taken {
            self.metrics.waiting.fetch_sub(1, Ordering::Relaxed);
            self.metrics.dropped.fetch_add(1, Ordering::Relaxed);
        }
        taken
    }
}

/// Runs a thread that leaves the processor to whoever answers a call. It cannot fall behind for good: calls wait when
/// there is too much for it to do.
fn behind(name: &str, run: impl FnOnce() + Send + 'static) -> std::io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name.into()).spawn(move || {
        // On Linux this is the calling thread's alone. Without it only the longest answers take longer.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::setpriority_process(None, NICE);
        run();
    })
}

impl Observer for Recorder {
    fn finished(&self, call: FinishedCall) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        match self.recording {
            Recording::On => Box::pin(self.take(call)),
            Recording::Off => Box::pin(std::future::ready(())),
        }
    }

    fn listed(&self, server: &str, tools: &[ListedTool]) {
        if self.recording == Recording::Off {
            return;
        }
        let first = self.listings.put(server, tools, Timestamp::now());
        if first && self.jobs.try_send(Job::Listed(server.to_owned())).is_err() {
            // Or nobody would ever come for it.
            self.listings.take(server);
            tracing::warn!(server, "the recorder could not take a listing; the next one brings it");
        }
    }

    fn changed(&self, server: &str) {
        self.events.server_changed(server);
    }
}
