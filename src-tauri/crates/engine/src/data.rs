//! The data directory: one owner at a time, private to its user.
//!
//! Owns: the lock, the machine's node number, the access token, the hash key. Refuses to know: what the store keeps.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemascope_shape::HashKey;

/// A data directory this process owns until this is dropped.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    /// Locked while open; holds the owner's process id.
    _lock: File,
}

/// Why a data directory cannot be owned.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    /// Another process owns it.
    #[error("the data directory {path} is in use by process {pid}")]
    Owned {
        /// The directory.
        path: PathBuf,
        /// The owner, if it is known.
        pid: String,
    },
    /// The file system refused.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
}

impl DataDir {
    /// Creates the directory if need be and takes its lock. A kill releases it.
    pub fn own(path: &Path) -> Result<Self, DataDirError> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |source| DataDirError::Io { path, source }
        };
        create_private(path).map_err(io(path))?;
        let lock_path = path.join("lock");
        let mut lock = private_file(&lock_path).map_err(io(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut pid = String::new();
                let read = lock.read_to_string(&mut pid);
                let pid = read.ok().map(|_| pid.trim().to_owned()).filter(|pid| !pid.is_empty());
                return Err(DataDirError::Owned {
                    path: path.to_owned(),
                    pid: pid.unwrap_or_else(|| "(unknown)".into()),
                });
            }
            Err(TryLockError::Error(source)) => return Err(io(&lock_path)(source)),
        }
        let note = lock
            .set_len(0)
            .and_then(|()| lock.rewind())
            .and_then(|()| lock.write_all(std::process::id().to_string().as_bytes()));
        note.map_err(io(&lock_path))?;
        Ok(Self { path: path.to_owned(), _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes another key for hashes in shapes; nothing may have been counted with the one there was.
    pub(crate) fn set_hash_key(&self, HashKey(first, second): HashKey) -> Result<(), DataDirError> {
        let path = self.path.join("hash-key");
        let io = |source| DataDirError::Io { path: path.clone(), source };
        let mut file = private_file(&path).map_err(io)?;
        file.set_len(0).and_then(|()| file.rewind()).map_err(io)?;
        let hex = format!("{first:016x}{second:016x}");
        file.write_all(hex.as_bytes()).and_then(|()| file.sync_all()).map_err(io)
    }

    /// This machine's number in ids; made once.
    pub(crate) fn node(&self) -> Result<u64, DataDirError> {
        let text = self.kept("node", 6)?;
        Ok(u64::from_str_radix(&text, 16).unwrap_or(0))
    }

    /// The token clients and fronts show; made once, so that clients keep working over restarts.
    pub fn token(&self) -> Result<Arc<str>, DataDirError> {
        self.kept("token", 32).map(Into::into)
    }

    /// What hashes in shapes depend on; made once. Teams whose shapes are to merge share it.
    pub(crate) fn hash_key(&self) -> Result<HashKey, DataDirError> {
        Ok(key_of(&self.kept("hash-key", 16)?))
    }

    /// The same of a directory that another process owns.
    pub(crate) fn hash_key_in(data_dir: &Path) -> Result<HashKey, DataDirError> {
        let path = data_dir.join("hash-key");
        let text = fs::read_to_string(&path).map_err(|source| DataDirError::Io { path, source })?;
        Ok(key_of(text.trim()))
    }

    /// Random hex digits under a name, made on first use.
    fn kept(&self, name: &str, bytes: usize) -> Result<String, DataDirError> {
        let path = self.path.join(name);
        let io = |source| DataDirError::Io { path: path.clone(), source };
        let mut file = private_file(&path).map_err(io)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(io)?;
        let kept = text.trim();
        if kept.len() == bytes * 2 && kept.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(kept.to_owned());
        }
        let mut random = vec![0; bytes];
        getrandom::fill(&mut random).map_err(|error| io(std::io::Error::other(error)))?;
        let hex: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        file.set_len(0).and_then(|()| file.rewind()).map_err(io)?;
        file.write_all(hex.as_bytes()).and_then(|()| file.sync_all()).map_err(io)?;
        Ok(hex)
    }
}

/// A key by its digits.
fn key_of(text: &str) -> HashKey {
    let half = |range: std::ops::Range<usize>| {
        text.get(range).and_then(|hex| u64::from_str_radix(hex, 16).ok()).unwrap_or_default()
    };
    HashKey(half(0..16), half(16..32))
}

fn create_private(path: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Opens or creates a file only its user may read.
pub(crate) fn private_file(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_owner_at_a_time_and_stable_secrets() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data");
        let owned = DataDir::own(&path).unwrap();
        let error = DataDir::own(&path).unwrap_err().to_string();
        assert!(error.contains(&std::process::id().to_string()), "{error}");
        let kept =
            |owned: &DataDir| (owned.node().unwrap(), owned.token().unwrap(), owned.hash_key().unwrap());
        let before = kept(&owned);
        drop(owned);
        assert_eq!(kept(&DataDir::own(&path).unwrap()), before);
    }
}
