//! `cargo xtask test`: all that CI checks, with one summary line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::shell::{cargo, must, root, step};
use crate::{checks, fuzz, setup, ui};

#[derive(Default)]
struct Tally {
    passed: u64,
    failed: u64,
}

impl Tally {
    /// Does one check; a failure is told and counted, and the others go on.
    fn check(&mut self, name: &str, work: impl FnOnce() -> Result<()>) {
        match step(name, work) {
            Ok(()) => self.passed += 1,
            Err(error) => {
                eprintln!("FAILED {name}: {error:#}");
                self.failed += 1;
            }
        }
    }
}

/// Runs everything. Whether all passed.
pub fn run() -> Result<bool> {
    let mut tally = Tally::default();
    tally.check("rustfmt", || must(cargo().args(["fmt", "--all", "--check"])));
    tally.check("rustfmt of the fuzz targets", fuzz::formatted);
    tally.check("layering", checks::layering);
    tally.check("features", checks::features);
    setup::servers()?;
    setup::window()?;
    setup::browsers()?;
    tally.check("licences, bans and sources", || {
        let mut deny = Command::new(setup::cargo_deny()?);
        // Advisories need a database from the network; `cargo deny check advisories` asks for them.
        must(
            deny.args([
                "--workspace",
                "--locked",
                "check",
                "--hide-inclusion-graph",
                "bans",
                "licenses",
                "sources",
            ])
            .current_dir(root()),
        )
    });
    // Before anything that embeds it.
    tally.check("dashboard", || ui::build().map(drop));
    tally.check("clippy of the dashboard", || {
        must(
            cargo()
                .args(["clippy", "--locked", "--quiet", "-p", "schemascope-ui", "--target", ui::WASM])
                .args(["--", "-D", "warnings"]),
        )
    });
    tally.check("clippy", || {
        must(cargo().args([
            "clippy",
            "--locked",
            "--quiet",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ]))
    });
    // The end-to-end tests run the binaries.
    step("build", || must(cargo().args(["build", "--locked", "--quiet", "--workspace"])))?;
    step("tests", || tests(&mut tally))?;
    println!("\n{} passed, {} failed", tally.passed, tally.failed);
    Ok(tally.failed == 0)
}

/// Runs all tests and adds up what cargo's result lines say.
fn tests(tally: &mut Tally) -> Result<()> {
    let mut child = cargo()
        .args(["test", "--locked", "--quiet", "--workspace", "--no-fail-fast"])
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run cargo test")?;
    let out = child.stdout.take().context("stdout was asked for")?;
    let before = tally.failed;
    for line in BufReader::new(out).lines() {
        let line = line?;
        let counts = line.strip_prefix("test result: ");
        if let Some(counts) = counts {
            let count = |what: &str| -> u64 {
                let words: Vec<&str> = counts.split([' ', ';', '.']).collect();
                let at = words.iter().position(|word| *word == what).unwrap_or(0);
                at.checked_sub(1).and_then(|at| words[at].parse().ok()).unwrap_or(0)
            };
            tally.passed += count("passed");
            tally.failed += count("failed");
        } else if !line.is_empty() && !line.starts_with("running ") {
            writeln!(std::io::stdout(), "{line}")?;
        }
    }
    let status = child.wait()?;
    if !status.success() && tally.failed == before {
        // A test program that did not compile or crashed has no result line.
        tally.failed += 1;
    }
    Ok(())
}
