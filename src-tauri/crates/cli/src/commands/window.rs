//! Without a verb: the window, where it is installed.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use clap::CommandFactory;

use crate::args::Args;
use crate::output;

const PROGRAM: &str = "schemascope-desktop";

/// Starts the window and waits for it to be closed; where there is none, says what there is.
pub fn open(args: &Args) -> Result<ExitCode> {
    let Some(program) = find() else {
        // A person who typed the bare name wants to know what it can do.
        let _ = Args::command().print_help();
        output::note(&format!(
            "\nThe window ({PROGRAM}) is not installed. Without it: schemascope serve, and open the dashboard it names in a browser."
        ));
        return Ok(ExitCode::from(2));
    };
    let mut command = Command::new(&program);
    if let Some(dir) = &args.data_dir {
        command.arg("--data-dir").arg(dir);
    }
    if let Some(config) = &args.config {
        command.arg("--config").arg(config);
    }
    let status = command.status().with_context(|| format!("cannot start {}", program.display()))?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Beside this program, or on the PATH.
fn find() -> Option<PathBuf> {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let own = std::env::current_exe().ok().and_then(|own| own.parent().map(PathBuf::from));
    let path = std::env::var_os("PATH").unwrap_or_default();
    own.into_iter().chain(std::env::split_paths(&path)).map(|dir| dir.join(&name)).find(|path| path.is_file())
}
