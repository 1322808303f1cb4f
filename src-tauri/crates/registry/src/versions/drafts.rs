//! Drafts on their way to becoming versions.
//!
//! Owns: which tools were looked at, and how many drafts wait. Refuses to know: who takes them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use schemascope_model::ToolId;

use crate::tool::Tool;
use crate::versions::{Draft, HOLD};

/// Drafts of a tool that wait: the newest ones. More come only where nobody takes them.
const MAX_DRAFTS: usize = 64;

/// What was drafted and not taken yet.
#[derive(Debug)]
pub(crate) struct Drafts {
    /// Observations a schema must have been the same for.
    pub(crate) hold: u64,
    looked_at: BTreeSet<ToolId>,
    waiting: BTreeMap<ToolId, VecDeque<Draft>>,
}

impl Default for Drafts {
    fn default() -> Self {
        Self::holding(HOLD)
    }
}

impl Drafts {
    pub(crate) fn holding(hold: u64) -> Self {
        Self { hold, looked_at: BTreeSet::new(), waiting: BTreeMap::new() }
    }

    /// Looks at a tool behind an observation.
    pub(crate) fn look(&mut self, id: &ToolId, tool: &mut Tool) {
        let (looked, draft) = tool.look(self.hold);
        if looked {
            self.note(id);
        }
        if let Some(draft) = draft {
            let waiting = self.waiting.entry(id.clone()).or_default();
            if waiting.len() == MAX_DRAFTS {
                waiting.pop_front();
            }
            waiting.push_back(draft);
        }
    }

    /// Notes that a tool is worth a look, because its state came from elsewhere.
    pub(crate) fn note(&mut self, id: &ToolId) {
        self.looked_at.insert(id.clone());
    }

    pub(crate) fn take_looked_at(&mut self) -> BTreeSet<ToolId> {
        std::mem::take(&mut self.looked_at)
    }

    pub(crate) fn take(&mut self) -> BTreeMap<ToolId, VecDeque<Draft>> {
        std::mem::take(&mut self.waiting)
    }
}
