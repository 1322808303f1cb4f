//! Options, help and exit codes that all benches share.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "its help goes to stdout, errors to stderr")]

use std::process::ExitCode;

use anyhow::Result;

/// Runs a bench as its arguments ask: 0 when its bars were passed, 1 when not, 2 for arguments that `options`
/// cannot read and when it could not be run.
pub fn start<O>(
    usage: &str,
    options: impl FnOnce(&[&str]) -> Option<O>,
    run: impl FnOnce(O) -> Result<bool>,
) -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    if args.iter().any(|arg| ["--help", "-h"].contains(arg)) {
        println!("{usage}");
        return ExitCode::SUCCESS;
    }
    let Some(options) = options(&args) else {
        eprintln!("{usage}");
        return ExitCode::from(2);
    };
    match run(options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// One of two values, by whether the only option is `--quick`.
pub fn quick<O>(args: &[&str], full: O, quick: O) -> Option<O> {
    match args {
        [] => Some(full),
        ["--quick"] => Some(quick),
        _ => None,
    }
}
