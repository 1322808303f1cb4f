//! Bringing the wrappers of targets up to date.

use std::collections::BTreeSet;
use std::path::Path;

use schemascope_api::{EvolvedTarget, WrapperChange, WrapperEvent, WrapperTarget};
use schemascope_codegen::{Tool, Update, beside};
use schemascope_model::{Timestamp, ToolId};

use super::current::{Basis, Current};
use super::folder::{Root, WrapperFolder};
use super::{Wrappers, WrappersError, change, languages, tool};

impl Wrappers {
    /// Brings all targets up to date, or only the wrappers of some tools. Blocks.
    pub(crate) fn evolve(
        &self,
        only: Option<&BTreeSet<ToolId>>,
        dry_run: bool,
    ) -> Result<Vec<EvolvedTarget>, WrappersError> {
        let mut writing = self.writing.lock();
        let mut evolved = Vec::new();
        for target in self.targets.read()? {
            let path = target.path.clone();
            let mut current = writing.remove(&path);
            let done = self.evolve_target(target, &mut current, only, dry_run);
            let done = done.unwrap_or_else(|error| {
                let problem = Some(error.to_string());
                EvolvedTarget { path: path.clone(), problem, ..EvolvedTarget::default() }
            });
            if !dry_run {
                self.announce(&done);
            }
            if let Some(current) = current.filter(|_| !done.gone && done.problem.is_none()) {
                writing.insert(path, current);
            }
            evolved.push(done);
        }
        Ok(evolved)
    }

    /// `current` is the folder as it was, and becomes the folder as it is.
    fn evolve_target(
        &self,
        target: WrapperTarget,
        current: &mut Option<Current>,
        only: Option<&BTreeSet<ToolId>>,
        dry_run: bool,
    ) -> Result<EvolvedTarget, WrappersError> {
        let mut evolved = EvolvedTarget { path: target.path.clone(), ..EvolvedTarget::default() };
        let folder = WrapperFolder::new(&target.path);
        let model_from = target.model_from.unwrap_or_else(|| self.least_quality());
        let basis = Basis { target, model_from };
        let is_whole = only.is_none();
        let seen = current.as_ref().filter(|_| is_whole).and_then(|current| current.event(&basis, &folder));
        // Asked before tools are read: what changes meanwhile is found again.
        let (changed, latest) = self.events.tools_since(seen);
        let changed = changed.map(BTreeSet::from_iter);
        let only = only.or(changed.as_ref());
        if let (Some(current), true) = (current.as_ref(), only.is_some_and(BTreeSet::is_empty)) {
            evolved.edited = current.edited();
            return Ok(evolved);
        }
        let Some(before) = folder.manifest()? else {
            evolved.gone = true;
            if !dry_run {
                self.targets.forget(&evolved.path)?;
            }
            return Ok(evolved);
        };
        let mut known = self.known.tools(|id| {
            let name = id.to_string();
            only.is_none_or(|only| only.contains(id))
                && basis.target.filters.iter().any(|filter| filter.includes(id.server(), &name))
        });
        // A tool that is no longer listed keeps its wrapper, and gets none.
        known.retain(|(id, tool)| {
            let name = id.to_string();
            tool.declaration.is_some() || before.tools.iter().any(|entry| entry.tool_id == name)
        });
        let update = if known.is_empty() {
            Update::default()
        } else {
            let tools = known.iter().map(|(id, known)| tool(self.known.wrapper_tool(id, known, model_from)));
            let tools: Vec<Tool> = tools.collect::<Result<_, _>>()?;
            self.update(&folder, &before, &tools, &languages(&basis.target.languages)?, false)
        };
        let is_current = if dry_run {
            folder.outdated(&update.files)?.is_empty()
        } else {
            folder.write(&update.files, &update.obsolete, Root::Existing)?;
            true
        };
        if is_current {
            if is_whole && seen.is_none() {
                *current = (!known.is_empty()).then(|| Current::new(basis, latest));
            }
            if let Some(current) = current {
                current.wrote(&update, &folder, is_whole.then_some(latest));
            }
        }
        evolved.changes = update.changes.into_iter().map(change).collect();
        evolved.edited = match current {
            Some(current) if is_whole && is_current => current.edited(),
            _ => update.edited,
        };
        Ok(evolved)
    }

    /// Logs what was done, and shows it to fronts.
    fn announce(&self, evolved: &EvolvedTarget) {
        log(evolved);
        let at = Timestamp::now();
        let event = |change: &WrapperChange| WrapperEvent {
            at,
            folder: evolved.path.clone(),
            change: change.clone(),
        };
        if !evolved.changes.is_empty() {
            self.events.wrappers_changed(evolved.changes.iter().map(event));
        }
    }
}

/// One line per change.
fn log(evolved: &EvolvedTarget) {
    let EvolvedTarget { path, gone, problem, changes, .. } = evolved;
    if *gone {
        tracing::info!(folder = %path, "the folder has no wrappers any more and is no longer kept current");
    }
    if let Some(problem) = problem {
        tracing::warn!(folder = %path, %problem, "wrappers cannot be kept current");
    }
    for WrapperChange { tool_id, file, why, edited, .. } in changes {
        let file = Path::new(path).join(file);
        if *edited {
            let new = beside(&file.display().to_string());
            tracing::warn!(tool = %tool_id, file = %file.display(), new = %new, "the wrapper was edited by hand and stays; the new text is beside it: {why}");
        } else {
            tracing::info!(tool = %tool_id, file = %file.display(), "wrapper replaced: {why}");
        }
    }
}
