//! Waiting, spread evenly over calls.
//!
//! At its limit the recorder gets on in steps of some milliseconds, as its threads get the processor. If calls waited for these
//! steps, most would not wait at all and some long. So each call gets a time of its own, in the order they came, at the
//! speed at which calls were drafted lately, and the steps only change how full the queue is.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::oneshot;

/// Time over which the recorder's speed is averaged.
const AVERAGED: Duration = Duration::from_millis(200);
/// Number of calls that may wait for their time.
const MAX_SLEEPS: usize = 4_096;
/// Time within which calls go on together: switching between them and the recorder has a price.
const TOGETHER: Duration = Duration::from_micros(500);
/// By how much a sleep is late at least.
const LATE: Duration = Duration::from_micros(50);
/// Time to record a call below which waiting for it costs as much. Such calls go on together even if none of them waits.
const CHEAP: Duration = Duration::from_micros(50);

/// Gives times to calls.
pub(super) struct Pacer {
    /// When the next call may go on.
    next: Mutex<Instant>,
    /// Bits of the seconds that a byte takes. Set by a thread that may be stopped at any time, so there is no lock.
    seconds_per_byte: AtomicU64,
    sleeper: SyncSender<Sleep>,
}

/// A call that waits until its time.
type Sleep = (Instant, oneshot::Sender<()>);

/// How fast calls were drafted lately.
#[derive(Default)]
pub(super) struct Speed {
    /// Bytes, and the seconds they took; both fade.
    bytes: f64,
    seconds: f64,
}

impl Speed {
    /// Adds a call.
    pub(super) fn add(&mut self, bytes: usize, took: Duration) {
        let keep = (-took.as_secs_f64() / AVERAGED.as_secs_f64()).exp();
        self.bytes = self.bytes * keep + bytes as f64;
        self.seconds = self.seconds * keep + took.as_secs_f64();
    }
}

impl Pacer {
    /// Starts the thread that wakes calls.
    pub(super) fn start() -> std::io::Result<Self> {
        let (sleeper, sleeps) = sync_channel(MAX_SLEEPS);
        std::thread::Builder::new().name("recorder-pace".into()).spawn(move || wake_in_time(&sleeps))?;
        Ok(Self { next: Mutex::new(Instant::now()), seconds_per_byte: AtomicU64::new(0), sleeper })
    }

    /// Sets the speed at which calls get their times.
    pub(super) fn set_speed(&self, speed: &Speed) {
        let seconds = speed.seconds / speed.bytes.max(1.0);
        self.seconds_per_byte.store(seconds.to_bits(), Ordering::Relaxed);
    }

    /// Waits until it is this call's turn. `slower` is how many times slower than drafted lately calls are to come, and
    /// `longest` how far ahead they get a time.
    pub(super) async fn turn(&self, bytes: usize, slower: f64, longest: Duration) {
        let woken = {
            let seconds = bytes as f64 * f64::from_bits(self.seconds_per_byte.load(Ordering::Relaxed));
            let cost = Duration::try_from_secs_f64(seconds * slower).unwrap_or_default().min(longest);
            let mut next = self.next.lock();
            let now = Instant::now();
            let due = (*next).max(now);
            *next = (due + cost).min(now + longest);
            if due <= now + if cost < CHEAP { TOGETHER } else { LATE } {
                return;
            }
            let (wake, woken) = oneshot::channel();
            // In the order of their times, which only the lock ensures. With so many that wait it hardly matters when this one
            // goes on: its sender is dropped, and that wakes it.
            let _ = self.sleeper.try_send((due, wake));
            woken
        };
        let _ = woken.await;
    }
}

/// Wakes calls one after the other, each at its time or with the one before.
fn wake_in_time(sleeps: &Receiver<Sleep>) {
    let mut next = None;
    while let Some((due, wake)) = next.take().or_else(|| sleeps.recv().ok()) {
        std::thread::sleep(due.saturating_duration_since(Instant::now()).saturating_sub(LATE));
        let _ = wake.send(());
        while let Ok(following) = sleeps.try_recv() {
            if following.0 > due + TOGETHER {
                next = Some(following);
                break;
            }
            let _ = following.1.send(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn calls_get_times_at_the_speed_of_the_recorder() {
        let pacer = Pacer::start().unwrap();
        let mut speed = Speed::default();
        speed.add(1_000, Duration::from_millis(1));
        pacer.set_speed(&speed);
        let began = Instant::now();
        for _ in 0..10 {
            pacer.turn(1_000, 2.0, Duration::from_secs(1)).await;
        }
        // The first goes at once, and each other one 2 ms after the one before.
        assert!(began.elapsed() >= Duration::from_millis(17), "{:?}", began.elapsed());
        // No call waits longer than told, whatever came before.
        pacer.turn(1 << 30, 2.0, Duration::ZERO).await;
        let began = Instant::now();
        pacer.turn(1, 1.0, Duration::ZERO).await;
        assert!(began.elapsed() < Duration::from_secs(1));
    }
}
