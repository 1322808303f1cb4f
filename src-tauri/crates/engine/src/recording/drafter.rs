//! First of the recorder's two stages: judges, redacts and packs calls, in the order they came.
//!
//! Listings and other jobs pass through in the same order. Nothing here waits for a disk.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SendError, SyncSender};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use schemascope_compose::{Flow, Windows};
use schemascope_model::{CallRecord, Fit, Origin, Outcome, ToolId};
use schemascope_proxy::{Effective, OWN_SERVER};
use schemascope_redact::Redaction;
use schemascope_registry::{DeclaredSchema, Observation, Registry, Tool, Validators};
use schemascope_store::{Entry, Packer};
use tokio::sync::oneshot;

use super::capacity::QueueCapacity;
use super::draft::{DraftedCall, Judged, Judging};
use super::flows;
use super::metrics::Metrics;
use super::pacer::Speed;
use super::priority::give_way;
use super::queue::{Job, PackedCall, QueuedCall, WriterJob};
use super::stage::{Stage, Turn};
use super::trails::Trails;

/// Jobs between the two stages: enough that neither waits for short pauses of the other.
pub(super) const PIPELINE_DEPTH: usize = 256;
/// Longest time judging one observation may take before its schema is no longer used. The work is bounded
/// beforehand, but only roughly.
const MAX_JUDGING: Duration = Duration::from_secs(5);
/// Bytes of a call above which packing takes long.
const LONG_TO_PACK: usize = 32 * 1024;

pub(super) struct Drafter {
    pub(super) registry: Arc<Mutex<Registry>>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) queue: Receiver<Job>,
    pub(super) next: SyncSender<WriterJob>,
    pub(super) validators: Validators,
    pub(super) redaction: Arc<Redaction>,
    pub(super) packer: Packer,
    /// Values that the sessions in progress have seen.
    pub(super) windows: Windows,
    /// The latest calls of these sessions.
    pub(super) trails: Arc<Trails>,
    pub(super) capacity: Arc<QueueCapacity>,
    /// When the present job was begun: when it came, or the one before was done.
    pub(super) began: Instant,
    pub(super) speed: Speed,
    pub(super) closing: bool,
}

impl Stage for Drafter {
    /// Ends when it is closed and the queue is empty, or the second stage has ended.
    fn turn(&mut self, wait: Duration) -> Turn {
        // Jobs that arrived behind the one to close are still done.
        let wait = if self.closing { Duration::ZERO } else { wait };
        let job = self.queue.try_recv().or_else(|_| {
            let job = self.queue.recv_timeout(wait);
            self.began = Instant::now();
            job
        });
        let job = match job {
            Ok(job) => job,
            Err(RecvTimeoutError::Timeout) if !self.closing => return Turn::Waited,
            Err(_) => return Turn::Ended,
        };
        self.closing |= matches!(job, Job::Close);
        let done = self.work(job);
        self.began = Instant::now();
        if done.is_ok() { Turn::Worked } else { Turn::Ended }
    }

    fn end(self) {
        let _ = self.next.send(WriterJob::Close);
    }
}

impl Drafter {
    fn work(&mut self, job: Job) -> Result<(), SendError<WriterJob>> {
        match job {
            Job::Call(_) if self.metrics.given_up.load(Ordering::Relaxed) => {
                self.metrics.dropped.fetch_add(1, Ordering::Relaxed);
                self.metrics.waiting.fetch_sub(1, Ordering::Relaxed);
                Ok(())
            }
            Job::Call(call) => {
                let bytes = call.draft.weight();
                let Some(packed) = self.draft(*call) else {
                    self.metrics.dropped.fetch_add(1, Ordering::Relaxed);
                    self.metrics.waiting.fetch_sub(1, Ordering::Relaxed);
                    return Ok(());
                };
                let sent = self.next.send(WriterJob::Write(Box::new(packed)));
                self.speed.add(bytes, self.began.elapsed());
                self.capacity.pacer.set_speed(&self.speed);
                sent
            }
            Job::Listed(server) => {
                let (known, is_known) = oneshot::channel();
                self.next.send(WriterJob::Listed(server, known))?;
                // Calls of traces behind the listing are judged by what it declares.
                let _ = is_known.blocking_recv();
                Ok(())
            }
            Job::Flush(done) => self.next.send(WriterJob::Flush(done)),
            Job::Relearn(step) => self.next.send(WriterJob::Relearn(step)),
            Job::Close => Ok(()),
        }
    }

