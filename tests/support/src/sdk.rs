//! Runs the official SDKs as clients, with their validation on, by the scripts in `tests/sdk`.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::places::Places;

/// An SDK and how it connects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sdk {
    /// TypeScript, with a handshake.
    TypeScript,
    /// Python, without a handshake where the server speaks 2026-07-28.
    Python,
    /// Python, with a handshake.
    PythonLegacy,
}

impl Sdk {
    /// Connects as a job says (`url` and `token`, or `command` and `args`), lists the tools, makes its `calls`
    /// in order; what it saw.
    pub fn see(self, places: &Places, mut job: Value) -> Result<Value> {
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sdk");
        let mut command = match self {
            Self::TypeScript => {
                let mut command = Command::new("node");
                command.arg(scripts.join("client.mjs")).arg(places.npm());
                command
            }
            Self::Python | Self::PythonLegacy => {
                let mut command = Command::new(places.python());
                command.arg(scripts.join("client.py"));
                command
            }
        };
        if self == Self::PythonLegacy {
            job["mode"] = "legacy".into();
        }
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        child.stdin.take().context("stdin was asked for")?.write_all(job.to_string().as_bytes())?;
        let output = child.wait_with_output()?;
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        serde_json::from_str(&out).with_context(|| format!("{self:?}: {out}\n{err}"))
    }
}
