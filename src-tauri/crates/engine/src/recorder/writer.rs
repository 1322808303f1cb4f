//! The second of two threads in line: records are grouped, journaled, counted.
//!
//! Owns: the order journal, index, registry, so that nothing is counted that a kill could take back.
//! Refuses to know: where calls come from.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use schemascope_model::{CallRecord, Timestamp, ToolId};
use schemascope_proxy::ListedTool;
use schemascope_registry::{Detached, Registry};
use schemascope_store::{Declared, Entry, Error, GROUP, JournalError, Packed, Writer};
use serde_json::value::RawValue;

use crate::events::Events;
use crate::redact::Redaction;

use super::drafter::{Ready, Step};
use super::retention::{self, Retention};
use super::{Durability, Listings, Metrics};

/// How long a group waits for company when no answer waits for it.
const GATHER: Duration = Duration::from_millis(20);
/// Bytes of bodies that are a group of their own: with more nothing is saved, and calls that wait for room wait for
/// it. Several groups fit into what may wait, so that the next is gathered while one is written.
const HEAVY: usize = 1 << 20;
/// How often changed states are saved. What a kill leaves unsaved is replayed from the journal.
const SAVE_EVERY: Duration = Duration::from_secs(2);
/// Pause before a refused write is tried again.
const RETRY: Duration = Duration::from_millis(500);
/// How long a closing recorder tries to write what is waiting before it gives it up.
const LAST_ATTEMPTS: Duration = Duration::from_secs(3);

pub(super) struct WriterThread {
    writer: Writer,
    registry: Arc<Mutex<Registry>>,
    metrics: Arc<Metrics>,
    durability: Durability,
    queue: Receiver<Step>,
    listings: Arc<Listings>,
    events: Arc<Events>,
    redaction: Arc<Redaction>,
    saved: Instant,
    retention: Retention,
    closing: bool,
    /// When to stop trying to write, once closing.
    give_up: Option<Instant>,
}

/// What it has in common with others.
pub(super) struct Shared {
    pub(super) registry: Arc<Mutex<Registry>>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) listings: Arc<Listings>,
    pub(super) events: Arc<Events>,
    pub(super) redaction: Arc<Redaction>,
}

impl WriterThread {
    pub(super) fn new(writer: Writer, durability: Durability, queue: Receiver<Step>, shared: Shared) -> Self {
        let Shared { registry, metrics, listings, events, redaction } = shared;
        Self {
            writer,
            registry,
            metrics,
            durability,
            queue,
            listings,
            events,
            redaction,
            saved: Instant::now(),
            retention: Retention::new(),
            closing: false,
            give_up: None,
        }
    }

    pub(super) fn run(mut self) {
        while !self.closing {
            match self.queue.recv_timeout(SAVE_EVERY) {
                Ok(step) => self.work(step),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.closing = true,
            }
            if self.saved.elapsed() >= SAVE_EVERY {
                self.save_states();
            }
            self.retention.round(&mut self.writer, &self.registry);
        }
        self.save_states();
        if let Err(error) = self.writer.close() {
            tracing::warn!(%error, "the index could not be flushed; the next start catches up");
        }
    }

    /// Gathers a group that begins with `step`, and does the step that ended the gathering.
    fn work(&mut self, step: Step) {
        let (mut group, mut bytes) = (Vec::new(), 0);
        let mut next = Some(step);
        let began = Instant::now();
        while let Some(Step::Write(ready)) = next {
            bytes += ready.bytes;
            group.push(*ready);
            next = if group.len() == GROUP || bytes >= HEAVY { None } else { self.company(began) };
        }
        if !group.is_empty() {
            self.write_calls(group);
        }
        match next {
            Some(Step::Listed(server, known)) => {
                if let Some((tools, at)) = self.listings.take(&server) {
                    self.write_listing(&server, tools, at);
                }
                let _ = known.send(());
            }
            Some(Step::Flush(done)) => drop(done.send(())),
            Some(Step::Retain(policy)) => self.retention.set(policy),
            Some(Step::Close) => self.closing = true,
            Some(Step::Write(_)) | None => {}
        }
    }

