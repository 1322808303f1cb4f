//! What the store replays into: all that is learned and decided.
//!
//! Owns: which part each entry of journal and audit log goes to. Refuses to know: where entries come from.

use std::time::{Duration, Instant};

use schemascope_model::ToolId;
use schemascope_registry::Registry;
use schemascope_registry::versions::{AuditEntry, Ledger};
use schemascope_store::{Entry, Fold, States};

/// How often progress is told.
const PROGRESS: Duration = Duration::from_secs(1);

/// A registry that a store feeds, and the ledger of decisions.
pub struct Replay {
    /// What was learned.
    pub registry: Registry,
    ledger: Ledger,
    told: Instant,
}

impl Replay {
    /// Goes on from what a registry knows.
    pub fn new(registry: Registry) -> Self {
        Self { registry, ledger: Ledger::default(), told: Instant::now() }
    }
}

impl Fold for Replay {
    fn load(&mut self, tool: ToolId, state: &[u8]) -> Result<(), String> {
        self.registry.load(tool, state).map_err(|error| error.to_string())
    }

    fn clear(&mut self) {
        self.registry.clear();
    }

    fn apply(&mut self, entry: &Entry) -> Result<(), String> {
        match entry {
            Entry::Call(call) => self.registry.record(call),
            Entry::Declared(declared) => {
                self.registry.declare(&declared.tool_id, declared.at, declared.definition.clone());
            }
            Entry::State { tool, state } => {
                self.registry.restore(tool, state).map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }

    fn progress(&mut self, done: u64, total: u64) {
        if self.told.elapsed() >= PROGRESS {
            self.told = Instant::now();
            let percent = done * 100 / total.max(1);
            tracing::warn!("reading the journal: {percent} % of {} MB", total / 1_000_000);
        }
    }
}

impl States for Replay {
    fn tools(&self) -> Vec<ToolId> {
        self.registry.tools().keys().cloned().collect()
    }

    fn state(&self, tool: &ToolId) -> Option<Vec<u8>> {
        self.registry.state(tool)
    }

    fn compared(&self, tool: &ToolId) -> Option<Vec<u8>> {
        self.registry.learned(tool)
    }

    fn decision(&mut self, entry: &[u8]) -> Result<(), String> {
        let entry: AuditEntry = serde_json::from_slice(entry).map_err(|error| error.to_string())?;
        let applied = self.ledger.apply(&entry);
        applied.map_err(|refused| format!("{} of {}: {refused}", entry.event.name(), entry.tool_id))
    }
}
