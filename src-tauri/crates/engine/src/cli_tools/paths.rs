//! Which places the values of a call may name.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::path::{Component, Path, PathBuf};

use schemascope_helptext::Invocation;

use super::served::Folders;

/// Longest path of a file, in bytes, as Linux has it.
const MAX_PATH: usize = 4096;
/// Most parts of a path that are looked up.
const MAX_PARTS: usize = 256;
/// Signs in front of a path that do not belong to it.
const SIGNS: [char; 6] = ['@', '"', '\'', '<', '>', '|'];
/// Most digits of a character in `\u{…}`, and the bracket.
const MAX_CODE: usize = 9;
/// Longest name of a file, in bytes.
const MAX_NAME: usize = 255;

/// What decides whether a value may be passed on. Nothing is kept: files and links change.
pub(super) struct Allowed<'e> {
    /// Where paths of the call begin that are not absolute.
    pub cwd: PathBuf,
    pub folders: &'e Folders,
    /// The folders in which paths must lie; empty if all may.
    pub roots: &'e [PathBuf],
}

impl Allowed<'_> {
    /// No value names a place in the data directory, which decides for the user. Paths lie in one of the roots, if there
    /// are any, after links are resolved. The error names the property and what is wrong with its value.
    pub fn check(&self, made: &Invocation) -> Result<(), String> {
        let data = self.folders.real_data();
        // A root that is gone holds nothing; that it was given still counts.
        let roots: Vec<PathBuf> = self.roots.iter().filter_map(|root| root.canonicalize().ok()).collect();
        let has_roots = !self.roots.is_empty();
        let values =
            made.paths.iter().map(|value| (value, true)).chain(made.texts.iter().map(|value| (value, false)));
        // A folder named `http:` makes a path of what looks like an address.
        let is_address = |path: &str| {
            is_web(path) && !path.split('/').next().is_some_and(|scheme| self.cwd.join(scheme).exists())
        };
        if let Some(text) = &made.stdin {
            self.check_stdin(text, made, &data, &roots)?;
        }
        for ((property, value), is_path) in values {
            if let Some(parts) = too_deep(value) {
                return Err(format!("{property}: a path has {parts} parts; at most {MAX_PARTS} are allowed"));
            }
            if let Some(path) = self.named_in_data(value, &data) {
                return Err(format!("{property}: {path:?} is in Schemascope's data directory"));
            }
            let whole = [value.as_str()].into_iter().filter(|value| is_path && *value != "-");
            for path in pieces(value, &self.cwd, has_roots).into_iter().chain(whole) {
                let resolved = resolved(&self.cwd.join(path));
                if self.is_in_data(&resolved, &data) {
                    return Err(format!("{property}: {path:?} is in Schemascope's data directory"));
                }
                if is_of_a_process(path, &resolved) {
                    return Err(format!("{property}: {path:?} shows a process, which may have secrets"));
                }
                if has_roots && !is_address(path) && !roots.iter().any(|root| resolved.starts_with(root)) {
                    let names: Vec<String> =
                        self.roots.iter().map(|root| root.display().to_string()).collect();
                    return Err(format!(
                        "{property}: {path:?} is outside of the allowed folders: {}",
                        names.join(", ")
                    ));
                }
            }
            if has_roots && value.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:")) {
                return Err(format!("{property}: {value:?} names a file by its address; give its path"));
            }
        }
        Ok(())
    }

    /// A text for standard input can be a list of files, as for `--files0-from=-`. It is one for certain where an option
    /// names standard input as a file.
    fn check_stdin(
        &self,
        text: &str,
        made: &Invocation,
        data: &Path,
        roots: &[PathBuf],
    ) -> Result<(), String> {
        if let Some(parts) = too_deep(text) {
            return Err(format!("stdin: a path has {parts} parts; at most {MAX_PARTS} are allowed"));
        }
        if let Some(path) = self.named_in_data(text, data) {
            return Err(format!("stdin: {path:?} is in Schemascope's data directory"));
        }
        let lists_files = |option: &str| option.contains("from") || option.contains("list");
        let is_stdin =
            |value: &str| value == "-" || value.starts_with("/dev/stdin") || value.starts_with("/dev/fd/0");
        if self.roots.is_empty()
            || !made.paths.iter().any(|(name, value)| lists_files(name) && is_stdin(value))
        {
            return Ok(());
        }
        let names =
            text.split(['\0', '\n']).map(str::trim).filter(|name| !name.is_empty() && name.len() <= MAX_PATH);
        for name in names {
            if !roots.iter().any(|root| resolved(&self.cwd.join(name)).starts_with(root)) {
                return Err(format!("stdin: {name:?} is outside of the allowed folders"));
            }
        }
        Ok(())
    }

    /// A part of a value that a program could take for a path into the data directory, whatever stands before and behind
    /// it: `name=@/path`, `"/path"`, `-f/path`.
    fn named_in_data(&self, value: &str, data: &Path) -> Option<String> {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '~');
        let folders: Vec<&str> = [data, &self.folders.data].into_iter().filter_map(Path::to_str).collect();
        let work = self.folders.work.to_string_lossy();
        let is_named = |text: &str| {
            let text = text.replace(&*work, "");
            let ends = |rest: &str| !rest.starts_with(|c: char| is_part(c) && c != '/');
            folders.iter().any(|folder| text.split(folder).skip(1).any(ends))
        };
        let home = std::env::home_dir();
        let decoded = percent_encoding::percent_decode_str(value).decode_utf8_lossy();
        // Programs that take a text of a language read its escapes: `import "\u0064ata"` of jq.
        let unescaped = unescaped(&decoded);
        let mut seen: HashSet<&str> = HashSet::new();
        let mut texts = vec![value, &*decoded, &*unescaped];
        texts.dedup();
        for text in texts {
            // The folder's name may have blanks.
            if is_named(text) {
                return Some(text.to_owned());
            }
            for piece in text.split(|c| !is_part(c)).filter(|piece| piece.contains('/')) {
                if !seen.insert(piece) {
                    continue;
                }
                // A letter of an option may stand before it.
                let mut starts: Vec<usize> = [Some(0), piece.find('/'), piece.find("./"), piece.find("../")]
                    .into_iter()
                    .flatten()
                    .collect();
                starts.sort_unstable();
                starts.dedup();
                for path in starts.into_iter().filter_map(|start| piece.get(start..)) {
                    let of_home = path.strip_prefix("~/").and_then(|rest| Some(home.as_ref()?.join(rest)));
                    let full = of_home.unwrap_or_else(|| self.cwd.join(path));
                    if self.is_in_data(&resolved(&full), data) {
                        return Some(path.to_owned());
                    }
                }
            }
        }
        None
    }

    fn is_in_data(&self, path: &Path, data: &Path) -> bool {
        let work = || self.folders.work.canonicalize().unwrap_or_else(|_| self.folders.work.clone());
        path.starts_with(data) && !path.starts_with(work())
    }
}

