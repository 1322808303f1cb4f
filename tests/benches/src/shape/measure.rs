//! Measures one process: its CPU time, its duration, and its peak memory.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use wait4::Wait4;

use crate::inputs::Input;
use crate::programs::{Program, Role};

/// What one process needed.
#[derive(Debug, Clone)]
pub struct Measured {
    pub input: &'static str,
    pub role: Role,
    pub name: &'static str,
    /// User and system.
    pub cpu: Duration,
    pub wall: Duration,
    /// Bytes resident at the peak. The kernel starts counting with what this process holds when it
    /// starts another, so this process must stay small.
    pub peak: u64,
    pub printed: String,
}

/// Runs a program once.
pub fn run(program: &Program, input: &Input) -> Result<Measured> {
    let pin = if program.pinned() { core() } else { None };
    let began = Instant::now();
    let mut child = program
        .command(&input.path, pin)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(if program.tells() { Stdio::null() } else { Stdio::inherit() })
        .spawn()
        .with_context(|| format!("cannot start {}", program.name))?;
    let mut printed = String::new();
    child.stdout.take().context("stdout was asked for")?.read_to_string(&mut printed)?;
    let used = child.wait4()?;
    let wall = began.elapsed();
    if !used.status.success() {
        bail!("{} failed on {}", program.name, input.name);
    }
    Ok(Measured {
        input: input.name,
        role: program.role,
        name: program.name,
        cpu: used.rusage.utime + used.rusage.stime,
        wall,
        peak: used.rusage.maxrss,
        printed,
    })
}

/// The core all share; none where processes cannot be pinned.
fn core() -> Option<usize> {
    static CORE: OnceLock<Option<usize>> = OnceLock::new();
    *CORE.get_or_init(|| {
        // The last one: the first serves most interrupts.
        let last = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) - 1;
        let works = Command::new("taskset").args(["-c", &last.to_string(), "true"]).output();
        works.is_ok_and(|output| output.status.success()).then_some(last)
    })
}
