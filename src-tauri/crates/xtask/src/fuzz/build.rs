//! Builds the fuzz targets, with coverage counters only in the crates that are fuzzed.
//!
//! Cargo has no compiler flags for single packages, so it runs this program in the compiler's place. Counters in
//! libraries would make known inputs look new, and everything slower.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};

use crate::setup;
use crate::shell::{cargo, in_place_of_compiler, must, root, step, target};

/// Set where we are called in the compiler's place: the crates that get counters.
const COVERED: &str = "SCHEMASCOPE_FUZZ_COVERED";

/// LLVM's SanitizerCoverage as libFuzzer takes it. No comparisons are traced: what inputs are compared with
/// are words, and these are in the dictionary.
const COUNTERS: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
];

/// Programs and folders.
pub struct Built {
    programs: PathBuf,
    folder: PathBuf,
}

impl Built {
    /// The program of a target.
    pub fn program(&self, target: &str) -> PathBuf {
        self.programs.join(target)
    }

    /// Inputs written by hand.
    pub fn seeds(&self, target: &str) -> PathBuf {
        self.folder.join("seeds").join(target)
    }

    /// Words for inputs.
    pub fn dictionary(&self, target: &str) -> PathBuf {
        self.seeds(target).with_extension("dict")
    }

    /// Inputs that reached something new; emptied if that is asked for.
    pub fn corpus(&self, target: &str, fresh: bool) -> Result<PathBuf> {
        let folder = self.folder.join(if fresh { "corpus-of-seed" } else { "corpus" }).join(target);
        if fresh && folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// Inputs of findings.
    pub fn findings(&self) -> Result<PathBuf> {
        let folder = self.folder.join("findings");
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }
}

/// Builds all targets and writes their seeds.
pub fn targets() -> Result<Built> {
    setup::cxx()?;
    let folder = target()?.join("fuzz");
    let built = Built { programs: folder.join("release"), folder };
    step("fuzz targets (the first time libFuzzer and a validator as well)", || {
        must(
            package("build")
                .args(["--release", "--locked", "--target-dir"])
                .arg(&built.folder)
                .env("RUSTC_WRAPPER", std::env::current_exe()?)
                .env(
                    COVERED,
                    "schemascope_compose,schemascope_helptext,schemascope_registry,schemascope_shape,schemascope_textform",
                ),
        )
    })?;
    must(Command::new(built.program("seeds")).arg(built.folder.join("seeds")))?;
    Ok(built)
}

/// Whether the targets are formatted like everything else. Compiling them is for who fuzzes: they need more than the
/// rest does.
pub fn formatted() -> Result<()> {
    must(package("fmt").arg("--check"))
}

/// Whether the lock of the targets is up to date. A dependency of another workspace member changes it.
pub fn locked() -> Result<()> {
    let metadata =
        package("metadata").args(["--locked", "--format-version", "1"]).stdout(Stdio::null()).status()?;
    if metadata.success() {
        return Ok(());
    }
    bail!(
        "tests/fuzz/Cargo.lock is out of date; `cargo metadata --manifest-path tests/fuzz/Cargo.toml` renews it"
    )
}

/// A cargo command for the targets' package, which is a workspace of its own.
fn package(command: &str) -> Command {
    let mut cargo = cargo();
    cargo.args([command, "--quiet", "--manifest-path"]).arg(root().join("tests/fuzz/Cargo.toml"));
    cargo
}

/// Compiles in the compiler's place, if that is what we were called for.
pub fn compile() -> Option<Result<ExitCode>> {
    let (covered, compiler, words) = in_place_of_compiler(COVERED)?;
    let named = words
        .windows(2)
        .any(|pair| pair[0] == "--crate-name" && covered.split(',').any(|name| pair[1] == *name));
    let mut rustc = Command::new(compiler);
    rustc.args(&words).args(if named { COUNTERS } else { &[] });
    let done = rustc.status().context("cannot run rustc");
    Some(done.map(|status| if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE }))
}
