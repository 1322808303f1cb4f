//! Streams a client may come back to (2025-11-25): what it was told with which event id.
//!
//! A client that lost its connection, or whose stream was ended for now, asks for what came after the last
//! event it saw. Owns: what is kept for that, and for how long. Refuses to know: what the events say.

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
pub(crate) use budget::Budget;

/// Streams kept of one session; the oldest go first.
const MAX_STREAMS: usize = 64;
/// Bytes kept of one stream beyond what no connection has taken yet; the oldest events go first, the last one
/// stays.
const MAX_BYTES: usize = 1 << 20;
/// Bytes kept of all streams of one session that have ended; the oldest streams go first.
const MAX_ENDED: usize = 8 << 20;
/// How long a stream is kept after its last event.
const KEPT: Duration = Duration::from_secs(60);
/// Milliseconds a client is to wait before it comes back, unless the upstream says otherwise.
const RETRY: u64 = 1_000;
/// Events on their way to a connection.
const BUFFER: usize = 16;

/// A session's streams, by number.
pub(crate) struct Replays {
    streams: Arc<Mutex<Numbered>>,
    budget: Arc<Budget>,
}

#[derive(Default)]
struct Numbered {
    next: u64,
    streams: BTreeMap<u64, Arc<Replay>>,
}

/// What was sent on one stream.
pub(crate) struct Replay {
    number: u64,
    sent: Mutex<Sent>,
    more: Notify,
    /// The others of its session.
    streams: Weak<Mutex<Numbered>>,
    budget: Arc<Budget>,
}

#[derive(Default)]
struct Sent {
    /// The number of the first event kept.
    first: u64,
    events: VecDeque<Bytes>,
    bytes: usize,
    /// The number of the first event no connection has taken.
    untaken: u64,
    /// How many take events.
    connections: usize,
    /// Whether something was dropped that none took.
    is_counted: bool,
    /// How often the stream was ended for now.
    pauses: u64,
    ended: Option<Instant>,
}

/// A stream from some event on.
pub(crate) struct Resumed {
    replay: Arc<Replay>,
    from: u64,
    /// How often the stream had been ended for now before: another time ends this.
    pauses: u64,
}

impl Replays {
    /// Keeps nothing yet, and no more than there is room for.
    pub(crate) fn new(budget: Arc<Budget>) -> Self {
        Self { streams: Arc::default(), budget }
    }

