//! Reading `mcp.json` again when it is edited while the engine runs.
//!
//! Upstreams that changed are started, stopped or restarted; all others run on. An invalid file is reported, and the
//! previous configuration stays in effect.

use std::sync::Arc;

use schemascope_proxy::{Hub, OWN_SERVER, ServerEntry};
use schemascope_redact::Redaction;

use crate::background::{Service, Tasks};
use crate::cli_tools::CliTools;
use crate::config::UserFiles;
use crate::config::mcp_json::{ActiveConfig, LoadedConfig};
use crate::config::watched::FileChanges;
use crate::recording::Records;
use crate::recording::events::Events;

/// Makes the configuration effective whenever its file changes.
pub(crate) struct ConfigReload {
    config: Arc<ActiveConfig>,
    changes: FileChanges,
    cli: Arc<CliTools>,
    hub: Arc<Hub>,
    redaction: Arc<Redaction>,
    events: Arc<Events>,
}

impl ConfigReload {
    pub(super) fn new(files: &UserFiles, records: &Records, hub: &Arc<Hub>) -> Self {
        Self {
            config: Arc::clone(&files.config),
            changes: files.config_changes.clone(),
            cli: Arc::clone(&files.cli),
            hub: Arc::clone(hub),
            redaction: Arc::clone(&files.redaction),
            events: Arc::clone(&records.events),
        }
    }

    fn reload(&self) {
        let _alone = self.config.alone();
        let before = self.config.now();
        let mut loaded = LoadedConfig::read(&before.path);
        if loaded.problem.is_none()
            && let Err(error) = self.redaction.add_values(loaded.values())
        {
            // Secrets that could not be redacted must not be used.
            loaded.problem = Some(format!("contains values that could not be redacted: {error}"));
        }
        let file = before.path.display();
        if let Some(problem) = loaded.problem.take() {
            let problem = format!("{problem}. The previous configuration stays in effect");
            if before.problem.as_ref() != Some(&problem) {
                tracing::warn!(%file, %problem, "the configuration cannot be used");
                let config = before.config.clone();
                self.config.set(LoadedConfig { config, problem: Some(problem), ..loaded });
                self.events.renewed();
            }
            return;
        }
        let done = self.hub.reconfigure(&self.cli.added_to(&loaded.config));
        let same_own_entry = before.own_entry() == loaded.own_entry();
        if done.is_nothing() && before.problem.is_none() && same_own_entry {
            return;
        }
        let own = (!same_own_entry).then_some(OWN_SERVER);
        for name in done.names().chain(own) {
            if let Some(ServerEntry::Invalid(reason)) = loaded.config.servers.get(name) {
                tracing::warn!(upstream = %name.escape_debug(), %reason, "its entry in the configuration cannot be used");
            }
        }
        let list = |names: &[String]| names.join(", ");
        tracing::info!(
            %file,
            added = %list(&done.added),
            changed = %list(&done.changed),
            removed = %list(&done.removed),
            "the configuration was read again"
        );
        self.config.set(loaded);
        self.events.renewed();
    }
}

impl Service for ConfigReload {
    fn start(self: Arc<Self>, tasks: &Tasks) {
        let mut changes = self.changes.clone();
        tasks.spawn(async move {
            while changes.changed().await {
                self.reload();
            }
        });
    }
}
