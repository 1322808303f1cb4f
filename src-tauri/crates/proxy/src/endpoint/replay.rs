//! ReplayBuffer buffers for streams that clients may resume (2025-11-25).
//!
//! A client that lost its connection, or whose stream was paused, asks for the events after the last one it got. Each
//! stream keeps its recent events for that, within limits by stream, session and process.

mod budget;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use axum::response::Response;
use bytes::Bytes;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use super::form::{self, KEEP_ALIVE};
pub(crate) use budget::ReplayBudget;

/// Limit of streams kept for one session; the oldest are dropped.
const MAX_STREAMS: usize = 64;
/// Limit of bytes kept for one stream, not counting events that no connection has taken. The oldest events are
/// dropped, but never the last.
const MAX_STREAM_BYTES: usize = 1 << 20;
/// Limit of bytes kept for all ended streams of one session; the oldest streams are dropped.
const MAX_ENDED_BYTES: usize = 8 << 20;
/// How long an ended stream is kept.
const RETENTION: Duration = Duration::from_secs(60);
/// Milliseconds after which a client resumes a stream, unless the upstream names another time.
const DEFAULT_RETRY_MS: u64 = 1_000;
/// Events that wait for a connection.
const CONNECTION_BUFFER: usize = 16;

/// The replay buffers of a session.
pub(crate) struct ReplayBuffers {
    streams: Arc<Mutex<StreamTable>>,
    budget: Arc<ReplayBudget>,
}

#[derive(Default)]
struct StreamTable {
    next: u64,
    streams: BTreeMap<u64, Arc<ReplayBuffer>>,
}

/// The replay buffer of one stream.
pub(crate) struct ReplayBuffer {
    number: u64,
    sent: Mutex<BufferedEvents>,
    more: Notify,
    /// The buffers of the same session.
    streams: Weak<Mutex<StreamTable>>,
    budget: Arc<ReplayBudget>,
}

#[derive(Default)]
struct BufferedEvents {
    /// Number of the first event kept.
    first: u64,
    events: VecDeque<Bytes>,
    bytes: usize,
    /// Number of the first event that no connection has taken.
    first_untaken: u64,
    /// Number of connections that read the stream.
    connections: usize,
    /// Whether this stream is counted as one that lost events.
    is_counted: bool,
    /// Number of pauses.
    pauses: u64,
    /// Notified when the client resumes the stream after the latest pause.
    resumed: Option<Arc<Notify>>,
    ended: Option<Instant>,
}

/// A reader of a stream, starting at an event.
pub(crate) struct ReplayReader {
    replay: Arc<ReplayBuffer>,
    from: u64,
    /// Number of pauses so far; the next one ends the reader.
    pauses: u64,
}

impl ReplayBuffers {
    /// Creates an empty set of buffers that share the budget.
    pub(crate) fn new(budget: Arc<ReplayBudget>) -> Self {
        Self { streams: Arc::default(), budget }
    }

