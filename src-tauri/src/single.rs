//! One window per data directory.
//!
//! Owns: the claim to be that window, and calling the one that is. The claim is a file lock: it needs no
//! session bus, knows data directories apart, and a kill releases it. Refuses to know: who owns the
//! *data*; that may be another front.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use schemascope_api::ShowWindow;
use schemascope_engine::{Attached, FrontError, Instance};

/// How long the other may take to start or to end.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(100);

/// Being the window of a data directory, until this is dropped.
#[derive(Debug)]
pub struct Claim {
    _lock: File,
}

/// Claims a data directory, which is created if need be. If another window has it, that one is called to
/// the front through the engine it follows, and there is no claim.
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
        let error = match show(data_dir) {
            Ok(()) => return Ok(None),
            Err(error) => error,
        };
        if began.elapsed() > PATIENCE {
            return Err(error).context("a window is open already and cannot be called to the front");
        }
        // The other may be just starting, with the instance file of a killed engine still about; or ending.
        tokio::time::sleep(PAUSE).await;
    }
}

fn show(data_dir: &Path) -> Result<()> {
    let instance = Instance::read(data_dir).context("it does not say where it listens")?;
    let shown: Result<(), FrontError> =
        tokio::task::block_in_place(|| Attached::to(instance)?.call(&ShowWindow {}));
    Ok(shown?)
}

/// Opens or creates a file only its user may read, in a directory likewise.
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
