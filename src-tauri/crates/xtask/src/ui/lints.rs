//! Lints the dashboard's own crate while it is compiled.
//!
//! Cargo runs this program in the compiler's place, which hands the arguments to clippy as well: `cargo clippy` would
//! check all dependencies for browsers itself, which takes longer than everything here.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::shell::in_place_of_compiler;

/// Set where we are called in the compiler's place: the path of clippy.
const CLIPPY: &str = "SCHEMASCOPE_LINTS_WITH";
/// The crate that is linted.
const CRATE: &str = "schemascope_ui";

/// Has the crate linted by what the command compiles. A finding is an error.
pub fn with_lints<'c>(cargo: &'c mut Command, clippy: &Path) -> Result<&'c mut Command> {
    Ok(cargo.env("RUSTC_WORKSPACE_WRAPPER", std::env::current_exe()?).env(CLIPPY, clippy))
}

/// Compiles and lints in the compiler's place, if that is what we were called for.
pub fn compile() -> Option<Result<ExitCode>> {
    let (clippy, compiler, words) = in_place_of_compiler(CLIPPY)?;
    Some(both(&clippy, &compiler, &words))
}

fn both(clippy: &str, compiler: &OsString, words: &[OsString]) -> Result<ExitCode> {
    let is_linted = words.windows(2).any(|pair| pair[0] == "--crate-name" && pair[1] == CRATE);
    let linting = is_linted.then(|| linting(clippy, compiler, words).spawn()).transpose();
    let linting = linting.context("cannot run clippy")?;
    let compiled = Command::new(compiler).args(words).status().context("cannot run rustc")?;
    let is_clean = match linting {
        Some(mut linting) => linting.wait()?.success(),
        None => true,
    };
    Ok(if compiled.success() && is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Clippy with the compiler's arguments. It writes no code, and to another folder, and reports no file to cargo.
fn linting(clippy: &str, compiler: &OsString, words: &[OsString]) -> Command {
    let mut command = Command::new(clippy);
    command.arg(compiler).arg("-Dwarnings");
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--out-dir") => {
                let folder = words.next().map(PathBuf::from).unwrap_or_default();
                command.arg(word).arg(folder.join("linted"));
            }
            Some(word) if word.starts_with("--emit=") => drop(command.arg("--emit=metadata")),
            Some(word) if word.starts_with("--json=") => drop(command.arg(word.replace("artifacts,", ""))),
            _ => drop(command.arg(word)),
        }
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clippy_gets_the_arguments_and_writes_no_code() {
        let words = "--crate-name schemascope_ui --emit=dep-info,link --out-dir /deps --json=artifacts,future-incompat -Copt-level=z";
        let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        let linting = linting("clippy-driver", &"rustc".into(), &words);
        let args: Vec<_> = linting.get_args().map(|arg| arg.to_string_lossy().into_owned()).collect();
        assert_eq!(
            args.join(" "),
            "rustc -Dwarnings --crate-name schemascope_ui --emit=metadata --out-dir /deps/linted --json=future-incompat \
             -Copt-level=z"
        );
    }
}
