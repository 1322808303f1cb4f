//! The key that hashes in shapes are made with, shared by a team.
//!
//! Owns: that a key is only taken where nothing was counted with another one. Refuses to know: what is hashed.

use std::path::Path;

use schemascope_model::Timestamp;
use schemascope_registry::Registry;
use schemascope_registry::exchange::{WrongFile, key_id, read_key, write_key};

use crate::data::{DataDir, DataDirError};
use crate::engine::OpenError;
use crate::replay::Replay;

/// Why a team's key is not taken.
#[derive(Debug, thiserror::Error)]
pub enum AdoptError {
    /// The file holds no key.
    #[error(transparent)]
    File(#[from] WrongFile),
    /// The data directory cannot be used.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Something was counted with the key there is.
    #[error(
        "{tools} tools are known here already, counted with this machine's own key; take the team's key into a new data directory (--data-dir NEW) and bring the calls along: `schemascope calls --json | schemascope --data-dir NEW backfill -`"
    )]
    InUse {
        /// How many.
        tools: usize,
    },
}

/// The key of a data directory as a file for others of the team.
pub fn team_key(data_dir: &Path) -> Result<String, AdoptError> {
    let data_error = |error: DataDirError| AdoptError::Open(error.into());
    let key = match DataDir::own(data_dir) {
        Ok(data) => data.hash_key(),
        Err(DataDirError::Owned { .. }) => DataDir::hash_key_in(data_dir),
        Err(error) => Err(error),
    };
    Ok(write_key(key.map_err(data_error)?))
}

/// Takes a team's key into a data directory in which nothing was counted yet; which key it is, and whether it is
/// another one than there was.
pub fn adopt_key(data_dir: &Path, text: &str, dry_run: bool) -> Result<(String, bool), AdoptError> {
    let key = read_key(text)?;
    let data_error = |error: DataDirError| AdoptError::Open(error.into());
    let data = DataDir::own(data_dir).map_err(data_error)?;
    if data.hash_key().map_err(data_error)? == key {
        return Ok((key_id(key), false));
    }
    if data.path().join("journal").is_dir() {
        let mut replay = Replay::new(Registry::default());
        let opened = schemascope_store::open(data.path(), &mut replay, Timestamp::now());
        opened.map_err(|error| AdoptError::Open(error.into()))?;
        let tools = replay.registry.tools().len();
        if tools > 0 {
            return Err(AdoptError::InUse { tools });
        }
    }
    if !dry_run {
        data.set_hash_key(key).map_err(data_error)?;
    }
    Ok((key_id(key), true))
}
