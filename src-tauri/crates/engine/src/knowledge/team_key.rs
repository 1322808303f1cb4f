//! The key of hashes in shapes, shared by a team. A key is only adopted where nothing was counted with another one.

use std::path::Path;

use schemascope_model::Timestamp;
use schemascope_registry::Registry;
use schemascope_registry::exchange::{WrongFile, key_id, read_key, write_key};

use crate::data::{DataDir, DataDirError};
use crate::options::OpenError;
use crate::recording::replay::Replay;

/// Why a team's key is not adopted.
#[derive(Debug, thiserror::Error)]
pub enum AdoptError {
    /// The file contains no key.
    #[error(transparent)]
    File(#[from] WrongFile),
    /// The data directory cannot be used.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Calls were already counted with another key.
    #[error(
        "{tools} tools are already counted with this machine's own key. Adopt the team's key in a new data directory (--data-dir NEW), then carry the calls over: `schemascope calls --json | schemascope --data-dir NEW backfill -`"
    )]
    InUse {
        /// Number of tools.
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

/// Adopts a team's key in a data directory in which nothing was counted yet. Returns the id of the key, and whether
/// it differs from the one there was.
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
        let tools = replay.registry().tools().len();
        if tools > 0 {
            return Err(AdoptError::InUse { tools });
        }
    }
    if !dry_run {
        data.set_hash_key(key).map_err(data_error)?;
    }
    Ok((key_id(key), true))
}
