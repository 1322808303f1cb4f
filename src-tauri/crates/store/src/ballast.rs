//! A file whose only use is to be deleted: it frees the room needed to close cleanly on a full
//! disk.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use schemascope_journal::free_space;

/// Size of the file: enough for the last changes of the index.
const BALLAST_BYTES: u64 = 16 << 20;

#[derive(Debug)]
pub(crate) struct Ballast(PathBuf);

impl Ballast {
    /// Creates the file unless that would leave less than `reserve` bytes free. A missing file is
    /// not an error: it only makes closing on a full disk less certain.
    pub(crate) fn ensure(dir: &Path, reserve: u64) -> Self {
        let path = dir.join("ballast");
        let is_whole =
            path.symlink_metadata().is_ok_and(|meta| meta.is_file() && meta.len() == BALLAST_BYTES);
        let has_room = || free_space(dir).is_some_and(|free| free >= reserve + BALLAST_BYTES);
        if !is_whole
            && has_room()
            && let Err(error) = allocate(&path)
        {
            tracing::debug!(%error, path = %path.display(), "could not reserve disk space for closing on a full disk");
            let _ = fs::remove_file(&path);
        }
        Self(path)
    }

    /// Deletes the file if less than its size is free on the disk. Returns whether it was deleted.
    pub(crate) fn drop_if_full(&self) -> bool {
        let full = free_space(&self.0).is_some_and(|free| free < BALLAST_BYTES);
        full && fs::remove_file(&self.0).is_ok()
    }
}

/// Allocates the blocks, not only the length.
fn allocate(path: &Path) -> std::io::Result<()> {
    // A link is removed, not followed.
    let _ = fs::remove_file(path);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(target_os = "linux")]
    rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, BALLAST_BYTES)?;
    #[cfg(not(target_os = "linux"))]
    file.set_len(BALLAST_BYTES)?;
    Ok(())
}