    fn lock(&self) -> MutexGuard<'_, StreamTable> {
        lock(&self.streams)
    }

    /// Opens a stream. Its first event only has an id, so that a client can resume from the start.
    pub(crate) fn open(&self) -> Arc<ReplayBuffer> {
        self.drop_expired();
        let number = {
            let mut table = self.lock();
            while table.streams.len() >= MAX_STREAMS
                && let Some((_, oldest)) = table.streams.pop_first()
            {
                oldest.count_if_lost();
            }
            table.next += 1;
            table.next
        };
        let (streams, budget) = (Arc::downgrade(&self.streams), Arc::clone(&self.budget));
        let replay =
            Arc::new(ReplayBuffer { number, sent: Mutex::default(), more: Notify::new(), streams, budget });
        self.budget.add_stream(&replay);
        replay.push(|id| format!("id: {id}\nretry: {DEFAULT_RETRY_MS}\ndata: \n\n").into());
        self.lock().streams.insert(number, Arc::clone(&replay));
        replay
    }

    /// Drops expired streams, and ended ones beyond the limit.
    pub(crate) fn drop_expired(&self) {
        let mut kept = 0;
        let mut table = self.lock();
        let mut gone = Vec::new();
        for (number, replay) in table.streams.iter().rev() {
            let ended = replay.ended_bytes();
            // The newest stays, however large: its client may be about to resume it.
            let too_much = kept > 0 && kept + ended.unwrap_or_default() > MAX_ENDED_BYTES;
            if replay.is_old() {
                gone.push(*number);
            } else if ended.is_some() && too_much {
                replay.count_if_lost();
                gone.push(*number);
            } else {
                kept += ended.unwrap_or_default();
            }
        }
        table.streams.retain(|number, _| !gone.contains(number));
    }

    /// Returns a reader that starts after the event with this id. Resuming a paused stream ends the pause.
    pub(crate) fn resume(&self, event_id: &str) -> Option<ReplayReader> {
        let (number, event) = event_id.split_once('-')?;
        let (number, event): (u64, u64) = (number.parse().ok()?, event.parse().ok()?);
        let replay = Arc::clone(self.lock().streams.get(&number)?);
        let (pauses, resumed) = {
            let mut sent = replay.lock();
            (sent.pauses, sent.resumed.take())
        };
        if let Some(resumed) = resumed {
            resumed.notify_one();
        }
        Some(ReplayReader { replay, from: event.saturating_add(1), pauses })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for ReplayBuffer {
    fn drop(&mut self) {
        let kept = self.lock().bytes;
        self.budget.remove_stream(kept);
    }
}

impl ReplayBuffer {
    fn lock(&self) -> MutexGuard<'_, BufferedEvents> {
        lock(&self.sent)
    }

    /// Counts the stream as lost if it has events that no connection took or takes.
    fn count_if_lost(&self) {
        let mut sent = self.lock();
        // The first event only has an id.
        if sent.connections == 0 && sent.first_untaken.max(1) < sent.next() {
            self.count_lost(&mut sent);
        }
    }

    /// Counts the stream as lost, once.
    fn count_lost(&self, sent: &mut BufferedEvents) {
        if !std::mem::replace(&mut sent.is_counted, true) {
            self.budget.count_lost();
        }
    }

    /// Frees memory: events that a connection took; without a connection all events, and the stream itself if it has
    /// ended.
    fn free_memory(&self) {
        self.count_if_lost();
        let mut sent = self.lock();
        let before = sent.bytes;
        if sent.connections > 0 {
            while sent.first < sent.first_untaken && sent.events.len() > 1 && sent.drop_first() {}
        } else {
            while sent.drop_first() {}
        }
        let freed = before - sent.bytes;
        let is_over = sent.connections == 0 && sent.ended.is_some();
        drop(sent);
        self.budget.subtract(freed);
        if is_over && let Some(streams) = self.streams.upgrade() {
            lock(&streams).streams.remove(&self.number);
        }
    }

    /// Number of bytes kept, if the stream has ended.
    fn ended_bytes(&self) -> Option<usize> {
        let sent = self.lock();
        sent.ended.map(|_| sent.bytes)
    }

    fn is_old(&self) -> bool {
        self.lock().ended.is_some_and(|ended| ended.elapsed() > RETENTION)
    }

    /// Adds a message.
    pub(crate) fn push_message(&self, message: &[u8]) {
        self.push(|id| {
            [b"id: ", id.as_bytes(), b"\nevent: message\ndata: ", &*form::data(message), b"\n\n"]
                .concat()
                .into()
        });
    }

    fn push(&self, event: impl FnOnce(&str) -> Bytes) {
        let mut sent = self.lock();
        let event = event(&format!("{}-{}", self.number, sent.next()));
        let (size, before) = (event.len(), sent.bytes + event.len());
        sent.bytes = before;
        sent.events.push_back(event);
        if sent.shrink() {
            self.count_lost(&mut sent);
        }
        let dropped = before - sent.bytes;
        drop(sent);
        self.budget.subtract(dropped);
        self.budget.add(size);
        self.more.notify_waiters();
    }

    /// Ends the current connections. The client resumes the stream after `retry` milliseconds or earlier; `resumed` is
    /// notified then.
    pub(crate) fn pause(&self, retry: Option<u64>, resumed: Arc<Notify>) {
        if let Some(retry) = retry {
            self.push(|id| format!("id: {id}\nretry: {retry}\ndata: \n\n").into());
        }
        {
            let mut sent = self.lock();
            sent.pauses += 1;
            sent.resumed = Some(resumed);
        }
        self.more.notify_waiters();
    }

    pub(crate) fn end(&self) {
        self.lock().ended = Some(Instant::now());
        self.more.notify_waiters();
    }

    /// Returns a reader that starts at the first event.
    pub(crate) fn read_all(self: &Arc<Self>) -> ReplayReader {
        ReplayReader { replay: Arc::clone(self), from: 0, pauses: 0 }
    }
}

