//! Keeps what is learned in line with the decisions about how tools learn.

use std::sync::Arc;

use schemascope_model::ToolId;
use tokio::sync::Mutex;

use crate::background::{Service, Tasks};
use crate::knowledge::decisions::Decisions;
use crate::recording::Records;
use crate::recording::recorder::NotRelearned;

/// Learns tools again whose learning rules are not those that were decided.
pub(crate) struct Learning {
    records: Records,
    decisions: Arc<Decisions>,
    /// Held while a tool is learned again, so that the latest decision is what counts in the end.
    turn: Mutex<()>,
}

impl Learning {
    pub(crate) fn new(records: &Records, decisions: &Arc<Decisions>) -> Self {
        Self { records: records.clone(), decisions: Arc::clone(decisions), turn: Mutex::default() }
    }

    /// Returns once results of the tool are learned from as decided, stored ones as well.
    pub(crate) async fn apply(&self, tool: &ToolId) -> Result<(), NotRelearned> {
        let _turn = self.turn.lock().await;
        let rules = self.decisions.tool(tool).decided().learning_rules();
        self.records.learn_by(tool, rules).await
    }
}

impl Service for Learning {
    /// Does what a kill between a decision and its effect left to do.
    fn start(self: Arc<Self>, tasks: &Tasks) {
        tasks.spawn(async move {
            let known: Vec<ToolId> = self.records.registry().tools().keys().cloned().collect();
            for tool in known {
                if let Err(error) = self.apply(&tool).await {
                    tracing::warn!(%tool, %error, "a decision about what the tool learns from could not be applied to stored results");
                }
            }
        });
    }
}
