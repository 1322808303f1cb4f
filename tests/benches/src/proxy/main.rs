//! The cost of the proxy: Schemascope beside no proxy, a minimal forwarder and published proxies, all in front of the
//! same upstream.
//!
//! The load comes from this process: callers with a session and a connection each, which check every answer.
#![allow(clippy::print_stdout, reason = "its tables go to stdout")]

mod contestants;
mod expected;
mod goals;
mod http;
mod load;
mod measure;
mod payload;
mod process;
mod recorder;
mod report;
mod session;

use std::process::ExitCode;

use anyhow::Result;
use schemascope_benches::start::{quick, start};

use crate::measure::Sizes;

const USAGE: &str = "\
cargo xtask bench proxy

      --quick    shorter and fewer rounds
      --long     only what lasts: what is recorded, and memory; without the others

Exits with 1 when a call failed or an answer was wrong; goals that are missed are said only.";

fn main() -> ExitCode {
    let sizes = |args: &[&str]| match args {
        ["--long"] => Some(&Sizes::LONG),
        _ => quick(args, &Sizes::FULL, &Sizes::QUICK),
    };
    start(USAGE, sizes, run)
}

/// Measures and prints. Whether every answer was right.
fn run(sizes: &Sizes) -> Result<bool> {
    let measured = measure::all(sizes)?;
    println!("# Cost of the proxy\n");
    report::print(&measured);
    goals::print(&measured);
    if !measured.errors.is_empty() {
        println!("\n# Errors\n");
    }
    for error in &measured.errors {
        println!("- {error}");
    }
    Ok(measured.errors.is_empty())
}
