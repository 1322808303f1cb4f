//! `cargo xtask bench interview`: whole interviews with scripted experts of generated products, and how long each tool
//! takes in a conversation of 1,000 messages.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "its tables go to stdout")]

mod latency;
mod products;
mod runs;

use std::process::ExitCode;

use anyhow::{Context, Result};

const USAGE: &str = "\
cargo xtask bench interview

      --products N    number of generated products; 1,600 if not said
      --no-latency    interviews only, without the program

Exits with 1 when an interview hangs, pursues a Discovery Schema twice or loses a fact, or when a tool is too slow.";

const PRODUCTS: usize = 1_600;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<bool> {
    let (mut products, mut latency) = (PRODUCTS, true);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--products" => {
                let number = args.next().context("--products needs a number")?;
                products = number.replace(['_', ','], "").parse().context("--products needs a number")?;
            }
            "--no-latency" => latency = false,
            "--help" | "-h" => {
                println!("{USAGE}");
                return Ok(true);
            }
            _ => anyhow::bail!("{arg} is not known here\n{USAGE}"),
        }
    }
    let are_whole = runs::run(products)?;
    Ok((!latency || latency::run()?) && are_whole)
}
