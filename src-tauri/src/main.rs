//! `schemascope-desktop`: the window, with an engine of its own or attached to a running one.
//!
//! Exit codes are 0 for success, 1 for failure and 2 for bad usage.

mod args;
mod feed;
mod ipc;
mod pages;
mod save;
mod signal;
mod single;
mod window;

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Parser;
use schemascope_engine::{Link, Options};
use tauri::Manager;
use tauri::async_runtime::{block_on, spawn};

use args::Args;
use feed::Feed;
use pages::Embedded;

/// Its options are in `.cargo/config.toml`.
#[cfg(all(feature = "jemalloc", any(target_os = "linux", target_os = "macos")))]
#[global_allocator]
static MEMORY: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let args = Args::parse();
    schemascope_engine::log_to_stderr("info", false, std::io::stderr);
    match run(&args) {
        Ok(code) => code,
        Err(error) => {
            let error = format!("{error:#}");
            note(&format!("error: {}", schemascope_engine::without_secrets(&error)));
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<ExitCode> {
    let options = args.options()?;
    schemascope_engine::hide_secrets_of(&options);
    // Held until the end of the process.
    let Some(_claim) = block_on(single::claim(&options.data_dir))? else {
        note(&format!(
            "Schemascope is already open on {}; its window was brought to the front",
            options.data_dir.display()
        ));
        return Ok(ExitCode::SUCCESS);
    };
    window::check_display()?;
    let app = tauri::Builder::default()
        .plugin(window::remember(&options.data_dir))
        .invoke_handler(tauri::generate_handler![ipc::call, ipc::follow, save::save])
        .build(context())
        .context("cannot start a window")?;
    let pages = Arc::new(Embedded::of(app.handle().clone()));
    // Before the window opens, because rebuilding the store may take long.
    let link = Link::new(options.clone(), args.listen, pages);
    block_on(link.renew())?;
    app.manage(Arc::clone(&link));
    app.manage(Feed::default());
    let shown = show(app, &options);
    block_on(link.close());
    shown
}

/// The configuration and the dashboard.
#[cfg(not(test))]
fn context() -> tauri::Context {
    tauri::generate_context!()
}

/// Tests open no window. If they embedded the dashboard, too, the two compilations would compress it into the same files at
/// the same time, and one could embed a file that the other has only begun.
#[cfg(test)]
fn context() -> tauri::Context {
    unreachable!("no unit test opens a window")
}

/// Shows the window until it is closed.
fn show(app: tauri::App, options: &Options) -> Result<ExitCode> {
    window::open(app.handle(), &options.data_dir).context("cannot open the window")?;
    spawn(signal::end(app.handle().clone()));
    let code = app.run_return(|_, _| {});
    Ok(if code == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Writes a message to stderr.
fn note(text: &str) {
    // A closed stderr has no reader.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
