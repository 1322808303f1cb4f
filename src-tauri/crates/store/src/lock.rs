//! One process at a time.
//!
//! sled's own lock is taken after the journal was mended; this one before. A kill releases it. Owns:
//! the lock file. Refuses to know: who holds it.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::Error;

/// How long a lock that is held is asked for again: whoever holds it may be about to end.
const PATIENCE: Duration = Duration::from_secs(1);

/// Held while this lives.
#[derive(Debug)]
pub(crate) struct Lock(#[expect(dead_code, reason = "closing the file releases the lock")] File);

impl Lock {
    pub(crate) fn take(dir: &Path) -> Result<Self, Error> {
        let path = dir.join("store.lock");
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(|source| Error::Io { path: path.clone(), source })?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self(file)),
                Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(TryLockError::WouldBlock) => return Err(Error::Locked(dir.to_owned())),
                Err(TryLockError::Error(source)) => return Err(Error::Io { path, source }),
            }
        }
    }
}
