//! `schemascope`: the engine without a window, and the terminal commands.
//!
//! Owns: arguments, output, exit codes (0 done, 1 failed, 2 bad usage). Data goes to stdout,
//! everything else to stderr. Refuses to know: how anything is done; it asks the engine.

mod args;
mod commands;
mod documents;
mod output;
mod pages;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Parser;
use tracing_subscriber::EnvFilter;

use args::{Args, Verb};

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
                output::note(&format!("error: {error:#}"));
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
    let default = format!("{level},hyper=info,sled=warn,rmcp=warn");
    let filter = EnvFilter::try_from_env("SCHEMASCOPE_LOG").unwrap_or_else(|_| EnvFilter::new(default));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(args.verbose > 0)
        .init();
}
