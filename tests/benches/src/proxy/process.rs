//! Processes of contestants. Each is started in a group of its own and ended with it.
//!
//! Their CPU time and memory come from `/proc` and are missing on other systems.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rustix::process::{Pid, Signal, kill_process_group};

/// A running process; it and its children are killed when this is dropped.
#[derive(Debug)]
pub struct Process(Child);

/// Bytes a process holds in memory.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    /// Now.
    pub resident: u64,
    /// At most so far.
    pub peak: u64,
}

impl Process {
    /// Starts a process that writes what it says to a file.
    pub fn start(command: &mut Command, log: &Path) -> Result<Self> {
        use std::os::unix::process::CommandExt;
        let file = File::options().create(true).append(true).open(log)?;
        command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file).process_group(0);
        let name = command.get_program().display().to_string();
        Ok(Self(command.spawn().with_context(|| format!("{name} does not start"))?))
    }

    /// Starts a process that says on its first line where it is. Gives that line.
    pub fn announced(command: &mut Command) -> Result<(Self, String)> {
        use std::os::unix::process::CommandExt;
        command.stdin(Stdio::null()).stdout(Stdio::piped()).process_group(0);
        let name = command.get_program().display().to_string();
        let mut process = Self(command.spawn().with_context(|| format!("{name} does not start"))?);
        let stdout = process.0.stdout.take().context("stdout was asked for")?;
        let mut line = String::new();
        // It prints nothing more, so its output need not be read on.
        BufReader::new(stdout).read_line(&mut line)?;
        ensure!(!line.is_empty(), "{name} ended before it was ready");
        Ok((process, line.trim().to_owned()))
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Whether it still runs.
    pub fn is_running(&mut self) -> bool {
        matches!(self.0.try_wait(), Ok(None))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Gone already is fine.
        if let Some(group) = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.0.wait();
    }
}

/// Processor time a process has used so far, without its children.
pub fn cpu(pid: u32) -> Option<Duration> {
    let mut nanos = 0;
    for thread in fs::read_dir(format!("/proc/{pid}/task")).ok()? {
        // A thread may end meanwhile.
        let Ok(line) = fs::read_to_string(thread.ok()?.path().join("schedstat")) else { continue };
        nanos += line.split(' ').next()?.parse::<u64>().ok()?;
    }
    Some(Duration::from_nanos(nanos))
}

/// What a process holds in memory.
pub fn memory(pid: u32) -> Option<Memory> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let bytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
    };
    Some(Memory { resident: bytes("VmRSS")?, peak: bytes("VmHWM")? })
}
