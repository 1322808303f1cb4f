//! What breaks the inference: documents, states and arguments made up and mutated without end, and what must
//! hold of them all.
//!
//! Needs no nightly compiler, so it knows nothing of what code was reached; what leads to a schema of a new
//! form is kept and mutated further. Owns: options and the loop. Refuses to know: what is checked.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "talking to the person at the terminal is its job"
)]

mod checks;
mod corpus;
mod finding;
mod input;
mod mutate;
mod progress;

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use schemascope_benches::random::Random;

use crate::corpus::Corpus;
use crate::finding::Finding;
use crate::input::Input;
use crate::progress::Progress;

const USAGE: &str = "\
cargo xtask fuzz

      --minutes N      how long, 1 unless told
      --seed S         a number; the same one gives the same inputs
      --replay FILE    only the input of a finding";

struct Options {
    minutes: f64,
    seed: u64,
    replay: Option<String>,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let Ok(options) = options(&args) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    finding::listen();
    let done = match &options.replay {
        Some(file) => replay(Path::new(file)),
        None => fuzz(&options),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn options(args: &[String]) -> Result<Options> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let mut options =
        Options { minutes: 1.0, seed: u64::from(now.subsec_nanos()) ^ now.as_secs(), replay: None };
    for pair in args.chunks(2) {
        let [name, value] = pair else { bail!("{} needs a value", pair[0]) };
        match name.as_str() {
            "--minutes" => options.minutes = value.parse()?,
            "--seed" => options.seed = value.parse()?,
            "--replay" => options.replay = Some(value.clone()),
            _ => bail!("{name} is no option"),
        }
    }
    Ok(options)
}

/// Goes on until the time is over or something is found. Whether nothing was.
fn fuzz(options: &Options) -> Result<bool> {
    eprintln!("seed {}", options.seed);
    let until = Instant::now() + Duration::try_from_secs_f64(options.minutes * 60.0)?;
    let mut random = Random::new(options.seed, "fuzz");
    let mut corpus = Corpus::new(&mut random);
    let mut progress = Progress::default();
    while Instant::now() < until {
        let input = Input::new(&corpus, &mut random);
        match finding::of(&input) {
            Ok(outcome) => {
                progress.count(&outcome, corpus.len());
                corpus.learn(outcome.form, &input, &mut random);
            }
            Err(reason) => {
                let finding = Finding { reason, input };
                let file = finding.shrunk().write()?;
                eprintln!("\nFOUND after {progress}: {}\ninput in {}", finding.reason, file.display());
                return Ok(false);
            }
        }
    }
    eprintln!("\nnothing found: {progress}");
    Ok(true)
}

/// The input of a finding once more. Whether it holds now.
fn replay(file: &Path) -> Result<bool> {
    let input = Input::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    match finding::of(&input) {
        Ok(_) => {
            eprintln!("nothing found");
            Ok(true)
        }
        Err(reason) => {
            eprintln!("FOUND: {reason}");
            Ok(false)
        }
    }
}
