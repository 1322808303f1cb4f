//! Knowledge that follows from the journal alone, entry by entry.
//!
//! The registry is one such fold. Live recording, replay at a start, rebuilding and retention all go through
//! [`Folds`], so that a further fold sees the same entries and keeps its state in the same places.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use parking_lot::Mutex;
use schemascope_model::ToolId;
use schemascope_registry::{Observation, Registry};
use schemascope_store::Entry;

use super::tool_state::{self, REGISTRY};

/// State per tool that each entry of the journal advances.
pub(crate) trait Fold: Send {
    /// Name of the fold in stored states. Never changes.
    fn name(&self) -> &'static str;
    /// Advances by one entry. `observation` is what the result of a call teaches, read once for all folds. An
    /// [`Entry::State`] holds a state of this fold and replaces what is known of its tool.
    fn apply(&mut self, entry: &Entry, observation: Option<&Observation<'_>>) -> Result<(), String>;
    /// Takes a tool's state from the index, where it is saved already.
    fn load(&mut self, tool: &ToolId, state: &[u8]) -> Result<(), String>;
    /// Notes that a stored state of a tool has no part of this fold: it was stored before the fold existed. `saved`
    /// says whether it is from the index; else it is an [`Entry::State`].
    fn lacks(&mut self, _tool: &ToolId, _saved: bool) {}
    /// Whether the states of the index lack what calls before them would have taught, so that the journal must be
    /// read from its beginning.
    fn is_outdated(&self) -> bool {
        false
    }
    /// Forgets everything, because the index that states were loaded from is unusable.
    fn clear(&mut self);
    /// All tools of which something is known.
    fn tools(&self) -> Vec<ToolId>;
    /// A tool's state; the same bytes whichever way it came about.
    fn state(&self, tool: &ToolId) -> Option<Vec<u8>>;
    /// The part of a tool's state that depends on entries only, not on settings.
    fn comparable(&self, tool: &ToolId) -> Option<Vec<u8>>;
    /// States that changed since this was last called.
    fn take_unsaved(&mut self) -> Vec<(ToolId, Vec<u8>)>;
}

impl Fold for Registry {
    fn name(&self) -> &'static str {
        REGISTRY
    }

    fn apply(&mut self, entry: &Entry, observation: Option<&Observation<'_>>) -> Result<(), String> {
        match entry {
            Entry::Call(call) => self.record_read(call, observation),
            Entry::Declared(declared) => {
                self.declare(&declared.tool_id, declared.at, declared.definition.clone());
            }
            Entry::State { tool, state } => {
                return self.restore(tool, state).map_err(|error| error.to_string());
            }
        }
        Ok(())
    }

    fn load(&mut self, tool: &ToolId, state: &[u8]) -> Result<(), String> {
        Self::load(self, tool.clone(), state).map_err(|error| error.to_string())
    }

    fn clear(&mut self) {
        Self::clear(self);
    }

    fn tools(&self) -> Vec<ToolId> {
        Self::tools(self).keys().cloned().collect()
    }

    fn state(&self, tool: &ToolId) -> Option<Vec<u8>> {
        Self::state(self, tool)
    }

    fn comparable(&self, tool: &ToolId) -> Option<Vec<u8>> {
        self.learned(tool)
    }

    fn take_unsaved(&mut self) -> Vec<(ToolId, Vec<u8>)> {
        Self::take_unsaved(self)
    }
}

/// All folds over one journal.
#[derive(Clone)]
pub(crate) struct Folds(Arc<[Arc<Mutex<dyn Fold>>]>);

impl Folds {
    pub(crate) fn new(folds: impl IntoIterator<Item = Arc<Mutex<dyn Fold>>>) -> Self {
        Self(folds.into_iter().collect())
    }

