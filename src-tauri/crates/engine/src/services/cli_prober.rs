//! Keeping command-line tools current: reading their file when it changes, and the help of programs that are new.

use std::sync::Arc;

use schemascope_proxy::Hub;
use schemascope_redact::Redaction;
use tokio::task::JoinSet;

use crate::background::{Service, Tasks};
use crate::cli_tools::CliTools;
use crate::config::UserFiles;
use crate::config::mcp_json::ActiveConfig;
use crate::config::watched::FileChanges;
use crate::recording::Records;
use crate::recording::events::Events;

/// Programs that are asked for their help at once.
const PROBES: usize = 4;

/// Serves command-line tools as soon as their help was read.
pub(crate) struct CliProber {
    tools: Arc<CliTools>,
    config: Arc<ActiveConfig>,
    changes: FileChanges,
    hub: Arc<Hub>,
    redaction: Arc<Redaction>,
    events: Arc<Events>,
}

impl CliProber {
    pub(super) fn new(files: &UserFiles, records: &Records, hub: &Arc<Hub>) -> Self {
        Self {
            tools: Arc::clone(&files.cli),
            config: Arc::clone(&files.config),
            changes: files.cli_changes.clone(),
            hub: Arc::clone(hub),
            redaction: Arc::clone(&files.redaction),
            events: Arc::clone(&records.events),
        }
    }

    /// Reads the file and makes its entries effective.
    pub(crate) fn reload(&self) {
        let is_change = self.tools.read();
        let secrets = self.tools.values();
        let pairs = secrets.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        if let Err(error) = self.redaction.add_values(pairs) {
            tracing::warn!(%error, "values of command-line tools could not be redacted");
        }
        if is_change {
            self.apply();
        }
    }

    /// Has the proxy serve the entries as they are now.
    pub(crate) fn apply(&self) {
        let _alone = self.config.alone();
        let done = self.hub.reconfigure(&self.tools.added_to(&self.config.now().config));
        if !done.is_nothing() {
            self.events.renewed();
        }
    }

    async fn probe_unread(&self) {
        let mut unread = self.tools.unread().into_iter();
        let mut probes: JoinSet<bool> = JoinSet::new();
        loop {
            while probes.len() < PROBES
                && let Some(entry) = unread.next()
            {
                let tools = Arc::clone(&self.tools);
                probes.spawn(async move { tools.probe(entry).await });
            }
            match probes.join_next().await {
                Some(Ok(true)) => self.apply(),
                Some(_) => {}
                None => return,
            }
        }
    }
}

impl Service for CliProber {
    fn start(self: Arc<Self>, tasks: &Tasks) {
        let mut changes = self.changes.clone();
        tasks.spawn(async move {
            loop {
                self.probe_unread().await;
                if !changes.changed().await {
                    return;
                }
                self.reload();
            }
        });
    }
}