/// Whether a path leads to what the kernel shows of a process: the environments of Schemascope and of its servers have
/// secrets. A program that asks for `/proc/self` sees itself, unless it goes on from there.
fn is_of_a_process(path: &str, resolved: &Path) -> bool {
    let Ok(inside) = resolved.strip_prefix("/proc") else { return false };
    let leads_on = ["root", "cwd", "fd", "task", "map_files"];
    let own = path.strip_prefix("/proc/self/").filter(|own| !own.contains(".."));
    if own.is_some_and(|own| !leads_on.contains(&own.split('/').next().unwrap_or_default())) {
        return false;
    }
    let first = inside.components().next().and_then(|first| first.as_os_str().to_str());
    first.is_some_and(|first| first.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The number of parts of a path in a text, if it has too many to look each of them up.
fn too_deep(text: &str) -> Option<usize> {
    let is_end = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '{' | '}' | '=' | ':');
    // No file has a longer path.
    let words = text.split(is_end).filter(|word| word.len() <= MAX_PATH);
    words.map(|word| word.split('/').count()).max().filter(|parts| *parts > MAX_PARTS)
}

/// The pieces of a value that can be paths: `name=@/path`, `,-o,/path`, `{a,/path}`, `"/path"`; with roots also names of
/// links, which lead elsewhere.
fn pieces<'v>(value: &'v str, cwd: &Path, has_roots: bool) -> BTreeSet<&'v str> {
    let parts = value.split([',', '{', '}', ';', ' ']).map(|part| part.trim_matches(['"', '\'']));
    // An address is one piece, whatever is in its query.
    let pieces = parts.flat_map(|part| match is_web(part) {
        true => vec![part],
        false => {
            let pieces = part.split(['=', ':']);
            pieces
                .flat_map(|piece| [Some(piece.trim_start_matches(SIGNS)), behind_sign(piece)])
                .flatten()
                .collect()
        }
    });
    let pieces: BTreeSet<&str> = pieces.filter(|piece| !piece.is_empty()).collect();
    // A slash between words divides.
    let divides = value.contains(" / ") && !value.starts_with("/ ") && !value.ends_with(" /");
    let can_be_path = |piece: &&str| match piece.contains('/') {
        true => *piece != "/" || !divides,
        false => has_roots && piece.len() <= MAX_NAME && cwd.join(piece).is_symlink(),
    };
    pieces.into_iter().filter(can_be_path).collect()
}