    /// Advances every fold by one entry. If a stored state cannot be read by its fold, the other folds still take
    /// theirs, and the error is returned.
    pub(super) fn apply(&self, entry: &Entry, observation: Option<&Observation<'_>>) -> Result<(), String> {
        match entry {
            Entry::State { tool, state } => self.each_part(tool, state, false, |fold, state| {
                fold.apply(&Entry::State { tool: tool.clone(), state: state.to_vec() }, None)
            }),
            _ => self.0.iter().try_for_each(|fold| {
                // Nothing that was observed may end recording, or keep the store from being opened. A replay comes to
                // the same state, because the same entry panics at the same place.
                let applied = catch_unwind(AssertUnwindSafe(|| fold.lock().apply(entry, observation)));
                applied.unwrap_or_else(|_| {
                    let tool = entry.tool();
                    tracing::error!(%tool, "an entry is stored, but learning from it failed; please report this");
                    Ok(())
                })
            }),
        }
    }

    pub(super) fn load(&self, tool: &ToolId, state: &[u8]) -> Result<(), String> {
        self.each_part(tool, state, true, |fold, state| fold.load(tool, state))
    }

    pub(super) fn is_outdated(&self) -> bool {
        self.0.iter().any(|fold| fold.lock().is_outdated())
    }

    pub(super) fn clear(&self) {
        self.0.iter().for_each(|fold| fold.lock().clear());
    }

    pub(super) fn tools(&self) -> Vec<ToolId> {
        let tools: BTreeSet<ToolId> = self.0.iter().flat_map(|fold| fold.lock().tools()).collect();
        tools.into_iter().collect()
    }

    /// A tool's states of all folds, as they are stored.
    pub(super) fn state(&self, tool: &ToolId) -> Option<Vec<u8>> {
        self.joined(|fold| fold.state(tool))
    }

    /// The same with another part of the registry.
    pub(super) fn state_with(&self, tool: &ToolId, registry: &[u8]) -> Option<Vec<u8>> {
        self.joined(|fold| if fold.name() == REGISTRY { Some(registry.to_vec()) } else { fold.state(tool) })
    }

    pub(super) fn comparable(&self, tool: &ToolId) -> Option<Vec<u8>> {
        self.joined(|fold| fold.comparable(tool))
    }

    /// All tools' states, one at a time: all at once could be hundreds of megabytes.
    pub(super) fn states(&self) -> impl Iterator<Item = (ToolId, Vec<u8>)> + use<> {
        let folds = self.clone();
        self.tools().into_iter().filter_map(move |tool| folds.state(&tool).map(|state| (tool, state)))
    }

    /// States of the tools of which something changed in any fold since this was last called.
    pub(super) fn take_unsaved(&self) -> Vec<(ToolId, Vec<u8>)> {
        let mut taken: Vec<BTreeMap<ToolId, Vec<u8>>> =
            self.0.iter().map(|fold| fold.lock().take_unsaved().into_iter().collect()).collect();
        let tools: BTreeSet<ToolId> = taken.iter().flat_map(BTreeMap::keys).cloned().collect();
        let state = |tool: ToolId| {
            let mut taken = taken.iter_mut();
            let state = self.joined(|fold| {
                let changed = taken.next().and_then(|states| states.remove(&tool));
                changed.or_else(|| fold.state(&tool))
            });
            state.map(|state| (tool, state))
        };
        tools.into_iter().filter_map(state).collect()
    }

    fn joined(&self, mut state: impl FnMut(&dyn Fold) -> Option<Vec<u8>>) -> Option<Vec<u8>> {
        let parts = self.0.iter().filter_map(|fold| {
            let fold = fold.lock();
            state(&*fold).map(|state| (fold.name(), state))
        });
        tool_state::join(parts.collect())
    }

    /// Hands each part of a stored state to its fold.
    fn each_part(
        &self,
        tool: &ToolId,
        state: &[u8],
        saved: bool,
        mut take: impl FnMut(&mut dyn Fold, &[u8]) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut result = Ok(());
        let parts = tool_state::split(state)?;
        for fold in &*self.0 {
            let mut fold = fold.lock();
            if !parts.iter().any(|(name, _)| *name == fold.name()) {
                fold.lacks(tool, saved);
            }
        }
        for (name, part) in parts {
            let fold = self.0.iter().find(|fold| fold.lock().name() == name);
            let taken = match fold {
                Some(fold) => take(&mut *fold.lock(), part),
                None => Err(format!("it has a part {name:?}, which this program does not know")),
            };
            result = result.and(taken);
        }
        result
    }
}

#[cfg(test)]
mod tests;
