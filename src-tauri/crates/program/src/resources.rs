//! What the kernel gives a program: memory, and the size of its files.

use std::io;

/// The most that each process of a program gets. It holds from just after the start, and for what the program starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Resources {
    /// Bytes of memory for data. Memory that is reserved and not used does not count.
    pub memory_bytes: Option<u64>,
    /// Bytes of a file that is written; a process that writes more is ended by SIGXFSZ.
    pub file_bytes: Option<u64>,
}

/// The signal that ends a process whose file becomes too large.
pub const FILE_TOO_LARGE: i32 = 25;

impl Resources {
    /// Whether this system can limit them.
    pub const SUPPORTED: bool = cfg!(target_os = "linux");

    /// Limits a process.
    #[cfg(target_os = "linux")]
    pub(crate) fn limit(self, process: Option<u32>) -> io::Result<()> {
        use rustix::process::{Pid, Resource, Rlimit, prlimit};
        let process = process.and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let Some(process) = process else { return Ok(()) };
        if self == Self::default() {
            return Ok(());
        }
        let limits = [
            (Resource::Data, self.memory_bytes),
            (Resource::Fsize, self.file_bytes),
            (Resource::Core, Some(0)),
        ];
        for (resource, bytes) in limits {
            let Some(bytes) = bytes else { continue };
            match prlimit(Some(process), resource, Rlimit { current: Some(bytes), maximum: Some(bytes) }) {
                // It has ended already.
                Ok(_) | Err(rustix::io::Errno::SRCH) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Limits nothing: this system has no call for it.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn limit(self, _: Option<u32>) -> io::Result<()> {
        Ok(())
    }
}
