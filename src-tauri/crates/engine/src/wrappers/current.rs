//! Folders as they were when all their wrappers were current, so that looking again costs little where nothing changed.

use std::collections::{BTreeMap, BTreeSet};

use schemascope_api::{WrapperTarget, WrittenWrappers};
use schemascope_codegen::{Strategy, Update, beside};
use schemascope_model::Quality;

use super::folder::{Stamp, WrapperFolder};

/// What a folder's wrappers are printed from, besides the tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Basis {
    pub(super) target: WrapperTarget,
    pub(super) model_from: Quality,
}

/// A folder as it was.
#[derive(Debug)]
pub(super) struct Current {
    basis: Basis,
    /// The latest event that its wrappers take into account.
    event: u64,
    /// Every file, and none for those that do not exist.
    files: BTreeMap<String, Option<Stamp>>,
    edited: BTreeSet<String>,
    wrapper_count: u64,
    /// Tools by how far the type of their result binds.
    strategies: [u64; 3],
}

impl Current {
    pub(super) fn new(basis: Basis, event: u64) -> Self {
        let (files, edited) = Default::default();
        Self { basis, event, files, edited, wrapper_count: 0, strategies: [0; 3] }
    }

    /// The latest event that all wrappers take into account, if nothing else has changed since.
    pub(super) fn event(&self, basis: &Basis, folder: &WrapperFolder) -> Option<u64> {
        let is_untouched = || self.files.iter().all(|(path, stamp)| folder.stamp(path) == *stamp);
        (self.basis == *basis && is_untouched()).then_some(self.event)
    }

    /// Takes over what was written. `event` is the latest that all wrappers take into account now.
    pub(super) fn wrote(&mut self, update: &Update, folder: &WrapperFolder, event: Option<u64>) {
        self.event = event.unwrap_or(self.event);
        for path in update.files.iter().map(|file| &file.path).chain(&update.obsolete) {
            self.files.insert(path.clone(), folder.stamp(path));
            self.edited.remove(path);
        }
        for path in &update.edited {
            self.files.insert(path.clone(), folder.stamp(path));
            self.files.insert(beside(path), folder.stamp(&beside(path)));
            self.edited.insert(path.clone());
        }
        let tools = &update.manifest.tools;
        if !tools.is_empty() {
            let by_tool: BTreeMap<_, _> =
                tools.iter().map(|entry| (&entry.tool_id, entry.strategy)).collect();
            self.wrapper_count = tools.len() as u64;
            self.strategies = strategies(by_tool.values().copied());
        }
    }

    /// What writing it again would do.
    pub(super) fn written(&self) -> WrittenWrappers {
        // A wrapper that was edited and the text beside it count once.
        let files_current = self.files.values().flatten().count() - self.edited.len();
        WrittenWrappers {
            wrapper_count: self.wrapper_count,
            strategies: self.strategies,
            files_current: files_current as u64,
            edited: self.edited(),
            ..WrittenWrappers::default()
        }
    }

    /// Wrappers that were edited by hand.
    pub(super) fn edited(&self) -> Vec<String> {
        self.edited.iter().cloned().collect()
    }
}

/// Number of tools by how far the type of their result binds.
pub(super) fn strategies(of: impl Iterator<Item = Strategy>) -> [u64; 3] {
    let mut counts = [0; 3];
    for strategy in of {
        let at = match strategy {
            Strategy::Typed => 0,
            Strategy::Inferred => 1,
            Strategy::Helper => 2,
        };
        counts[at] += 1;
    }
    counts
}
