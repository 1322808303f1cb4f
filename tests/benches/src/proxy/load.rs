//! The load: callers that call as fast as answers come, or at a fixed rate.
//!
//! At a fixed rate a call's time counts from when it was due, not from when a caller was free to make it, so the
//! delay behind a slow answer counts too.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Barrier, OnceLock};
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::contestants::Contestant;
use crate::expected::Expected;
use crate::payload::VARIANTS;
use crate::session::Session;

/// Errors after which a caller gives up.
const ENOUGH: u64 = 20;
/// Sleeping ends this much too early, and the rest is spent awake: waking takes that long.
const AWAKE: Duration = Duration::from_micros(120);

/// When calls are made.
#[derive(Debug, Clone, Copy)]
pub enum Pace {
    /// One after the other, each caller, as long as this.
    For(Duration),
    /// One after the other, until there were so many.
    Calls(u64),
    /// So many a second, as long as this, whichever caller is free.
    Rate(u32, Duration),
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Every right answer's time, in nanoseconds, in order of length.
    pub times: Vec<u64>,
    /// From the first call to the last answer.
    pub lasted: Duration,
    /// Calls made, those before the first counted one included.
    pub sent: u64,
    /// Calls without a right answer.
    pub errors: u64,
    /// What the first of them was.
    pub error: Option<String>,
}

impl Outcome {
    /// Calls a second.
    pub fn rate(&self) -> f64 {
        self.times.len() as f64 / self.lasted.as_secs_f64().max(1e-9)
    }

    /// The time that this share of the calls stayed below.
    pub fn quantile(&self, share: f64) -> Duration {
        let at = ((self.times.len() as f64 * share) as usize).min(self.times.len().saturating_sub(1));
        Duration::from_nanos(self.times.get(at).copied().unwrap_or_default())
    }

    fn add(&mut self, other: Self) {
        self.times.extend(other.times);
        self.lasted = self.lasted.max(other.lasted);
        self.sent += other.sent;
        self.errors += other.errors;
        self.error = self.error.take().or(other.error);
    }
}

/// Sends so many callers to work. With several payloads each call takes the next.
pub fn run(contestant: &mut Contestant, callers: usize, payloads: &[usize], pace: Pace) -> Result<Outcome> {
    let at_work = callers.min(contestant.callers.len());
    // What servers close when it is idle, and what is slow when it is done first, is over before it counts.
    for caller in &mut contestant.callers[..at_work] {
        caller.reconnect()?;
        caller.call(payloads[0], 0)?;
    }
    let (next, barrier, began) = (AtomicU64::new(0), Barrier::new(at_work), OnceLock::new());
    let expected = &*contestant.expected;
    let mut outcome = Outcome { sent: at_work as u64, ..Outcome::default() };
    std::thread::scope(|scope| {
        let threads: Vec<_> = contestant.callers[..at_work]
            .iter_mut()
            .map(|caller| {
                let work = Work { expected, payloads, pace, next: &next };
                let (barrier, began) = (&barrier, &began);
                scope.spawn(move || {
                    barrier.wait();
                    work.go(caller, *began.get_or_init(Instant::now))
                })
            })
            .collect();
        for thread in threads {
            match thread.join() {
                Ok(one) => outcome.add(one),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    outcome.times.sort_unstable();
    Ok(outcome)
}

/// What all callers share.
struct Work<'a> {
    expected: &'a Expected,
    payloads: &'a [usize],
    pace: Pace,
    /// The number of the next call.
    next: &'a AtomicU64,
}

impl Work<'_> {
    fn go(&self, caller: &mut Session, began: Instant) -> Outcome {
        let mut outcome = Outcome::default();
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(due) = self.due(number, began) else { return outcome };
            let payload = self.payloads[number as usize % self.payloads.len()];
            let variant = number as usize / self.payloads.len() % VARIANTS;
            outcome.sent += 1;
            let called = caller.call(payload, variant).and_then(|(id, answer, answered)| {
                self.expected.check(payload, variant, id, answer)?;
                Ok(answered)
            });
            match called {
                Ok(answered) => {
                    let time = answered.duration_since(due).as_nanos();
                    outcome.times.push(u64::try_from(time).unwrap_or(u64::MAX));
                    outcome.lasted = answered.duration_since(began);
                }
                Err(error) => {
                    outcome.errors += 1;
                    outcome.error.get_or_insert_with(|| format!("{error:#}"));
                    if outcome.errors >= ENOUGH || caller.reconnect().is_err() {
                        return outcome;
                    }
                }
            }
        }
    }

    /// From when a call's time counts, once that has come; none when all calls are made.
    fn due(&self, number: u64, began: Instant) -> Option<Instant> {
        match self.pace {
            Pace::For(lasting) => Some(Instant::now()).filter(|now| *now < began + lasting),
            Pace::Calls(calls) => Some(Instant::now()).filter(|_| number < calls),
            Pace::Rate(rate, lasting) => {
                let after = Duration::from_secs(1).mul_f64(number as f64 / f64::from(rate));
                if after >= lasting {
                    return None;
                }
                let due = began + after;
                std::thread::sleep(due.saturating_duration_since(Instant::now()).saturating_sub(AWAKE));
                while Instant::now() < due {
                    std::hint::spin_loop();
                }
                Some(due)
            }
        }
    }
}
