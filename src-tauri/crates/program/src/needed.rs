//! The files and folders that a program reads to run at all: itself, its libraries, and its interpreter.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::find::find;

/// Folders of a prefix that hold programs and their libraries.
const PARTS: &[&str] = &["bin", "lib", "lib64", "libexec", "pyvenv.cfg"];
/// Longest first line of a script that is read.
const MAX_FIRST_LINE: u64 = 512;

/// Names of folders with programs, whose libraries are beside them.
const BIN: &[&str] = &["bin", "sbin", "libexec", ".bin"];

/// Files and folders that a confined program has to read. A folder that many programs share, such as `~/.local`, also
/// holds what is none of their business, so only some parts of it are among them; likewise one that holds `secret`.
pub fn needed(program: &Path, path: Option<&OsStr>, home: Option<&Path>, secret: &Path) -> Vec<PathBuf> {
    let mut needed = Vec::new();
    let interpreter = interpreter(program, path);
    for named in std::iter::once(program).chain(interpreter.as_deref()) {
        let real = named.canonicalize().unwrap_or_else(|_| named.to_owned());
        for file in [named, &real] {
            needed.push(file.to_owned());
            needed.extend(packages(file));
            // A program in a folder `bin` finds its libraries beside that folder, others in their own.
            let is_bin = |folder: &&Path| BIN.iter().any(|name| folder.ends_with(name));
            let folder = file.parent();
            let prefix = folder.filter(is_bin).map_or(folder, Path::parent);
            let Some(prefix) = prefix else { continue };
            let is_shared = prefix.components().count() <= 2 || prefix == std::env::temp_dir();
            let is_whole = !is_shared
                && prefix.parent().is_some_and(|above| Some(above) != home)
                && home.is_none_or(|home| !home.starts_with(prefix))
                && !secret.starts_with(prefix);
            match is_whole {
                true => needed.push(prefix.to_owned()),
                false => needed.extend(PARTS.iter().map(|part| prefix.join(part))),
            }
        }
    }
    needed.retain(|folder| !secret.starts_with(folder));
    needed.sort();
    needed.dedup();
    needed
}

/// The folder of packages that a program of npm is in: packages find one another there.
fn packages(file: &Path) -> Option<PathBuf> {
    file.ancestors().filter(|folder| folder.ends_with("node_modules")).last().map(Path::to_owned)
}

/// The program that a script names in its first line.
fn interpreter(script: &Path, path: Option<&OsStr>) -> Option<PathBuf> {
    let mut start = Vec::new();
    File::open(script).ok()?.take(MAX_FIRST_LINE).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let mut words = std::str::from_utf8(line).ok()?.split_whitespace();
    let first = words.next()?;
    if Path::new(first).file_name() != Some(OsStr::new("env")) {
        return Some(first.into());
    }
    let named = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    find(named, path).ok()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn program(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn shared_folders_are_needed_in_part() {
        let scratch = tempfile::tempdir().unwrap();
        let home = scratch.path().canonicalize().unwrap().join("home");
        let data = home.join(".local/share/schemascope");
        let of = |program: &Path, path: &Path| needed(program, Some(path.as_os_str()), Some(&home), &data);

        let tool = home.join(".local/bin/tool");
        program(&tool, "\u{7f}ELF");
        let read = of(&tool, Path::new("/usr/bin"));
        assert!(read.contains(&tool) && read.contains(&home.join(".local/lib")), "{read:?}");
        assert!(
            read.iter()
                .all(|folder| !data.starts_with(folder) && !folder.starts_with(home.join(".local/share")))
        );

        let own = home.join("tools/thing/bin/thing");
        program(&own, "");
        assert!(of(&own, Path::new("")).contains(&home.join("tools/thing")));
    }

    #[test]
    fn interpreter_and_packages_of_a_script_are_needed() {
        let scratch = tempfile::tempdir().unwrap();
        let base = scratch.path().canonicalize().unwrap();
        let (home, data) = (base.join("home"), base.join("data"));
        let python = base.join("python-3.14/bin/python3");
        program(&python, "");
        let venv = base.join("venv");
        let script = venv.join("bin/tool");
        program(&script, &format!("#!{}\nimport tool\n", venv.join("bin/python").display()));
        symlink(&python, venv.join("bin/python")).unwrap();
        let read = needed(&script, None, Some(&home), &data);
        assert!(read.contains(&venv) && read.contains(&base.join("python-3.14")), "{read:?}");

        let node = base.join("node/bin/node");
        program(&node, "");
        let cli = base.join("project/node_modules/tool/bin/cli.js");
        program(&cli, "#!/usr/bin/env -S node --no-warnings\n");
        let read = needed(&cli, node.parent().map(Path::as_os_str), Some(&home), &data);
        assert!(
            read.contains(&base.join("project/node_modules")) && read.contains(&base.join("node")),
            "{read:?}"
        );
        assert!(!read.contains(&base.join("project")), "{read:?}");
    }
}
