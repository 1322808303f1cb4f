//! A discovery file that proposals are added to.

use std::io;
use std::path::Path;

use schemascope_discovery::{NEW_FILE, SafeTool, add, parse};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::files;

/// The text of a discovery file, with its entries.
#[derive(Debug)]
pub struct DiscoveryList {
    shown: String,
    text: String,
    tools: Vec<SafeTool>,
}

/// Why a discovery file cannot be read or added to.
#[derive(Debug, thiserror::Error)]
pub enum DiscoveryListError {
    /// It cannot be read.
    #[error("cannot read {file}: {source}")]
    Read {
        /// The file.
        file: String,
        /// The error of the system.
        source: io::Error,
    },
    /// It is not a discovery file.
    #[error("{file}: {problem}. Nothing was added.")]
    Problem {
        /// The file.
        file: String,
        /// What is wrong with it.
        problem: schemascope_discovery::Problem,
    },
    /// Arguments that are not JSON.
    #[error("the arguments are not JSON: {0}")]
    Arguments(#[from] serde_json::Error),
}

impl DiscoveryList {
    /// Reads a file. One that does not exist is empty.
    pub fn read(path: &Path) -> Result<Self, DiscoveryListError> {
        let shown = path.display().to_string();
        let text = files::read_text(path)
            .map_err(|source| DiscoveryListError::Read { file: shown.clone(), source })?;
        Self::parse(shown, text.unwrap_or_else(|| NEW_FILE.to_owned()))
    }

    fn parse(shown: String, text: String) -> Result<Self, DiscoveryListError> {
        match parse(&text) {
            Ok(tools) => Ok(Self { shown, text, tools }),
            Err(problem) => Err(DiscoveryListError::Problem { file: shown, problem }),
        }
    }

    /// Whether it has an entry for this tool.
    pub fn has(&self, server: &str, tool: &str) -> bool {
        self.tools.iter().any(|entry| entry.server == server && entry.tool == tool)
    }

    /// The same list with another entry. Everything else in its text stays byte for byte.
    pub fn with(self, server: &str, tool: &str, arguments: &RawValue) -> Result<Self, DiscoveryListError> {
        let arguments: Value = serde_json::from_str(arguments.get())?;
        match add(&self.text, server, tool, arguments) {
            Ok(text) => Self::parse(self.shown, text),
            Err(problem) => Err(DiscoveryListError::Problem { file: self.shown, problem }),
        }
    }

    /// Writes it. The previous text is kept beside the file as `.bak`.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        files::replace(path, &self.text)
    }
}
