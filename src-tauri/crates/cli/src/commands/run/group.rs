//! A command in a process group of its own, so that everything it starts ends with it.
//!
//! On a terminal, the group takes the place that this process has: it reads what is typed, gets Ctrl-C, and Ctrl-Z
//! stops both.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::sys::signal as mask;
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, getpgrp, getpid, kill_process, kill_process_group, test_kill_process_group,
    waitpid,
};
use rustix::termios::{tcgetpgrp, tcsetpgrp};
use tokio::signal::unix::{self, SignalKind};

/// How long the processes that a command left behind may take to end after SIGTERM.
const END_TIMEOUT: Duration = Duration::from_millis(1_500);
/// Interval at which they are looked for.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A running command.
pub struct Group {
    /// Id of the command and of its group.
    leader: Pid,
    terminal: Option<Terminal>,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// With this code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
}

impl Group {
    /// Starts a command in a group of its own.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        let terminal = Terminal::open();
        let child = command.process_group(0).spawn()?;
        let leader = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let leader = leader.ok_or_else(|| io::Error::other("the system gave an unusable process id"))?;
        let group = Self { leader, terminal };
        // A command whose output goes to a program beside it, such as a pager, leaves the terminal to that program
        // until it wants to read itself.
        let interacts = io::stdin().is_terminal() && io::stdout().is_terminal();
        if let Some(terminal) =
            group.terminal.as_ref().filter(|terminal| interacts && terminal.is_of(getpgrp()))
        {
            group.take_terminal(terminal);
        }
        Ok(group)
    }

    /// Waits until the command has ended. Blocks.
    pub fn wait(&self) -> io::Result<Ended> {
        loop {
            let status = match waitpid(Some(self.leader), WaitOptions::UNTRACED) {
                Ok(Some((_, status))) => status,
                Ok(None) | Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            };
            if let Some(code) = status.exit_status() {
                return Ok(Ended::Exited(code));
            }
            if let Some(signal) = status.terminating_signal() {
                return Ok(Ended::Signalled(signal));
            }
            if let Some((terminal, signal)) = self.terminal.as_ref().zip(status.stopping_signal()) {
                self.stopped(terminal, signal);
            }
        }
    }

    /// Ends the processes that are left in the group, and takes the terminal back. Blocks.
    pub fn end(&self) {
        self.signal(Signal::TERM);
        let began = Instant::now();
        while test_kill_process_group(self.leader).is_ok() && began.elapsed() < END_TIMEOUT {
            std::thread::sleep(POLL_INTERVAL);
        }
        self.signal(Signal::KILL);
        if let Some(terminal) = self.terminal.as_ref().filter(|terminal| terminal.is_of(self.leader)) {
            terminal.give_to(getpgrp());
        }
    }

    fn signal(&self, signal: Signal) {
        // Fails where all processes have ended.
        let _ = kill_process_group(self.leader, signal);
    }

    /// Handles a stop of the command: it wants the terminal, or its user wants to do something else.
    fn stopped(&self, terminal: &Terminal, signal: i32) {
        let wants_terminal = [Signal::TTIN, Signal::TTOU].iter().any(|one| one.as_raw() == signal);
        if wants_terminal && terminal.is_of(getpgrp()) {
            return self.take_terminal(terminal);
        }
        if !wants_terminal && signal != Signal::TSTP.as_raw() {
            return;
        }
        let had_terminal = terminal.is_of(self.leader);
        if had_terminal {
            terminal.give_to(getpgrp());
        }
        // The shell shows this process, so it stops as well. It continues here.
        let _ = kill_process(getpid(), Signal::STOP);
        if had_terminal && terminal.is_of(getpgrp()) {
            terminal.give_to(self.leader);
        }
        self.signal(Signal::CONT);
    }

    fn take_terminal(&self, terminal: &Terminal) {
        terminal.give_to(self.leader);
        // It may have wanted to read before.
        self.signal(Signal::CONT);
    }
}

/// The terminal of this session.
struct Terminal(File);

impl Terminal {
    fn open() -> Option<Self> {
        File::options().read(true).write(true).open("/dev/tty").ok().map(Self)
    }

