//! Two threads that take turns at one stage of the recorder.
//!
//! A thread in the background does the work while the processor has nothing else to do, so that it delays no answer. On a busy
//! machine it may get little time or none; a second thread, of ordinary priority, then takes over for a while.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, Thread};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::priority::{Background, Progress, Watch, give_way};

/// How often the second thread looks whether the first one gets on.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);
/// Looks at which the first thread was ready, one after the other, before the second one takes over.
const PATIENT_LOOKS: u32 = 6;
/// Ticks of processor time (10 ms) that the first thread had in the meantime, if it gets on: one may be of rounding.
const LEAST_TICKS: u64 = 2;
/// Time for which the second thread works then. It doubles while it is needed again soon: what keeps the first one from the
/// processor could stop it in the middle of a job.
const STAY: Duration = Duration::from_secs(2);
const LONGEST_STAY: Duration = Duration::from_secs(320);
/// Longest time a turn waits for a job.
const LONGEST_WAIT: Duration = Duration::from_secs(2);
/// Time for which the first thread works before it gives way. To give way costs some microseconds, as much as recording a
/// small call.
const GIVE_WAY_INTERVAL: Duration = Duration::from_micros(50);

/// What came of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// A job was done.
    Worked,
    /// No job came.
    Waited,
    /// No further job will come.
    Ended,
}

/// A stage of the recorder.
pub(super) trait Stage: Send + 'static {
    /// Does the next job, if one comes within this time.
    fn turn(&mut self, wait: Duration) -> Turn;
    /// What remains to be done after the last job.
    fn end(self);
}

/// Whether jobs wait, or a reader waits until they are done.
pub(super) type HasJobs = Arc<dyn Fn() -> bool + Send + Sync>;

struct Shared<S> {
    /// Taken out for each turn, so that a panic ends the stage.
    stage: Mutex<Option<Box<S>>>,
    has_jobs: HasJobs,
    background: Box<dyn Watch>,
    is_over: AtomicBool,
    /// Whether the second thread works, and the first one waits.
    is_assisted: Mutex<bool>,
    changed: Condvar,
}

/// The two threads of a stage.
pub(super) struct Threads {
    first: JoinHandle<()>,
    second: JoinHandle<()>,
}

impl Threads {
    /// Starts the threads of a stage.
    pub(super) fn start<S: Stage>(name: &str, stage: S, has_jobs: &HasJobs) -> std::io::Result<Self> {
        Self::watched_by(Box::new(Background::default()), name, stage, has_jobs)
    }

    fn watched_by<S: Stage>(
        background: Box<dyn Watch>,
        name: &str,
        stage: S,
        has_jobs: &HasJobs,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            stage: Mutex::new(Some(Box::new(stage))),
            has_jobs: Arc::clone(has_jobs),
            background,
            is_over: AtomicBool::new(false),
            is_assisted: Mutex::new(false),
            changed: Condvar::new(),
        });
        let spawn = |name: String, run: fn(&Shared<S>)| {
            let shared = Arc::clone(&shared);
            std::thread::Builder::new().name(name).spawn(move || run(&shared))
        };
        Ok(Self { first: spawn(name.to_owned(), first)?, second: spawn(format!("{name}-2"), second)? })
    }

    /// The thread to unpark when the first job after a pause has come.
    pub(super) fn watcher(&self) -> Thread {
        self.second.thread().clone()
    }

    /// Waits for the end. Returns whether it came without a panic.
    pub(super) fn join(self) -> bool {
        let first = self.first.join();
        self.second.thread().unpark();
        let second = self.second.join();
        first.is_ok() && second.is_ok()
    }
}

/// Works in the background, except while the second thread works.
fn first<S: Stage>(shared: &Shared<S>) {
    shared.background.begin();
    let mut gave_way = Instant::now();
    loop {
        shared.until_unassisted();
        if shared.turn(LONGEST_WAIT) == Turn::Ended {
            return;
        }
        if gave_way.elapsed() >= GIVE_WAY_INTERVAL {
            give_way();
            gave_way = Instant::now();
        }
    }
}

/// Works while the first thread does not get on, and ends the stage.
fn second<S: Stage>(shared: &Shared<S>) {
    let (mut stay, mut left) = (STAY, None::<Instant>);
    while shared.until_needed() {
        let is_soon = left.is_some_and(|left| left.elapsed() < STAY);
        stay = if is_soon { (2 * stay).min(LONGEST_STAY) } else { STAY };
        shared.assist(true);
        let until = Instant::now() + stay;
        loop {
            let wait = until.saturating_duration_since(Instant::now()).min(LONGEST_WAIT);
            if shared.turn(wait) == Turn::Ended || until <= Instant::now() {
                break;
            }
        }
        left = Some(Instant::now());
        shared.assist(false);
    }
    if let Some(stage) = shared.stage.lock().take() {
        stage.end();
    }
}

