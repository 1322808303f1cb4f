//! Plain texts that are read as structure by mistake.
//!
//! The texts are files of packages: prose, changelogs, logs, source code and diffs. Each kind gives the same number
//! of texts, chosen by a hash of their paths.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use schemascope_textform::{Form, read};

/// Texts of each kind.
const PER_KIND: usize = 2_000;
/// Largest share of texts that may be read, in thousandths.
const BAR: usize = 5;
/// Limits of a text's size in bytes.
const SIZES: std::ops::RangeInclusive<u64> = 20..=200_000;
/// Files looked at.
const MAX_FILES: usize = 400_000;

/// Reads the plain texts below directories and prints the ones that are read as structure. Whether the bar was passed.
pub fn run(directories: &[PathBuf]) -> Result<bool> {
    let mut files: BTreeMap<&str, Vec<(u64, PathBuf)>> = BTreeMap::new();
    let mut open: Vec<PathBuf> = directories.to_vec();
    let mut seen = 0;
    while let Some(directory) = open.pop() {
        let Ok(entries) = fs::read_dir(&directory) else { continue };
        for entry in entries.flatten() {
            let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() && seen < MAX_FILES {
                seen += 1;
                let Some(kind) = kind_of(&path) else { continue };
                if entry.metadata().is_ok_and(|data| SIZES.contains(&data.len())) {
                    files.entry(kind).or_default().push((hash(&path), path));
                }
            }
        }
    }
    let (mut texts, mut wrong, mut pairs) = (0, 0, 0);
    for (kind, mut paths) in files {
        paths.sort_unstable();
        let (mut of_kind, mut read_of_kind) = (0, 0);
        for text in paths.iter().filter_map(|(_, path)| Some((path, fs::read_to_string(path).ok()?))) {
            // A text of a kind occurs in several sizes: the whole, its start and its end, as tools return them.
            for part in [text.1.as_str(), head(&text.1), tail(&text.1)] {
                if of_kind == PER_KIND {
                    break;
                }
                of_kind += 1;
                match read(part) {
                    None => {}
                    Some(found) if found.form == Form::KeyValue => pairs += 1,
                    Some(found) => {
                        read_of_kind += 1;
                        println!("  {:?} {}", found.form, text.0.display());
                    }
                }
            }
        }
        println!("{kind:<8} {of_kind:>5} texts, {read_of_kind} read as structure");
        texts += of_kind;
        wrong += read_of_kind;
    }
    println!(
        "all      {texts:>5} texts, {wrong} read as structure ({:.2} %)",
        100.0 * wrong as f64 / texts.max(1) as f64
    );
    println!("         {pairs} look like key and value lines, which count only when they recur");
    Ok(texts > 0 && wrong * 1_000 <= texts * BAR)
}

/// The kind of a file by its name; none for files that may have structure.
fn kind_of(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    match ending {
        "py" | "js" | "ts" | "mjs" | "cjs" | "rs" | "c" | "h" | "go" | "sh" | "rb" | "java" | "pl"
        | "css" => Some("code"),
        "diff" | "patch" => Some("diffs"),
        "log" => Some("logs"),
        "md" | "rst" | "txt" => Some("prose"),
        _ if name.starts_with("readme")
            || name.starts_with("changelog")
            || name == "copyright"
            || name == "license" =>
        {
            Some("prose")
        }
        _ => None,
    }
}

/// The first lines of a text.
fn head(text: &str) -> &str {
    let end = text.match_indices('\n').nth(11).map_or(text.len(), |(at, _)| at);
    &text[..end]
}

/// The last lines of a text.
fn tail(text: &str) -> &str {
    let start = text.trim_end().rmatch_indices('\n').nth(11).map_or(0, |(at, _)| at + 1);
    &text[start..]
}

/// FNV-1a of a path.
fn hash(path: &Path) -> u64 {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
