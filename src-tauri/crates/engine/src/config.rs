//! Reading `mcp.json`.
//!
//! Owns: what is said when it is missing or wrong; the engine runs all the same. Refuses to know: its
//! form (see `proxy`).

use std::path::{Path, PathBuf};

use schemascope_proxy::Config;

/// A configuration, and why it is empty if it is.
#[derive(Debug, Clone)]
pub struct LoadedConfig {
    /// The file.
    pub path: PathBuf,
    /// What it says; nothing if there is a problem.
    pub config: Config,
    /// Why it says nothing.
    pub problem: Option<String>,
}

impl LoadedConfig {
    /// Reads a file. A problem is told, not fatal.
    pub fn read(path: &Path) -> Self {
        let parsed = match std::fs::read_to_string(path) {
            Ok(text) => Config::parse(text.trim_start_matches('\u{feff}')).map_err(|error| error.to_string()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(
                "does not exist; create it with {\"mcpServers\": {\"NAME\": {\"command\": \"…\", \"args\": []}}}"
                    .to_owned(),
            ),
            Err(error) => Err(format!("cannot be read: {error}")),
        };
        match parsed {
            Ok(config) => Self { path: path.to_owned(), config, problem: None },
            Err(problem) => Self { path: path.to_owned(), config: Config::default(), problem: Some(problem) },
        }
    }
}
