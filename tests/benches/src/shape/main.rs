//! How fast shapes are learned, and in how little memory: Schemascope beside genson-rs, GenSON and parsing alone.
//!
//! Every measured program is a process of its own on one core. They take turns, round by round. Most of them are this
//! program (see `work`).
#![allow(clippy::print_stdout, reason = "its tables go to stdout")]

mod hostile;
mod inputs;
mod measure;
mod payloads;
mod programs;
mod report;
mod statuses;
mod work;

use std::process::ExitCode;

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use schemascope_benches::start::{quick, start};

use crate::inputs::{Input, Sizes};
use crate::measure::Measured;
use crate::programs::Program;

const USAGE: &str = "\
cargo xtask bench shape

      --quick    smaller inputs and fewer rounds";

fn main() -> ExitCode {
    let options = |args: &[&str]| match args {
        // Not for people: what the measured processes are started with.
        ["work", name, rest @ ..] => {
            let rest = rest.iter().map(|arg| (*arg).to_owned()).collect();
            Some(Asked::Work((*name).to_owned(), rest))
        }
        args => quick(args, &Sizes::FULL, &Sizes::QUICK).map(Asked::Measure),
    };
    start(USAGE, options, |asked| match asked {
        Asked::Work(name, rest) => work::run(&name, &rest).map(|()| true),
        Asked::Measure(sizes) => run(sizes),
    })
}

/// What was asked for.
enum Asked {
    /// One piece of work by name.
    Work(String, Vec<String>),
    Measure(&'static Sizes),
}

/// Measures and prints. Whether the bars are passed.
fn run(sizes: &Sizes) -> Result<bool> {
    let inputs = inputs::make(sizes)?;
    let measured = measure_all(sizes, &inputs);
    inputs::remove(&inputs);
    let measured = measured?;
    if measured.is_empty() {
        bail!("nothing could be measured");
    }
    println!("# Speed\n");
    report::print(&inputs, &measured);
    Ok(report::bars(&inputs, &measured))
}

/// Runs every program on its inputs, in turn, round by round.
fn measure_all(sizes: &Sizes, inputs: &[Input]) -> Result<Vec<Measured>> {
    let programs: Vec<Program> = programs::all()?;
    let style = "{elapsed:>4} {wide_bar} {pos} of {len}: {msg}";
    let rounds = |input: &Input| if input.hostile { 1 } else { sizes.rounds };
    let takers = |input: &Input| programs.iter().filter(|program| program.takes(input)).count();
    let total: usize = inputs.iter().map(|input| takers(input) * rounds(input)).sum();
    let bar = ProgressBar::new(total as u64).with_style(ProgressStyle::with_template(style)?);
    let mut measured = Vec::new();
    for input in inputs {
        for _ in 0..rounds(input) {
            for program in programs.iter().filter(|program| program.takes(input)) {
                bar.set_message(format!("{}, {}", input.name, program.name));
                measured.push(measure::run(program, input)?);
                bar.inc(1);
            }
        }
    }
    bar.finish_and_clear();
    Ok(measured)
}
