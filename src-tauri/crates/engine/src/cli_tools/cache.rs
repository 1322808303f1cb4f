//! Definitions of programs that were probed before, by file, size and time: a start costs nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::entry::CliEntry;
use super::probe::Probed;
use crate::files;

/// Name of the file in the data directory.
const FILE: &str = "cli-definitions.json";
/// Version of its form and of what is known of programs. Another one is probed again.
const FORMAT: u32 = 6;
/// Most programs that are kept.
const MAX_PROGRAMS: usize = 500;

/// A program's file, as it was when it was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProgramFile {
    pub(crate) path: PathBuf,
    pub(crate) size: u64,
    /// Time of its last change, in nanoseconds since 1970.
    pub(crate) modified: u128,
    /// Device, number and time of the last change of the file itself, which a copy cannot take over.
    #[serde(default)]
    pub(crate) identity: (u64, u64, i64, i64),
}

impl ProgramFile {
    /// The file as it is now; none if there is none.
    pub(crate) fn look(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok()?;
        let modified = metadata.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?.as_nanos();
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt;
            (metadata.dev(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
        };
        #[cfg(not(unix))]
        let identity = Default::default();
        Some(Self { path: path.to_owned(), size: metadata.len(), modified, identity })
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Cache {
    format: u32,
    /// By what was asked: program, its words in front, subcommands.
    programs: BTreeMap<String, (ProgramFile, Probed)>,
    #[serde(skip)]
    path: PathBuf,
}

impl Cache {
    pub(crate) fn open(data: &Path) -> Self {
        let path = data.join(FILE);
        let text = files::read_text(&path).ok().flatten();
        let read: Option<Self> = text.and_then(|text| serde_json::from_str(&text).ok());
        let known = read.filter(|cache| cache.format == FORMAT).unwrap_or_default();
        Self { format: FORMAT, path, ..known }
    }

    /// What is known of an entry's program, if the file is still the same.
    pub(crate) fn get(&self, entry: &CliEntry, program: &Path) -> Option<(ProgramFile, Probed)> {
        let (file, probed) = self.programs.get(&key(entry, program))?;
        (ProgramFile::look(program).as_ref() == Some(file)).then(|| (file.clone(), probed.clone()))
    }

    /// Keeps what a program said. A file that cannot be written costs a probe at the next start.
    pub(crate) fn put(&mut self, entry: &CliEntry, file: ProgramFile, probed: Probed) {
        if self.programs.len() >= MAX_PROGRAMS {
            self.programs.clear();
        }
        self.programs.insert(key(entry, &file.path), (file, probed));
        self.write();
    }

    /// Forgets what an entry's program said.
    pub(crate) fn forget(&mut self, entry: &CliEntry, program: &Path) {
        if self.programs.remove(&key(entry, program)).is_some() {
            self.write();
        }
    }

    fn write(&self) {
        let written = serde_json::to_vec(self).map_err(std::io::Error::other);
        if let Err(error) = written.and_then(|bytes| files::write_whole(&self.path, &bytes)) {
            tracing::warn!(%error, file = %self.path.display(), "definitions of command-line tools cannot be kept");
        }
    }
}

/// A digest, because arguments can be secrets.
fn key(entry: &CliEntry, program: &Path) -> String {
    let asked = serde_json::json!([program, entry.args, entry.subcommands, entry.cwd]).to_string();
    Sha256::digest(asked).iter().map(|byte| format!("{byte:02x}")).collect()
}
