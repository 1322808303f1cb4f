//! `cargo xtask torture`: kills, damaged files and full disks on the release program, for a given time or number of
//! rounds.
//!
//! The faults and the conditions afterwards are in `tests/support`; `tests/record/torture.rs` runs a few of them.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use schemascope_test_support::Places;
use schemascope_test_support::torture::{Fault, Outcome, Random, World};

use crate::shell::{cargo, must, step, target};

/// The help text.
pub const USAGE: &str = "\
cargo xtask torture

      --minutes N      how long; 20 by default
      --seed S         a number: the same faults at the same moments, as far as the machine keeps time
      --only TEXT      only faults whose names have this in them, such as kill or flipped
      --program FILE   another build of schemascope, with the shop beside it

Subjects the program to kills at any point, damaged files, full and read-only disks, a clock that goes back
(with libfaketime, where it is installed) and several processes. After each round every acknowledged call must
be stored, and what was learned must equal a rebuild. Exits with 1 when something was found, and keeps its data.";

/// Set where the process may mount file systems.
const INSIDE: &str = "SCHEMASCOPE_TORTURE_INSIDE";
/// Calls from which on a world is left for a new one: looking through it takes time.
const LARGE: usize = 3_000;

struct Options {
    minutes: f64,
    seed: u64,
    faults: Vec<Fault>,
    program: Option<PathBuf>,
}

/// Runs with these options: success if nothing was found.
pub fn run(words: &[&str]) -> Result<ExitCode> {
    if words.iter().any(|word| ["--help", "-h"].contains(word)) {
        println!("{USAGE}");
        return Ok(ExitCode::SUCCESS);
    }
    let options = match read(words) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("{error:#}\n\n{USAGE}");
            return Ok(ExitCode::from(2));
        }
    };
    let program = match &options.program {
        Some(program) => program.canonicalize().with_context(|| program.display().to_string())?,
        None => built()?,
    };
    if let Some(code) = inside(words, &program)? {
        return Ok(code);
    }
    let clean = torture(&options, &program)?;
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn read(words: &[&str]) -> Result<Options> {
    let seed = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let mut options = Options { minutes: 20.0, seed, faults: Fault::ALL.to_vec(), program: None };
    for pair in words.chunks(2) {
        let [name, value] = *pair else { bail!("{} needs a value", pair[0]) };
        let wrong = || format!("{name} {value}");
        match name {
            "--minutes" => options.minutes = value.parse().with_context(wrong)?,
            "--seed" => options.seed = value.parse().with_context(wrong)?,
            "--only" => options.faults.retain(|fault| fault.name().contains(value)),
            "--program" => options.program = Some(value.into()),
            _ => bail!("{name} {value}: there is no such option"),
        }
    }
    if !(options.minutes > 0.0 && options.minutes < 1e6) || options.faults.is_empty() {
        let names: Vec<&str> = Fault::ALL.iter().map(|fault| fault.name()).collect();
        bail!("no time or no faults; there are: {}", names.join(", "));
    }
    Ok(options)
}

/// The release binary with the shop beside it.
fn built() -> Result<PathBuf> {
    step("schemascope and the shop (a release build)", || {
        let what =
            ["-p", "schemascope", "-p", "schemascope-upstreams", "--bin", "schemascope", "--bin", "shop"];
        must(cargo().args(["build", "--release", "--locked", "--quiet"]).args(what))
    })?;
    Ok(target()?.join("release/schemascope"))
}

/// Does all of it again in a place where it may mount, if there is one: its exit code.
fn inside(words: &[&str], program: &Path) -> Result<Option<ExitCode>> {
    let unshare = || {
        let mut unshare = Command::new("unshare");
        unshare.args(["--map-root-user", "--mount"]);
        unshare
    };
    if std::env::var_os(INSIDE).is_some()
        || !unshare().arg("true").status().is_ok_and(|status| status.success())
    {
        return Ok(None);
    }
    let mut again = unshare();
    again
        .arg(std::env::current_exe()?)
        .arg("torture")
        .args(words)
        .arg("--program")
        .arg(program)
        .env(INSIDE, "1");
    Ok(Some(if again.status()?.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE }))
}

/// Rounds until the time is over. Whether nothing was found.
fn torture(options: &Options, program: &Path) -> Result<bool> {
    let places = Places::beside(program)?;
    let dir = std::env::temp_dir().join(format!("schemascope-torture-{}", std::process::id()));
    println!("seed {}, data in {}", options.seed, dir.display());
    let end = Instant::now() + Duration::from_secs_f64(options.minutes * 60.0);
    let (mut findings, mut rounds, mut worlds, mut world) = (0_u32, 0_u64, 0_u32, None);
    while Instant::now() < end {
        rounds += 1;
        let mut random = Random::new(options.seed, rounds);
        let fault = options.faults[random.below(options.faults.len() as u64) as usize];
        let mut present = match world.take() {
            Some(world) => world,
            None => {
                worlds += 1;
                let mut new = World::new(&places, &dir.join(worlds.to_string()))?;
                new.work(&mut random)?;
                new
            }
        };
        let struck = fault.strike(&mut present, &mut random);
        let checked = struck.and_then(|outcome| present.check().map(|()| outcome));
        let (calls, decisions) = present.size();
        let verdict = match &checked {
            Ok(Outcome::Done) => "all is there".to_owned(),
            Ok(Outcome::NotHere(reason)) => format!("not done here: {reason}"),
            Err(error) => format!("FOUND: {error:#}"),
        };
        println!("{rounds:>4}  {}  ({calls} calls, {decisions} decisions): {verdict}", fault.name());
        if checked.is_err() {
            findings += 1;
            println!("      its data: {}", dir.join(worlds.to_string()).display());
        } else if calls < LARGE {
            world = Some(present);
        } else {
            std::fs::remove_dir_all(dir.join(worlds.to_string()))?;
        }
    }
    println!("\n{rounds} rounds, {findings} findings; seed {}", options.seed);
    if findings == 0 {
        std::fs::remove_dir_all(&dir)?;
    }
    Ok(findings == 0)
}
