//! One window per data directory.
//!
//! The claim to be that window is a file lock: it needs no session bus, distinguishes data directories, and is released
//! when the process is killed. The data itself may be owned by another process.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use schemascope_api::ShowWindow;
use schemascope_engine::{Attached, Instance};

/// How long the other window may take to start or to end.
const OWNER_TIMEOUT: Duration = Duration::from_secs(10);
/// Time between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// The claim to be the window of a data directory, until it is dropped.
#[derive(Debug)]
pub struct Claim {
    _lock: File,
}

/// Claims a data directory, and creates it if necessary. Returns `None` if another window has it: that window is then
/// brought to the front.
pub async fn claim(data_dir: &Path) -> Result<Option<Claim>> {
    let path = data_dir.join("window");
    let lock = private(data_dir, &path).with_context(|| format!("cannot use {}", path.display()))?;
    let began = Instant::now();
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(Some(Claim { _lock: lock })),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("cannot lock {}", path.display()));
            }
        }
        let error = match show(data_dir).await {
            Ok(()) => return Ok(None),
            Err(error) => error,
        };
        if began.elapsed() > OWNER_TIMEOUT {
            return Err(error).context("a window is already open and cannot be brought to the front");
        }
        // The other window may be starting, with the instance file of a killed engine still present, or ending.
        tokio::time::sleep(RETRY_INTERVAL).await;
    }
}

async fn show(data_dir: &Path) -> Result<()> {
    let instance = Instance::read(data_dir).context("instance.json does not name its address")?;
    Ok(Attached::to(instance, data_dir)?.call(&ShowWindow {}).await?)
}

/// Opens or creates a file that only the user may read, in a directory that only the user may read.
fn private(dir: &Path, path: &Path) -> std::io::Result<File> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    builder.create(dir)?;
    options.open(path)
}
