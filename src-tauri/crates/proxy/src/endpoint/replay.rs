//! Streams a client may come back to (2025-11-25): what it was told with which event id.
//!
//! A client that lost its connection, or whose stream was ended for now, asks for what came after the last
//! event it saw. Owns: what is kept for that, and for how long. Refuses to know: what the events say.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::response::Response;
use bytes::Bytes;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use super::reply::{self, KEEP_ALIVE};

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
#[derive(Default)]
pub(crate) struct Replays(Mutex<Numbered>);

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
}

#[derive(Default)]
struct Sent {
    /// The number of the first event kept.
    first: u64,
    events: VecDeque<Bytes>,
    bytes: usize,
    /// The number of the first event no connection has taken.
    untaken: u64,
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
    fn lock(&self) -> MutexGuard<'_, Numbered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new stream. Its first event only tells its id, so that a client can come back from the start.
    pub(crate) fn open(&self) -> Arc<Replay> {
        self.forget_old();
        let mut numbered = self.lock();
        while numbered.streams.len() >= MAX_STREAMS && numbered.streams.pop_first().is_some() {}
        numbered.next += 1;
        let number = numbered.next;
        let replay = Arc::new(Replay { number, sent: Mutex::default(), more: Notify::new() });
        replay.push(|id| format!("id: {id}\nretry: {RETRY}\ndata: \n\n").into());
        numbered.streams.insert(number, Arc::clone(&replay));
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
            if replay.is_old() || (ended.is_some() && too_much) {
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

impl Replay {
    fn lock(&self) -> MutexGuard<'_, Sent> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
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
        let id = format!("{}-{}", self.number, sent.first + sent.events.len() as u64);
        let event = event(&id);
        sent.bytes += event.len();
        sent.events.push_back(event);
        sent.shrink();
        drop(sent);
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
    /// Drops what is too much: what a connection took, or where none does, all but the last events.
    fn shrink(&mut self) {
        while self.bytes > MAX_BYTES
            && self.events.len() > 1
            && (self.first < self.untaken || self.events.len() > BUFFER)
        {
            self.bytes -= self.events.pop_front().map_or(0, |event| event.len());
            self.first += 1;
        }
    }
}

impl Resumed {
    /// The events as a response, until the stream ends or is paused.
    pub(crate) fn response(self, shutdown: CancellationToken) -> Response {
        let (sender, response) = reply::stream(BUFFER);
        tokio::spawn(async move {
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
            {
                let mut sent = replay.lock();
                sent.untaken = sent.untaken.max(next);
                sent.shrink();
            }
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

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    async fn text(resumed: Resumed) -> String {
        let body = resumed.response(CancellationToken::new()).into_body();
        String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap()
    }

    #[tokio::test]
    async fn large_answers_are_kept_until_they_are_taken_and_not_many_of_them() {
        let replays = Replays::default();
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
        let replays = Replays::default();
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
}
