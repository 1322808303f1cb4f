//! Options that an engine is opened with, and the reasons why it does not open.

use std::path::PathBuf;

use etcetera::BaseStrategy;
use schemascope_redact::RuleError;
use serde_json::{Map, Value};

use crate::cli_tools::CliEntry;
use crate::config::settings::SettingsError;
use crate::data::DataDirError;
use crate::instance::UsedFiles;
use crate::recording::mode::{Durability, Recording};

/// Options of an engine.
#[derive(Debug, Clone)]
pub struct Options {
    /// The data directory.
    pub data_dir: PathBuf,
    /// The `mcp.json`.
    pub config: PathBuf,
    /// The file of overrides; by default `tool_overrides.json` in the data directory.
    pub overrides: Option<PathBuf>,
    /// The file of command-line tools; by default `ai-tools.json` in the data directory.
    pub ai_tools: Option<PathBuf>,
    /// Command-line tools for this run.
    pub cli: Vec<CliEntry>,
    /// When answers may go out.
    pub durability: Durability,
    /// Whether calls are recorded.
    pub recording: Recording,
    /// Settings for this run, by name. They take precedence over `settings.json`.
    pub fixed: Map<String, Value>,
}

impl Options {
    /// Fills in the usual places: the user's data folder, and `mcp.json` in it. Calls are recorded. None when this
    /// user has no such folder.
    pub fn resolve(
        data_dir: Option<PathBuf>,
        config: Option<PathBuf>,
        durability: Durability,
    ) -> Option<Self> {
        let data_dir = data_dir.or_else(|| {
            let base = etcetera::base_strategy::choose_native_strategy().ok()?;
            Some(base.data_dir().join("schemascope"))
        })?;
        let config = config.unwrap_or_else(|| data_dir.join("mcp.json"));
        let (recording, fixed) = (Recording::On, Map::new());
        let (overrides, ai_tools, cli) = (None, None, Vec::new());
        Some(Self { data_dir, config, overrides, ai_tools, cli, durability, recording, fixed })
    }
}

impl Options {
    /// The file of command-line tools.
    pub(crate) fn ai_tools(&self) -> PathBuf {
        self.ai_tools.clone().unwrap_or_else(|| self.data_dir.join(crate::cli_tools::FILE))
    }

    /// The file of overrides.
    pub(crate) fn overrides(&self) -> PathBuf {
        self.overrides.clone().unwrap_or_else(|| self.data_dir.join(crate::knowledge::overrides::FILE))
    }

    /// The user's files, as absolute paths.
    pub fn files(&self) -> UsedFiles {
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        UsedFiles {
            config: absolute(self.config.clone()),
            overrides: absolute(self.overrides()),
            ai_tools: absolute(self.ai_tools()),
        }
    }
}

/// Why an engine does not open.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The data directory cannot be owned.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] schemascope_store::Error),
    /// Nothing was ever recorded there.
    #[error("there is no store in {0}; name the data directory with --data-dir DIR")]
    NoStore(PathBuf),
    /// The system provides no thread, or no random numbers.
    #[error("the system does not provide what Schemascope needs to start: {0}")]
    System(std::io::Error),
    /// The user's redaction rules are invalid.
    #[error(transparent)]
    Rules(#[from] RuleError),
    /// Settings for this run are invalid.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The configuration cannot be read, so the secrets in it are unknown.
    #[error(
        "{path} {problem}. Its secrets must be known to find them in stored data; fix the file and try again"
    )]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}
