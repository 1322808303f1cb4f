//! Replaying what is stored into memory: the journal into all folds, the audit log into its ledger.

use std::ops::DerefMut;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use schemascope_model::ToolId;
use schemascope_registry::versions::{AuditEntry, Ledger};
use schemascope_registry::{Registry, observe};
use schemascope_store::{Entry, Fold, States};

use super::flows::Flows;
use super::fold::Folds;

/// Time between two reports of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// Target of a replay.
pub struct Replay {
    pub(crate) registry: Arc<Mutex<Registry>>,
    pub(crate) flows: Arc<Mutex<Flows>>,
    pub(crate) folds: Folds,
    ledger: Ledger,
    reported: Instant,
}

impl Replay {
    /// Continues from what a registry knows. This is where all folds are listed.
    pub fn new(registry: Registry) -> Self {
        let flows = Arc::new(Mutex::new(Flows::new(registry.key(), registry.first_machine())));
        let registry = Arc::new(Mutex::new(registry));
        let folds = Folds::new([Arc::clone(&registry) as _, Arc::clone(&flows) as _]);
        Self { flows, ..Self::into_folds(registry, folds) }
    }

    pub(super) fn into_folds(registry: Arc<Mutex<Registry>>, folds: Folds) -> Self {
        let flows = {
            let registry = registry.lock();
            Arc::new(Mutex::new(Flows::new(registry.key(), registry.first_machine())))
        };
        Self { registry, flows, folds, ledger: Ledger::default(), reported: Instant::now() }
    }

    /// The registry, locked.
    pub fn registry(&self) -> impl DerefMut<Target = Registry> + '_ {
        self.registry.lock()
    }
}

impl Fold for Replay {
    fn load(&mut self, tool: ToolId, state: &[u8]) -> Result<(), String> {
        self.folds.load(&tool, state)
    }

    fn clear(&mut self) {
        self.folds.clear();
    }

    fn is_outdated(&self) -> bool {
        self.folds.is_outdated()
    }

    fn apply(&mut self, entry: &Entry) -> Result<(), String> {
        let observation = match entry {
            Entry::Call(call) => call.result.as_deref().and_then(observe),
            _ => None,
        };
        self.folds.apply(entry, observation.as_ref())
    }

    fn progress(&mut self, done: u64, total: u64) {
        if self.reported.elapsed() >= PROGRESS_INTERVAL {
            self.reported = Instant::now();
            let percent = done * 100 / total.max(1);
            tracing::warn!("reading the journal, {:.1} MB: {percent} %", total as f64 / 1e6);
        }
    }
}

impl States for Replay {
    fn tools(&self) -> Vec<ToolId> {
        self.folds.tools()
    }

    fn state(&self, tool: &ToolId) -> Option<Vec<u8>> {
        self.folds.state(tool)
    }

    fn compared(&self, tool: &ToolId) -> Option<Vec<u8>> {
        self.folds.comparable(tool)
    }

    fn decision(&mut self, entry: &[u8]) -> Result<(), String> {
        let entry: AuditEntry = serde_json::from_slice(entry).map_err(|error| error.to_string())?;
        let applied = self.ledger.apply(&entry);
        applied.map_err(|refused| format!("{} of {}: {refused}", entry.event.name(), entry.tool_id))
    }
}
