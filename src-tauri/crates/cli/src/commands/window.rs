//! Without a command: the window, if it is installed.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::args::Args;
use crate::output;

const PROGRAM: &str = "schemascope-desktop";

/// Starts the window and waits until it is closed. Prints the help if the window is not installed.
pub fn open(args: &Args, help: fn() -> clap::Command) -> Result<ExitCode> {
    let Some(program) = find() else {
        // A user who typed the bare name wants to know what it can do.
        let _ = help().print_help();
        output::note(&format!(
            "\nThe window ({PROGRAM}) is not installed. Run `schemascope serve` and open the dashboard that it names in a browser."
        ));
        return Ok(ExitCode::from(2));
    };
    let mut command = Command::new(&program);
    let places = [
        ("--data-dir", &args.data_dir),
        ("--config", &args.config),
        ("--overrides", &args.overrides),
        ("--ai-tools", &args.ai_tools),
    ];
    for (option, place) in places {
        if let Some(place) = place {
            command.arg(option).arg(place);
        }
    }
    let status = command.status().with_context(|| format!("cannot start {}", program.display()))?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// The window's program, beside this one or on the PATH.
fn find() -> Option<PathBuf> {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let own = std::env::current_exe().ok().and_then(|own| own.parent().map(PathBuf::from));
    let path = std::env::var_os("PATH").unwrap_or_default();
    own.into_iter().chain(std::env::split_paths(&path)).map(|dir| dir.join(&name)).find(|path| path.is_file())
}
