//! Introduction that is expected of an upstream while it starts: the last one, perhaps from an earlier process.
//!
//! Otherwise a client that lists everything waits for the slowest upstream, and some give up after a few seconds.

use std::sync::{Arc, MutexGuard, PoisonError};

use bytes::Bytes;

use super::session::Live;
use super::{Phase, Upstream};
use crate::config::ServerEntry;
use crate::observer::{Introduction, ListedTool};

impl Upstream {
    /// Returns the expected introduction, if it is about to start, or starting and did not fail before.
    pub(crate) fn expected(&self) -> Option<Introduction> {
        let starts = matches!(
            &*self.phase(),
            Phase::Idle | Phase::Starting { failures: 0, .. } | Phase::Failed { failures: 0, .. }
        );
        if starts { self.introduction().clone() } else { None }
    }

    /// Returns the tools it listed last, else the expected ones: a client may know them.
    pub(crate) fn known_tools(&self) -> Arc<[ListedTool]> {
        let listed = self.listed();
        if listed.is_empty() { self.introduced_tools() } else { listed }
    }

    /// Returns the tools of its last introduction with this entry.
    pub(crate) fn introduced_tools(&self) -> Arc<[ListedTool]> {
        self.introduction().as_ref().map(|known| Arc::clone(&known.tools)).unwrap_or_default()
    }

    /// Takes the tools that a session of this entry listed.
    pub(super) fn introduce(&self, live: &Live, entry: &ServerEntry, tools: &Arc<[ListedTool]>) {
        let changed = {
            let mut known = self.introduction();
            let introduction = Introduction {
                tools: Arc::clone(tools),
                capabilities: live.hello.capabilities.clone(),
                instructions: live.hello.instructions.clone(),
                items: known.as_ref().map(|known| known.items.clone()).unwrap_or_default(),
            };
            // A session of an earlier entry may be about to end.
            let is_new = *self.entry() == *entry && known.as_ref() != Some(&introduction);
            is_new.then(|| known.insert(introduction).clone())
        };
        if let Some(introduction) = changed {
            self.observer.introduced(&self.name, entry, &introduction);
        }
    }

    /// Takes the items of another list of the shared session, by its method.
    pub(crate) fn note_items(&self, live: &Live, method: &str, items: &[Bytes]) {
        let entry = self.entry().clone();
        let changed = {
            let mut known = self.introduction();
            let known = known.as_mut().filter(|known| {
                // Those of an earlier entry have other tools.
                Arc::ptr_eq(&known.tools, &live.tools())
                    && known.items.get(method).is_none_or(|before| **before != *items)
            });
            known.map(|known| {
                known.items.insert(method.to_owned(), items.into());
                known.clone()
            })
        };
        if let Some(introduction) = changed {
            self.observer.introduced(&self.name, &entry, &introduction);
        }
    }

    /// Replaces the expected introduction after a change of the entry.
    pub(super) fn reset_expected(&self) {
        let expected = self.observer.expected(&self.name, &self.entry());
        *self.introduction() = expected;
    }

    fn introduction(&self) -> MutexGuard<'_, Option<Introduction>> {
        self.introduction.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
