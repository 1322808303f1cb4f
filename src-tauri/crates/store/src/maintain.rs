//! Building the index anew beside the old one, and swapping.
//!
//! The new one is built in `index.new`, synced, and takes the old one's name; until then the old one is
//! what is used. A kill at any point leaves `index`, or `index.old` which the next start takes back.
//! Owns: that order. Refuses to know: what is wrong with the old one.

use std::fs::{self, File};
use std::path::Path;

use schemascope_journal::{Damage, Journal};

use crate::lock::Lock;
use crate::open::{create_private, fill_new};
use crate::retain::folder_bytes;
use crate::{AuditCheck, Error, Recovery, States};

/// Folders beside `index` that no start reads.
const NEW: &str = "index.new";
const OLD: &str = "index.old";

/// What building the index anew did.
#[derive(Debug, Default)]
pub struct Rebuilt {
    /// Entries read from the journal.
    pub entries: u64,
    /// The first records that could not be read; each was stepped over.
    pub damaged: Vec<Damage>,
    /// How many there were.
    pub damaged_count: u64,
    /// Bytes the index took.
    pub bytes_before: u64,
    /// Bytes it takes now.
    pub bytes_after: u64,
    /// The audit log, which nothing is built from: how it is.
    pub audit: AuditCheck,
}

/// Builds the index anew from the journal, states included. `fold` must know nothing yet and is told of
/// the progress. Nobody else may have the store open.
pub fn rebuild(dir: &Path, fold: &mut dyn States) -> Result<Rebuilt, Error> {
    let _lock = Lock::take(dir)?;
    rebuild_locked(dir, fold)
}

pub(crate) fn rebuild_locked(dir: &Path, fold: &mut dyn States) -> Result<Rebuilt, Error> {
    take_back(dir)?;
    create_private(&dir.join("journal"));
    let (journal, _) = Journal::open(&dir.join("journal"))?;
    let (index, old, new) = (dir.join("index"), dir.join(OLD), dir.join(NEW));
    let bytes_before = folder_bytes(&index);
    let mut recovery = Recovery::default();
    fill_new(&new, &journal, fold, &mut recovery)?;
    sync_folder(&new)?;
    if index.exists() {
        rename(&index, &old)?;
    }
    rename(&new, &index)?;
    sync(dir)?;
    // What was noted is about the old one.
    let _ = fs::remove_file(crate::index::marker(&index));
    remove_folder(&old)?;
    let audit = AuditCheck::of(dir, fold)?;
    Ok(Rebuilt {
        entries: recovery.replayed,
        damaged: recovery.damaged,
        damaged_count: recovery.damaged_count,
        bytes_before,
        bytes_after: folder_bytes(&index),
        audit,
    })
}

/// Undoes what a kill while swapping left. What the old index lacks is in the journal.
pub(crate) fn take_back(dir: &Path) -> Result<(), Error> {
    let (index, old) = (dir.join("index"), dir.join(OLD));
    if old.exists() && !index.exists() {
        rename(&old, &index)?;
    }
    remove_folder(&old)?;
    remove_folder(&dir.join(NEW))
}

/// Removes every index there is, also those that were moved aside: they hold what the journal held.
pub(crate) fn remove_indexes(dir: &Path) -> Result<(), Error> {
    let entries = fs::read_dir(dir).map_err(|source| Error::Io { path: dir.to_owned(), source })?;
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if entry.path().is_dir() && (name == "index" || name.starts_with("index.")) {
            remove_folder(&entry.path())?;
        }
    }
    sync(dir)
}

fn remove_folder(path: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::Io { path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    fs::rename(from, to).map_err(|source| Error::Io { path: from.to_owned(), source })
}

/// sled's flush does not reach the disk by itself.
fn sync_folder(path: &Path) -> Result<(), Error> {
    let entries = fs::read_dir(path).map_err(|source| Error::Io { path: path.to_owned(), source })?;
    for entry in entries.flatten() {
        if entry.path().is_dir() {
            sync_folder(&entry.path())?;
        } else {
            sync(&entry.path())?;
        }
    }
    sync(path)
}

fn sync(path: &Path) -> Result<(), Error> {
    let synced = File::open(path).and_then(|file| file.sync_all());
    synced.map_err(|source| Error::Io { path: path.to_owned(), source })
}
