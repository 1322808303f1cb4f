//! Second of the recorder's two stages: groups records, journals them and hands them to the folds.
//!
//! The order is journal, index, folds, so that nothing is counted that a kill could take back.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use schemascope_model::{CallRecord, Timestamp, ToolId};
use schemascope_proxy::ListedTool;
use schemascope_redact::Redaction;
use schemascope_registry::{Detached, Registry};
use schemascope_store::{Declared, Entry, Error, JournalError, MAX_GROUP_ENTRIES, Packed, Policy, Writer};
use serde_json::value::RawValue;
use tokio::sync::watch;

use super::events::Events;
use super::fold::Folds;
use super::metrics::Metrics;
use super::mode::Durability;
use super::queue::{Listings, PackedCall, Relearn, WriterJob};
use super::relearn::Relearning;
use super::retention::Retention;
use super::stage::{Stage, Turn};

/// Longest time a group waits for further calls when no answer waits for it.
const GROUP_WINDOW: Duration = Duration::from_millis(20);
/// Bytes of bodies at which a group is written at once. Larger groups save nothing, and calls that wait for memory
/// wait for them. Several groups fit into the queue, so that the next is gathered while one is written.
const GROUP_BYTES: usize = 1 << 20;
/// Time between two saves of changed states. States that a kill leaves unsaved are replayed from the journal.
const SAVE_INTERVAL: Duration = Duration::from_secs(2);
/// Pause before a failed write is tried again.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);
/// Longest time a closing recorder tries to write what is waiting, and its pause between two attempts.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);
const CLOSE_RETRY_INTERVAL: Duration = Duration::from_millis(100);

pub(super) struct WriterThread {
    writer: Writer,
    registry: Arc<Mutex<Registry>>,
    folds: Folds,
    metrics: Arc<Metrics>,
    durability: Durability,
    queue: Receiver<WriterJob>,
    listings: Arc<Listings>,
    events: Arc<Events>,
    redaction: Arc<Redaction>,
    saved: Instant,
    retention: Retention,
    closing: bool,
    /// When to stop trying to write, once closing.
    give_up: Option<Instant>,
}

/// Parts that the thread shares with others.
pub(super) struct Shared {
    pub(super) registry: Arc<Mutex<Registry>>,
    pub(super) folds: Folds,
    pub(super) metrics: Arc<Metrics>,
    pub(super) listings: Arc<Listings>,
    pub(super) events: Arc<Events>,
    pub(super) redaction: Arc<Redaction>,
    /// Which calls are kept. It reaches a writer that waits for space.
    pub(super) policy: watch::Receiver<Policy>,
}

impl Stage for WriterThread {
    fn turn(&mut self, wait: Duration) -> Turn {
        let turn = match self.queue.recv_timeout(wait.min(SAVE_INTERVAL)) {
            Ok(job) => {
                self.work(job);
                if self.closing { Turn::Ended } else { Turn::Worked }
            }
            Err(RecvTimeoutError::Timeout) => Turn::Waited,
            Err(RecvTimeoutError::Disconnected) => Turn::Ended,
        };
        if self.saved.elapsed() >= SAVE_INTERVAL {
            self.save_states();
        }
        self.retention.round(&mut self.writer, &self.folds);
        turn
    }

    fn end(mut self) {
        self.save_states();
        let lost = self.metrics.dropped.load(Ordering::Relaxed);
        if lost > 0 {
            tracing::error!(calls = lost, "calls were not recorded");
        }
        if let Err(error) = self.writer.close() {
            tracing::warn!(%error, "the index could not be flushed; the next start catches up");
        }
    }
}

impl WriterThread {
    pub(super) fn new(
        writer: Writer,
        durability: Durability,
        queue: Receiver<WriterJob>,
        shared: Shared,
    ) -> Self {
        let Shared { registry, folds, metrics, listings, events, redaction, policy } = shared;
        Self {
            writer,
            registry,
            folds,
            metrics,
            durability,
            queue,
            listings,
            events,
            redaction,
            saved: Instant::now(),
            retention: Retention::new(policy),
            closing: false,
            give_up: None,
        }
    }

