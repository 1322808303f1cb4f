//! What other machines of the team counted: one file each, beside what was counted here.
//!
//! A later bundle of a machine takes the place of the earlier one, so that nothing counts twice. Files are read
//! when somebody asks for the team; calls never wait for them. Owns: the folder `team`, how much is in it, and
//! which of two files is later. Refuses to know: what is merged from them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use schemascope_registry::exchange::{Bundle, MAX_FILE, MAX_NODES, WrongFile};

use crate::files::replace;

/// In the data directory.
const FOLDER: &str = "team";
/// Bytes of all files together.
const MAX_BYTES: u64 = 512 << 20;

/// The files of other machines.
pub(crate) struct TeamFiles {
    folder: PathBuf,
    /// Held while they are replaced.
    writing: Mutex<()>,
}

/// Why what others counted cannot be kept or read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TeamError {
    /// The file system refused.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// A file is not what was written.
    #[error("{path}: {wrong}; remove it and import the bundle again", path = path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        wrong: WrongFile,
    },
    /// There is no room for more.
    #[error(
        "what other machines counted would take more room than is kept: {MAX_NODES} machines, {MAX_BYTES} bytes"
    )]
    TooMuch,
}

/// What became of what a machine counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Took {
    /// The machine is new here.
    Added,
    /// It had counted on.
    Replaced,
    /// It is what is known already.
    Unchanged,
    /// What is known is later.
    Older,
    /// It was counted here.
    Own,
}

/// The files in a data directory; none if they cannot be listed.
pub(crate) fn files(data: &Path) -> Vec<PathBuf> {
    bundles_in(&data.join(FOLDER)).unwrap_or_default()
}

fn bundles_in(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(folder)?.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    paths.sort();
    Ok(paths)
}

impl TeamFiles {
    pub(crate) fn of(data: &Path) -> Self {
        Self { folder: data.join(FOLDER), writing: Mutex::default() }
    }

    /// What other machines counted, each as a bundle of its own.
    pub(crate) fn read(&self) -> Result<BTreeMap<String, Bundle>, TeamError> {
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
            let bundle =
                Bundle::read(&text).map_err(|wrong| TeamError::Wrong { path: path.clone(), wrong })?;
            let node = bundle.nodes.keys().next().cloned();
            bundles.extend(node.map(|node| (node, bundle)));
        }
        Ok(bundles)
    }

    /// Keeps what the machines of a bundle counted, but for what was counted here.
    pub(crate) fn take(
        &self,
        bundle: &Bundle,
        own: &str,
        dry_run: bool,
    ) -> Result<Vec<(String, Took)>, TeamError> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.read()?;
        let mut taken = Vec::new();
        let mut writes = Vec::new();
        for (node, shares) in &bundle.nodes {
            let part = bundle.part(node);
            let took = match known.get(node) {
                _ if node == own => Took::Own,
                None => Took::Added,
                Some(known) => {
                    let position = known.nodes.get(node).map(|known| known.position).unwrap_or_default();
                    if position > shares.position {
                        Took::Older
                    } else if known.write() == part.write() {
                        Took::Unchanged
                    } else {
                        Took::Replaced
                    }
                }
            };
            if matches!(took, Took::Added | Took::Replaced) {
                writes.push((node.clone(), part.write()));
            }
            taken.push((node.clone(), took));
        }
        let new = taken.iter().filter(|(_, took)| *took == Took::Added).count();
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
                replace(&path, &text).map_err(|source| TeamError::Io { path: path.clone(), source })?;
            }
        }
        Ok(taken)
    }
}
