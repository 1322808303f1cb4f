//! Counts of other machines of the team: one file each in the folder `team`.
//!
//! A later bundle of a machine replaces the earlier one, so that nothing counts twice. Files are read only when a
//! command asks for the team; calls never wait for them.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use schemascope_compose::Evidence;
use schemascope_model::Timestamp;
use schemascope_registry::exchange::{Bundle, MAX_FILE, MAX_NODES, Node, WrongFile};
use schemascope_shape::HashKey;

use crate::files::write_whole;

/// Name of the folder in the data directory.
const FOLDER: &str = "team";
/// Bytes of all files together.
const MAX_BYTES: u64 = 512 << 20;

/// The files of other machines.
pub(crate) struct TeamFiles {
    folder: PathBuf,
    /// Held while files are replaced.
    writing: Mutex<()>,
}

/// Why the counts of other machines cannot be stored or read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TeamError {
    /// The file system failed.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A file is damaged.
    #[error("{path}: {wrong}; remove it and import the bundle again", path = path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        wrong: WrongFile,
    },
    /// The files together would be too large.
    #[error("too much data of other machines; at most {MAX_NODES} machines and {MAX_BYTES} bytes are stored")]
    TooMuch,
}

/// Outcome of an import for one machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MachineImport {
    /// The machine is new here.
    Added,
    /// The machine had counted further.
    Replaced,
    /// The counts are known already; what else is known of the tools was brought up to date.
    Updated,
    /// The counts are known already.
    Unchanged,
    /// Later counts are known already.
    Older,
    /// The counts are this machine's own.
    Own,
}

/// The files in a data directory; none if they cannot be listed.
pub(crate) fn files(data: &Path) -> Vec<PathBuf> {
    bundles_in(&data.join(FOLDER)).unwrap_or_default()
}

fn bundles_in(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    // Links are not followed, nor is anything opened that is no file.
    let files = fs::read_dir(folder)?.filter_map(Result::ok);
    let paths =
        files.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file())).map(|entry| entry.path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    paths.sort();
    Ok(paths)
}

impl TeamFiles {
    pub(crate) fn of(data: &Path) -> Self {
        Self { folder: data.join(FOLDER), writing: Mutex::default() }
    }

    /// Counts of other machines, each as a bundle of its own. What cannot be true is left out: older versions stored it.
    pub(crate) fn read(&self, key: HashKey) -> Result<BTreeMap<String, Bundle>, TeamError> {
        let mut bundles = BTreeMap::new();
        let paths = match bundles_in(&self.folder) {
            Ok(paths) => paths,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(bundles),
            Err(source) => return Err(TeamError::Io { path: self.folder.clone(), source }),
        };
        for path in paths.into_iter().take(MAX_NODES) {
            let length = fs::metadata(&path).map_or(0, |meta| meta.len());
            let io = |source| TeamError::Io { path: path.clone(), source };
            if length > MAX_FILE as u64 {
                return Err(TeamError::TooMuch);
            }
            let text = fs::read_to_string(&path).map_err(io)?;
            let mut bundle =
                Bundle::read(&text).map_err(|wrong| TeamError::Wrong { path: path.clone(), wrong })?;
            for aside in bundle.set_aside(key, Timestamp::now(), Evidence::check_share) {
                tracing::warn!(file = %path.display(), reason = aside.reason, "counts of another machine are left out");
            }
            let node = bundle.nodes.keys().next().cloned();
            bundles.extend(node.map(|node| (node, bundle)));
        }
        Ok(bundles)
    }

    /// Stores the counts of all machines of a bundle except this one. What is known better stays.
    pub(crate) fn import(
        &self,
        bundle: &Bundle,
        own: &str,
        key: HashKey,
        dry_run: bool,
    ) -> Result<Vec<(String, MachineImport)>, TeamError> {
        let _writing = self.writing.lock();
        let known = self.read(key)?;
        let mut taken = Vec::new();
        let mut writes = Vec::new();
        for (node, shares) in &bundle.nodes {
            let mut part = bundle.part(node);
            if let Some(known) = known.get(node) {
                part = part.updating(node, known);
            }
            let took = match known.get(node) {
                _ if node == own => MachineImport::Own,
                None => MachineImport::Added,
                Some(known) => {
                    let before = known.nodes.get(node).cloned().unwrap_or_default();
                    let counted = |node: &Node| {
                        let shares = node.tools.iter();
                        shares.map(|(id, share)| (id.clone(), share.position())).collect::<Vec<_>>()
                    };
                    if part.nodes.get(node).is_some_and(|now| counted(now) != counted(&before)) {
                        MachineImport::Replaced
                    } else if known.write() != part.write() {
                        MachineImport::Updated
                    } else if before.position > shares.position {
                        MachineImport::Older
                    } else {
                        MachineImport::Unchanged
                    }
                }
            };
            if matches!(took, MachineImport::Added | MachineImport::Replaced | MachineImport::Updated) {
                writes.push((node.clone(), part.write()));
            }
            taken.push((node.clone(), took));
        }
        let new = taken.iter().filter(|(_, took)| *took == MachineImport::Added).count();
        let kept: u64 = known.values().map(|bundle| bundle.write().len() as u64).sum();
        let bytes: u64 = kept + writes.iter().map(|(_, text)| text.len() as u64).sum::<u64>();
        if known.len() + new > MAX_NODES || bytes > MAX_BYTES {
            return Err(TeamError::TooMuch);
        }
        if !dry_run && !writes.is_empty() {
            let io = |source| TeamError::Io { path: self.folder.clone(), source };
            fs::create_dir_all(&self.folder).map_err(io)?;
            for (node, text) in writes {
                let path = self.folder.join(format!("{node}.json"));
                write_whole(&path, text.as_bytes())
                    .map_err(|source| TeamError::Io { path: path.clone(), source })?;
            }
        }
        Ok(taken)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn files_leaves_links_out() {
        let data = tempfile::tempdir().unwrap();
        let folder = data.path().join(FOLDER);
        fs::create_dir(&folder).unwrap();
        let file = folder.join("a.json");
        fs::write(&file, "{}").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", folder.join("b.json")).unwrap();
        assert_eq!(files(data.path()), [file]);
    }
}