    fn is_of(&self, group: Pid) -> bool {
        tcgetpgrp(&self.0).is_ok_and(|now| now == group)
    }

    fn give_to(&self, group: Pid) {
        // The system stops a process of the background that does this, unless the signal is blocked.
        let mut blocked = mask::SigSet::empty();
        blocked.add(mask::Signal::SIGTTOU);
        let before = blocked.thread_swap_mask(mask::SigmaskHow::SIG_BLOCK);
        // Fails where the group has ended.
        let _ = tcsetpgrp(&self.0, group);
        let _ = before.and_then(|before| before.thread_set_mask());
    }
}

/// Signals that are ignored, as bits from the first; none where the system does not say.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}

/// Signals for the command.
pub struct Signals(Vec<(unix::Signal, Signal)>);

impl Signals {
    /// Listens from now on. Needs a tokio runtime.
    pub fn listen() -> io::Result<Self> {
        let passed = [
            (SignalKind::interrupt(), Signal::INT),
            (SignalKind::terminate(), Signal::TERM),
            (SignalKind::hangup(), Signal::HUP),
            (SignalKind::quit(), Signal::QUIT),
            (SignalKind::user_defined1(), Signal::USR1),
            (SignalKind::user_defined2(), Signal::USR2),
            (SignalKind::from_raw(Signal::TSTP.as_raw()), Signal::TSTP),
        ];
        // What was ignored stays so: `nohup` and the background jobs of `sh` rely on it.
        let ignored = ignored();
        let heard = passed.into_iter().filter(|(_, signal)| ignored >> (signal.as_raw() - 1) & 1 == 0);
        let listening = heard.map(|(kind, signal)| Ok((unix::signal(kind)?, signal)));
        listening.collect::<io::Result<_>>().map(Self)
    }

    /// Passes signals on until it is dropped.
    pub async fn pass_to(mut self, group: Arc<Group>) {
        loop {
            let next = std::future::poll_fn(|context| {
                let mut all = self.0.iter_mut();
                let ready = all
                    .find_map(|(listener, signal)| listener.poll_recv(context).is_ready().then_some(*signal));
                ready.map_or(std::task::Poll::Pending, std::task::Poll::Ready)
            });
            let signal = next.await;
            group.signal(signal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(script: &str) -> Ended {
        let group = Group::start(Command::new("sh").args(["-c", script])).unwrap();
        let ended = group.wait().unwrap();
        group.end();
        ended
    }

    #[test]
    fn end_is_that_of_the_command() {
        assert_eq!(ended("exit 3"), Ended::Exited(3));
        assert_eq!(ended("kill -TERM $$"), Ended::Signalled(15));
        let start = |name: &str| Group::start(&mut Command::new(name)).err().map(|error| error.kind());
        assert_eq!(start("/nowhere/at/all"), Some(io::ErrorKind::NotFound));
        assert_eq!(start("/"), Some(io::ErrorKind::PermissionDenied));
    }

    /// A process that the command left behind, and that ignores SIGTERM, ends too.
    #[test]
    fn nothing_of_the_group_is_left() {
        let mut command = Command::new("sh");
        let group =
            Group::start(command.args(["-c", "(trap '' TERM; sleep 1000; sleep 1000) & exit 0"])).unwrap();
        assert_eq!(group.wait().unwrap(), Ended::Exited(0));
        group.end();
        let leader = group.leader;
        let began = Instant::now();
        // Whoever adopted the process reaps it in a moment.
        while test_kill_process_group(leader).is_ok() && is_alive(leader) {
            assert!(began.elapsed() < Duration::from_secs(10));
            std::thread::yield_now();
        }
    }

    /// Whether a process of the group is more than a zombie.
    fn is_alive(group: Pid) -> bool {
        let listed = Command::new("ps").args(["-A", "-o", "pgid=,stat="]).output().unwrap();
        String::from_utf8_lossy(&listed.stdout).lines().any(|line| {
            let mut fields = line.split_whitespace();
            fields.next().and_then(|id| id.parse().ok()) == Some(group.as_raw_nonzero().get())
                && fields.next().is_some_and(|state| !state.starts_with('Z'))
        })
    }
}
