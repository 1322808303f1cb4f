//! Room on the disk.
//!
//! Owns: how much there is. Refuses to know: how much is needed, and what to do about it.

use std::path::Path;

/// Bytes that may still be written where `path` is; none where the system does not tell.
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