impl BufferedEvents {
    /// Number of the next event.
    fn next(&self) -> u64 {
        self.first + self.events.len() as u64
    }

    /// Drops the first event. Returns whether there was one.
    fn drop_first(&mut self) -> bool {
        let first = self.events.pop_front();
        self.bytes -= first.as_ref().map_or(0, Bytes::len);
        self.first += u64::from(first.is_some());
        first.is_some()
    }

    /// Drops events beyond the limit: those that a connection took, and of the others all but the last few. Returns
    /// whether an event was lost.
    fn shrink(&mut self) -> bool {
        let mut lost = false;
        while self.bytes > MAX_STREAM_BYTES
            && self.events.len() > 1
            && (self.first < self.first_untaken || self.events.len() > CONNECTION_BUFFER)
        {
            lost |= self.first >= self.first_untaken;
            self.drop_first();
        }
        lost
    }
}

impl ReplayReader {
    /// The events as a response, which ends when the stream ends or is paused.
    pub(crate) fn response(self, shutdown: CancellationToken) -> Response {
        let (sender, response) = form::stream(CONNECTION_BUFFER);
        self.replay.lock().connections += 1;
        let replay = Arc::clone(&self.replay);
        let connected = ConnectionGuard(replay);
        tokio::spawn(async move {
            let _connected = connected;
            tokio::select! {
                () = self.send(&sender) => {}
                () = sender.closed() => {}
                () = shutdown.cancelled() => {}
            }
        });
        response
    }

    async fn send(self, sender: &mpsc::Sender<Bytes>) {
        let Self { replay, from: mut next, pauses } = self;
        loop {
            let more = replay.more.notified();
            tokio::pin!(more);
            more.as_mut().enable();
            let (events, over) = {
                let sent = replay.lock();
                next = next.max(sent.first);
                let skip = usize::try_from(next - sent.first).unwrap_or(usize::MAX);
                let events: Vec<Bytes> = sent.events.iter().skip(skip).cloned().collect();
                (events, sent.ended.is_some() || sent.pauses > pauses)
            };
            next += events.len() as u64;
            for event in events {
                if sender.send(event).await.is_err() {
                    return;
                }
            }
            let dropped = {
                let mut sent = replay.lock();
                sent.first_untaken = sent.first_untaken.max(next);
                let before = sent.bytes;
                sent.shrink();
                before - sent.bytes
            };
            replay.budget.subtract(dropped);
            if over {
                return;
            }
            tokio::select! {
                () = more => {}
                () = tokio::time::sleep(KEEP_ALIVE) => {
                    let _ = sender.send(form::keep_alive()).await;
                }
            }
        }
    }
}

/// Counts a connection while it reads the stream.
struct ConnectionGuard(Arc<ReplayBuffer>);

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.0.lock().connections -= 1;
    }
}
