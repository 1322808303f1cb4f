//! Streams a client may come back to (2025-11-25): what it was told with which event id.
//!
//! A client that lost its connection, or whose stream was ended for now, asks for what came after the last
//! event it saw. Owns: what is kept for that, and for how long. Refuses to know: what the events say.

mod budget;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use axum::response::Response;
use bytes::Bytes;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use super::reply::{self, KEEP_ALIVE};
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
        Some(Resumed { replay, from: event.saturating_add(1) })
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
            [b"id: ", id.as_bytes(), b"\nevent: message\ndata: ", &*reply::data(message), b"\n\n"]
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
        Resumed { replay: Arc::clone(self), from: 0 }
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
        let (sender, response) = reply::stream(BUFFER);
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
        let Self { replay, from: mut next } = self;
        let pauses = replay.lock().pauses;
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
                    let _ = sender.send(reply::keep_alive()).await;
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use http_body_util::BodyExt;

    use super::*;

    async fn text(resumed: Resumed) -> String {
        let body = resumed.response(CancellationToken::new()).into_body();
        String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap()
    }

    #[tokio::test]
    async fn large_answers_are_kept_until_they_are_taken_and_not_many_of_them() {
        let replays = Replays::new(Arc::new(Budget::new(Arc::default())));
        let large = vec![b'x'; 3 << 20];
        let answered = || {
            let replay = replays.open();
            replay.tell(&large);
            replay.tell(&large);
            replay.end();
            replay
        };
        let first = answered();
        assert!(first.lock().bytes > 6 << 20, "nobody took it");
        assert_eq!(text(first.whole()).await.matches("event: message").count(), 2);
        assert!(first.lock().bytes < 4 << 20, "the last event stays");
        let others = [answered(), answered()];
        replays.forget_old();
        let kept: Vec<u64> = replays.lock().streams.keys().copied().collect();
        assert_eq!(kept, [3], "{:?}", others.map(|replay| replay.lock().bytes));
    }

    #[tokio::test]
    async fn a_client_gets_what_came_after_the_event_it_saw_last() {
        let replays = Replays::new(Arc::new(Budget::new(Arc::default())));
        let replay = replays.open();
        replay.tell(b"{}");
        let first = tokio::spawn(text(replay.whole()));
        tokio::task::yield_now().await;
        replay.pause(Some(50));
        assert!(first.await.unwrap().ends_with("id: 1-2\nretry: 50\ndata: \n\n"));
        replay.tell(b"[1]");
        replay.end();
        let rest = text(replays.resume("1-1").unwrap()).await;
        assert_eq!(rest, "id: 1-2\nretry: 50\ndata: \n\nid: 1-3\nevent: message\ndata: [1]\n\n");
        assert!(replays.resume("2-0").is_none() && replays.resume("x").is_none());
    }

    /// Or thousands of sessions would each keep their megabytes.
    #[tokio::test]
    async fn all_sessions_together_keep_no_more_than_there_is_room_for() {
        const ROOM: usize = 1 << 20;
        let lost = Arc::new(AtomicU64::new(0));
        let budget = Arc::new(Budget::of(ROOM, Arc::clone(&lost)));
        let sessions: Vec<_> = (0..100).map(|_| Replays::new(Arc::clone(&budget))).collect();
        let large = vec![b'x'; 100 << 10];
        for session in &sessions {
            let replay = session.open();
            replay.tell(&large);
            replay.end();
            assert!(budget.bytes() <= ROOM, "{}", budget.bytes());
        }
        let kept = |session: &Replays| session.resume("1-0").is_some();
        let gone = sessions.iter().filter(|session| !kept(session)).count();
        assert!(gone > 80 && lost.load(Ordering::Relaxed) == gone as u64, "{gone} of 100");
        assert!(sessions[..gone].iter().all(|session| !kept(session)), "the oldest go first");
        let newest = text(sessions[99].resume("1-0").unwrap()).await;
        assert!(newest.contains(&"x".repeat(100 << 10)));
        drop(sessions);
        assert_eq!(budget.bytes(), 0);
    }

    #[tokio::test]
    async fn what_a_client_is_taking_is_not_taken_from_it() {
        let lost = Arc::new(AtomicU64::new(0));
        let budget = Arc::new(Budget::of(64 << 10, Arc::clone(&lost)));
        let replays = Replays::new(Arc::clone(&budget));
        let large = vec![b'x'; 20 << 10];
        let (taken, left) = (replays.open(), replays.open());
        let response = taken.whole().response(CancellationToken::new());
        for replay in [&taken, &left] {
            (0..8).for_each(|_| replay.tell(&large));
        }
        taken.end();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(String::from_utf8_lossy(&body).matches("event: message").count(), 8);
        // Of one nobody takes, what comes next is there for who comes back.
        left.tell(b"{}");
        left.end();
        assert!(text(replays.resume("2-0").unwrap()).await.ends_with("data: {}\n\n"));
        assert_eq!(lost.load(Ordering::Relaxed), 1);
    }
}
