//! The file of folders whose wrappers are kept current.

use std::io;
use std::path::{Path, PathBuf};

use schemascope_api::WrapperTarget;
use serde::{Deserialize, Serialize};

use crate::files::{read_text, write_whole};

/// Name of the file in the data directory.
const FILE: &str = "wrapper_targets.json";

/// Its name in a copy of a data directory, which nothing reads.
const ASIDE: &str = "wrapper_targets.original.json";

/// Sets the file of a copied data directory aside: the original keeps these folders current. Returns its new path if
/// there was one.
pub(crate) fn set_aside(data: &Path) -> io::Result<Option<PathBuf>> {
    let aside = data.join(ASIDE);
    match std::fs::rename(data.join(FILE), &aside) {
        Ok(()) => Ok(Some(aside)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Endings of the files of wrappers.
const ENDINGS: [&str; 4] = ["json", "py", "rs", "ts"];

/// Most files of wrappers that are listed.
const MAX_FILES: usize = 5_000;

/// The files in all folders whose wrappers are kept current.
pub(crate) fn files(data: &Path) -> Vec<PathBuf> {
    let targets = TargetFile::new(data).read().unwrap_or_default();
    let mut folders: Vec<(PathBuf, usize)> =
        targets.into_iter().map(|target| (PathBuf::from(target.path), 0)).collect();
    let mut files = Vec::new();
    while let Some((folder, depth)) = folders.pop() {
        // What is read of a folder is what was written: two levels below it.
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth < 2 => folders.push((entry.path(), depth + 1)),
                Ok(kind) if kind.is_file() && files.len() < MAX_FILES => {
                    let path = entry.path();
                    let is_code =
                        path.extension().is_some_and(|ending| ENDINGS.iter().any(|one| ending == *one));
                    files.extend(is_code.then_some(path));
                }
                _ => {}
            }
        }
    }
    files.sort_unstable();
    files
}

/// The file. Changes need the lock of [`super::Wrappers`].
#[derive(Debug)]
pub(super) struct TargetFile(PathBuf);

/// Why targets cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TargetsError {
    #[error("{path} cannot be read: {reason}; fix or delete it")]
    Unreadable { path: PathBuf, reason: String },
    #[error("cannot write {path}: {error}")]
    Io { path: PathBuf, error: io::Error },
}

#[derive(Serialize, Deserialize)]
struct Targets {
    format: u32,
    targets: Vec<WrapperTarget>,
}

impl TargetFile {
    pub(super) fn new(data: &Path) -> Self {
        Self(data.join(FILE))
    }

    pub(super) fn read(&self) -> Result<Vec<WrapperTarget>, TargetsError> {
        let unreadable = |reason: String| TargetsError::Unreadable { path: self.0.clone(), reason };
        let text = read_text(&self.0).map_err(|error| unreadable(error.to_string()))?;
        let Some(text) = text else { return Ok(Vec::new()) };
        let Targets { format, targets } =
            serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))?;
        match format {
            1 => Ok(targets),
            other => Err(unreadable(format!("its format is {other}, and this program knows format 1"))),
        }
    }

    /// Adds a target. What it names and what the target of the same path named add up; the least quality is that of
    /// the new one. Returns the sum.
    pub(super) fn remember(&self, target: WrapperTarget) -> Result<WrapperTarget, TargetsError> {
        let before = self.read()?;
        let mut targets = before.clone();
        let known = targets.iter_mut().find(|known| known.path == target.path);
        let sum = known.map(|known| merge(known, target.clone()).clone()).unwrap_or_else(|| {
            targets.push(target.clone());
            target
        });
        if targets != before {
            self.write(targets)?;
        }
        Ok(sum)
    }

    /// Removes a target. Returns whether it was one.
    pub(super) fn forget(&self, path: &str) -> Result<bool, TargetsError> {
        let mut targets = self.read()?;
        let count = targets.len();
        targets.retain(|target| target.path != path);
        let was_known = targets.len() < count;
        if was_known {
            self.write(targets)?;
        }
        Ok(was_known)
    }

    fn write(&self, mut targets: Vec<WrapperTarget>) -> Result<(), TargetsError> {
        targets.sort_by(|a, b| a.path.cmp(&b.path));
        let failed = |error| TargetsError::Io { path: self.0.clone(), error };
        let text = serde_json::to_string_pretty(&Targets { format: 1, targets })
            .map_err(|error| failed(error.into()))?;
        write_whole(&self.0, (text + "\n").as_bytes()).map_err(failed)
    }
}

fn merge(known: &mut WrapperTarget, new: WrapperTarget) -> &WrapperTarget {
    known.model_from = new.model_from;
    known.languages.extend(new.languages);
    known.languages.sort();
    known.languages.dedup();
    for filter in new.filters {
        let is_everything = |filter: &schemascope_api::WrapperFilter| *filter == Default::default();
        if is_everything(&filter) {
            known.filters.clear();
        }
        if !known.filters.contains(&filter) && !known.filters.iter().any(is_everything) {
            known.filters.push(filter);
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use schemascope_api::WrapperFilter;
    use schemascope_model::Quality;

    use super::*;

    fn target(path: &str, lang: &str, server: Option<&str>) -> WrapperTarget {
        WrapperTarget {
            path: path.to_owned(),
            languages: vec![lang.to_owned()],
            filters: vec![WrapperFilter { server: server.map(str::to_owned), tool_id: None }],
            model_from: Some(Quality::Low),
        }
    }

    #[test]
    fn targets_of_one_folder_add_up_and_are_forgotten() {
        let scratch = tempfile::tempdir().unwrap();
        let file = TargetFile::new(scratch.path());
        assert_eq!(set_aside(scratch.path()).unwrap(), None);
        assert_eq!(file.read().unwrap(), []);
        file.remember(target("/b", "python", Some("git"))).unwrap();
        file.remember(target("/a", "python", None)).unwrap();
        file.remember(target("/b", "typescript", Some("shop"))).unwrap();
        let targets = file.read().unwrap();
        assert_eq!(targets[0].path, "/a");
        assert_eq!((targets[1].languages.len(), targets[1].filters.len()), (2, 2));
        file.remember(target("/b", "python", None)).unwrap();
        file.remember(target("/b", "python", Some("git"))).unwrap();
        assert_eq!(file.read().unwrap()[1].filters, [WrapperFilter::default()]);
        assert!(file.forget("/b").unwrap() && !file.forget("/b").unwrap());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&file.0).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600);
        }
        let known = file.read().unwrap();
        let aside = set_aside(scratch.path()).unwrap().unwrap();
        assert_eq!((file.read().unwrap(), TargetFile(aside).read().unwrap()), (Vec::new(), known));
        std::fs::write(&file.0, "{").unwrap();
        assert!(file.remember(target("/c", "python", None)).is_err());
        assert_eq!(std::fs::read_to_string(&file.0).unwrap(), "{");
    }
}
