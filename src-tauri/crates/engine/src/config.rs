//! Reading `mcp.json`.
//!
//! Owns: what is said when it is missing or wrong; the engine runs all the same. Refuses to know: its
//! form (see `proxy`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use schemascope_proxy::{Config, ServerEntry};

use crate::redact::is_telling;

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
            Ok(text) => {
                let variable = |name: &str| std::env::var(name).ok();
                Config::parse(text.trim_start_matches('\u{feff}'), &variable).map_err(|error| error.to_string())
            }
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

    /// Names and values of what upstreams are started and reached with, secrets among them: variables, options
    /// and their values, headers, what is in addresses.
    pub(crate) fn values(&self) -> Vec<(&str, &str)> {
        self.config.servers.values().flat_map(values).collect()
    }
}

/// The configuration in force. It changes when its file does.
#[derive(Debug)]
pub(crate) struct Configuration(RwLock<Arc<LoadedConfig>>);

impl Configuration {
    pub(crate) fn new(loaded: LoadedConfig) -> Self {
        Self(RwLock::new(Arc::new(loaded)))
    }

    pub(crate) fn now(&self) -> Arc<LoadedConfig> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn set(&self, loaded: LoadedConfig) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(loaded);
    }
}

fn values(entry: &ServerEntry) -> Vec<(&str, &str)> {
    match entry {
        ServerEntry::Stdio(spec) => {
            let joined = spec.args.iter().filter_map(|arg| arg.split_once('='));
            let apart = spec.args.windows(2).map(|pair| (pair[0].as_str(), pair[1].as_str()));
            // Of options only those that tell are secrets; anything else is what a program is to do.
            let options = joined.chain(apart).filter(|(name, _)| name.starts_with('-') && is_telling(name));
            texts(&spec.env).chain(options).collect()
        }
        ServerEntry::Http(spec) => {
            let query = spec.url.query().into_iter().flat_map(|query| query.split('&'));
            let parameters = query.filter_map(|pair| pair.split_once('='));
            let address = ("url", spec.url.as_str());
            texts(&spec.headers).chain(parameters).chain([address]).collect()
        }
        ServerEntry::Disabled | ServerEntry::Invalid(_) => Vec::new(),
    }
}

fn texts(pairs: &BTreeMap<String, String>) -> impl Iterator<Item = (&str, &str)> {
    pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()))
}