    /// Gathers and writes a group that begins with `job`, then does the job that ended the group.
    fn work(&mut self, job: WriterJob) {
        let (mut group, mut bytes) = (Vec::new(), 0);
        let mut next = Some(job);
        let began = Instant::now();
        while let Some(WriterJob::Write(call)) = next {
            bytes += call.bytes;
            group.push(*call);
            next = if group.len() == MAX_GROUP_ENTRIES || bytes >= GROUP_BYTES {
                None
            } else {
                self.gather(began)
            };
        }
        if !group.is_empty() {
            self.write_calls(group);
        }
        match next {
            Some(WriterJob::Listed(server, known)) => {
                if let Some((tools, at)) = self.listings.take(&server) {
                    self.write_listing(&server, tools, at);
                }
                let _ = known.send(());
            }
            Some(WriterJob::Flush(done)) => drop(done.send(())),
            Some(WriterJob::Relearn(Relearn::Position(told))) => drop(told.send(self.writer.end())),
            Some(WriterJob::Relearn(Relearn::Finish(relearning, done))) => {
                drop(done.send(self.relearn(*relearning)));
            }
            Some(WriterJob::Close) => self.closing = true,
            Some(WriterJob::Write(_)) | None => {}
        }
    }

    fn gather(&self, began: Instant) -> Option<WriterJob> {
        match self.durability {
            // While one group is synced, the next one gathers in the queue.
            Durability::Strict => self.queue.try_recv().ok(),
            Durability::Relaxed => self.queue.recv_timeout(GROUP_WINDOW.saturating_sub(began.elapsed())).ok(),
        }
    }

