//! `schemascope`: the proxy without a window, and the terminal commands.
//!
//! Data is written to stdout, everything else to stderr. Exit codes are 0 for success, 1 for failure and 2 for bad
//! usage.

mod args;
mod command_line;
mod commands;
mod documents;
mod guide;
mod output;
mod pages;
#[cfg(test)]
mod reference;

use std::process::ExitCode;

use schemascope_engine::Durability;

use args::Args;

/// Its options are in `.cargo/config.toml`.
#[cfg(all(feature = "jemalloc", any(target_os = "linux", target_os = "macos")))]
#[global_allocator]
static MEMORY: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

#[tokio::main]
async fn main() -> ExitCode {
    let (args, verb) = command_line::parse();
    log_to_stderr(&args, verb.as_ref());
    match commands::run(&args, verb.as_ref(), command_line::program).await {
        Ok(code) => code,
        Err(error) => {
            // A reader that closed the pipe has seen enough: that is not a failure.
            let closed = output::is_closed(&error);
            if !closed {
                let error = format!("{error:#}");
                output::error(&schemascope_engine::without_secrets(&error));
            }
            ExitCode::from(u8::from(!closed))
        }
    }
}

/// `serve` logs what happens, `run` logs errors only, other commands log warnings and errors.
fn log_to_stderr(args: &Args, verb: Option<&commands::Verb>) {
    let serves = verb.is_some_and(commands::Verb::serves);
    let lends = verb.is_some_and(commands::Verb::lends_stderr);
    let level = match (args.quiet, args.verbose, serves) {
        (true, ..) => "error",
        (_, 0, _) if lends => "error",
        (_, 0, true) => "info",
        (_, 0, false) => "warn",
        (_, 1, _) => "debug",
        _ => "trace",
    };
    schemascope_engine::log_to_stderr(level, args.verbose > 0, || output::Log);
    if let Ok(options) = args.options(Durability::default()) {
        schemascope_engine::hide_secrets_of(&options);
    }
}
