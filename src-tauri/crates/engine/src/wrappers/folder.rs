//! Writes generated files into a folder: each whole, only those that changed, and only files that are ours.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use schemascope_codegen::{File, MANIFEST, Manifest, is_ours};

use crate::files::read_text;

/// Beginning of the names of unfinished files.
const UNFINISHED: &str = ".schemascope-new-";

/// Why files were not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WriteError {
    /// Another file has the name of ours.
    #[error("{0} exists and was not written by Schemascope; move it away, or choose another folder")]
    Foreign(PathBuf),
    /// A folder below the target is a link.
    #[error("{0} is a link; nothing is written through links")]
    Link(PathBuf),
    /// A path leads out of the folder.
    #[error("{0:?} is no path inside the folder; nothing is written there")]
    Outside(String),
    /// The manifest cannot be read.
    #[error("{path} cannot be read as a manifest: {reason}")]
    Manifest {
        /// Its path.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The system refuses.
    #[error("cannot write {path}: {error}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Its reason.
        error: io::Error,
    },
}

/// A file as its folder describes it. Two texts of one length look alike if they were written in one tick of the clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
    is_file: bool,
}

/// Number of files that were written and that were current.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WrittenFiles {
    /// New or changed files.
    pub(crate) written: usize,
    /// Files that were current.
    pub(crate) current: usize,
}

/// Whether the folder itself is created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Root {
    /// If it does not exist.
    Create,
    /// It must exist.
    Existing,
}

/// A folder of generated files.
#[derive(Debug, Clone)]
pub(crate) struct WrapperFolder(PathBuf);

impl WrapperFolder {
    /// The folder at a path, which need not exist.
    pub(crate) fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// The manifest of the previous run, if there was one.
    pub(crate) fn manifest(&self) -> Result<Option<Manifest>, WriteError> {
        let path = self.0.join(MANIFEST);
        let wrong = |reason: String| WriteError::Manifest { path: path.clone(), reason };
        let Some(text) = read_text(&path).map_err(|error| wrong(error.to_string()))? else {
            return Ok(None);
        };
        let manifest: Manifest = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        match manifest.format {
            1 => Ok(Some(manifest)),
            other => Err(wrong(format!("its format is {other}; this program knows format 1"))),
        }
    }

    /// What the folder says of a file; none if it does not exist.
    pub(super) fn stamp(&self, path: &str) -> Option<Stamp> {
        let found = fs::symlink_metadata(self.0.join(path)).ok()?;
        Some(Stamp { modified: found.modified().ok(), bytes: found.len(), is_file: found.is_file() })
    }

    /// Reads a file of the folder; none if it does not exist, is no text, or lies behind a link.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        self.place(path).ok()?;
        read_text(&self.0.join(path)).ok().flatten()
    }

    /// Files that are not current, with their paths. Fails if one of them would replace a file that Schemascope did not
    /// write.
    pub(crate) fn outdated<'a>(&self, files: &'a [File]) -> Result<Vec<(PathBuf, &'a File)>, WriteError> {
        let mut outdated = Vec::new();
        for file in files {
            let path = self.place(&file.path)?;
            match existing(&path)? {
                Some(text) if text == file.text => {}
                Some(text) if is_ours(&file.path, &text) => outdated.push((path, file)),
                Some(_) => return Err(WriteError::Foreign(path)),
                None => outdated.push((path, file)),
            }
        }
        Ok(outdated)
    }

    /// Writes files in their order, then removes obsolete ones. Nothing is written if a file would replace one of
    /// another program.
    pub(crate) fn write(
        &self,
        files: &[File],
        obsolete: &[String],
        root: Root,
    ) -> Result<WrittenFiles, WriteError> {
        let outdated = self.outdated(files)?;
        if root == Root::Create && !outdated.is_empty() {
            fs::create_dir_all(&self.0).map_err(|error| WriteError::Io { path: self.0.clone(), error })?;
        }
        let mut swept = BTreeSet::new();
        for (path, file) in &outdated {
            let failed = |error| WriteError::Io { path: path.clone(), error };
            let folder = path.parent().unwrap_or(&self.0);
            if swept.insert(folder.to_owned()) {
                self.create_below(folder).map_err(failed)?;
                sweep(folder);
            }
            replace(folder, path, &file.text).map_err(failed)?;
        }
        for path in obsolete {
            let is_ours_at = |text: String| is_ours(path, &text);
            if self.read(path).is_some_and(is_ours_at) {
                let path = self.0.join(path);
                fs::remove_file(&path).map_err(|error| WriteError::Io { path, error })?;
            }
        }
        Ok(WrittenFiles { written: outdated.len(), current: files.len() - outdated.len() })
    }

    /// Creates a folder in this one, which exists.
    fn create_below(&self, folder: &Path) -> io::Result<()> {
        let mut place = self.0.clone();
        for part in folder.strip_prefix(&self.0).map_err(io::Error::other)? {
            place.push(part);
            match fs::create_dir(&place) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// The path of a file in the folder whose folders below the target are no links.
    fn place(&self, path: &str) -> Result<PathBuf, WriteError> {
        // A backslash or a colon has a meaning on some systems.
        let leads_out = |part: &str| matches!(part, "" | "." | "..") || part.contains(['\\', ':']);
        if path.split('/').any(leads_out) {
            return Err(WriteError::Outside(path.to_owned()));
        }
        let mut place = self.0.clone();
        let mut parts = path.split('/').peekable();
        while let Some(part) = parts.next() {
            place.push(part);
            let is_link = fs::symlink_metadata(&place).is_ok_and(|found| found.is_symlink());
            if is_link && parts.peek().is_some() {
                return Err(WriteError::Link(place));
            }
        }
        Ok(place)
    }
}

/// The text of a file; none if there is no file. Bytes that are not UTF-8 count as a file that Schemascope did not
/// write.
fn existing(path: &Path) -> Result<Option<String>, WriteError> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => match read_text(path) {
            Ok(text) => Ok(text),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Err(WriteError::Foreign(path.to_owned()))
            }
            Err(error) => Err(WriteError::Io { path: path.to_owned(), error }),
        },
        Ok(_) => Err(WriteError::Foreign(path.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(WriteError::Io { path: path.to_owned(), error }),
    }
}

