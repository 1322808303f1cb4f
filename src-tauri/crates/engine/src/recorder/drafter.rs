//! The first of two threads in line: calls become records.
//!
//! Owns: judging, redacting and packing, in the order calls came; listings and wishes pass through in that order. Refuses to
//! know: disks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SendError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use schemascope_model::{CallRecord, Fit, ToolId};
use schemascope_proxy::Effective;
use schemascope_registry::{DeclaredSchema, Detached, Observation, Registry, Validators};
use schemascope_store::{Entry, Packed, Packer, Policy};
use tokio::sync::oneshot;

use crate::redact::Redaction;

use super::draft::Drafted;
use super::room::Room;
use super::{Job, Metrics, Waiting};

/// Calls between the two threads: enough that neither waits for the other's breath.
pub(super) const BETWEEN: usize = 256;
/// How long judging one observation may take before its schema is given up. What it takes is bounded beforehand,
/// but by rules of thumb.
const LONG: Duration = Duration::from_secs(5);

/// What the second thread does, in order.
pub(super) enum Step {
    Write(Box<Ready>),
    /// The newest listing of this server; told when it is known.
    Listed(String, oneshot::Sender<()>),
    Flush(oneshot::Sender<()>),
    /// Which calls are kept, from now on.
    Retain(Policy),
    Close,
}

/// A record to be written, and who waits for that.
pub(super) struct Ready {
    pub(super) record: Packed,
    /// Bytes of its bodies.
    pub(super) bytes: usize,
    pub(super) observation: Option<Detached>,
    pub(super) since: Instant,
    pub(super) done: Option<oneshot::Sender<()>>,
    pub(super) _room: Room,
}

pub(super) struct Drafter {
    pub(super) registry: Arc<Mutex<Registry>>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) queue: Receiver<Job>,
    pub(super) next: SyncSender<Step>,
    pub(super) validators: Validators,
    pub(super) redaction: Arc<Redaction>,
    pub(super) packer: Packer,
}

impl Drafter {
    /// Until it is to close and nothing is left, or the second thread has ended.
    pub(super) fn run(mut self) {
        let mut closing = false;
        // What came in behind the wish to close is taken along.
        while let Some(job) = self.job(closing) {
            closing |= matches!(job, Job::Close);
            if self.work(job).is_err() {
                return;
            }
        }
        let _ = self.next.send(Step::Close);
    }

    fn job(&self, closing: bool) -> Option<Job> {
        if closing { self.queue.try_recv().ok() } else { self.queue.recv().ok() }
    }

    fn work(&mut self, job: Job) -> Result<(), SendError<Step>> {
        match job {
            Job::Call(waiting) => {
                let ready = self.draft(*waiting);
                self.next.send(Step::Write(Box::new(ready)))
            }
            Job::Listed(server) => {
                let (known, is_known) = oneshot::channel();
                self.next.send(Step::Listed(server, known))?;
                // Calls of traces behind it are judged by what it declares.
                let _ = is_known.blocking_recv();
                Ok(())
            }
            Job::Flush(done) => self.next.send(Step::Flush(done)),
            Job::Retain(policy) => self.next.send(Step::Retain(policy)),
            Job::Close => Ok(()),
        }
    }

    fn draft(&mut self, waiting: Waiting) -> Ready {
        let Waiting { draft, since, done, room } = waiting;
        let redactor = self.redaction.now();
        let Drafted { record, observation } = draft
            .into_record(&redactor, |tool, effective, observation| self.judge(tool, effective, observation));
        let bytes = bytes_of_bodies(&record);
        let record = self.packer.pack(Entry::Call(record));
        Ready { record, bytes, observation, since, done, _room: room }
    }

    fn judge(
        &mut self,
        tool: &ToolId,
        effective: Option<&Effective>,
        observation: &Observation<'_>,
    ) -> Option<Fit> {
        let declared = match effective {
            Some(effective) => effective.schema().map(|schema| DeclaredSchema {
                digest: (*schema.digest).into(),
                schema: Arc::clone(&schema.schema),
            }),
            // For a moment only.
            None => self.registry.lock().unwrap_or_else(PoisonError::into_inner).declared_schema(tool),
        }?;
        let began = Instant::now();
        let judged = catch_unwind(AssertUnwindSafe(|| self.validators.judge(&declared, observation)));
        if judged.is_err() || began.elapsed() > LONG {
            tracing::warn!(%tool, "judging by its schema fails or takes too long; it is judged no longer");
            self.validators.retire(&declared.digest);
        }
        let fit = judged.ok().flatten();
        if fit.is_none() {
            self.metrics.count_not_judged();
        }
        fit
    }
}

fn bytes_of_bodies(record: &CallRecord) -> usize {
    let bodies = [&record.arguments, &record.result, &record.error];
    bodies.into_iter().flatten().map(|body| body.get().len()).sum()
}
