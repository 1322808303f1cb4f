//! Doing as the settings and the rules of redaction say, from the start and whenever they change.
//!
//! Owns: who is told of what. Refuses to know: forms of files.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use schemascope_proxy::{Adapting, Hub, Mode};
use schemascope_registry::Registry;
use schemascope_store::Policy;
use serde_json::Value;

use super::{Adapt, LiveSettings, Settings};
use crate::events::Events;
use crate::files::Watched;
use crate::recorder::Recorder;
use crate::redact::{Redaction, rules};

const DAY: u64 = 24 * 60 * 60;

/// Settings, rules, and what goes by them.
pub(crate) struct Tuning {
    pub(crate) settings: Arc<LiveSettings>,
    pub(crate) redaction: Arc<Redaction>,
    /// The user's rules of redaction.
    pub(crate) rules: PathBuf,
    pub(crate) registry: Arc<Mutex<Registry>>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) recorder: Arc<Recorder>,
    pub(crate) events: Arc<Events>,
}

impl Tuning {
    /// Does as the settings say from now on.
    pub(crate) fn apply(&self, settings: &Settings) {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner).hold(settings.cut_after);
        self.hub.set_adapting(adapting(settings));
        if !self.recorder.retain(retention(settings)) {
            tracing::warn!(
                "the recorder is too busy to be told which calls to keep; change that setting again"
            );
        }
        // Policies look at everything anew.
        self.events.renewed();
        let changes = Value::from(settings.changes());
        tracing::info!(%changes, "settings changed");
    }

    /// Reads both files again whenever somebody edits one, as long as `watched` lives.
    pub(crate) fn follow(self: &Arc<Self>, watched: &Watched) {
        let (mut settings, mut rules) = (watched.watch(self.settings.file()), watched.watch(&self.rules));
        let tuning = Arc::clone(self);
        tokio::spawn(async move {
            while settings.changed().await {
                tuning.reload_settings();
            }
        });
        let tuning = Arc::clone(self);
        tokio::spawn(async move {
            while rules.changed().await {
                tuning.reload_rules();
            }
        });
    }

    fn reload_settings(&self) {
        if let Some(settings) = self.settings.reload() {
            self.apply(&settings);
        }
        if let Some(problem) = self.settings.problem() {
            tracing::warn!(file = %self.settings.file().display(), %problem, "cannot be used; what held before still does");
        }
    }

    fn reload_rules(&self) {
        let read = rules::read(&self.rules).and_then(|rules| {
            let is_new = rules != self.redaction.rules();
            if is_new { self.redaction.set_rules(rules).map(|()| true) } else { Ok(false) }
        });
        match read {
            Ok(true) => tracing::info!("rules of redaction changed"),
            Ok(false) => {}
            Err(problem) => tracing::warn!(%problem, "the rules of before still hold"),
        }
    }
}

/// What settings mean for the adapter.
pub(crate) fn adapting(settings: &Settings) -> Adapting {
    let mode = match settings.adapt {
        Adapt::On => Mode::On,
        Adapt::All => Mode::All,
        Adapt::Advertised => Mode::Advertised,
        Adapt::Off => Mode::Off,
    };
    Adapting { mode, suspend: settings.suspend }
}

/// What settings mean for stored calls.
pub(crate) fn retention(settings: &Settings) -> Policy {
    Policy {
        age: settings.keep_days.map(|days| std::time::Duration::from_secs(days.saturating_mul(DAY))),
        count: settings.keep_calls,
        bytes: settings.keep_mb.map(|megabytes| megabytes.saturating_mul(1_000_000)),
    }
}
