//! Drafts of a tool's schema that wait to become versions, up to a limit.
//!
//! They are never part of a state: a draft that is lost with the process is drafted again.

use std::collections::VecDeque;

use crate::versions::{Draft, HOLD};

/// Drafts that wait: the newest ones. There are more only where they are not taken.
const MAX_DRAFTS: usize = 64;

/// What was drafted and not taken yet.
#[derive(Debug, Clone)]
pub(crate) struct Drafts {
    /// Observations a schema must have been the same for.
    pub(crate) hold: u64,
    /// Whether the form was compared, or loaded with a state, since the last look.
    pub(crate) looked: bool,
    waiting: VecDeque<Draft>,
    /// Drafts there was no room for.
    dropped: u64,
}

impl Default for Drafts {
    fn default() -> Self {
        Self::holding(HOLD)
    }
}

impl Drafts {
    pub(crate) fn holding(hold: u64) -> Self {
        Self { hold, looked: true, waiting: VecDeque::new(), dropped: 0 }
    }

    pub(crate) fn add(&mut self, draft: Draft) {
        if self.waiting.len() == MAX_DRAFTS {
            self.waiting.pop_front();
            self.dropped += 1;
        }
        self.waiting.push_back(draft);
    }

    pub(crate) fn take(&mut self) -> VecDeque<Draft> {
        std::mem::take(&mut self.waiting)
    }

    /// Whether there are drafts to take.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub(crate) fn take_dropped(&mut self) -> u64 {
        std::mem::take(&mut self.dropped)
    }
}
