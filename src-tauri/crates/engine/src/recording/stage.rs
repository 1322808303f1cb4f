//! Two threads that take turns at one stage of the recorder.
//!
//! A thread in the background does the work while the processor has nothing else to do, so that it delays no answer. On a busy
//! machine it may get little time or none: it then ends, and the stage's own thread, of ordinary priority, works until there is
//! time again. The end of a stage waits for the job that a thread in the background is doing, but not for that thread. The system
//! does not end the process before its threads, so none should be left when a machine stays busy.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, Thread};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::priority::{Background, Progress, UnusedTime, Watch, give_way};

/// How often the stage's own thread looks whether the one in the background gets on.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);
/// Looks at which the thread in the background was ready, one after the other, before the other takes over.
const PATIENT_LOOKS: u32 = 6;
/// Ticks of processor time (10 ms) that it had in the meantime, if it gets on: one may be of rounding.
const LEAST_TICKS: u64 = 2;
/// Time for which the stage's own thread works at least. It doubles while that is needed again soon, although the machine
/// seemed to have time: what keeps a thread in the background from the processor could stop it in the middle of a job.
const STAY: Duration = Duration::from_secs(2);
const LONGEST_STAY: Duration = Duration::from_secs(320);
/// Longest time a turn waits for a job.
const LONGEST_WAIT: Duration = Duration::from_secs(2);
/// Time for which the thread in the background works before it gives way. To give way costs some microseconds, as much as
/// recording a small call.
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

/// How a thread in the background is watched.
type NewWatch = fn() -> Arc<dyn Watch>;

/// The threads of a stage.
pub(super) struct Threads {
    /// The stage's own thread. It returns whether the stage came to its end without a panic.
    own: JoinHandle<bool>,
}

impl Threads {
    /// Starts the threads of a stage.
    pub(super) fn start<S: Stage>(name: &str, stage: S, has_jobs: &HasJobs) -> std::io::Result<Self> {
        let place = Place { stage: Mutex::new(Some(Box::new(stage))), is_over: AtomicBool::new(false) };
        let watch: NewWatch = || Arc::new(Background::default());
        Owner { place: Arc::new(place), has_jobs: Arc::clone(has_jobs), watch }.start(name, STAY)
    }

    /// The thread to unpark when the first job after a pause has come.
    pub(super) fn watcher(&self) -> Thread {
        self.own.thread().clone()
    }

    /// Waits for the end. Returns whether it came without a panic.
    pub(super) fn join(self) -> bool {
        self.own.join().unwrap_or(false)
    }
}

/// Where the stage is when no thread works at it.
struct Place<S> {
    /// Taken out for each turn, so that a panic ends the stage.
    stage: Mutex<Option<Box<S>>>,
    is_over: AtomicBool,
}

impl<S: Stage> Place<S> {
    fn turn(&self, wait: Duration) {
        let mut place = self.stage.lock();
        let Some(mut stage) = place.take() else { return };
        let turn = catch_unwind(AssertUnwindSafe(|| {
            let turn = stage.turn(wait);
            *place = Some(stage);
            turn
        }));
        if turn.unwrap_or(Turn::Ended) == Turn::Ended {
            self.is_over.store(true, Ordering::Relaxed);
        }
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}

/// What the stage's own thread works with.
struct Owner<S> {
    place: Arc<Place<S>>,
    has_jobs: HasJobs,
    watch: NewWatch,
}

/// A thread in the background. When this is dropped, the thread ends after the job that it is doing.
struct Helper {
    watch: Arc<dyn Watch>,
    is_dismissed: Arc<AtomicBool>,
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.is_dismissed.store(true, Ordering::Relaxed);
    }
}

/// Unparks a thread when it is dropped.
struct Unparked(Thread);

impl Drop for Unparked {
    fn drop(&mut self) {
        self.0.unpark();
    }
}

impl<S: Stage> Owner<S> {
    fn start(self, name: &str, stay: Duration) -> std::io::Result<Threads> {
        let own = std::thread::Builder::new().name(name.to_owned()).spawn(move || self.run(stay))?;
        Ok(Threads { own })
    }

    /// Works for this time and until the machine has time for a thread in the background, and later while that one does not get
    /// on. Ends the stage.
    fn run(self, mut stay: Duration) -> bool {
        while self.work(stay) {
            let left = Instant::now();
            if let Ok(helper) = self.start_helper() {
                self.until_needed(&*helper.watch);
            }
            let is_soon = left.elapsed() < STAY;
            stay = if is_soon { (2 * stay).clamp(STAY, LONGEST_STAY) } else { STAY };
        }
        let stage = self.place.stage.lock().take();
        stage.map(|stage| stage.end()).is_some()
    }