    fn lock(&self) -> MutexGuard<'_, Numbered> {
        lock(&self.streams)
    }

    /// A new stream. Its first event only tells its id, so that a client can come back from the start.
    pub(crate) fn open(&self) -> Arc<Replay> {
        self.forget_old();
        let number = {
            let mut numbered = self.lock();
            while numbered.streams.len() >= MAX_STREAMS
                && let Some((_, oldest)) = numbered.streams.pop_first()
            {
                oldest.note_lost();
            }
            numbered.next += 1;
            numbered.next
        };
        let (streams, budget) = (Arc::downgrade(&self.streams), Arc::clone(&self.budget));
        let replay =
            Arc::new(Replay { number, sent: Mutex::default(), more: Notify::new(), streams, budget });
        self.budget.begin(&replay);
        replay.push(|id| format!("id: {id}\nretry: {RETRY}\ndata: \n\n").into());
        self.lock().streams.insert(number, Arc::clone(&replay));
        replay
    }

    /// Drops what nobody comes back for, and what is too much.
    pub(crate) fn forget_old(&self) {
        let mut kept = 0;
        let mut numbered = self.lock();
        let mut gone = Vec::new();
        for (number, replay) in numbered.streams.iter().rev() {
            let ended = replay.ended_bytes();
            // The newest stays, however large: its client may be about to come back.
            let too_much = kept > 0 && kept + ended.unwrap_or_default() > MAX_ENDED;
            if replay.is_old() {
                gone.push(*number);
            } else if ended.is_some() && too_much {
                replay.note_lost();
                gone.push(*number);
            } else {
                kept += ended.unwrap_or_default();
            }
        }
        numbered.streams.retain(|number, _| !gone.contains(number));
    }

    /// The stream an event id is of, from the event after it.
    pub(crate) fn resume(&self, event_id: &str) -> Option<Resumed> {
        let (number, event) = event_id.split_once('-')?;
        let (number, event): (u64, u64) = (number.parse().ok()?, event.parse().ok()?);
        let replay = Arc::clone(self.lock().streams.get(&number)?);
        let pauses = replay.lock().pauses;
        Some(Resumed { replay, from: event.saturating_add(1), pauses })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Replay {
    fn drop(&mut self) {
        let kept = self.lock().bytes;
        self.budget.end(kept);
    }
}

impl Replay {
    fn lock(&self) -> MutexGuard<'_, Sent> {
        lock(&self.sent)
    }

    /// Counts it if something of it goes that nobody took or takes.
    fn note_lost(&self) {
        let mut sent = self.lock();
        // The first event only tells an id.
        if sent.connections == 0 && sent.untaken.max(1) < sent.next() {
            self.count_lost(&mut sent);
        }
    }

    /// Counts it, once.
    fn count_lost(&self, sent: &mut Sent) {
        if !std::mem::replace(&mut sent.is_counted, true) {
            self.budget.count_lost();
        }
    }

    /// Gives away what can be: what a connection took; where there is none, all, and itself if it has ended.
    fn give_way(&self) {
        self.note_lost();
        let mut sent = self.lock();
        let before = sent.bytes;
        if sent.connections > 0 {
            while sent.first < sent.untaken && sent.events.len() > 1 && sent.drop_first() {}
        } else {
            while sent.drop_first() {}
        }
        let freed = before - sent.bytes;
        let is_over = sent.connections == 0 && sent.ended.is_some();
        drop(sent);
        self.budget.give_back(freed);
        if is_over && let Some(streams) = self.streams.upgrade() {
            lock(&streams).streams.remove(&self.number);
        }
    }

    /// The bytes kept, once it has ended.
    fn ended_bytes(&self) -> Option<usize> {
        let sent = self.lock();
        sent.ended.map(|_| sent.bytes)
    }

    fn is_old(&self) -> bool {
        self.lock().ended.is_some_and(|ended| ended.elapsed() > KEPT)
    }

    /// Adds a message.
    pub(crate) fn tell(&self, message: &[u8]) {
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
        self.budget.give_back(dropped);
        self.budget.take(size);
        self.more.notify_waiters();
    }

    /// Ends the connections there are; a client comes back after so many milliseconds.
    pub(crate) fn pause(&self, retry: Option<u64>) {
        if let Some(retry) = retry {
            self.push(|id| format!("id: {id}\nretry: {retry}\ndata: \n\n").into());
        }
        self.lock().pauses += 1;
        self.more.notify_waiters();
    }

    pub(crate) fn end(&self) {
        self.lock().ended = Some(Instant::now());
        self.more.notify_waiters();
    }

    /// From the first event on.
    pub(crate) fn whole(self: &Arc<Self>) -> Resumed {
        Resumed { replay: Arc::clone(self), from: 0, pauses: 0 }
    }
}

impl Sent {
    /// The number of the next event.
    fn next(&self) -> u64 {
        self.first + self.events.len() as u64
    }

    /// Drops the first event; whether there was one.
    fn drop_first(&mut self) -> bool {
        let first = self.events.pop_front();
        self.bytes -= first.as_ref().map_or(0, Bytes::len);
        self.first += u64::from(first.is_some());
        first.is_some()
    }

    /// Drops what is too much: what a connection took, or where none does, all but the last events. Whether
    /// something went that none took.
    fn shrink(&mut self) -> bool {
        let mut lost = false;
        while self.bytes > MAX_BYTES
            && self.events.len() > 1
            && (self.first < self.untaken || self.events.len() > BUFFER)
        {
            lost |= self.first >= self.untaken;
            self.drop_first();
        }
        lost
    }
}

impl Resumed {
    /// The events as a response, until the stream ends or is paused.
    pub(crate) fn response(self, shutdown: CancellationToken) -> Response {
        let (sender, response) = form::stream(BUFFER);
        self.replay.lock().connections += 1;
        let replay = Arc::clone(&self.replay);
        let connected = Connected(replay);
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
                sent.untaken = sent.untaken.max(next);
                let before = sent.bytes;
                sent.shrink();
                before - sent.bytes
            };
            replay.budget.give_back(dropped);
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

/// A connection that takes events.
struct Connected(Arc<Replay>);

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.lock().connections -= 1;
    }
}
