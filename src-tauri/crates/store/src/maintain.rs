//! Rebuilding the index beside the old one, and swapping the two.
//!
//! The new index is built in `index.new`, synced, and then takes the name of the old one, which is
//! used until then. A kill at any point leaves either `index`, or `index.old`, which the next start
//! restores.

use std::fs::{self, File};
use std::path::Path;

use schemascope_journal::{Damage, Journal};

use crate::lock::Lock;
use crate::open::{create_private, fill_new};
use crate::retain::folder_bytes;
use crate::salvage::{Lost, Salvaged, adopt, salvage};
use crate::{AuditCheck, Error, Recovery, States};

/// Folders beside `index` that are never opened as the index.
const NEW: &str = "index.new";
const OLD: &str = "index.old";

/// Result of rebuilding the index.
#[derive(Debug, Default)]
pub struct Rebuilt {
    /// Number of entries read from the journal.
    pub entries: u64,
    /// What the journal had lost and the old index still had.
    pub salvaged: Option<Salvaged>,
    /// First records that could not be read. Each was skipped.
    pub damaged: Vec<Damage>,
    /// Number of records that could not be read.
    pub damaged_count: u64,
    /// Size of the old index, in bytes.
    pub bytes_before: u64,
    /// Size of the new index, in bytes.
    pub bytes_after: u64,
    /// Result of checking the audit log, which is not an input of the index.
    pub audit: AuditCheck,
}

/// Rebuilds the index, states included, from the journal. `fold` must be empty and receives the
/// progress. No other process may have the store open.
pub fn rebuild(dir: &Path, fold: &mut dyn States) -> Result<Rebuilt, Error> {
    let _lock = Lock::take(dir)?;
    rebuild_locked(dir, fold)
}

pub(crate) fn rebuild_locked(dir: &Path, fold: &mut dyn States) -> Result<Rebuilt, Error> {
    take_back(dir)?;
    create_private(&dir.join("journal"));
    drop(Journal::open(&dir.join("journal"))?);
    adopt(dir)?;
    let salvaged = salvage(dir, Lost::Anywhere)?;
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
    // The recorded damage is that of the old index.
    let _ = fs::remove_file(crate::index::marker(&index));
    remove_folder(&old)?;
    let audit = AuditCheck::of(dir, fold)?;
    Ok(Rebuilt {
        entries: recovery.replayed,
        salvaged,
        damaged: recovery.damaged,
        damaged_count: recovery.damaged_count,
        bytes_before,
        bytes_after: folder_bytes(&index),
        audit,
    })
}

/// Undoes an interrupted swap. The journal has everything that the old index lacks.
pub(crate) fn take_back(dir: &Path) -> Result<(), Error> {
    let (index, old) = (dir.join("index"), dir.join(OLD));
    if old.exists() && !index.exists() {
        rename(&old, &index)?;
    }
    remove_folder(&old)?;
    remove_folder(&dir.join(NEW))
}

/// Removes every index, including those moved aside: they hold the same values as the journal.
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

pub(crate) fn remove_folder(path: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::Io { path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}

pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    fs::rename(from, to).map_err(|source| Error::Io { path: from.to_owned(), source })
}

/// Syncs a folder and its files: sled's flush does not make them durable.
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

pub(crate) fn sync(path: &Path) -> Result<(), Error> {
    let synced = File::open(path).and_then(|file| file.sync_all());
    synced.map_err(|source| Error::Io { path: path.to_owned(), source })
}
