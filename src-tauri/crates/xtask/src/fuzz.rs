//! `cargo xtask fuzz`: runs the fuzzer, built so that overflows and assumptions are checked.
//!
//! Refuses to know: its options and what it does; it is a program of its own.

use anyhow::Result;

use crate::shell::{cargo, succeeds};

/// Runs it with these options. Whether nothing was found.
pub fn run(options: &[&str]) -> Result<bool> {
    let mut fuzz = cargo();
    let package = ["run", "--profile", "fuzz", "--locked", "--quiet", "-p", "schemascope-benches"];
    succeeds(fuzz.args(package).args(["--bin", "fuzz", "--"]).args(options))
}
