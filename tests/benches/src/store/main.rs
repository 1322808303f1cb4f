//! The cost of a store of many calls: opening, any page of any list, rebuilding the index, removing calls.
//!
//! Every step is a process of its own, so that its memory is its own.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "its table goes to stdout")]

mod calls;
mod steps;

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

const USAGE: &str = "\
cargo xtask bench store

      --calls N    how many calls; 1,000,000 if not said (some 2.5 GB of disk)

Exits with 1 when a bar is missed.";

const CALLS: u64 = 1_000_000;

/// A figure and what it should not exceed.
#[derive(Debug, Serialize, Deserialize)]
struct Measured {
    what: String,
    value: f64,
    unit: String,
    bar: Option<f64>,
}

impl Measured {
    fn passed(&self) -> bool {
        self.bar.is_none_or(|bar| self.value <= bar)
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args.as_slice() {
        [] => run(CALLS),
        ["--calls", calls] => match calls.replace(['_', ','], "").parse() {
            Ok(calls) => run(calls),
            Err(_) => return usage(),
        },
        ["--step", name, dir, calls] => calls.parse().map_err(Into::into).and_then(|calls| {
            for measured in steps::run(name, Path::new(dir), calls)? {
                println!("{}", serde_json::to_string(&measured)?);
            }
            Ok(true)
        }),
        ["--help" | "-h"] => {
            println!("{USAGE}");
            Ok(true)
        }
        _ => return usage(),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}

/// Measures and prints. Whether no bar was missed.
fn run(calls: u64) -> Result<bool> {
    let dir = tempfile::Builder::new().prefix("schemascope-store-").tempdir()?;
    println!("# A store of {calls} calls\n");
    println!("| | | bar | |\n|---|---|---|---|");
    let mut passed = true;
    for step in steps::NAMES {
        for measured in child(step, dir.path(), calls)? {
            let Measured { what, value, unit, bar } = &measured;
            let bar = bar.map_or_else(String::new, |bar| format!("{bar} {unit}"));
            let word = match (measured.bar, measured.passed()) {
                (None, _) => "",
                (_, true) => "met",
                (_, false) => "**missed**",
            };
            println!("| {what} | {value:.1} {unit} | {bar} | {word} |");
            passed &= measured.passed();
        }
    }
    Ok(passed)
}

/// Runs a step in a process of its own.
fn child(step: &str, dir: &Path, calls: u64) -> Result<Vec<Measured>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--step", step]).arg(dir).arg(calls.to_string());
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    // The step that fills is killed: it ends without closing the store.
    ensure!(output.status.success() || step == steps::FILL, "step {step} failed: {}", output.status);
    let text = String::from_utf8(output.stdout)?;
    text.lines().map(|line| serde_json::from_str(line).with_context(|| format!("{step}: {line}"))).collect()
}