/// Replaces a file as a whole: a reader sees the old text or the new one.
fn replace(folder: &Path, path: &Path, text: &str) -> io::Result<()> {
    let unfinished = folder.join(format!("{UNFINISHED}{}", std::process::id()));
    let written = (|| {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&unfinished)?;
        file.write_all(text.as_bytes())?;
        drop(file);
        fs::rename(&unfinished, path)
    })();
    written.inspect_err(|_| drop(fs::remove_file(&unfinished)))
}

/// Removes unfinished files that a kill left behind.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.to_owned(), text: format!("# schemascope: {text}\n") }
    }

    #[test]
    fn second_write_touches_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = WrapperFolder::new(scratch.path().join("out"));
        let files = [file("servers/a/b.py", "one"), file("x.py", "two")];
        assert_eq!(folder.write(&files, &[], Root::Create).unwrap(), WrittenFiles { written: 2, current: 0 });
        assert_eq!(folder.write(&files, &[], Root::Create).unwrap(), WrittenFiles { written: 0, current: 2 });
        let changed = [files[0].clone(), file("x.py", "three")];
        assert_eq!(
            folder.write(&changed, &[], Root::Create).unwrap(),
            WrittenFiles { written: 1, current: 1 }
        );
        let names: Vec<_> = fs::read_dir(scratch.path().join("out")).unwrap().flatten().collect();
        assert_eq!(names.len(), 2, "nothing unfinished is left: {names:?}");
    }

    #[test]
    fn unfinished_files_of_a_killed_run_are_removed() {
        let scratch = tempfile::tempdir().unwrap();
        fs::write(scratch.path().join(format!("{UNFINISHED}1")), "half").unwrap();
        WrapperFolder::new(scratch.path()).write(&[file("x.py", "one")], &[], Root::Create).unwrap();
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
    }

    #[test]
    fn files_of_others_stay_and_nothing_else_is_written() {
        let scratch = tempfile::tempdir().unwrap();
        fs::write(scratch.path().join("x.py"), "print('mine')\n").unwrap();
        let folder = WrapperFolder::new(scratch.path());
        let error = folder.write(&[file("a.py", "one"), file("x.py", "two")], &[], Root::Create).unwrap_err();
        assert!(matches!(error, WriteError::Foreign(_)), "{error}");
        assert_eq!(fs::read_to_string(scratch.path().join("x.py")).unwrap(), "print('mine')\n");
        assert!(!scratch.path().join("a.py").exists());
    }

    #[test]
    fn folder_that_is_gone_is_not_created_and_obsolete_files_are_removed() {
        let scratch = tempfile::tempdir().unwrap();
        let out = scratch.path().join("out");
        let folder = WrapperFolder::new(&out);
        let files = [file("servers/a/b.py", "one")];
        assert!(folder.write(&files, &[], Root::Existing).is_err());
        assert!(!out.exists());
        folder.write(&files, &[], Root::Create).unwrap();
        fs::write(out.join("b.new"), "# schemascope: begin\n").unwrap();
        fs::write(out.join("c.new"), "mine").unwrap();
        folder.write(&files, &["b.new".to_owned(), "c.new".to_owned()], Root::Existing).unwrap();
        assert!(!out.join("b.new").exists() && out.join("c.new").exists());
    }

    #[test]
    fn paths_that_lead_out_are_rejected() {
        let scratch = tempfile::tempdir().unwrap();
        fs::write(scratch.path().join("x.py"), "# schemascope: \n").unwrap();
        let folder = WrapperFolder::new(scratch.path().join("out"));
        fs::create_dir(scratch.path().join("out")).unwrap();
        let absolute = scratch.path().join("x.py").to_string_lossy().into_owned();
        for path in ["../x.py", "a/../../x.py", "./x.py", "a//x.py", "", "C:x.py", "..\\x.py", &absolute] {
            let error = folder.write(&[file(path, "one")], &[], Root::Existing).unwrap_err();
            assert!(matches!(error, WriteError::Outside(_)), "{path}: {error}");
            assert_eq!(folder.read(path), None, "{path}");
            folder.write(&[], &[path.to_owned()], Root::Existing).unwrap();
        }
        assert!(scratch.path().join("x.py").exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_nowhere() {
        let scratch = tempfile::tempdir().unwrap();
        let (out, outside) = (scratch.path().join("out"), scratch.path().join("outside"));
        fs::create_dir_all(&out).unwrap();
        fs::create_dir_all(&outside).unwrap();
        std::os::unix::fs::symlink(&outside, out.join("servers")).unwrap();
        let folder = WrapperFolder::new(&out);
        let error = folder.write(&[file("servers/a.py", "one")], &[], Root::Create).unwrap_err();
        assert!(matches!(error, WriteError::Link(_)), "{error}");
        fs::write(outside.join("b.py"), "# schemascope: \n").unwrap();
        std::os::unix::fs::symlink(outside.join("b.py"), out.join("b.py")).unwrap();
        assert!(folder.write(&[file("b.py", "one")], &[], Root::Create).is_err());
        assert_eq!(fs::read_to_string(outside.join("b.py")).unwrap(), "# schemascope: \n");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    }
}
