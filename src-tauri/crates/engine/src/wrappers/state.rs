//! The state of the folders of wrappers, and what people decide about texts beside wrappers that they edited.

use schemascope_api::{EditedWrapper, EvolvedTarget, LatestWrapper, SettleWrapper, WrapperFolder};
use schemascope_codegen::{File, beside, taken};

use super::folder::{self, Root};
use super::{Wrappers, WrappersError};
use crate::knowledge::raw_diff;

/// Number of wrappers whose last change is shown for a folder.
const LATEST: usize = 10;
/// Number of edited wrappers of a folder whose difference is shown, and the lines of each.
const MAX_EDITED: usize = 50;
const MAX_LINES: usize = 400;

impl Wrappers {
    /// The state of all folders. Nothing is written. Blocks.
    pub(crate) fn folders(&self) -> Result<Vec<WrapperFolder>, WrappersError> {
        let evolved = self.evolve(None, true)?;
        let targets = self.targets()?;
        Ok(targets
            .into_iter()
            .map(|target| {
                let state = evolved.iter().find(|evolved| evolved.path == target.path).cloned();
                let EvolvedTarget { gone, problem, changes, edited, .. } = state.unwrap_or_default();
                let folder = folder::WrapperFolder::new(&target.path);
                let manifest = folder.manifest().ok().flatten().unwrap_or_default();
                let edited = edited.into_iter().take(MAX_EDITED).map(|file| {
                    let offered = folder.read(&beside(&file));
                    let difference = offered.map(|offered| {
                        let existing = folder.read(&file).unwrap_or_default();
                        // Without marks it cannot be taken, and differs all the same.
                        let new = taken(&existing, &offered).unwrap_or(offered);
                        let mut lines = raw_diff::lines_of_text(&existing, &new);
                        lines.truncate(MAX_LINES);
                        lines
                    });
                    EditedWrapper { file, difference }
                });
                let edited = edited.collect();
                let mut latest: Vec<LatestWrapper> = manifest
                    .tools
                    .iter()
                    .filter_map(|entry| {
                        let (file, why) = (entry.file.clone(), entry.why.clone());
                        Some(LatestWrapper { file, at: entry.written_at?, why })
                    })
                    .collect();
                latest.sort_by(|one, other| (other.at, &one.file).cmp(&(one.at, &other.file)));
                latest.truncate(LATEST);
                WrapperFolder {
                    gone,
                    problem,
                    wrapper_count: manifest.tools.len() as u64,
                    behind: changes.into_iter().filter(|change| !change.edited).collect(),
                    edited,
                    latest,
                    target,
                }
            })
            .collect())
    }

    /// Takes the text beside an edited wrapper, or removes it. Blocks.
    pub(crate) fn settle(&self, decision: &SettleWrapper) -> Result<(), WrappersError> {
        let SettleWrapper { path, file, take } = decision;
        let _writing = self.writing.lock();
        if !self.targets.read()?.iter().any(|target| target.path == *path) {
            return Err(WrappersError::NoTarget(path.clone()));
        }
        let folder = folder::WrapperFolder::new(path);
        let manifest = folder.manifest()?.unwrap_or_default();
        let is_known = manifest.tools.iter().any(|entry| entry.file == *file);
        let offered = folder.read(&beside(file)).filter(|_| is_known);
        let Some(offered) = offered else {
            return Err(WrappersError::NothingBeside(file.clone()));
        };
        let mut files = Vec::new();
        if *take {
            let text = match folder.read(file) {
                Some(existing) => taken(&existing, &offered),
                None => Some(offered),
            };
            let text = text.ok_or_else(|| WrappersError::NoRegion(file.clone()))?;
            files.push(File { path: file.clone(), text });
        }
        folder.write(&files, &[beside(file)], Root::Existing)?;
        Ok(())
    }
}
