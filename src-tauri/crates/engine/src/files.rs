//! Reading and replacing files that users edit.
//!
//! A reader sees either the old text or the new one, complete. The previous text is kept beside the file as `.bak`;
//! permissions and links stay as they are.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Size above which files are not read: no one writes them by hand.
const MAX_BYTES: u64 = 64 << 20;
/// Links that are followed one after the other.
const MAX_LINKS: usize = 32;

/// The text of a file; none if there is no file.
pub(crate) fn read_text(path: &Path) -> io::Result<Option<String>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!("it is larger than {} MB", MAX_BYTES >> 20)));
    }
    let text = String::from_utf8(bytes);
    text.map(Some).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

/// Replaces a file's text; it is on disk when this returns. The previous text is kept beside it. A new file is
/// readable by its user only. For a link, its target is replaced.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = behind_links(path);
    let previous = match fs::metadata(&path) {
        Ok(metadata) => Some(metadata.permissions()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if let Some(permissions) = &previous {
        put(&backup_of(&path), &fs::read(&path)?, Some(permissions))?;
    }
    put(&path, text.as_bytes(), previous.as_ref())?;
    // Syncs the rename itself, where folders can be synced.
    if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// The file that a path leads to, which may not exist yet.
fn behind_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        if let Ok(real) = fs::canonicalize(&path) {
            return real;
        }
        let Ok(target) = fs::read_link(&path) else { break };
        path = path.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
    }
    path
}

/// Writes a file of our own: readable by its user only, without a backup.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    put(path, bytes, None)
}

fn put(path: &Path, bytes: &[u8], permissions: Option<&fs::Permissions>) -> io::Result<()> {
    let new = beside(path, "new");
    let written = (|| {
        // Left behind by a kill, or put there by another program.
        let _ = fs::remove_file(&new);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&new)?;
        if let Some(permissions) = permissions {
            file.set_permissions(permissions.clone())?;
        }
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&new, path)
    })();
    written.inspect_err(|_| drop(fs::remove_file(&new)))
}

/// Saves a text where the user chose, without a backup: readers see the old text or the new one, and the file's earlier mode
/// does not matter. A private file can be read by its user only. For a link, its target is replaced.
pub fn save_file(path: &Path, text: &str, is_private: bool) -> io::Result<()> {
    let resolved = behind_links(path);
    let path = resolved.as_path();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Others may not read temporary files, unless it is said.
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    if !is_private {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error).map(drop)
}

/// Path at which a file's previous text is kept.
pub(crate) fn backup_of(path: &Path) -> PathBuf {
    beside(path, "bak")
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(end);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn replace_keeps_mode_link_and_previous_text() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real.json"), folder.path().join("link.json"));
        replace(&real, "1").unwrap();
        let mode = || fs::metadata(&real).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(), 0o600);
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        replace(&link, "2").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!((read_text(&real).unwrap().as_deref(), mode()), (Some("2"), 0o640));
        assert_eq!(read_text(&folder.path().join("real.json.bak")).unwrap().as_deref(), Some("1"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "nothing else is left behind");
    }

    #[cfg(unix)]
    #[test]
    fn saved_file_is_whole_and_links_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real.json"), folder.path().join("link.json"));
        let mode = || fs::metadata(&real).unwrap().permissions().mode() & 0o777;
        save_file(&real, "1", true).unwrap();
        assert_eq!(mode(), 0o600);
        symlink(&real, &link).unwrap();
        save_file(&link, "2", false).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!((fs::read_to_string(&real).unwrap().as_str(), mode() & 0o700), ("2", 0o600));
        assert!(save_file(folder.path(), "3", false).is_err());
        assert!(save_file(&folder.path().join("no such folder/x"), "3", false).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is left behind");
    }

    #[test]
    fn read_text_rejects_what_is_not_text() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        assert_eq!(read_text(&file).unwrap(), None);
        fs::write(&file, [0xff]).unwrap();
        assert!(read_text(&file).unwrap_err().to_string().contains("UTF-8"));
        assert!(read_text(folder.path()).is_err());
    }
}
