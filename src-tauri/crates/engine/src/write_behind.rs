//! Files of our own that are written a moment after a change, so that many changes cost one write.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::background::Tasks;
use crate::files::write_whole;

/// A file, and whether its content changed.
#[derive(Debug)]
pub(crate) struct WriteBehind {
    path: PathBuf,
    changed: Notify,
    /// Whether a change is not in the file yet.
    is_behind: AtomicBool,
    /// Whether the file is written at all; held while writing.
    writing: Mutex<bool>,
}

impl WriteBehind {
    /// Unless `written` is set, the file stays as it is.
    pub(crate) fn new(path: PathBuf, written: bool) -> Self {
        let (changed, is_behind) = (Notify::new(), AtomicBool::new(false));
        Self { path, changed, is_behind, writing: Mutex::new(written) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Notes a change.
    pub(crate) fn note_change(&self) {
        self.is_behind.store(true, Ordering::Release);
        self.changed.notify_one();
    }

    /// Writes the file, if something changed. Blocks.
    pub(crate) fn write(&self, content: impl FnOnce() -> serde_json::Result<Vec<u8>>) {
        let writing = self.writing.lock();
        if !*writing || !self.is_behind.swap(false, Ordering::AcqRel) {
            return;
        }
        let Ok(content) = content() else { return };
        if let Err(error) = write_whole(&self.path, &content) {
            tracing::warn!(file = %self.path.display(), %error, "cannot be written");
        }
    }
}

/// Calls `write` a while after each change of the file that `file` returns. If the file cannot be written, the next change
/// tries again.
pub(crate) fn write_changes<O: Send + Sync + 'static>(
    owner: Arc<O>,
    delay: Duration,
    tasks: &Tasks,
    file: fn(&O) -> &WriteBehind,
    write: fn(&O),
) {
    tasks.spawn(async move {
        loop {
            file(&owner).changed.notified().await;
            tokio::time::sleep(delay).await;
            let owner = Arc::clone(&owner);
            let _ = tokio::task::spawn_blocking(move || write(&owner)).await;
        }
    });
}
