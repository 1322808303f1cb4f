//! Reading a file people edit, and replacing it.
//!
//! Owns: that a reader sees the old text or the new one, whole; that the former text stays beside it as `.bak`, and
//! that mode and links stay as they are. Refuses to know: what the text says.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Larger files are not read: nobody writes them by hand.
const MAX_BYTES: u64 = 64 << 20;

/// A file's text; none where there is no file.
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

/// Writes a file's text, on disk when this returns. What it said before is kept beside it; a new file is its
/// user's only. Of a link, what it leads to is replaced.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let former = match fs::metadata(&path) {
        Ok(metadata) => Some(metadata.permissions()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if let Some(permissions) = &former {
        put(&backup_of(&path), &fs::read(&path)?, Some(permissions))?;
    }
    put(&path, text.as_bytes(), former.as_ref())?;
    // The rename itself, where folders can be synced.
    if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Writes a file of our own: only its user may read it, and nothing is kept of what it said before.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    put(path, bytes, None)
}

fn put(path: &Path, bytes: &[u8], permissions: Option<&fs::Permissions>) -> io::Result<()> {
    let new = beside(path, "new");
    let written = (|| {
        // One left behind by a kill, or put there by somebody else.
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

/// Where a file's former text is kept.
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
    fn mode_link_and_former_text_are_kept() {
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

    #[test]
    fn what_is_no_text_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        assert_eq!(read_text(&file).unwrap(), None);
        fs::write(&file, [0xff]).unwrap();
        assert!(read_text(&file).unwrap_err().to_string().contains("UTF-8"));
        assert!(read_text(folder.path()).is_err());
    }
}
