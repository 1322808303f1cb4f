//! Noticing that a file changed. The only user of `notify`.
//!
//! Editors replace files rather than write them, so the folder is watched, and for a link the folder of its target as
//! well. Changes are gathered for a moment, so that a file is read once it is complete. Where the system cannot watch,
//! the file is polled. Whether a file says something new is for its reader to find out.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::watch;
use tokio::time::Instant;

/// Time without changes after which a file is read.
const QUIET_TIME: Duration = Duration::from_millis(80);
/// Time after which a file that keeps changing is read all the same.
const MAX_DELAY: Duration = Duration::from_millis(400);
/// Time between two polls of a file that the system does not watch.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Watches files until it is dropped.
#[derive(Debug)]
pub(crate) struct FileWatcher {
    /// None where the system cannot watch.
    watcher: Mutex<Option<RecommendedWatcher>>,
    subscribers: Subscribers,
}

/// Subscribers by path.
type Subscribers = Arc<Mutex<BTreeMap<PathBuf, watch::Sender<u64>>>>;

/// Changes of one file. A clone begins with the changes not seen yet.
#[derive(Debug, Clone)]
pub(crate) struct FileChanges {
    count: watch::Receiver<u64>,
    /// The file and its state at the last poll, if it has to be polled.
    polled: Option<(PathBuf, FileState)>,
}

/// Time and size of a file, by which a change is noticed; none where there is no file.
type FileState = Option<(SystemTime, u64)>;

impl FileWatcher {
    /// Watches nothing yet.
    pub(crate) fn new() -> Self {
        let subscribers = Subscribers::default();
        let notified = Arc::clone(&subscribers);
        let watcher = notify::recommended_watcher(move |event| notify_subscribers(&notified, &event));
        let watcher = watcher
            .inspect_err(|error| {
                tracing::warn!(%error, "files cannot be watched; they are polled instead");
            })
            .ok();
        Self { watcher: Mutex::new(watcher), subscribers }
    }

    /// Reports changes of a file from now on, whether it exists or not.
    pub(crate) fn watch(&self, file: &Path) -> FileChanges {
        let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        let mut paths = vec![file.clone()];
        // The target of a link is what changes.
        paths.extend(std::fs::canonicalize(&file).ok().filter(|target| *target != file));
        let sender = watch::Sender::new(0);
        let count = sender.subscribe();
        let mut is_watched = true;
        for path in paths {
            is_watched &= path.parent().is_some_and(|folder| self.watch_folder(folder));
            self.subscribers.lock().insert(path, sender.clone());
        }
        let polled = (!is_watched).then(|| (file.clone(), state(&file)));
        FileChanges { count, polled }
    }

    /// Ends watching.
    pub(crate) fn end(&self) {
        // The watcher's thread holds the subscribers until it has ended.
        drop(self.watcher.lock().take());
        self.subscribers.lock().clear();
    }

    fn watch_folder(&self, folder: &Path) -> bool {
        let mut watcher = self.watcher.lock();
        let Some(watcher) = watcher.as_mut() else { return false };
        match watcher.watch(folder, RecursiveMode::NonRecursive) {
            Ok(()) => true,
            Err(error) => {
                tracing::debug!(folder = %folder.display(), %error, "cannot be watched");
                false
            }
        }
    }
}

fn notify_subscribers(subscribers: &Subscribers, event: &notify::Result<Event>) {
    let subscribers = subscribers.lock();
    let bump = |sender: &watch::Sender<u64>| sender.send_modify(|count| *count += 1);
    match event {
        // Reading is no change.
        Ok(event) if event.kind.is_access() && !closes_after_writing(event) => {}
        Ok(event) if !event.need_rescan() => {
            event.paths.iter().filter_map(|path| subscribers.get(path)).for_each(bump);
        }
        // Events were lost: any of them may have changed.
        Ok(_) | Err(_) => subscribers.values().for_each(bump),
    }
}

fn closes_after_writing(event: &Event) -> bool {
    use notify::event::{AccessKind, AccessMode, EventKind};
    matches!(event.kind, EventKind::Access(AccessKind::Close(AccessMode::Write)))
}

fn state(file: &Path) -> FileState {
    let metadata = std::fs::metadata(file).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

impl FileChanges {
    /// Waits until the file may have changed and is quiet again. Returns false once watching has ended.
    pub(crate) async fn changed(&mut self) -> bool {
        if let Some((file, before)) = &mut self.polled {
            loop {
                tokio::time::sleep(POLL_INTERVAL).await;
                if self.count.has_changed().is_err() {
                    return false;
                }
                let now = state(file);
                if std::mem::replace(before, now) != now {
                    return true;
                }
            }
        }
        if self.count.changed().await.is_err() {
            return false;
        }
        let deadline = Instant::now() + MAX_DELAY;
        loop {
            let quiet = tokio::time::timeout(QUIET_TIME, self.count.changed());
            match tokio::time::timeout_at(deadline, quiet).await {
                Ok(Ok(Ok(()))) => {}
                Ok(Ok(Err(_))) => return false,
                Ok(Err(_)) | Err(_) => return true,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Waits for the next change; the timeout is long enough for any machine.
    async fn changed(changes: &mut FileChanges) -> bool {
        tokio::time::timeout(Duration::from_secs(30), changes.changed()).await.unwrap()
    }

    #[tokio::test]
    async fn watcher_reports_writes_replacements_and_removals() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.json");
        let watched = FileWatcher::new();
        let mut changes = watched.watch(&file);
        fs::write(&file, "1").unwrap();
        assert!(changed(&mut changes).await, "created");
        fs::write(folder.path().join("a.json~"), "2").unwrap();
        fs::rename(folder.path().join("a.json~"), &file).unwrap();
        assert!(changed(&mut changes).await, "replaced, as editors do");
        fs::remove_file(&file).unwrap();
        assert!(changed(&mut changes).await, "removed");
        fs::write(folder.path().join("b.json"), "1").unwrap();
        let other = tokio::time::timeout(Duration::from_millis(300), changes.changed());
        assert!(other.await.is_err(), "other files are not reported");
        watched.end();
        assert!(!changed(&mut changes).await);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn watcher_follows_links() {
        let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (link, target) = (here.path().join("a.json"), there.path().join("real.json"));
        fs::write(&target, "1").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let watched = FileWatcher::new();
        let mut changes = watched.watch(&link);
        fs::write(&target, "2").unwrap();
        assert!(changed(&mut changes).await);
    }

    #[tokio::test]
    async fn file_in_a_missing_folder_is_polled() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("later").join("a.json");
        let watched = FileWatcher::new();
        let mut changes = watched.watch(&file);
        fs::create_dir(folder.path().join("later")).unwrap();
        fs::write(&file, "1").unwrap();
        assert!(changed(&mut changes).await);
    }
}
