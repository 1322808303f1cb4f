//! `cargo xtask`: every task of a developer with a fresh clone: set-up, demo, tests, benches.
//!
//! It uses the built programs as a user would. CI runs `cargo xtask test` and nothing else.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "its output is for the terminal")]

mod bench;
mod checks;
mod demo;
mod fuzz;
mod install;
mod setup;
mod shell;
mod test;
mod torture;
mod ui;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask COMMAND

  test            everything CI checks: format, lints, licences, layering, unit, property and
                  end-to-end tests against fixtures and real servers; installs what it needs
      SUBJECT     only the tests of one crate (shape) or of one module of the end-to-end tests
                  (proxy, record, schemas, decide, share, terminal, dashboard, window, proxy::http)
  demo            builds and starts everything with a shop and real servers, opens the window (or,
                  without a display, serves the page for a browser), and lets an agent work, with
                  a word on what there is to see
      --browser   no window, also where there is a display
      --once      neither: makes several hundred calls, prints what was learned, and exits
      --keep      continues with the data of the last demo
  bench NAME      measures: accuracy, compose, drift, graph, help, interview, proxy, shape, store, textform, wrappers
  fuzz            tries to break the inference with libFuzzer; --minutes N, and more with --help
  torture         kills, damaged files, full disks, on the release binary; --minutes N, and more with --help
  install         builds and installs schemascope with its dashboard, and the window
  setup           installs what tests and demo need (into the target folder) and nothing else

Needs Rust (with rustup, or its wasm32-unknown-unknown target), Node and Python 3. Where a system package
is missing it is installed with apt if that is allowed, or named.";

fn main() -> ExitCode {
    if let Some(compiled) = fuzz::compile().or_else(ui::compile) {
        return exit(compiled);
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args.as_slice() {
        ["test"] => test::run(),
        ["test", subject] if !subject.starts_with('-') => test::subject(subject),
        ["setup"] => setup::everything(),
        ["ui"] => ui::build(),
        ["install"] => install::run(),
        ["demo", options @ ..]
            if options.iter().all(|option| ["--once", "--keep", "--browser"].contains(option)) =>
        {
            demo::run(options)
        }
        ["bench", "--help" | "-h"] => {
            println!("{}", bench::USAGE);
            Ok(true)
        }
        ["bench", name, options @ ..] if bench::NAMES.contains(name) => bench::run(name, options),
        ["bench", ..] => {
            eprintln!("{}", bench::USAGE);
            return ExitCode::from(2);
        }
        ["fuzz", options @ ..] => return exit(fuzz::run(options)),
        ["torture", options @ ..] => return exit(torture::run(options)),
        ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            Ok(true)
        }
        _ => {
            eprintln!("{HELP}");
            return ExitCode::from(2);
        }
    };
    exit(done.map(|passed| if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }))
}

/// The exit code; an error is printed.
fn exit(done: anyhow::Result<ExitCode>) -> ExitCode {
    done.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}