    fn company(&self, began: Instant) -> Option<Step> {
        match self.durability {
            // While one group is synced the next gathers by itself.
            Durability::Strict => self.queue.try_recv().ok(),
            Durability::Relaxed => self.queue.recv_timeout(GATHER.saturating_sub(began.elapsed())).ok(),
        }
    }

    fn write_calls(&mut self, group: Vec<Ready>) {
        let mut entries = Vec::with_capacity(group.len());
        let mut observations = Vec::with_capacity(group.len());
        let mut waiting = Vec::with_capacity(group.len());
        for Ready { record, bytes: _, observation, since, done, _room } in group {
            entries.push(record);
            observations.push(observation);
            waiting.push((since, done, _room));
        }
        let written = self.append(&mut entries);
        let count = entries.len() as u64;
        if written {
            let mut redacted = 0;
            for (entry, observation) in entries.iter().zip(&observations) {
                if let Entry::Call(call) = entry.entry() {
                    self.learn(call, observation.as_ref());
                    redacted += call.redacted;
                    self.metrics.count(call);
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

    fn learn(&self, call: &CallRecord, observation: Option<&Detached>) {
        // Of bodies that were too large to keep nothing is learned.
        let observation = call.result.as_deref().and_then(|result| observation?.attach(result));
        lock(&self.registry).record_read(call, observation.as_ref());
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
        let changes = lock(&self.registry).compare(server, &listed);
        for chunk in changes.chunks(GROUP) {
            let mut entries: Vec<Packed> = chunk
                .iter()
                .map(|change| {
                    let (tool_id, definition) = (change.tool.clone(), change.definition.clone());
                    Entry::Declared(Declared { tool_id, at, definition }).into()
                })
                .collect();
            if self.append(&mut entries) {
                let mut registry = lock(&self.registry);
                for change in chunk {
                    registry.declare(&change.tool, at, change.definition.clone());
                }
                self.events.declared(chunk.iter().map(|change| &change.tool));
            }
        }
        self.roll();
    }

    /// Appends, trying again while the disk refuses. False only when closing and still refused.
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
                    if self.is_closing()
                        && *self.give_up.get_or_insert_with(|| Instant::now() + LAST_ATTEMPTS)
                            < Instant::now()
                    {
                        return false;
                    }
                    std::thread::sleep(RETRY);
                }
                // Journaled, so it has happened; the index catches up at the next start.
                Err(error) => {
                    tracing::error!(%error, "the index refuses; calls are still recorded, lists stay as they are until the next start");
                    break;
                }
            }
        }
        self.stall(None);
        self.metrics.index_behind.store(self.writer.is_index_behind(), Ordering::Relaxed);
        true
    }

    /// While the disk refuses nothing is read from the queue, so a wish to close is only counted in.
    fn is_closing(&self) -> bool {
        self.closing || self.metrics.closing.load(Ordering::Relaxed)
    }

    fn stall(&self, reason: Option<String>) {
        let mut stalled = self.metrics.stalled.lock().unwrap_or_else(PoisonError::into_inner);
        match (&*stalled, &reason) {
            (None, Some(reason)) => {
                tracing::error!(%reason, "recording has stopped; trying again until it works");
            }
            (Some(_), None) => tracing::info!("recording goes on"),
            _ => {}
        }
        *stalled = reason;
    }

    fn roll(&mut self) {
        let registry = Arc::clone(&self.registry);
        let states = || retention::states(&registry);
        if let Err(error) = self.writer.roll(states) {
            tracing::warn!(%error, "a new journal segment could not be begun; the old one goes on");
        }
    }

    fn save_states(&mut self) {
        self.saved = Instant::now();
        let states = lock(&self.registry).take_unsaved();
        if states.is_empty() {
            return;
        }
        if let Err(error) = self.writer.save_states(&states) {
            tracing::warn!(%error, "tool states could not be saved; the next start replays them from the journal");
        }
    }
}

pub(super) fn lock(registry: &Mutex<Registry>) -> MutexGuard<'_, Registry> {
    registry.lock().unwrap_or_else(PoisonError::into_inner)
}

fn leave_bodies_out(entries: &mut [Packed]) {
    for entry in entries {
        if let Entry::Call(call) = entry.entry() {
            let mut call = call.without_bodies();
            call.bodies_left_out = true;
            *entry = Entry::Call(call).into();
        }
    }
}
