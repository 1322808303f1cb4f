//! What an upstream is expected to tell while it starts: what it told the last time, perhaps an earlier process.
//!
//! A client that lists everything would otherwise wait for the slowest upstream, and some give up after a few seconds.

use std::sync::{Arc, MutexGuard, PoisonError};

use bytes::Bytes;

use super::session::Live;
use super::{Phase, Upstream};
use crate::observer::{Introduction, ListedTool};

impl Upstream {
    /// Returns what is expected of it, if it is about to start or starting for the first time.
    pub(crate) fn expected(&self) -> Option<Introduction> {
        let starts = matches!(
            &*self.phase(),
            Phase::Idle | Phase::Starting { failures: 0, .. } | Phase::Failed { failures: 0, .. }
        );
        if starts { self.introduction().clone() } else { None }
    }

    /// Returns the tools it listed last, else those that it is expected to list: a client may know them.
    pub(crate) fn known_tools(&self) -> Arc<[ListedTool]> {
        let listed = self.listed();
        if !listed.is_empty() {
            return listed;
        }
        self.introduction().as_ref().map(|known| Arc::clone(&known.tools)).unwrap_or_default()
    }

    /// Takes the tools that a session listed.
    pub(super) fn introduce(&self, live: &Live, tools: &Arc<[ListedTool]>) {
        let items = self.introduction().as_ref().map(|known| known.items.clone()).unwrap_or_default();
        self.expect(Introduction {
            tools: Arc::clone(tools),
            capabilities: live.hello.capabilities.clone(),
            instructions: live.hello.instructions.clone(),
            items,
        });
    }

    /// Takes the items of another list, by its method.
    pub(crate) fn note_items(&self, method: &str, items: &[Bytes]) {
        let known = self.introduction().clone();
        if let Some(mut known) = known {
            known.items.insert(method.to_owned(), items.into());
            self.expect(known);
        }
    }

    fn expect(&self, introduction: Introduction) {
        let mut known = self.introduction();
        if known.as_ref() != Some(&introduction) {
            self.observer.introduced(&self.name, &self.entry(), &introduction);
            *known = Some(introduction);
        }
    }

    /// Forgets what the program of another entry told.
    pub(super) fn expect_anew(&self) {
        let expected = self.observer.expected(&self.name, &self.entry());
        *self.introduction() = expected;
    }

    fn introduction(&self) -> MutexGuard<'_, Option<Introduction>> {
        self.introduction.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
