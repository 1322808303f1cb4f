//! The data directory: one owner at a time, private to its user. It holds the lock, the machine's node number, the
//! access tokens and the hash key.

mod private;
mod readable_copy;

use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use schemascope_model::IdSource;
use schemascope_proxy::endpoint::guard::Tokens;
use schemascope_shape::HashKey;

use crate::files;
use private::{make_files_private, make_private, private_file};
pub use readable_copy::{ReadableCopy, remove_copies};

/// File of the token that opens everything.
const OWNER_TOKEN: &str = "owner-token";

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
    /// It cannot be written to, and not be copied either.
    #[error("{path} cannot be written to, and no copy of it can be made for reading: {source}")]
    Copy {
        /// The directory.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The file system failed.
    #[error("{path}: {error}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        error: std::io::Error,
    },
}

impl DataDir {
    /// Creates the directory if it does not exist and takes its lock. A kill releases the lock.
    pub fn own(path: &Path) -> Result<Self, DataDirError> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |error| DataDirError::Io { path, error }
        };
        make_private(path).map_err(io(path))?;
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
        make_files_private(path);
        Ok(Self { path: path.to_owned(), _lock: lock })
    }

    /// Path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the key of hashes in shapes. Nothing may have been counted with the previous one.
    pub(crate) fn set_hash_key(&self, HashKey(first, second): HashKey) -> Result<(), DataDirError> {
        let path = self.path.join("hash-key");
        let written = files::write_whole(&path, format!("{first:016x}{second:016x}").as_bytes());
        written.map_err(|error| DataDirError::Io { path, error })
    }

    /// This machine's number in ids, made on first use.
    pub(crate) fn node(&self) -> Result<u64, DataDirError> {
        let text = self.secret("node", 6)?;
        Ok(u64::from_str_radix(&text, 16).unwrap_or(0))
    }

    /// Gives this machine another number.
    pub(crate) fn renew_node(&self) -> Result<(), DataDirError> {
        let path = self.path.join("node");
        let io = |error| DataDirError::Io { path: path.clone(), error };
        // Kept as it is but for its content: its creation time tells copies apart.
        private_file(&path).and_then(|file| file.set_len(0)).map_err(io)?;
        self.node().map(drop)
    }

    /// A source of ids for calls and decisions of this machine.
    pub(crate) fn ids(&self) -> Result<IdSource, DataDirError> {
        let mut start = [0; 4];
        getrandom::fill(&mut start).map_err(|error| DataDirError::Io {
            path: self.path.clone(),
            error: std::io::Error::other(error),
        })?;
        Ok(IdSource::new(self.node()?, u32::from_le_bytes(start)))
    }

    /// The tokens of agents and of the owner, made on first use, so that both keep working after a restart.
    pub fn tokens(&self) -> Result<Tokens, DataDirError> {
        let agent = Some(self.secret("token", 32)?.into());
        Ok(Tokens { agent, owner: self.secret(OWNER_TOKEN, 32)?.into() })
    }

    /// The owner token of a directory that another process owns.
    pub(crate) fn owner_token_in(data_dir: &Path) -> Result<String, DataDirError> {
        read_secret(data_dir, OWNER_TOKEN)
    }

    /// The agent token of a directory that another process owns.
    pub(crate) fn agent_token_in(data_dir: &Path) -> Result<String, DataDirError> {
        read_secret(data_dir, "token")
    }

    /// The key of hashes in shapes, made on first use. Teams that merge their shapes share it.
    pub(crate) fn hash_key(&self) -> Result<HashKey, DataDirError> {
        Ok(key_of(&self.secret("hash-key", 16)?))
    }

    /// The hash key of a directory that another process owns.
    pub(crate) fn hash_key_in(data_dir: &Path) -> Result<HashKey, DataDirError> {
        Ok(key_of(&read_secret(data_dir, "hash-key")?))
    }

    /// Random hex digits under a name, made on first use.
    fn secret(&self, name: &str, bytes: usize) -> Result<String, DataDirError> {
        let path = self.path.join(name);
        let io = |error| DataDirError::Io { path: path.clone(), error };
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

fn read_secret(data_dir: &Path, name: &str) -> Result<String, DataDirError> {
    let path = data_dir.join(name);
    let text = fs::read_to_string(&path).map_err(|error| DataDirError::Io { path, error })?;
    Ok(text.trim().to_owned())
}

/// A key from its digits.
fn key_of(text: &str) -> HashKey {
    let half = |range: std::ops::Range<usize>| {
        text.get(range).and_then(|hex| u64::from_str_radix(hex, 16).ok()).unwrap_or_default()
    };
    HashKey(half(0..16), half(16..32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directory_has_one_owner_and_stable_secrets() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data");
        let owned = DataDir::own(&path).unwrap();
        let error = DataDir::own(&path).unwrap_err().to_string();
        assert!(error.contains(&std::process::id().to_string()), "{error}");
        let tokens = |owned: &DataDir| {
            let Tokens { agent, owner } = owned.tokens().unwrap();
            assert_ne!(agent.as_ref(), Some(&owner));
            assert_eq!(DataDir::owner_token_in(&path).unwrap(), *owner);
            (agent, owner)
        };
        let kept = |owned: &DataDir| (owned.node().unwrap(), tokens(owned), owned.hash_key().unwrap());
        let before = kept(&owned);
        drop(owned);
        assert_eq!(kept(&DataDir::own(&path).unwrap()), before);
    }
}
