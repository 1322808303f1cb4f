//! Applying settings and redaction rules whenever they change.

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use schemascope_proxy::Hub;
use schemascope_redact::Redaction;
use schemascope_registry::Registry;
use serde_json::Value;

use crate::background::{Service, Tasks};
use crate::config::settings::{LiveSettings, Settings, adapting, retention};
use crate::config::watched::FileChanges;
use crate::config::{UserFiles, redaction_rules};
use crate::own_tools::OwnTools;
use crate::recording::Records;
use crate::recording::events::Events;
use crate::recording::recorder::Recorder;
use crate::upstreams::Upstreams;

/// Passes changed settings and rules on to the parts they concern.
pub(crate) struct SettingsApplier {
    settings: Arc<LiveSettings>,
    settings_changes: FileChanges,
    redaction: Arc<Redaction>,
    rules: PathBuf,
    rules_changes: FileChanges,
    registry: Arc<Mutex<Registry>>,
    hub: Arc<Hub>,
    own_tools: Arc<OwnTools>,
    recorder: Arc<Recorder>,
    events: Arc<Events>,
}

impl SettingsApplier {
    pub(super) fn new(files: &UserFiles, records: &Records, upstreams: &Upstreams) -> Self {
        Self {
            settings: Arc::clone(&files.settings),
            settings_changes: files.settings_changes.clone(),
            redaction: Arc::clone(&files.redaction),
            rules: files.rules.clone(),
            rules_changes: files.rules_changes.clone(),
            registry: Arc::clone(&records.registry),
            hub: Arc::clone(&upstreams.hub),
            own_tools: Arc::clone(&upstreams.own_tools),
            recorder: Arc::clone(&records.recorder),
            events: Arc::clone(&records.events),
        }
    }

    /// Applies settings from now on.
    pub(crate) fn apply(&self, settings: &Settings) {
        self.registry.lock().hold(settings.cut_after);
        self.hub.set_adapting(adapting(settings));
        if self.own_tools.offer(&settings.own_tools) {
            self.hub.announce_tools();
        }
        self.recorder.retain(retention(settings));
        // Automatic promotion checks all tools again.
        self.events.renewed();
        let changes = Value::from(settings.changes());
        tracing::info!(%changes, "settings changed");
    }

    fn reload_settings(&self) {
        if let Some(settings) = self.settings.reload() {
            self.apply(&settings);
        }
        if let Some(problem) = self.settings.problem() {
            let file = self.settings.file().display();
            tracing::warn!(%file, %problem, "cannot be used; the previous settings stay in effect");
        }
    }

    fn reload_rules(&self) {
        let read = redaction_rules::read(&self.rules).and_then(|rules| {
            let is_new = rules != self.redaction.rules();
            if is_new { self.redaction.set_rules(rules).map(|()| true) } else { Ok(false) }
        });
        match read {
            Ok(true) => tracing::info!("redaction rules changed"),
            Ok(false) => {}
            Err(problem) => tracing::warn!(%problem, "the previous redaction rules stay in effect"),
        }
    }
}

impl Service for SettingsApplier {
    /// Reads both files again whenever one changes.
    fn start(self: Arc<Self>, tasks: &Tasks) {
        let (mut settings, mut rules) = (self.settings_changes.clone(), self.rules_changes.clone());
        let applier = Arc::clone(&self);
        tasks.spawn(async move {
            while settings.changed().await {
                applier.reload_settings();
            }
        });
        tasks.spawn(async move {
            while rules.changed().await {
                self.reload_rules();
            }
        });
    }
}
