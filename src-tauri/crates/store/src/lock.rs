//! The lock that admits one process at a time.
//!
//! sled takes its own lock only after the journal was repaired, so the store needs one before that.
//! A kill releases it.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::Error;

/// Time during which a held lock is requested again, because the process that holds it may be about
/// to exit.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

/// The lock; released when this is dropped.
#[derive(Debug)]
pub(crate) struct Lock(#[expect(dead_code, reason = "closing the file releases the lock")] File);

impl Lock {
    pub(crate) fn take(dir: &Path) -> Result<Self, Error> {
        let path = dir.join("store.lock");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
        }
        let file = options.open(&path).map_err(|source| Error::Io { path: path.clone(), source })?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self(file)),
                Err(TryLockError::WouldBlock) if began.elapsed() < LOCK_TIMEOUT => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(TryLockError::WouldBlock) => return Err(Error::Locked(dir.to_owned())),
                Err(TryLockError::Error(source)) => return Err(Error::Io { path, source }),
            }
        }
    }
}
