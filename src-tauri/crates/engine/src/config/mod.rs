//! Files the user edits: the configuration of upstreams, the settings and the redaction rules.

pub(crate) mod mcp_json;
pub(crate) mod redaction_rules;
pub(crate) mod settings;
pub(crate) mod watched;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemascope_redact::{Redaction, RuleError};

use crate::cli_tools::CliTools;
use crate::options::{OpenError, Options};
use mcp_json::{ActiveConfig, LoadedConfig};
use settings::LiveSettings;
use watched::{FileChanges, FileWatcher};

/// What the user set, as it is in effect.
#[derive(Clone)]
pub(crate) struct UserFiles {
    /// Watches all files that users edit, the file of overrides included.
    pub(crate) watcher: Arc<FileWatcher>,
    /// Upstreams, from `mcp.json`.
    pub(crate) config: Arc<ActiveConfig>,
    pub(crate) config_changes: FileChanges,
    /// Command-line tools, from `ai-tools.json`.
    pub(crate) cli: Arc<CliTools>,
    pub(crate) cli_changes: FileChanges,
    pub(crate) settings: Arc<LiveSettings>,
    pub(crate) settings_changes: FileChanges,
    /// Rules and secrets by which everything recorded, logged and shown is redacted.
    pub(crate) redaction: Arc<Redaction>,
    /// The file with the user's redaction rules.
    pub(crate) rules: PathBuf,
    pub(crate) rules_changes: FileChanges,
}

impl UserFiles {
    /// Reads all files of a data directory and begins to watch them.
    pub(crate) fn open(data: &Path, options: &Options) -> Result<Self, OpenError> {
        let (watcher, rules) = (FileWatcher::new(), data.join(redaction_rules::FILE));
        // Files are watched before they are read, so that no edit is missed.
        let config_changes = watcher.watch(&options.config);
        let settings_changes = watcher.watch(&data.join(settings::FILE));
        let rules_changes = watcher.watch(&rules);
        let settings = Arc::new(LiveSettings::open(data, options.fixed.clone())?);
        let loaded = LoadedConfig::read(&options.config);
        let (cli, cli_changes) = CliTools::open(data, options.ai_tools(), options.cli.clone(), &watcher);
        let redaction = Arc::new(redaction(data, &loaded, &cli.values())?);
        let (watcher, config) = (Arc::new(watcher), Arc::new(ActiveConfig::new(loaded)));
        Ok(Self {
            watcher,
            config,
            config_changes,
            cli: Arc::new(cli),
            cli_changes,
            settings,
            settings_changes,
            redaction,
            rules,
            rules_changes,
        })
    }

    /// Ends watching.
    pub(crate) fn close(&self) {
        self.watcher.end();
    }
}

/// The redaction for a data directory: by its rules, by the values of its configuration, and by those of its
/// command-line tools.
pub(crate) fn redaction(
    data: &Path,
    config: &LoadedConfig,
    tools: &[(String, String)],
) -> Result<Redaction, RuleError> {
    let tools = tools.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let own = own_secrets(data);
    let own = own.iter().map(|(name, value)| (*name, value.as_str()));
    let values = own.chain(config.values()).chain(tools);
    Redaction::new(redaction_rules::read(&data.join(redaction_rules::FILE))?, values)
}

/// The secrets of the data directory itself, so that a tool that reads its files does not spread them.
fn own_secrets(data: &Path) -> Vec<(&'static str, String)> {
    let names = [("agent_token", "token"), ("owner_token", "owner-token"), ("hash_key", "hash-key")];
    let read = |(name, file)| Some((name, std::fs::read_to_string(data.join(file)).ok()?.trim().to_owned()));
    names.into_iter().filter_map(read).filter(|(_, value)| !value.is_empty()).collect()
}
