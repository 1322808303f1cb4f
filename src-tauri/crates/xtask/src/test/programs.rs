//! Compiling test programs and running them one after another, with the time of every test.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::shell::both;

/// The end-to-end tests run processes, a browser and a window beside whatever else the machine does.
const END_TO_END: &str = "e2e";
/// Tests of it that compile for minutes. Their names are the last, and at the end they would run alone.
const LONGEST: &str = "wrappers::rust::";
/// At most so many failed end-to-end tests are tried again, each alone. What passes then is named: its test, or what it
/// tests, depends on time.
const SECOND_TRIES: usize = 3;

/// A compiled test program.
#[derive(Debug)]
struct Program {
    path: PathBuf,
    /// The package's folder, where cargo runs its tests.
    folder: PathBuf,
}

/// What test programs reported.
#[derive(Debug, Default)]
pub struct Results {
    pub passed: u64,
    pub failed: u64,
    /// Seconds and name of each test.
    pub times: Vec<(f64, String)>,
    /// Tests that failed beside others and passed alone.
    pub unsteady: Vec<String>,
}

impl Results {
    fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.times.extend(other.times);
    }
}

/// What a build made, and what it had to say.
#[derive(Debug, Default)]
pub struct Build {
    programs: Vec<Program>,
    /// Warnings of the compiler, or of clippy where it compiles.
    pub warnings: u64,
}

impl Build {
    /// Runs a command of cargo that compiles tests, and prints its warnings and errors.
    pub fn by(cargo: &mut Command) -> Result<Self> {
        let mut child = cargo
            .args(["--locked", "--quiet", "--message-format=json-diagnostic-rendered-ansi"])
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot run cargo")?;
        let messages = child.stdout.take().context("stdout is piped")?;
        let mut build = Self::default();
        for line in BufReader::new(messages).lines() {
            build.read(&serde_json::from_str(&line?)?)?;
        }
        if !child.wait()?.success() {
            bail!("it does not compile");
        }
        Ok(build)
    }

    fn read(&mut self, message: &Value) -> Result<()> {
        if let Some(rendered) = message["message"]["rendered"].as_str() {
            eprint!("{rendered}");
            self.warnings += u64::from(message["message"]["level"] == "warning");
        }
        let is_test = message["profile"]["test"] == true;
        if let Some(path) = message["executable"].as_str().filter(|_| is_test) {
            let manifest =
                message["manifest_path"].as_str().context("cargo names the package of a program")?;
            let folder = PathBuf::from(manifest).parent().context("a manifest lies in a folder")?.to_owned();
            self.programs.push(Program { path: path.into(), folder });
        }
        Ok(())
    }

    /// Both builds as one.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        self.programs.extend(other.programs);
        self.warnings += other.warnings;
        self
    }

    /// Runs the tests whose names contain `filter`, or all.
    pub fn run(&self, filter: Option<&str>, results: &mut Results) -> Result<()> {
        self.programs.iter().try_for_each(|program| program.run(filter, results))
    }
}

impl Program {
    fn run(&self, filter: Option<&str>, results: &mut Results) -> Result<()> {
        let is_end_to_end = self.name() == END_TO_END;
        let failed = match filter {
            None if is_end_to_end => {
                let mut longest = Results::default();
                let (one, other) = both(
                    || self.attempt(&[LONGEST], &mut longest),
                    || self.attempt(&["--skip", LONGEST], results),
                );
                results.add(longest);
                [one?, other?].concat()
            }
            filter => self.attempt(filter.as_slice(), results)?,
        };
        if is_end_to_end && failed.len() <= SECOND_TRIES {
            for test in failed {
                println!("{test} is tried again, alone");
                let before = results.failed;
                self.attempt(&["--exact", &test], results)?;
                // Whatever came of it is counted once.
                results.failed -= 1;
                if results.failed < before {
                    results.unsteady.push(test);
                }
            }
        }
        Ok(())
    }

    fn name(&self) -> &str {
        let name = self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.rsplit_once('-').map_or(name, |(name, _)| name)
    }

    /// Runs the tests that `selection` names. Gives the names of those that failed.
    fn attempt(&self, selection: &[&str], results: &mut Results) -> Result<Vec<String>> {
        let name = self.name();
        // Only a nightly test program reports times, unless this variable says that it is one.
        let mut command = Command::new(&self.path);
        if name == END_TO_END {
            // A quarter of their time they wait: for a browser, a limit, an answer that never comes.
            let threads = std::thread::available_parallelism()?.get() + 1;
            command.env("RUST_TEST_THREADS", threads.to_string());
        }
        let mut child = command
            .args(["-Z", "unstable-options", "--report-time"])
            .args(selection)
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_MANIFEST_DIR", &self.folder)
            .current_dir(&self.folder)
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot run {}", self.path.display()))?;
        let output = child.stdout.take().context("stdout is piped")?;
        let before = results.failed;
        let mut failed = Vec::new();
        for line in BufReader::new(output).lines() {
            let line = line?;
            if let Some(counts) = line.strip_prefix("test result: ") {
                results.passed += count(counts, "passed");
                results.failed += count(counts, "failed");
            } else if let Some((test, seconds)) = timed(&line) {
                results.times.push((seconds, format!("{name}: {test}")));
            } else if !is_noise(&line) {
                failed.extend(failure(&line).map(str::to_owned));
                println!("{line}");
            }
        }
        let status = child.wait()?;
        if !status.success() && results.failed == before {
            println!("{name} ended without a result: {status}");
            results.failed += 1;
        }
        Ok(failed)
    }
}

/// The number before a word of a result line, `ok. 7 passed; 0 failed; …`.
fn count(counts: &str, what: &str) -> u64 {
    let words: Vec<&str> = counts.split([' ', ';', '.']).collect();
    let at = words.iter().position(|word| *word == what);
    at.and_then(|at| words.get(at.checked_sub(1)?)?.parse().ok()).unwrap_or(0)
}

/// Name and seconds of a test that passed, from `test NAME ... ok <1.234s>`.
fn timed(line: &str) -> Option<(&str, f64)> {
    let (test, time) = line.strip_prefix("test ")?.split_once(" ... ok <")?;
    Some((test, time.strip_suffix("s>")?.parse().ok()?))
}

/// The name of a test that failed.
fn failure(line: &str) -> Option<&str> {
    let (test, _) = line.strip_prefix("test ")?.split_once(" ... FAILED")?;
    Some(test)
}

fn is_noise(line: &str) -> bool {
    let running =
        line.strip_prefix("running ").is_some_and(|rest| rest.ends_with(" tests") || rest == "1 test");
    line.is_empty() || running
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_are_counted_and_timed() {
        let line = "FAILED. 12 passed; 3 failed; 0 ignored; 0 measured; 1 filtered out; finished in 0.10s";
        assert_eq!((count(line, "passed"), count(line, "failed")), (12, 3));
        assert_eq!(timed("test proxy::http::a ... ok <1.250s>"), Some(("proxy::http::a", 1.25)));
        assert_eq!(timed("test proxy::http::a ... FAILED <1.250s>"), None);
        assert_eq!(failure("test proxy::http::a ... FAILED <1.250s>"), Some("proxy::http::a"));
        assert!(is_noise("running 12 tests") && is_noise("running 1 test") && !is_noise("running late"));
    }
}
