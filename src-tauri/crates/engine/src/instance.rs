//! `instance.json`: where the running engine is reached, for every other process.
//!
//! Whether the engine it names still runs is known from the lock of the data directory.

use std::path::{Path, PathBuf};

use schemascope_model::Timestamp;
use serde::{Deserialize, Serialize};

use crate::files::write_whole;

/// The running engine, as it describes itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    /// Process id.
    pub pid: u32,
    /// Address on which it listens.
    pub address: String,
    /// The endpoint of all upstreams.
    pub mcp_url: String,
    /// Opens the dashboard in a browser, with the owner token.
    pub dashboard_url: String,
    /// Token for the MCP endpoints; none if it was started with `--no-auth`.
    pub token: Option<String>,
    /// Time at which it started.
    pub started: Timestamp,
    /// Version of the program.
    pub version: String,
    /// Version of its commands.
    pub api_version: u32,
    /// The user's files that it works with; none where an older version wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Box<UsedFiles>>,
}

/// Files of the user that an engine works with, as absolute paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsedFiles {
    /// The `mcp.json`.
    pub config: PathBuf,
    /// The overrides.
    pub overrides: PathBuf,
    /// The command-line tools.
    pub ai_tools: PathBuf,
}

/// Whether two paths lead to one file, also through links.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real(one) == real(other)
}

impl Instance {
    /// Path of the file.
    pub fn path(data_dir: &Path) -> PathBuf {
        data_dir.join("instance.json")
    }

    /// Reads the file, if there is one that can be read.
    pub fn read(data_dir: &Path) -> Option<Self> {
        let bytes = std::fs::read(Self::path(data_dir)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Writes the file, readable by its user only and always complete.
    pub(crate) fn write(&self, data_dir: &Path) -> std::io::Result<()> {
        write_whole(&Self::path(data_dir), &serde_json::to_vec_pretty(self)?)
    }

    pub(crate) fn remove(data_dir: &Path) {
        // A stale file does no harm: the lock shows that its process has ended.
        let _ = std::fs::remove_file(Self::path(data_dir));
    }
}
