//! Finding a program in PATH.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Why a program cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotFound {
    /// No folder of PATH has a file of that name.
    Missing,
    /// It is a folder.
    Folder(PathBuf),
    /// It may not be executed.
    NotExecutable(PathBuf),
}

impl std::fmt::Display for NotFound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => f.write_str("was not found in PATH; install it, or check its name"),
            Self::Folder(path) => write!(f, "is a folder ({}); name a program", path.display()),
            Self::NotExecutable(path) => {
                write!(f, "may not be executed ({}); check its permissions", path.display())
            }
        }
    }
}

impl std::error::Error for NotFound {}

/// Finds a program: a name in the folders of PATH, or a path.
pub fn find(command: &str, path: Option<&OsStr>) -> Result<PathBuf, NotFound> {
    if command.contains(['/', '\\']) {
        return check(Path::new(command));
    }
    let mut problem = NotFound::Missing;
    for folder in path.map(std::env::split_paths).into_iter().flatten() {
        // An empty entry means the current folder, and a relative one lies in it: anyone may have put files there.
        if !folder.is_absolute() || command.is_empty() {
            continue;
        }
        match check(&folder.join(command)) {
            Ok(found) => return Ok(found),
            Err(NotFound::Missing) => {}
            Err(other) => problem = other,
        }
    }
    Err(problem)
}

fn check(path: &Path) -> Result<PathBuf, NotFound> {
    match path.metadata() {
        Err(_) => Err(NotFound::Missing),
        Ok(metadata) if metadata.is_dir() => Err(NotFound::Folder(path.to_owned())),
        Ok(_) if !is_executable(path) => Err(NotFound::NotExecutable(path.to_owned())),
        // A program that is started in another folder would be looked for there.
        Ok(_) => Ok(std::path::absolute(path).unwrap_or_else(|_| path.to_owned())),
    }
}

/// Whether a file may be executed.
pub fn is_executable(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    {
        path.is_file()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn program_is_found_in_path_and_problems_are_named() {
        let path = std::env::var_os("PATH");
        assert!(find("sh", path.as_deref()).is_ok());
        assert_eq!(find("no-such-program", path.as_deref()), Err(NotFound::Missing));
        assert_eq!(find("", path.as_deref()), Err(NotFound::Missing));
        assert_eq!(find("/", None), Err(NotFound::Folder("/".into())));
        assert_eq!(find("Cargo.toml", Some(OsStr::new("."))), Err(NotFound::Missing));
        let scratch = tempfile::tempdir().unwrap();
        std::fs::write(scratch.path().join("x"), "").unwrap();
        let found = find("x", Some(scratch.path().as_os_str()));
        assert_eq!(found, Err(NotFound::NotExecutable(scratch.path().join("x"))));
    }
}
