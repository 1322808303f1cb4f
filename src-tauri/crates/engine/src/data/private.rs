//! Keeping the data directory to its user: modes of the folder and its files, and no symbolic links in places where
//! Schemascope writes.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Files and folders of our own, which are never symbolic links. Files that users edit may be.
const OWN: &[&str] = &[
    "lock",
    "store.lock",
    "node",
    "token",
    "owner-token",
    "hash-key",
    "instance.json",
    "machine.json",
    "overrides.agreed.json",
    "tool_schema_status.json",
    "wrapper_targets.json",
    "ballast",
    "journal",
    "decisions",
    "index",
    "team",
    "interviews",
    "cli-work",
    "cli-definitions.json",
    "cli-requests.json",
    "introductions.json",
];
/// Folders that users may make before the first start.
#[cfg(unix)]
const OWN_FOLDERS: &[&str] = &["discovery-schemas", "team", "wrappers"];
/// Depth to which files are made private: those of folders in folders of our own.
const MAX_DEPTH: usize = 4;

/// Creates the directory if it does not exist. Makes an existing one private, and rejects one that belongs to others
/// or contains links where Schemascope writes.
pub(super) fn make_private(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)?;
    close_to_others(path)?;
    for name in OWN {
        if path.join(name).is_symlink() {
            let message =
                format!("{name} in it is a symbolic link, which Schemascope does not follow; replace it");
            return Err(io::Error::other(message));
        }
    }
    Ok(())
}

/// Takes from other users the access to all files of the directory. Links are left alone, and so are files for which
/// that fails: no one else can open the directory.
pub(super) fn make_files_private(path: &Path) {
    restrict_all(path, MAX_DEPTH);
}

/// Opens or creates a file that only its user may read. A symbolic link is not followed.
pub(crate) fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }
    options.open(path)
}

#[cfg(unix)]
fn close_to_others(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let metadata = fs::metadata(path)?;
    let mode = metadata.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let reject = |why: &str| {
        let message = format!("other users can open this folder, and {why}");
        Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
    };
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return reject("it belongs to another user; its owner can make it private with chmod 700");
    }
    // Such as /tmp, or the root of a disk.
    if mode & 0o1000 != 0 || holds_foreign_folders(path)? {
        return reject("it is used for other things; choose another folder for the data");
    }
    match fs::set_permissions(path, fs::Permissions::from_mode(0o700)) {
        // A copy that cannot be changed is rejected where something is written to it.
        Err(error) if error.kind() == io::ErrorKind::ReadOnlyFilesystem => Ok(()),
        done => done,
    }
}

/// Whether a folder has folders in it without being a data directory. One of ours may be there before the first start:
/// users put their Discovery Schemas into it.
#[cfg(unix)]
fn holds_foreign_folders(path: &Path) -> io::Result<bool> {
    if ["lock", "journal", "token"].iter().any(|name| path.join(name).exists()) {
        return Ok(false);
    }
    let mut entries = fs::read_dir(path)?.flatten();
    let is_foreign =
        |entry: &fs::DirEntry| !entry.file_name().to_str().is_some_and(|name| OWN_FOLDERS.contains(&name));
    Ok(entries.any(|entry| is_foreign(&entry) && entry.file_type().is_ok_and(|kind| kind.is_dir())))
}

#[cfg(not(unix))]
fn close_to_others(_: &Path) -> io::Result<()> {
    Ok(())
}

fn restrict_all(folder: &Path, depth: usize) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_dir() && depth > 0 {
            restrict_all(&entry.path(), depth - 1);
        }
        if metadata.is_dir() || metadata.is_file() {
            restrict(&entry.path(), &metadata);
        }
    }
}

#[cfg(unix)]
fn restrict(path: &Path, metadata: &Metadata) {
    use std::os::unix::fs::PermissionsExt;
    let mode = metadata.permissions().mode();
    if mode & 0o077 != 0 {
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700));
    }
}

#[cfg(not(unix))]
fn restrict(_: &Path, _: &Metadata) {}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
    }

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn open_directory_and_its_files_become_private() {
        let scratch = tempfile::tempdir().unwrap();
        let (data, outside) = (scratch.path().join("data"), scratch.path().join("outside"));
        fs::create_dir_all(data.join("journal")).unwrap();
        for file in [&outside, &data.join("token"), &data.join("journal/1"), &data.join("mcp.json")] {
            fs::write(file, "x").unwrap();
            set(file, 0o644);
        }
        symlink(&outside, data.join("settings.json")).unwrap();
        set(&data, 0o755);
        set(&data.join("journal"), 0o755);
        make_private(&data).unwrap();
        make_files_private(&data);
        let modes = ["", "journal", "token", "journal/1", "mcp.json"].map(|name| mode(&data.join(name)));
        assert_eq!(modes, [0o700, 0o700, 0o600, 0o600, 0o600]);
        assert_eq!(mode(&outside), 0o644, "links of users are not followed");
    }

    #[test]
    fn folders_that_are_used_for_other_things_are_rejected() {
        let scratch = tempfile::tempdir().unwrap();
        let (sticky, home) = (scratch.path().join("tmp"), scratch.path().join("home"));
        fs::create_dir_all(&sticky).unwrap();
        fs::create_dir_all(home.join("documents")).unwrap();
        set(&sticky, 0o1777);
        set(&home, 0o755);
        for folder in [&sticky, &home] {
            let before = mode(folder);
            let error = make_private(folder).unwrap_err().to_string();
            assert!(error.contains("used for other things"), "{error}");
            assert_eq!(mode(folder), before);
        }
        set(&home, 0o700);
        make_private(&home).unwrap();
    }

    #[test]
    fn links_in_our_places_are_rejected() {
        for name in OWN {
            let scratch = tempfile::tempdir().unwrap();
            let outside = scratch.path().join("outside");
            fs::write(&outside, "keep").unwrap();
            let data = scratch.path().join("data");
            fs::create_dir(&data).unwrap();
            symlink(&outside, data.join(name)).unwrap();
            let error = make_private(&data).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains("symbolic link"), "{error}");
            assert!(private_file(&data.join(name)).is_err());
            assert_eq!(fs::read_to_string(&outside).unwrap(), "keep");
        }
    }
}
