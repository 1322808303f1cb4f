//! `mcp.json` is edited while the engine runs.
//!
//! Owns: what follows: upstreams that are others begin, end or begin anew, the rest goes on untouched; a file that
//! cannot be used leaves the last good one in force and is told. Refuses to know: how files are watched, and how
//! upstreams are run.

use std::sync::Arc;

use schemascope_proxy::{Hub, ServerEntry};

use crate::config::{Configuration, LoadedConfig};
use crate::events::Events;
use crate::files::Changes;
use crate::redact::Redaction;

/// Puts what the file says in force.
pub(crate) struct Reload {
    pub(crate) configuration: Arc<Configuration>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) redaction: Arc<Redaction>,
    pub(crate) events: Arc<Events>,
}

impl Reload {
    /// Follows the file as long as it is watched.
    pub(crate) fn start(self, mut changes: Changes) {
        tokio::spawn(async move {
            while changes.changed().await {
                self.reload();
            }
        });
    }

    fn reload(&self) {
        let before = self.configuration.now();
        let mut loaded = LoadedConfig::read(&before.path);
        if loaded.problem.is_none()
            && let Err(error) = self.redaction.add_values(loaded.values())
        {
            // Secrets nobody would look for must not be used.
            loaded.problem = Some(format!("holds values that cannot be looked for: {error}"));
        }
        let file = before.path.display();
        if let Some(problem) = loaded.problem.take() {
            let problem = format!("{problem}; what it said before stays in force");
            if before.problem.as_ref() != Some(&problem) {
                tracing::warn!(%file, %problem, "the configuration cannot be used");
                let config = before.config.clone();
                self.configuration.set(LoadedConfig { config, problem: Some(problem), ..loaded });
                self.events.renewed();
            }
            return;
        }
        let done = self.hub.reconfigure(&loaded.config);
        if done.is_nothing() && before.problem.is_none() {
            return;
        }
        for name in done.names() {
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
        self.configuration.set(loaded);
        self.events.renewed();
    }
}
