//! `schemascope`: the engine without a window, and the terminal commands.
//!
//! Owns: arguments, output, exit codes (0 done, 1 failed, 2 bad usage). Data goes to stdout,
//! everything else to stderr. Refuses to know: how anything is done; it asks the engine.

mod args;
mod commands;
mod documents;
mod output;
mod pages;

use std::process::ExitCode;

use clap::Parser;
use schemascope_engine::Durability;

use args::{Args, Verb};

/// Its options are in `.cargo/config.toml`.
#[cfg(any(target_os = "linux", target_os = "macos"))]
#[global_allocator]
static MEMORY: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    log_to_stderr(&args);
    match commands::run(args).await {
        Ok(code) => code,
        Err(error) => {
            // A reader that has seen enough is no failure.
            let closed = error
                .downcast_ref::<std::io::Error>()
                .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe);
            if !closed {
                let error = format!("{error:#}");
                output::note(&format!("error: {}", schemascope_engine::without_secrets(&error)));
            }
            ExitCode::from(u8::from(!closed))
        }
    }
}

/// Serving tells what happens; a command only what is wrong.
fn log_to_stderr(args: &Args) {
    let serving = matches!(args.verb, Some(Verb::Serve(_)));
    let level = match (args.quiet, args.verbose, serving) {
        (true, ..) => "error",
        (_, 0, true) => "info",
        (_, 0, false) => "warn",
        (_, 1, _) => "debug",
        _ => "trace",
    };
    schemascope_engine::log_to_stderr(level, args.verbose > 0);
    if let Ok(options) = args.options(Durability::default()) {
        schemascope_engine::hide_secrets_of(&options);
    }
}
