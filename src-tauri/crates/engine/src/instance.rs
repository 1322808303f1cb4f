//! `instance.json`: where the running engine is reached, for every other process.
//!
//! Owns: the file's form. Refuses to know: whether the engine it names still runs; the lock tells.

use std::path::{Path, PathBuf};

use schemascope_model::Timestamp;
use serde::{Deserialize, Serialize};

use crate::files::write_whole;

/// The running engine, as it says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    /// Its process.
    pub pid: u32,
    /// Where it listens.
    pub address: String,
    /// The endpoint of all upstreams.
    pub mcp_url: String,
    /// Opens the dashboard in a browser, authenticated.
    pub dashboard_url: String,
    /// What requests must carry; none if it was started with `--no-auth`.
    pub token: Option<String>,
    /// When it started.
    pub started: Timestamp,
    /// Its version.
    pub version: String,
    /// Version of its commands.
    pub api_version: u32,
}

impl Instance {
    /// Where it is kept.
    pub fn path(data_dir: &Path) -> PathBuf {
        data_dir.join("instance.json")
    }

    /// Reads the file, if there is one that can be read.
    pub fn read(data_dir: &Path) -> Option<Self> {
        let bytes = std::fs::read(Self::path(data_dir)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Writes the file, readable by its user only and never half written.
    pub(crate) fn write(&self, data_dir: &Path) -> std::io::Result<()> {
        write_whole(&Self::path(data_dir), &serde_json::to_vec_pretty(self)?)
    }

    pub(crate) fn remove(data_dir: &Path) {
        // Stale files are recognised by the lock, so one that stays does no harm.
        let _ = std::fs::remove_file(Self::path(data_dir));
    }
}
