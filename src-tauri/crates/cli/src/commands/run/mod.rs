//! `run`: a command with the engine up around it.

#[cfg(unix)]
mod group;
mod importable;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;

use anyhow::Result;
use schemascope_engine::{Durability, LastingEngine, Passed};
use schemascope_model::Timestamp;
use serde::Deserialize;

use super::verb::{Alone, verbs};
use crate::args::Args;
use crate::output::{self, counted};
use crate::pages::Embedded;

verbs!(Run: alone Run);

/// Run a command that calls tools through Schemascope
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The command finds the address in SCHEMASCOPE_URL and the agent token in SCHEMASCOPE_TOKEN. Its standard \
    input, output and error are those of this command. It attaches to the Schemascope that runs on the same \
    data directory. If none runs, or the one that runs ends, this command runs the proxy itself, under the \
    same address for the command.\n\n\
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 are passed on. When the command has ended, so have the processes that it left \
    in its group, and every call is recorded. The exit code is that of the command: 127 if it was not found, \
    126 if it cannot be executed, 128+N if signal N ended it.\n\nExamples:\n  \
    schemascope run -- python script.py\n  \
    schemascope run --out wrappers -- python script.py    with wrappers"
)]
pub struct Run {
    /// Folder with wrappers: Python and Node find the modules in it
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
}

/// Exit codes of shells.
const NOT_FOUND: u8 = 127;
const NOT_EXECUTABLE: u8 = 126;

impl Alone for Run {
    async fn run(&self, args: &Args) -> Result<ExitCode> {
        let began = Timestamp::now();
        let variables = self.out.as_deref().map(importable::variables).transpose()?.unwrap_or_default();
        let engine = LastingEngine::start(args.options(Durability::default())?, Arc::new(Embedded)).await?;
        let Some((program, arguments)) = self.command.split_first() else { return Ok(ExitCode::FAILURE) };
        let mut command = Command::new(program);
        command.args(arguments).envs(variables);
        command.env("SCHEMASCOPE_URL", format!("http://{}", engine.address()));
        command.env("SCHEMASCOPE_TOKEN", engine.token());
        let ended = carry_out(command).await;
        let passed = engine.end().await;
        let code = ended.unwrap_or_else(|error| {
            let shown = output::harmless(&program.to_string_lossy());
            output::note(&format!("error: cannot run {shown}: {}", reason(&error)));
            if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { NOT_EXECUTABLE }
        });
        if !args.quiet {
            let wrappers = self.out.as_deref().map(|folder| changed_wrappers(folder, began));
            output::note(&closing(passed, wrappers.flatten()));
        }
        // A listener of signals may still wait.
        std::process::exit(code.into())
    }
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it was not found; is it installed and in PATH?".to_owned(),
        io::ErrorKind::PermissionDenied => "it may not be executed".to_owned(),
        _ => error.to_string(),
    }
}

/// What passed, in a line.
fn closing(passed: Passed, wrappers: Option<u64>) -> String {
    let calls = counted(passed.calls, "call");
    let learned = match passed.observations {
        Some(observations) => format!("schemascope: {calls}, {}", counted(observations, "result")),
        None => format!("schemascope: {calls}; what was learned from them is unknown"),
    };
    match wrappers {
        Some(count) => format!("{learned}, {} changed", counted(count, "wrapper")),
        None => learned,
    }
}

/// Wrappers of a folder that were written since a time; none if it has no wrappers.
fn changed_wrappers(folder: &Path, since: Timestamp) -> Option<u64> {
    #[derive(Deserialize)]
    struct Manifest {
        tools: Vec<Entry>,
    }
    #[derive(Deserialize)]
    struct Entry {
        written_at: Option<Timestamp>,
    }
    let text = std::fs::read_to_string(folder.join("schemascope.json")).ok()?;
    let Manifest { tools } = serde_json::from_str(&text).ok()?;
    let changed = tools.iter().filter(|entry| entry.written_at.is_some_and(|at| at >= since));
    Some(changed.count() as u64)
}

/// Runs a command to its end, with everything it started. Returns its exit code as a shell does.
#[cfg(unix)]
async fn carry_out(mut command: Command) -> io::Result<u8> {
    use group::{Ended, Group};

    let signals = group::Signals::listen()?;
    let group = Arc::new(Group::start(&mut command)?);
    let passing = tokio::spawn(signals.pass_to(Arc::clone(&group)));
    let waiting = tokio::task::spawn_blocking(move || {
        let ended = group.wait();
        group.end();
        ended
    });
    let ended = waiting.await.map_err(io::Error::other)?;
    passing.abort();
    Ok(match ended? {
        Ended::Exited(code) => u8::try_from(code).unwrap_or(u8::MAX),
        Ended::Signalled(signal) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
    })
}

/// Runs a command to its end. Returns its exit code.
#[cfg(not(unix))]
async fn carry_out(command: Command) -> io::Result<u8> {
    let mut child = tokio::process::Command::from(command).kill_on_drop(true).spawn()?;
    loop {
        tokio::select! {
            status = child.wait() => return Ok(status?.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)),
            // The console sends it to the command as well.
            () = schemascope_engine::asked_to_end() => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_line_says_calls_and_observations() {
        let line = |calls, observations| closing(Passed { calls, observations }, None);
        assert_eq!(line(1, Some(0)), "schemascope: 1 call, 0 results");
        assert_eq!(line(2, None), "schemascope: 2 calls; what was learned from them is unknown");
        let passed = Passed { calls: 1, observations: Some(1) };
        assert_eq!(closing(passed, Some(2)), "schemascope: 1 call, 1 result, 2 wrappers changed");
    }
}