    /// Has a new thread in the background do the jobs.
    fn start_helper(&self) -> std::io::Result<Helper> {
        let helper = Helper { watch: (self.watch)(), is_dismissed: Arc::default() };
        let (watch, is_dismissed) = (Arc::clone(&helper.watch), Arc::clone(&helper.is_dismissed));
        let place = Arc::clone(&self.place);
        let own = std::thread::current();
        let name = format!("{}-bg", own.name().unwrap_or_default());
        let work = move || {
            let _at_the_end = Unparked(own);
            watch.begin();
            let mut gave_way = Instant::now();
            while !is_dismissed.load(Ordering::Relaxed) && !place.is_over() {
                place.turn(LONGEST_WAIT);
                if gave_way.elapsed() >= GIVE_WAY_INTERVAL {
                    give_way();
                    gave_way = Instant::now();
                }
            }
        };
        std::thread::Builder::new().name(name).spawn(work).map(|_| helper)
    }

    /// Waits until the thread in the background gets no processor time although it is ready, or would get none if a job came, or
    /// the stage is over. That jobs wait is no sign of it: they do whenever more come than can be recorded.
    fn until_needed(&self, background: &dyn Watch) {
        // Since when the thread was ready at every look, and how many there were.
        let mut ready: Option<(Progress, u32)> = None;
        let mut unused = UnusedTime::begin();
        while !self.place.is_over() {
            if !(self.has_jobs)() {
                ready = None;
                std::thread::park_timeout(LONGEST_WAIT);
                if unused.is_enough_after(STAY) == Some(false) {
                    return;
                }
                continue;
            }
            std::thread::sleep(LOOK_INTERVAL);
            let now = background.look().filter(|progress| progress.is_ready);
            ready = now.map(|now| match ready {
                Some((since, looks)) if now.ticks < since.ticks + LEAST_TICKS => (since, looks + 1),
                _ => (now, 1),
            });
            if ready.is_some_and(|(_, looks)| looks >= PATIENT_LOOKS) {
                return;
            }
        }
    }

    /// Works for this time, and on until the machine has time for a thread in the background. Returns false if the stage is
    /// over before.
    fn work(&self, mut stay: Duration) -> bool {
        let mut unused = UnusedTime::begin();
        while !self.place.is_over() {
            match unused.is_enough_after(stay) {
                Some(true) => return true,
                Some(false) => stay = STAY,
                None => self.place.turn(LONGEST_WAIT.min(stay)),
            }
        }
        false
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

    /// A thread that seems to get no processor time.
    struct Starved;

    impl Watch for Starved {
        fn begin(&self) {}

        fn look(&self) -> Option<Progress> {
            Some(Progress { is_ready: true, ticks: 0 })
        }
    }

    /// A thread that gets none.
    struct Stopped;

    impl Watch for Stopped {
        fn begin(&self) {
            loop {
                std::thread::park();
            }
        }

        fn look(&self) -> Option<Progress> {
            Starved.look()
        }
    }

    /// A job that takes long enough for the stage's own thread to take over.
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

    fn start(watch: NewWatch) -> (SyncSender<u32>, Receiver<Done>, Threads) {
        let ((jobs, queue), (done, seen)) = (sync_channel(16), sync_channel(16));
        let has_jobs: HasJobs = Arc::new(|| true);
        let stage = Mutex::new(Some(Box::new(Echo { jobs: queue, done })));
        let place = Arc::new(Place { stage, is_over: AtomicBool::new(false) });
        (jobs, seen, Owner { place, has_jobs, watch }.start("echo", Duration::ZERO).unwrap())
    }

    fn done(job: u32, thread: &str) -> Done {
        Some((job, thread.to_owned()))
    }

    #[test]
    fn own_thread_takes_over_and_jobs_stay_in_order() {
        let (jobs, seen, threads) = start(|| Arc::new(Starved));
        for job in [SLOW, 10, 11, 12] {
            jobs.send(job).unwrap();
        }
        drop(jobs);
        assert!(threads.join());
        let seen: Vec<Done> = seen.iter().collect();
        let [slow, rest @ .., end] = &seen[..] else { panic!("{seen:?}") };
        assert!([done(SLOW, "echo-bg"), done(SLOW, "echo")].contains(slow), "{seen:?}");
        assert_eq!(rest, [10, 11, 12].map(|job| done(job, "echo")), "{seen:?}");
        assert_eq!(*end, None);
    }

    /// On a machine with 8 busy loops on 2 processors, a thread in the background came to its end after up to 13 s.
    #[test]
    fn end_waits_for_no_thread_in_the_background() {
        let (jobs, seen, threads) = start(|| Arc::new(Stopped));
        jobs.send(10).unwrap();
        drop(jobs);
        assert!(threads.join());
        assert_eq!(seen.iter().collect::<Vec<_>>(), [done(10, "echo"), None]);
    }

    #[test]
    fn panic_ends_the_stage() {
        let (jobs, seen, threads) = start(|| Arc::new(Starved));
        jobs.send(PANIC).unwrap();
        assert!(!threads.join());
        assert_eq!(seen.iter().count(), 0, "a stage in an unknown state is not ended in order");
        assert!(jobs.send(3).is_err());
    }
}
