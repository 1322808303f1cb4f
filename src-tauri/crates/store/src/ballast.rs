//! A file that is there to be deleted: room to close cleanly on a full disk.
//!
//! Owns: that file. Refuses to know: who needs the room.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use schemascope_journal::free_space;

/// Enough for the index's last changes.
const SIZE: u64 = 16 << 20;

#[derive(Debug)]
pub(crate) struct Ballast(PathBuf);

impl Ballast {
    /// Sees that the file is there, unless that would leave less than `reserve` free. Its lack is no
    /// reason not to work.
    pub(crate) fn keep(dir: &Path, reserve: u64) -> Self {
        let path = dir.join("ballast");
        let is_whole = path.metadata().is_ok_and(|meta| meta.len() == SIZE);
        let has_room = || free_space(dir).is_some_and(|free| free >= reserve + SIZE);
        if !is_whole
            && has_room()
            && let Err(error) = allocate(&path)
        {
            tracing::debug!(%error, path = %path.display(), "no room is kept for closing on a full disk");
            let _ = fs::remove_file(&path);
        }
        Self(path)
    }

    /// Frees the room if less than that is left on the disk. Whether it did.
    pub(crate) fn drop_if_full(&self) -> bool {
        let full = free_space(&self.0).is_some_and(|free| free < SIZE);
        full && fs::remove_file(&self.0).is_ok()
    }
}

/// Blocks are taken, not only a length.
fn allocate(path: &Path) -> std::io::Result<()> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
    #[cfg(target_os = "linux")]
    rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, SIZE)?;
    #[cfg(not(target_os = "linux"))]
    file.set_len(SIZE)?;
    Ok(())
}
