//! Runs a Node script that plays a scenario and asks this process for what only it can do.
//!
//! The script gets its job as the first line on stdin. Each line it writes to stdout is a question, `{"ask": NAME,
//! …}`, answered with one line; its stderr is for people. It ends with its stdin, and by itself when it takes too
//! long.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::places::Places;
use crate::running::KilledOnDrop;

/// Runs a script to its end and answers its questions. Returns its stderr; an error contains it too.
pub fn play(
    places: &Places,
    script: &Path,
    job: &Value,
    mut answer: impl FnMut(&str, &Value) -> Result<Value>,
) -> Result<String> {
    let npm = places.npm();
    ensure!(npm.join("node_modules/playwright-core").exists(), "run `cargo xtask setup` first");
    let mut command = Command::new("node");
    command.arg(script).arg(npm).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().context("node does not start; it is in the Debian package nodejs")?;
    let mut running = KilledOnDrop(child);
    let mut stdin = running.0.stdin.take().context("stdin was asked for")?;
    let stdout = running.0.stdout.take().context("stdout was asked for")?;
    let mut stderr = running.0.stderr.take().context("stderr was asked for")?;
    // Read beside the conversation: a full pipe would stop the script.
    let told = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = stderr.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    });
    let talk = || -> Result<bool> {
        writeln!(stdin, "{job}")?;
        for line in BufReader::new(stdout).lines() {
            let question: Value = serde_json::from_str(&line?).context("the script asked no JSON")?;
            let reply = answer(question["ask"].as_str().unwrap_or_default(), &question)?;
            writeln!(stdin, "{reply}")?;
        }
        Ok(running.0.wait()?.success())
    };
    let talked = talk();
    drop(running);
    let told = told.join().unwrap_or_default();
    match talked {
        Ok(true) => Ok(told),
        Ok(false) => bail!("{told}"),
        Err(error) => bail!("{error:#}\n{told}"),
    }
}
