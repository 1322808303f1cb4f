//! Reading data that cannot be written to: a private copy of it, for one command.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use parking_lot::Mutex;

use super::DataDirError;
use super::private::{make_private, private_file};

/// Files and folders that say nothing about the data. A copy writes no wrappers.
const LEFT_OUT: &[&str] =
    &["lock", "store.lock", "instance.json", "ballast", "window", "webview", "wrapper_targets.json"];

/// Copies that exist.
static COPIES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// Attempts to remove a copy. While it is being made, a file may appear in a folder that was just emptied.
const ATTEMPTS: usize = 20;
/// Time between two of them.
const PAUSE: Duration = Duration::from_millis(10);

/// A copy of a data directory in the folder for temporary files. It is removed when this is dropped.
#[derive(Debug)]
pub struct ReadableCopy(PathBuf);

impl ReadableCopy {
    /// Whether a data directory exists and cannot be written to.
    pub fn is_needed(data_dir: &Path) -> bool {
        data_dir.is_dir() && !is_writable(data_dir)
    }

    /// Copies a data directory if it exists and cannot be written to; otherwise returns `None`.
    pub fn of(data_dir: &Path) -> Result<Option<Self>, DataDirError> {
        if !Self::is_needed(data_dir) {
            return Ok(None);
        }
        let mut random = [0; 8];
        let failed = |source: io::Error| DataDirError::Copy { path: data_dir.to_owned(), source };
        getrandom::fill(&mut random).map_err(|error| failed(io::Error::other(error)))?;
        let name = format!("schemascope-copy-{:016x}", u64::from_ne_bytes(random));
        let copy = Self(std::env::temp_dir().join(name));
        COPIES.lock().push(copy.0.clone());
        make_private(&copy.0).and_then(|()| copy_folder(data_dir, &copy.0)).map_err(failed)?;
        Ok(Some(copy))
    }

    /// Path of the copy.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for ReadableCopy {
    fn drop(&mut self) {
        COPIES.lock().retain(|path| *path != self.0);
        remove(&self.0);
    }
}

/// Removes all copies, before the process ends without dropping them.
pub fn remove_copies() {
    std::mem::take(&mut *COPIES.lock()).iter().for_each(|path| remove(path));
}

fn remove(copy: &Path) {
    for _ in 0..ATTEMPTS {
        match fs::remove_dir_all(copy) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => std::thread::sleep(PAUSE),
            _ => break,
        }
    }
}

/// Whether the lock of the data directory can be opened, as every use of it requires.
fn is_writable(data_dir: &Path) -> bool {
    let denied = [io::ErrorKind::ReadOnlyFilesystem, io::ErrorKind::PermissionDenied];
    !private_file(&data_dir.join("lock")).is_err_and(|error| denied.contains(&error.kind()))
}

/// Copies files and folders; links are left out.
fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, name) = (entry.file_type()?, entry.file_name());
        if name.to_str().is_some_and(|name| LEFT_OUT.contains(&name) || name.starts_with("index.bad-")) {
            continue;
        }
        let target = to.join(&name);
        if kind.is_dir() {
            make_private(&target)?;
            copy_folder(&entry.path(), &target)?;
        } else if kind.is_file() {
            // Not with its mode: a file that cannot be written is no use here.
            io::copy(&mut fs::File::open(entry.path())?, &mut private_file(&target)?)?;
        }
    }
    Ok(())
}
