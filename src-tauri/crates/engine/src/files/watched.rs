//! Noticing that a file changed.
//!
//! Editors replace files rather than write them, so it is the folder that is watched, and of a link the folder of
//! what it leads to as well. Changes are gathered for a moment, so that a file is read once it is whole. Where the
//! system cannot watch, the file is looked at every now and then. Owns: the only use of `notify`. Refuses to know:
//! what a file says; whether it says something new is for the reader to find out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::watch;
use tokio::time::Instant;

/// How long a file must be quiet before it is read.
const QUIET: Duration = Duration::from_millis(80);
/// One that is never quiet is read after this long all the same.
const NEVER_QUIET: Duration = Duration::from_millis(400);
/// Pause between two looks at a file the system does not watch.
const LOOK: Duration = Duration::from_millis(500);

/// Watches files, as long as it lives.
#[derive(Debug)]
pub(crate) struct Watched {
    /// None where the system cannot watch.
    watcher: Mutex<Option<RecommendedWatcher>>,
    files: Files,
}

/// Who is told of which paths.
type Files = Arc<Mutex<BTreeMap<PathBuf, watch::Sender<u64>>>>;

/// Changes of one file.
#[derive(Debug)]
pub(crate) struct Changes {
    told: watch::Receiver<u64>,
    /// The file and how it looked, where it has to be looked at.
    looked_at: Option<(PathBuf, Look)>,
}

/// What tells a file from the one that was there before.
type Look = Option<(SystemTime, u64)>;

impl Watched {
    /// Watches nothing yet.
    pub(crate) fn new() -> Self {
        let files = Files::default();
        let told = Arc::clone(&files);
        let watcher = notify::recommended_watcher(move |event| tell(&told, &event));
        let watcher = watcher
            .inspect_err(|error| {
                tracing::warn!(%error, "files cannot be watched; they are looked at instead");
            })
            .ok();
        Self { watcher: Mutex::new(watcher), files }
    }

    /// Tells of changes of a file from now on, whether it exists or not.
    pub(crate) fn watch(&self, file: &Path) -> Changes {
        let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        let mut paths = vec![file.clone()];
        // A link: what it leads to is what changes.
        paths.extend(std::fs::canonicalize(&file).ok().filter(|target| *target != file));
        let told = watch::Sender::new(0);
        let changes = told.subscribe();
        let mut is_watched = true;
        for path in paths {
            is_watched &= path.parent().is_some_and(|folder| self.watch_folder(folder));
            let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
            files.insert(path, told.clone());
        }
        let looked_at = (!is_watched).then(|| (file.clone(), look(&file)));
        Changes { told: changes, looked_at }
    }

    /// Watches nothing any more.
    pub(crate) fn end(&self) {
        // The watcher's thread holds the files until it has ended.
        drop(self.watcher.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.files.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn watch_folder(&self, folder: &Path) -> bool {
        let mut watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
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

fn tell(files: &Files, event: &notify::Result<Event>) {
    let files = files.lock().unwrap_or_else(PoisonError::into_inner);
    let bump = |told: &watch::Sender<u64>| told.send_modify(|count| *count += 1);
    match event {
        // Reading is no change.
        Ok(event) if event.kind.is_access() && !closes_after_writing(event) => {}
        Ok(event) if !event.need_rescan() => {
            event.paths.iter().filter_map(|path| files.get(path)).for_each(bump);
        }
        // Events were lost: any of them may have changed.
        Ok(_) | Err(_) => files.values().for_each(bump),
    }
}

fn closes_after_writing(event: &Event) -> bool {
    use notify::event::{AccessKind, AccessMode, EventKind};
    matches!(event.kind, EventKind::Access(AccessKind::Close(AccessMode::Write)))
}

fn look(file: &Path) -> Look {
    let metadata = std::fs::metadata(file).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

impl Changes {
    /// Waits until the file may have changed and is quiet again. False when nobody watches any more.
    pub(crate) async fn changed(&mut self) -> bool {
        if let Some((file, before)) = &mut self.looked_at {
            loop {
                tokio::time::sleep(LOOK).await;
                if self.told.has_changed().is_err() {
                    return false;
                }
                let now = look(file);
                if std::mem::replace(before, now) != now {
                    return true;
                }
            }
        }
        if self.told.changed().await.is_err() {
            return false;
        }
        let deadline = Instant::now() + NEVER_QUIET;
        loop {
            let quiet = tokio::time::timeout(QUIET, self.told.changed());
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

    /// Long enough for any machine; nobody waits for it where things work.
    async fn told(changes: &mut Changes) -> bool {
        tokio::time::timeout(Duration::from_secs(30), changes.changed()).await.unwrap()
    }

    #[tokio::test]
    async fn writing_replacing_and_removing_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.json");
        let watched = Watched::new();
        let mut changes = watched.watch(&file);
        fs::write(&file, "1").unwrap();
        assert!(told(&mut changes).await, "it came to be");
        fs::write(folder.path().join("a.json~"), "2").unwrap();
        fs::rename(folder.path().join("a.json~"), &file).unwrap();
        assert!(told(&mut changes).await, "it was replaced, as editors do");
        fs::remove_file(&file).unwrap();
        assert!(told(&mut changes).await, "it went");
        fs::write(folder.path().join("b.json"), "1").unwrap();
        let other = tokio::time::timeout(Duration::from_millis(300), changes.changed());
        assert!(other.await.is_err(), "other files are not its business");
        watched.end();
        assert!(!told(&mut changes).await);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn what_a_link_leads_to_is_watched() {
        let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (link, target) = (here.path().join("a.json"), there.path().join("real.json"));
        fs::write(&target, "1").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let watched = Watched::new();
        let mut changes = watched.watch(&link);
        fs::write(&target, "2").unwrap();
        assert!(told(&mut changes).await);
    }

    #[tokio::test]
    async fn a_file_whose_folder_is_not_there_yet_is_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("later").join("a.json");
        let watched = Watched::new();
        let mut changes = watched.watch(&file);
        fs::create_dir(folder.path().join("later")).unwrap();
        fs::write(&file, "1").unwrap();
        assert!(told(&mut changes).await);
    }
}
