//! Minimises a finding, prints it, and repeats it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::TARGETS;
use super::build::Built;
use super::engine::LIMITS;

/// Seconds for making a finding smaller.
const SMALLER: &str = "-max_total_time=60";

/// Characters of an input that are shown.
const SHOWN: usize = 6_000;

/// Shows a finding, as small as it gets in a minute, and how to try it again.
pub fn tell(built: &Built, target: &str, artifact: &Path) -> Result<()> {
    let small = smaller(built, target, artifact)?;
    try_again(built, target, &small)?;
    println!("\nagain:  cargo xtask fuzz --replay {}", small.display());
    if small != artifact {
        println!("whole:  cargo xtask fuzz --replay {}", artifact.display());
    }
    Ok(())
}

/// Tries the input of a finding again. Whether nothing is found now.
pub fn replay(built: &Built, file: &Path) -> Result<bool> {
    let name = file.file_name().context("no file is named")?.to_string_lossy().into_owned();
    let target = TARGETS.iter().map(|(target, _)| *target).find(|target| name.starts_with(target));
    let target = target.context("the target's name stands before the rest of the file's name")?;
    let clean = try_again(built, target, file)?;
    println!("\n{}", if clean { "nothing found" } else { "FOUND" });
    Ok(clean)
}

/// The input made smaller. What takes too long or too much is left as it is.
fn smaller(built: &Built, target: &str, artifact: &Path) -> Result<PathBuf> {
    let small = artifact.with_extension("small");
    if !artifact.file_name().is_some_and(|name| name.to_string_lossy().contains("-crash-")) {
        return Ok(artifact.to_owned());
    }
    println!("   making it smaller, for a minute at most");
    let mut fuzz = Command::new(built.program(target));
    fuzz.args(LIMITS).args(["-minimize_crash=1", SMALLER]);
    fuzz.arg(format!("-exact_artifact_path={}", small.display())).arg(artifact);
    fuzz.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    Ok(if small.is_file() { small } else { artifact.to_owned() })
}

/// Whether an input finds nothing. Says what it is and what happens.
fn try_again(built: &Built, target: &str, file: &Path) -> Result<bool> {
    let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    println!("\n{} bytes for {target}; \u{241e} stands before a document:\n{}\n", bytes.len(), shown(&bytes));
    let mut fuzz = Command::new(built.program(target));
    let out = fuzz.args(LIMITS).arg(file).stdin(Stdio::null()).stdout(Stdio::null()).output()?;
    if !out.status.success() {
        let said = String::from_utf8_lossy(&out.stderr);
        let begin = ["panicked at", "ERROR: libFuzzer"].iter().filter_map(|mark| said.find(mark)).min();
        let said = &said[begin.unwrap_or_default()..];
        // What comes behind are addresses without names.
        let end = said.find("\nNOTE: libFuzzer").unwrap_or(said.len());
        println!("{}", said[..end].trim_end());
    }
    Ok(out.status.success())
}

/// An input as text, one line a document.
fn shown(bytes: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(bytes)
        .chars()
        .map(|c| match c {
            '\x1e' => "\n\u{241e} ".to_owned(),
            c if c.is_control() => c.escape_default().to_string(),
            c => c.to_string(),
        })
        .collect();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
