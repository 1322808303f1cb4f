//! The priority of the recorder's threads in the background, and whether they get any time.
//!
//! This is of Linux. Elsewhere all threads are equal, and only the slowest answers take longer.

use std::time::{Duration, Instant};

/// Lets threads that wait for this processor go first. With lazy preemption (Linux 6.13 and later), a thread that another processor
/// has woken up waits here for the next call of the kernel, or up to 4 ms.
pub(super) fn give_way() {
    std::thread::yield_now();
}

/// What a thread in the background is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Progress {
    /// Whether it runs, or would if it got the processor.
    pub(super) is_ready: bool,
    /// Processor time that it has had, in ticks of 10 ms.
    pub(super) ticks: u64,
}

/// Watches a thread in the background.
pub(super) trait Watch: Send + Sync + 'static {
    /// Called by the thread when it starts.
    fn begin(&self);
    /// What the thread does, if that is known.
    fn look(&self) -> Option<Progress>;
}

/// Gives a thread only the time that no other thread wants. Any thread that wakes up gets the processor at once.
#[derive(Debug, Default)]
pub(super) struct Background {
    #[cfg(target_os = "linux")]
    thread: std::sync::OnceLock<rustix::thread::Pid>,
}

#[cfg(target_os = "linux")]
impl Watch for Background {
    /// Leaves the priority as it is if one cannot see that the thread gets no time.
    fn begin(&self) {
        use thread_priority::{
            NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy, set_thread_priority_and_policy,
            thread_native_id,
        };
        let thread = rustix::thread::gettid();
        if progress_of(thread).is_none() {
            return;
        }
        let _ = self.thread.set(thread);
        let policy = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
        if let Err(error) = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, policy) {
            tracing::debug!(?error, "the priority of a thread could not be lowered to idle");
        }
    }

    fn look(&self) -> Option<Progress> {
        progress_of(*self.thread.get()?)
    }
}

#[cfg(not(target_os = "linux"))]
impl Watch for Background {
    fn begin(&self) {}

    fn look(&self) -> Option<Progress> {
        None
    }
}

/// Processor time that no thread of this machine uses, from one time on.
pub(super) struct UnusedTime {
    since: Instant,
    /// Up to then, in ticks of 10 ms, of all processors together; none where it is not known.
    ticks: Option<u64>,
}

/// Unused time in a second, in ticks, that a thread in the background needs to get on.
const ENOUGH_TICKS: f64 = 25.0;

impl UnusedTime {
    /// From now on.
    pub(super) fn begin() -> Self {
        Self { since: Instant::now(), ticks: unused_ticks() }
    }

    /// Whether there was enough for a thread in the background, as far as is known, once this time is over. Then begins again.
    pub(super) fn is_enough_after(&mut self, time: Duration) -> Option<bool> {
        let elapsed = self.since.elapsed();
        if elapsed < time {
            return None;
        }
        let before = std::mem::replace(self, Self::begin());
        let ticks = self.ticks.zip(before.ticks).map(|(now, before)| now.saturating_sub(before));
        Some(ticks.is_none_or(|ticks| is_enough(ticks, elapsed)))
    }
}

fn is_enough(ticks: u64, time: Duration) -> bool {
    // One may be of rounding.
    (ticks + 1) as f64 >= ENOUGH_TICKS * time.as_secs_f64()
}

#[cfg(target_os = "linux")]
fn unused_ticks() -> Option<u64> {
    parse_unused(&std::fs::read_to_string("/proc/stat").ok()?)
}

#[cfg(not(target_os = "linux"))]
fn unused_ticks() -> Option<u64> {
    None
}

/// Reads the first line of `/proc/stat` (`proc_stat(5)`): times of all processors, of which the fourth was idle and the fifth
/// waited for a disk.
#[cfg(target_os = "linux")]
fn parse_unused(stat: &str) -> Option<u64> {
    let times = stat.lines().next()?.strip_prefix("cpu ")?.split_ascii_whitespace().skip(3).take(2);
    let times: Vec<u64> = times.map(str::parse).collect::<Result<_, _>>().ok()?;
    (times.len() == 2).then(|| times.iter().sum())
}

#[cfg(target_os = "linux")]
fn progress_of(thread: rustix::thread::Pid) -> Option<Progress> {
    let path = format!("/proc/self/task/{}/stat", thread.as_raw_nonzero());
    parse(&std::fs::read_to_string(path).ok()?)
}

/// Reads a line of `/proc/PID/task/TID/stat` (`proc_pid_stat(5)`): number, name in brackets, state, and from the twelfth word
/// after the name on, the time in the program and in the kernel.
#[cfg(target_os = "linux")]
fn parse(stat: &str) -> Option<Progress> {
    let mut words = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let is_ready = words.next()? == "R";
    let mut times = words.skip(10).map(str::parse::<u64>);
    let (program, kernel) = (times.next()?.ok()?, times.next()?.ok()?);
    Some(Progress { is_ready, ticks: program + kernel })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn progress_of_a_thread_is_read() {
        let stat = "42 (a) R (b) R 1 2 3 0 -1 64 5 0 6 0 70 8 0 0 20 0 9 0 1 2 3";
        assert_eq!(parse(stat), Some(Progress { is_ready: true, ticks: 78 }));
        assert_eq!(parse("42 (a) S 1"), None);
        let own = Background::default();
        assert_eq!(own.look(), None);
        own.begin();
        assert!(own.look().unwrap().is_ready);
    }

    #[test]
    fn unused_time_of_all_processors_is_read() {
        assert_eq!(parse_unused("cpu  150539 0 10162 225391 660 0 50\ncpu0 1 2 3 4 5"), Some(226_051));
        assert_eq!(parse_unused("cpu  1 2 3 4"), None);
    }

    #[test]
    fn quarter_of_a_processor_is_enough() {
        let two_seconds = Duration::from_secs(2);
        assert_eq!([20, 49, 400].map(|ticks| is_enough(ticks, two_seconds)), [false, true, true]);
    }
}
