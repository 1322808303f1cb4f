//! What the program learns from calls, fed by the store as the program feeds it.
//!
//! Refuses to know: what is measured.

use schemascope_model::ToolId;
use schemascope_registry::Registry;
use schemascope_store::{Entry, Fold, States};

/// A registry that the store replays into.
#[derive(Default)]
pub struct Learned {
    pub registry: Registry,
    /// How often progress was told.
    pub told: u64,
}

impl Fold for Learned {
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

    fn progress(&mut self, _: u64, _: u64) {
        self.told += 1;
    }
}

impl States for Learned {
    fn tools(&self) -> Vec<ToolId> {
        self.registry.tools().keys().cloned().collect()
    }

    fn state(&self, tool: &ToolId) -> Option<Vec<u8>> {
        self.registry.state(tool)
    }
}