impl<S: Stage> Shared<S> {
    fn turn(&self, wait: Duration) -> Turn {
        let mut place = self.stage.lock();
        let Some(mut stage) = place.take() else { return Turn::Ended };
        let turn = catch_unwind(AssertUnwindSafe(|| stage.turn(wait)));
        if matches!(turn, Ok(Turn::Ended) | Err(_)) {
            self.is_over.store(true, Ordering::Relaxed);
        }
        let turn = turn.unwrap_or_else(|panic| resume_unwind(panic));
        *place = Some(stage);
        turn
    }

    /// Waits until the first thread gets no processor time although it is ready. That jobs wait is no sign of it: they do
    /// whenever more come than can be recorded. Returns false at the end.
    fn until_needed(&self) -> bool {
        // Since when the first thread was ready at every look, and how many there were.
        let mut ready: Option<(Progress, u32)> = None;
        while !self.is_over.load(Ordering::Relaxed) {
            if !(self.has_jobs)() {
                ready = None;
                std::thread::park_timeout(LONGEST_WAIT);
                continue;
            }
            std::thread::sleep(LOOK_INTERVAL);
            let now = self.background.look().filter(|progress| progress.is_ready);
            ready = now.map(|now| match ready {
                Some((since, looks)) if now.ticks < since.ticks + LEAST_TICKS => (since, looks + 1),
                _ => (now, 1),
            });
            if ready.is_some_and(|(_, looks)| looks >= PATIENT_LOOKS) {
                return true;
            }
        }
        false
    }

    fn assist(&self, is_assisted: bool) {
        *self.is_assisted.lock() = is_assisted;
        self.changed.notify_all();
    }

    fn until_unassisted(&self) {
        let mut is_assisted = self.is_assisted.lock();
        self.changed.wait_while(&mut is_assisted, |assisted| *assisted);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};

    use super::*;

    /// What a stage did: its jobs with the threads that did them, and nothing at its end.
    type Done = Option<(u32, String)>;

    struct Echo {
        jobs: Receiver<u32>,
        done: SyncSender<Done>,
    }

    /// A thread that never gets the processor.
    struct Starved;

    impl Watch for Starved {
        fn begin(&self) {}

        fn look(&self) -> Option<Progress> {
            Some(Progress { is_ready: true, ticks: 0 })
        }
    }

    /// A job that takes long enough for the second thread to take over.
    const SLOW: u32 = 1;
    const PANIC: u32 = 2;

    impl Stage for Echo {
        fn turn(&mut self, wait: Duration) -> Turn {
            match self.jobs.recv_timeout(wait) {
                Ok(job) => {
                    assert_ne!(job, PANIC, "as the test wants it");
                    if job == SLOW {
                        std::thread::sleep(LOOK_INTERVAL * (PATIENT_LOOKS + 3));
                    }
                    let thread = std::thread::current().name().unwrap_or_default().to_owned();
                    self.done.send(Some((job, thread))).unwrap();
                    Turn::Worked
                }
                Err(RecvTimeoutError::Timeout) => Turn::Waited,
                Err(RecvTimeoutError::Disconnected) => Turn::Ended,
            }
        }

        fn end(self) {
            self.done.send(None).unwrap();
        }
    }

    fn start() -> (SyncSender<u32>, Receiver<Done>, Threads) {
        let ((jobs, queue), (done, seen)) = (sync_channel(16), sync_channel(16));
        let has_jobs: HasJobs = Arc::new(|| true);
        let stage = Echo { jobs: queue, done };
        (jobs, seen, Threads::watched_by(Box::new(Starved), "echo", stage, &has_jobs).unwrap())
    }

    #[test]
    fn second_thread_takes_over_and_jobs_stay_in_order() {
        let (jobs, seen, threads) = start();
        for job in [SLOW, 10, 11, 12] {
            jobs.send(job).unwrap();
        }
        drop(jobs);
        assert!(threads.join());
        let seen: Vec<Done> = seen.iter().collect();
        let done = |job, thread: &str| Some((job, thread.to_owned()));
        let [slow, rest @ .., end] = &seen[..] else { panic!("{seen:?}") };
        assert!([done(SLOW, "echo"), done(SLOW, "echo-2")].contains(slow), "{seen:?}");
        assert_eq!(rest, [10, 11, 12].map(|job| done(job, "echo-2")), "{seen:?}");
        assert_eq!(*end, None);
    }

    #[test]
    fn panic_ends_the_stage() {
        let (jobs, seen, threads) = start();
        jobs.send(PANIC).unwrap();
        assert!(!threads.join());
        assert_eq!(seen.iter().count(), 0, "a stage in an unknown state is not ended in order");
        assert!(jobs.send(3).is_err());
    }
}
