//! Free space on a disk.

use std::path::Path;

/// Returns the number of bytes that can still be written at `path`, or `None` if the system does
/// not report it.
pub fn free_space(path: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        let room = rustix::fs::statvfs(path).ok()?;
        Some(room.f_bavail.saturating_mul(room.f_frsize))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}