    /// Reads and redacts a call. Returns `None` if that panics: what could not be redacted is not stored.
    fn draft(&mut self, call: QueuedCall) -> Option<PackedCall> {
        let QueuedCall { draft, since, done, reservation } = call;
        let redactor = self.redaction.now();
        let drafted = catch_unwind(AssertUnwindSafe(|| draft.into_record(&redactor, self)));
        let Ok(DraftedCall { record, observation }) = drafted else {
            tracing::error!(
                "a call could not be read or redacted, so it is not recorded; please report this"
            );
            return None;
        };
        let bytes = bytes_of_bodies(&record);
        if bytes > LONG_TO_PACK {
            give_way();
        }
        let record = self.packer.pack(Entry::Call(record));
        Some(PackedCall { record, bytes, observation, since, done, reservation: reservation.drafted() })
    }
}

impl Judging for Drafter {
    fn flow(&mut self, call: &CallRecord, observed: Option<&str>) -> Flow {
        if call.outcome == Outcome::Ok
            && !matches!(call.origin, Origin::Backfill | Origin::Discovery)
            && call.tool_id.server() != OWN_SERVER
        {
            let session = flows::session_name(call.session.as_deref(), call.client.as_ref());
            self.trails.add(&session, &call.tool_id.to_string());
        }
        let flow = catch_unwind(AssertUnwindSafe(|| flows::observe(&mut self.windows, call, observed)));
        let evicted = self.windows.evicted();
        self.metrics.evicted_sessions.store(evicted.sessions, Ordering::Relaxed);
        self.metrics.evicted_values.store(evicted.values, Ordering::Relaxed);
        flow.unwrap_or_else(|_| {
            tracing::error!(tool = %call.tool_id, "the values of a call could not be followed");
            Flow::default()
        })
    }

    fn sends_items(&self, tool: &ToolId) -> bool {
        self.registry.lock().tool(tool).is_some_and(Tool::sends_items)
    }

    fn judge(
        &mut self,
        tool: &ToolId,
        effective: Option<&Effective>,
        observation: &Observation<'_>,
    ) -> Judged {
        // The lock is held for a moment only.
        let declared = match effective {
            Some(effective) if !effective.is_promoted() => None,
            _ => self.registry.lock().declared_schema(tool),
        };
        let Some(effective) = effective else {
            return Judged {
                fit: self.counted_fit(tool, declared.as_ref(), observation),
                declared_fit: None,
            };
        };
        let schema = effective.schema().map(|schema| DeclaredSchema {
            digest: (*schema.digest).into(),
            schema: Arc::clone(&schema.schema),
        });
        let fit = self.counted_fit(tool, schema.as_ref(), observation);
        // How well a server keeps what it declares stays known when another schema is effective.
        let declared_fit = declared.and_then(|declared| {
            if schema.is_some_and(|schema| schema.digest == declared.digest) {
                return fit.clone();
            }
            self.fit(tool, &declared, observation)
        });
        Judged { fit, declared_fit }
    }
}

impl Drafter {
    /// Compares a result with a schema, and counts it if there is one that it cannot be compared with.
    fn counted_fit(
        &mut self,
        tool: &ToolId,
        schema: Option<&DeclaredSchema>,
        observation: &Observation<'_>,
    ) -> Option<Fit> {
        let fit = self.fit(tool, schema?, observation);
        if fit.is_none() {
            self.metrics.not_judged.fetch_add(1, Ordering::Relaxed);
        }
        fit
    }

    fn fit(&mut self, tool: &ToolId, schema: &DeclaredSchema, observation: &Observation<'_>) -> Option<Fit> {
        let began = Instant::now();
        let judged = catch_unwind(AssertUnwindSafe(|| self.validators.judge(schema, observation)));
        if judged.is_err() || began.elapsed() > MAX_JUDGING {
            tracing::warn!(%tool, "judging results by the tool's schema fails or takes too long; they are no longer judged by it");
            self.validators.retire(&schema.digest);
        }
        judged.ok().flatten()
    }
}

fn bytes_of_bodies(record: &CallRecord) -> usize {
    let bodies = [&record.arguments, &record.result, &record.error];
    bodies.into_iter().flatten().map(|body| body.get().len()).sum()
}
