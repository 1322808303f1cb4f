//! `cargo xtask fuzz`: runs the fuzz targets of `tests/fuzz` with libFuzzer, shares the time among them, and prints
//! the verdict.

mod build;
mod engine;
mod finding;

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};

use build::Built;
pub use build::{compile, formatted, locked};
use engine::Tally;

/// The help text.
pub const USAGE: &str = "\
cargo xtask fuzz

      --minutes N      how long in all; 10 by default
      --target NAME    only documents, states, schemas, bundles, calls, texts or help
      --jobs N         programs at once; 1 by default
      --seed S         a number; begins with the inputs written by hand, so that one job tries the same inputs again.
                       Without it, a run begins with the inputs that previous runs kept
      --replay FILE    only the input of a finding

Needs a C++ compiler: libFuzzer is built with it.";

/// The targets, and the share of the time each has.
const TARGETS: &[(&str, f64)] = &[
    ("documents", 0.35),
    ("schemas", 0.2),
    ("states", 0.1),
    ("bundles", 0.15),
    ("calls", 0.1),
    ("texts", 0.05),
    ("help", 0.05),
];

struct Options {
    minutes: f64,
    jobs: u32,
    seed: u32,
    /// Whether earlier runs' inputs are left aside.
    fresh: bool,
    target: Option<String>,
    replay: Option<String>,
}

/// Fuzzes with these options: success if nothing was found.
pub fn run(options: &[&str]) -> Result<ExitCode> {
    if options.iter().any(|option| ["--help", "-h"].contains(option)) {
        println!("{USAGE}");
        return Ok(ExitCode::SUCCESS);
    }
    let options = match read(options) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("{error:#}\n\n{USAGE}");
            return Ok(ExitCode::from(2));
        }
    };
    let built = build::targets()?;
    let clean = match &options.replay {
        Some(file) => finding::replay(&built, Path::new(file))?,
        None => fuzz(&built, &options)?,
    };
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn read(words: &[&str]) -> Result<Options> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.subsec_nanos();
    let mut options =
        Options { minutes: 10.0, jobs: 1, seed: now.max(1), fresh: false, target: None, replay: None };
    for pair in words.chunks(2) {
        let [name, value] = *pair else { bail!("{} needs a value", pair[0]) };
        let wrong = || format!("{name} {value}");
        match name {
            "--minutes" => options.minutes = value.parse().with_context(wrong)?,
            "--jobs" => options.jobs = value.parse().with_context(wrong)?,
            // To libFuzzer 0 means any seed.
            "--seed" => {
                (options.seed, options.fresh) = (value.parse::<u32>().with_context(wrong)?.max(1), true);
            }
            "--target" if TARGETS.iter().any(|(target, _)| *target == value) => {
                options.target = Some(value.to_owned());
            }
            "--replay" => options.replay = Some(value.to_owned()),
            _ => bail!("{name} {value}: there is no such option"),
        }
    }
    if !(options.minutes > 0.0 && options.minutes < 1e6) || options.jobs == 0 {
        bail!("no time or no jobs");
    }
    Ok(options)
}

/// Runs the targets until the time is over or something is found. Whether nothing was.
fn fuzz(built: &Built, options: &Options) -> Result<bool> {
    println!("seed {}", options.seed);
    let asked = |name: &str| options.target.as_ref().is_none_or(|target| target == name);
    let shares: f64 = TARGETS.iter().filter(|(name, _)| asked(name)).map(|(_, share)| share).sum();
    let mut all = Tally::default();
    for (target, share) in TARGETS.iter().filter(|(name, _)| asked(name)) {
        let time = Duration::from_secs_f64((options.minutes * 60.0 * share / shares).max(1.0));
        let run = engine::run(built, target, time, options.jobs, options.seed, options.fresh)?;
        println!("   {target}: {}", run.tally);
        all.add(&run.tally);
        if let Some(artifact) = run.artifact {
            finding::tell(built, target, &artifact)?;
            println!("\nFOUND something in {all}; seed {}", options.seed);
            return Ok(false);
        }
    }
    println!("\nnothing found: {all}; seed {}", options.seed);
    Ok(true)
}