/// A path within a piece, behind a sign: `</path`, `name@/path`.
fn behind_sign(piece: &str) -> Option<&str> {
    let at = piece.match_indices('/').map(|(at, _)| at).find(|at| {
        piece.get(..*at).is_some_and(|before| before.ends_with(SIGNS) || before.ends_with("<~"))
    })?;
    piece.get(at..)
}

/// A text with the characters that escapes stand for, as in strings of JSON, C and Python.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let code = |from: usize, digits: usize, radix: u32| {
            let number = after.get(from..from + digits)?;
            Some((char::from_u32(u32::from_str_radix(number, radix).ok()?)?, from + digits))
        };
        let octal = after.bytes().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
        let found = match after.bytes().next() {
            Some(b'u') => after
                .strip_prefix("u{")
                .and_then(|inside| inside.bytes().take(MAX_CODE).position(|byte| byte == b'}'))
                .and_then(|length| Some((code(2, length, 16)?.0, length + 3)))
                .or_else(|| code(1, 4, 16)),
            Some(b'U') => code(1, 8, 16),
            Some(b'x') => code(1, 2, 16),
            Some(b'0'..=b'7') => code(0, octal, 8),
            _ => None,
        };
        match found {
            Some((c, length)) => {
                plain.push(c);
                rest = &after[length..];
            }
            // `\/` is a slash.
            None => {
                if !after.starts_with('/') {
                    plain.push('\\');
                }
                rest = after;
                if let Some(next) = rest.chars().next() {
                    plain.push(next);
                    rest = &rest[next.len_utf8()..];
                }
            }
        }
    }
    plain.push_str(rest);
    plain.into()
}

fn is_web(value: &str) -> bool {
    value.starts_with("http://") || value.starts_with("https://")
}

/// A path without links and `..`, also if its end does not exist yet.
fn resolved(path: &Path) -> PathBuf {
    // No file has such a path, and each of its parts would be looked up.
    if path.as_os_str().len() > MAX_PATH {
        return without_parents(path);
    }
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    // The longest part that exists. What is behind something that does not exist does not either.
    let parts: Vec<Component<'_>> = path.components().collect();
    let real = |count: usize| parts.iter().take(count).collect::<PathBuf>().canonicalize().ok();
    let (mut exists, mut lacks) = (0, parts.len());
    while exists + 1 < lacks {
        let middle = exists.midpoint(lacks);
        match real(middle) {
            Some(_) => exists = middle,
            None => lacks = middle,
        }
    }
    let known = real(exists).unwrap_or_default();
    without_parents(&parts.iter().skip(exists).fold(known, |path, part| path.join(part)))
}

fn without_parents(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other.as_os_str()),
        }
    }
    plain
}