    fn write_calls(&mut self, group: Vec<PackedCall>) {
        let mut entries = Vec::with_capacity(group.len());
        let mut observations = Vec::with_capacity(group.len());
        let mut waiting = Vec::with_capacity(group.len());
        for PackedCall { record, bytes: _, observation, since, done, reservation } in group {
            entries.push(record);
            observations.push(observation);
            waiting.push((since, done, reservation));
        }
        let written = self.append(&mut entries);
        let count = entries.len() as u64;
        if written {
            let mut redacted = 0;
            for (entry, observation) in entries.iter().zip(&observations) {
                self.learn(entry.entry(), observation.as_ref());
                if let Entry::Call(call) = entry.entry() {
                    redacted += call.redacted;
                    self.metrics.add_duration(call);
                }
            }
            self.events.recorded(entries.iter().filter_map(|entry| match entry.entry() {
                Entry::Call(call) => Some(call),
                _ => None,
            }));
            self.metrics.redacted_values.fetch_add(redacted, Ordering::Relaxed);
            self.metrics.recorded.fetch_add(count, Ordering::Relaxed);
        } else {
            self.metrics.dropped.fetch_add(count, Ordering::Relaxed);
        }
        self.metrics.waiting.fetch_sub(count, Ordering::Relaxed);
        for (since, done, _) in waiting {
            if written {
                let micros = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX);
                self.metrics.latency.add(micros);
            }
            if let Some(done) = done {
                let _ = done.send(());
            }
        }
        self.roll();
    }

    fn learn(&self, entry: &Entry, observation: Option<&Detached>) {
        let result = match entry {
            Entry::Call(call) => call.result.as_deref(),
            _ => None,
        };
        // Bodies that were too large to keep teach nothing.
        let observation = result.and_then(|result| observation?.attach(result));
        if let Err(reason) = self.folds.apply(entry, observation.as_ref()) {
            tracing::error!(tool = %entry.tool(), %reason, "an entry was journaled and could not be learned from");
        }
    }

    fn relearn(&mut self, mut relearning: Relearning) -> Result<(), Error> {
        relearning.read_to(self.writer.journal_dir(), self.writer.end())?;
        let state = relearning.settle();
        let tool = relearning.tool();
        let Some(state) = state.and_then(|part| self.folds.state_with(tool, &part)) else {
            return Ok(());
        };
        let entry = Entry::State { tool: tool.clone(), state };
        self.writer.append(std::slice::from_ref(&entry))?;
        self.learn(&entry, None);
        self.events.declared(std::iter::once(tool));
        self.save_states();
        Ok(())
    }

    fn write_listing(&mut self, server: &str, tools: Vec<ListedTool>, at: Timestamp) {
        let redactor = self.redaction.now();
        let mut listed = BTreeMap::new();
        for tool in tools {
            let definition = String::from_utf8(tool.definition.to_vec())
                .ok()
                .and_then(|text| RawValue::from_string(redactor.definition(&text).into_owned()).ok());
            if let (Ok(id), Some(definition)) = (ToolId::new(server, &tool.name), definition) {
                listed.insert(id, definition);
            }
        }
        let changes = self.registry.lock().compare(server, &listed);
        for chunk in changes.chunks(MAX_GROUP_ENTRIES) {
            let mut entries: Vec<Packed> = chunk
                .iter()
                .map(|change| {
                    let (tool_id, definition) = (change.tool.clone(), change.definition.clone());
                    Entry::Declared(Declared { tool_id, at, definition }).into()
                })
                .collect();
            if self.append(&mut entries) {
                entries.iter().for_each(|entry| self.learn(entry.entry(), None));
                self.events.declared(chunk.iter().map(|change| &change.tool));
            }
        }
        self.roll();
    }

    /// Appends entries, and tries again while the disk fails. Returns false only if it still fails while closing.
    fn append(&mut self, entries: &mut [Packed]) -> bool {
        loop {
            match self.writer.append_packed(entries) {
                Ok(()) => break,
                Err(Error::Journal(JournalError::TooLarge(bytes))) => {
                    tracing::warn!(bytes, "a call is too large to keep; its bodies are left out");
                    leave_bodies_out(entries);
                }
                Err(error @ Error::Journal(_)) => {
                    self.stall(Some(error.to_string()));
                    if self.is_closing() {
                        self.writer.use_reserve();
                        let end = *self.give_up.get_or_insert_with(|| Instant::now() + CLOSE_TIMEOUT);
                        if end < Instant::now() {
                            self.metrics.given_up.store(true, Ordering::Relaxed);
                            return false;
                        }
                    }
                    // Calls that are due for removal may be what fills the disk.
                    self.retention.round(&mut self.writer, &self.folds);
                    self.pause();
                }
                // The entries are journaled; the index catches up at the next start.
                Err(error) => {
                    tracing::error!(%error, "the index cannot be written; calls are still recorded, and lists show them after the next start");
                    break;
                }
            }
        }
        self.stall(None);
        self.metrics.index_behind.store(self.writer.is_index_behind(), Ordering::Relaxed);
        true
    }

    /// Waits before a failed write is tried again; a close shortens that.
    fn pause(&self) {
        let began = Instant::now();
        loop {
            std::thread::sleep(CLOSE_RETRY_INTERVAL);
            if self.is_closing() || began.elapsed() >= RETRY_INTERVAL {
                return;
            }
        }
    }

    /// While the disk fails no job is read from the queue, so a close is only seen in the metrics.
    fn is_closing(&self) -> bool {
        self.closing || self.metrics.closing.load(Ordering::Relaxed)
    }

    fn stall(&self, reason: Option<String>) {
        self.metrics.stalled.send_if_modified(|stalled| {
            match (&*stalled, &reason) {
                (None, Some(reason)) => {
                    tracing::error!(%reason, "recording has stopped; trying again until it works");
                }
                (Some(_), None) => tracing::info!("recording continues"),
                _ => {}
            }
            let is_change = *stalled != reason;
            *stalled = reason;
            is_change
        });
    }

    fn roll(&mut self) {
        let folds = &self.folds;
        if let Err(error) = self.writer.roll(|| folds.states()) {
            tracing::warn!(%error, "a new journal segment could not be begun; the old one goes on");
        }
    }

    fn save_states(&mut self) {
        self.saved = Instant::now();
        let states = self.folds.take_unsaved();
        if states.is_empty() {
            return;
        }
        if let Err(error) = self.writer.save_states(&states) {
            tracing::warn!(%error, "tool states could not be saved; the next start replays them from the journal");
        }
    }
}

fn leave_bodies_out(entries: &mut [Packed]) {
    for entry in entries {
        if let Entry::Call(call) = entry.entry() {
            let flow = call.flow.clone();
            let call = CallRecord { bodies_left_out: true, flow, ..call.without_bodies() };
            *entry = Entry::Call(call).into();
        }
    }
}
