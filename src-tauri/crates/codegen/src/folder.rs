//! Everything that is written into one folder: wrappers, an index per server, the runtime and the manifest.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::names::modules;
use crate::renewal::{Change, Renewed, Writing, renewed};
use crate::tool::{Entry, Language, Names, Tool};

/// Name of the manifest in the folder.
pub const MANIFEST: &str = "schemascope.json";

/// Files that every folder has, by language.
const RUNTIME: &[(Language, &str, &str)] = &[
    (Language::Python, "schemascope_runtime/__init__.py", include_str!("../runtime/python/__init__.py")),
    (Language::Python, "schemascope_runtime/call.py", include_str!("../runtime/python/call.py")),
    (Language::Python, "schemascope_runtime/errors.py", include_str!("../runtime/python/errors.py")),
    (Language::Python, "schemascope_runtime/lazy.py", include_str!("../runtime/python/lazy.py")),
    (Language::Python, "schemascope_runtime/model.py", include_str!("../runtime/python/model.py")),
    (Language::Python, "schemascope_runtime/py.typed", ""),
    (Language::Python, "schemascope_runtime/schema.py", include_str!("../runtime/python/schema.py")),
    (Language::Python, "schemascope_runtime/values.py", include_str!("../runtime/python/values.py")),
    (Language::Typescript, "schemascope_runtime/call.ts", include_str!("../runtime/typescript/call.ts")),
    (Language::Typescript, "schemascope_runtime/errors.ts", include_str!("../runtime/typescript/errors.ts")),
    (Language::Typescript, "schemascope_runtime/index.ts", include_str!("../runtime/typescript/index.ts")),
    (Language::Typescript, "schemascope_runtime/model.ts", include_str!("../runtime/typescript/model.ts")),
    (
        Language::Typescript,
        "schemascope_runtime/validator.ts",
        include_str!("../runtime/typescript/validator.ts"),
    ),
    (Language::Rust, "schemascope_runtime/argument.rs", include_str!("../runtime/rust/argument.rs")),
    (Language::Rust, "schemascope_runtime/call.rs", include_str!("../runtime/rust/call.rs")),
    (Language::Rust, "schemascope_runtime/document.rs", include_str!("../runtime/rust/document.rs")),
    (Language::Rust, "schemascope_runtime/error.rs", include_str!("../runtime/rust/error.rs")),
    (Language::Rust, "schemascope_runtime/mod.rs", include_str!("../runtime/rust/mod.rs")),
    (Language::Rust, "schemascope_runtime/number.rs", include_str!("../runtime/rust/number.rs")),
    (Language::Rust, "schemascope_runtime/schema.rs", include_str!("../runtime/rust/schema.rs")),
    (Language::Rust, "schemascope_runtime/validator.rs", include_str!("../runtime/rust/validator.rs")),
    (Language::Rust, "schemascope_runtime/view.rs", include_str!("../runtime/rust/view.rs")),
];

/// What was written into a folder.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of this form.
    pub format: u32,
    /// One entry per wrapper, by tool and language.
    pub tools: Vec<Entry>,
}

/// A file with its path in the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Path, with `/`.
    pub path: String,
    /// The whole text.
    pub text: String,
}

/// A folder that was brought up to date.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Update {
    /// All files, the manifest last.
    pub files: Vec<File>,
    /// Paths of files with earlier texts that were not taken.
    pub obsolete: Vec<String>,
    /// What the manifest file says.
    pub manifest: Manifest,
    /// Wrappers whose text changed.
    pub changes: Vec<Change>,
    /// Paths of wrappers that were edited by hand.
    pub edited: Vec<String>,
}

/// Returns all files of a folder and its manifest. `all` are the names of every tool known, which keep their names
/// whichever are wanted; `before` is the manifest of the previous run, and `existing` reads a file it wrote.
///
/// A wrapper whose text would differ only in the number of observations keeps its text.
pub fn folder(
    wanted: &[Tool],
    all: &[(String, String)],
    languages: &BTreeSet<Language>,
    before: &Manifest,
    existing: impl Fn(&str) -> Option<String>,
) -> (Vec<File>, Manifest) {
    let Update { files, manifest, .. } = update(wanted, all, languages, before, existing, Writing::default());
    (files, manifest)
}

/// As [`folder`], and says what changed.
pub fn update(
    wanted: &[Tool],
    all: &[(String, String)],
    languages: &BTreeSet<Language>,
    before: &Manifest,
    existing: impl Fn(&str) -> Option<String>,
    writing: Writing,
) -> Update {
    // The manifest is a file that anyone may have changed, and its names become code.
    let before = Manifest {
        format: before.format,
        tools: before.tools.iter().filter(|entry| is_plain(entry)).cloned().collect(),
    };
    let names = names(all, &before);
    let mut entries: BTreeMap<(String, Language), Entry> =
        before.tools.iter().map(|entry| ((entry.tool_id.clone(), entry.lang), entry.clone())).collect();
    let mut update = Update::default();
    for tool in wanted {
        let Some(names) = names.get(&(tool.id.server().to_owned(), tool.id.tool().to_owned())) else {
            continue;
        };
        for language in languages {
            let key = (tool.id.to_string(), *language);
            // A tool that is gone keeps the wrappers it has, and gets no others.
            let has_others = || entries.keys().any(|(id, _)| *id == key.0);
            if tool.is_gone && !entries.contains_key(&key) && has_others() {
                continue;
            }
            let Renewed { entry, file, obsolete, change, is_edited } =
                renewed(tool, names, *language, entries.get(&key), &existing, writing);
            update.files.push(file);
            update.obsolete.extend(obsolete);
            update.changes.extend(change);
            update.edited.extend(is_edited.then(|| entry.file.clone()));
            entries.insert(key, entry);
        }
    }
    let manifest = Manifest { format: 1, tools: entries.into_values().collect() };
    let files = &mut update.files;
    let used: BTreeSet<Language> = manifest.tools.iter().map(|entry| entry.lang).collect();
    let runtime = RUNTIME.iter().filter(|(language, ..)| used.contains(language));
    files.extend(runtime.map(|(language, path, text)| {
        let mark = if text.is_empty() { String::new() } else { mark(*language) };
        File { path: (*path).to_owned(), text: mark + text }
    }));
    files.extend(indexes(&manifest));
    let text = serde_json::to_string_pretty(&manifest).unwrap_or_default() + "\n";
    files.push(File { path: MANIFEST.to_owned(), text });
    update.manifest = manifest;
    update
}

/// First line of files that are replaced as a whole.
fn mark(language: Language) -> String {
    let sign = match language {
        Language::Python => "#",
        Language::Typescript | Language::Rust => "//",
    };
    format!("{sign} schemascope: replaced by `schemascope generate`\n")
}

/// Whether a file with this text may be replaced: Schemascope wrote it.
pub fn is_ours(path: &str, text: &str) -> bool {
    let line = |line: &str| line.starts_with("# schemascope: ") || line.starts_with("// schemascope: ");
    match path {
        MANIFEST => serde_json::from_str::<Manifest>(text).is_ok_and(|manifest| manifest.format == 1),
        _ => text.is_empty() || text.lines().any(line),
    }
}

/// Whether all names of an entry are such as [`update`] gives.
fn is_plain(entry: &Entry) -> bool {
    let is_identifier = |name: &str| {
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
    };
    let parse = match entry.lang {
        Language::Python => entry.parse.strip_suffix(".parse"),
        Language::Typescript => Some(entry.parse.as_str()),
        Language::Rust => entry.parse.strip_suffix("::parse"),
    };
    let function = match entry.lang {
        Language::Rust => entry.function.strip_prefix("r#").unwrap_or(&entry.function),
        Language::Python | Language::Typescript => entry.function.as_str(),
    };
    let path = entry.file.strip_prefix("servers/").and_then(|path| path.strip_suffix(entry.lang.ending()));
    let parts = path.and_then(|path| path.split_once('/'));
    parts.is_some_and(|(server, tool)| is_identifier(server) && is_identifier(tool))
        && [function, entry.params.as_str(), &entry.result].into_iter().all(is_identifier)
        && parse.is_some_and(is_identifier)
}

/// Names of every tool's files, by server and tool.
fn names(all: &[(String, String)], before: &Manifest) -> BTreeMap<(String, String), Names> {
    let mut held_servers = BTreeMap::new();
    let mut held_tools: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for entry in &before.tools {
        let Some((server, tool)) = entry.tool_id.split_once("__") else { continue };
        let mut parts = entry.file.split('/').skip(1);
        if let (Some(folder), Some(file)) = (parts.next(), parts.next()) {
            let stem = file.split('.').next().unwrap_or_default();
            let is_name = |name: &str| {
                let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
                !name.is_empty() && name.bytes().all(letter)
            };
            if !is_name(folder) || !is_name(stem) {
                continue;
            }
            held_servers.insert(server.to_owned(), folder.to_owned());
            held_tools.entry(server.to_owned()).or_default().insert(tool.to_owned(), stem.to_owned());
        }
    }
    let servers = modules(all.iter().map(|(server, _)| server.as_str()), &held_servers);
    let mut names = BTreeMap::new();
    for (server, folder) in servers {
        let tools = all.iter().filter(|(other, _)| *other == server).map(|(_, tool)| tool.as_str());
        let held = held_tools.remove(&server).unwrap_or_default();
        for (tool, module) in modules(tools, &held) {
            names.insert((server.clone(), tool), Names { server: folder.clone(), tool: module });
        }
    }
    names
}

/// The index of each server, from what the manifest lists.
fn indexes(manifest: &Manifest) -> Vec<File> {
    let mut servers: BTreeMap<(Language, String), Vec<&Entry>> = BTreeMap::new();
    for entry in &manifest.tools {
        if let Some(folder) = entry.file.split('/').nth(1) {
            servers.entry((entry.lang, folder.to_owned())).or_default().push(entry);
        }
    }
    let mut files = Vec::new();
    if servers.keys().any(|(language, _)| *language == Language::Python) {
        let text = mark(Language::Python) + "\"\"\"Tools by server.\"\"\"\n";
        files.push(File { path: "servers/__init__.py".to_owned(), text });
    }
    let folders: Vec<&str> = servers
        .keys()
        .filter(|(language, _)| *language == Language::Rust)
        .map(|(_, folder)| folder.as_str())
        .collect();
    if !folders.is_empty() {
        files.extend(crate::rust::package(&folders).map(|(path, sign, text)| File {
            path: path.to_owned(),
            text: format!("{sign} schemascope: replaced by `schemascope generate`\n{text}"),
        }));
    }
    for ((language, folder), entries) in servers {
        let path = |name: &str| format!("servers/{folder}/{name}");
        match language {
            Language::Python => {
                files.push(File { path: path("__init__.pyi"), text: python_stub(&entries) });
                files.push(File { path: path("__init__.py"), text: python_index() });
            }
            Language::Typescript => {
                files.push(File { path: path("index.ts"), text: crate::typescript::index(&entries) });
            }
            Language::Rust => {
                let text = mark(Language::Rust) + &crate::rust::index(&entries);
                files.push(File { path: path("mod.rs"), text });
            }
        }
    }
    files
}

/// Tools that an index names, without repeating names that two of them share.
pub(crate) fn exported<'a>(entries: &[&'a Entry]) -> Vec<(&'a str, Vec<&'a str>)> {
    let mut seen = BTreeSet::new();
    let mut exported = Vec::new();
    for entry in entries {
        let mut names: Vec<&str> = vec![&entry.function, &entry.params, &entry.result];
        names.retain(|name| seen.insert(*name));
        exported.push((entry.function.as_str(), names));
    }
    exported
}

/// Where each name of a server's package is, for type checkers and for the package itself.
fn python_stub(entries: &[&Entry]) -> String {
    let mut text = mark(Language::Python) + "# ruff: noqa: I001\n";
    for (module, names) in exported(entries) {
        for name in &names {
            let _ = writeln!(text, "from .{module} import {name} as {name}");
        }
    }
    text
}

/// A package that loads each name when it is first used.
fn python_index() -> String {
    mark(Language::Python)
        + "\"\"\"Tools of a server, each loaded when it is first used; the stub lists them.\"\"\"\n\n\
           from schemascope_runtime.lazy import lazy\n\nlazy(__name__)\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_entries_that_are_no_plain_names_are_dropped() {
        let entry = |changes: &[(&str, &str)]| {
            let mut entry = serde_json::json!({
                "tool_id": "shop__get", "lang": "python", "strategy": "helper", "source": "inferred",
                "quality": "low", "observation_count": 1, "version": null, "file": "servers/shop/get.py",
                "module": "servers.shop.get", "function": "get", "params": "GetParams", "result": "GetResult",
                "parse": "GetResult.parse", "unchecked": [], "notes": []});
            for (key, value) in changes {
                entry[*key] = serde_json::json!(value);
            }
            serde_json::from_value::<Entry>(entry).unwrap()
        };
        let script = [("lang", "typescript"), ("file", "servers/shop/get.ts"), ("parse", "parseGet")];
        let kept = |entry: Entry| {
            let before = Manifest { format: 1, tools: vec![entry] };
            let done = update(&[], &[], &BTreeSet::new(), &before, |_| None, Writing::default());
            assert!(done.files.iter().all(|file| !file.text.contains("evil")), "{:?}", done.files);
            done.manifest.tools.len()
        };
        assert_eq!((kept(entry(&[])), kept(entry(&script))), (1, 1));
        for change in [
            ("function", "get\nevil()"),
            ("params", "evil as x; import os"),
            ("result", "évil"),
            ("parse", "evil()"),
            ("file", "servers/shop/evil\n.py"),
            ("file", "servers/../evil.py"),
            ("file", "servers/shop/a/evil.py"),
            ("file", "servers/shop/evil.ts"),
            ("file", "evil/shop/get.py"),
            ("function", ""),
        ] {
            assert_eq!(kept(entry(&[change])), 0, "{change:?}");
        }
        let injected = [script.as_slice(), &[("parse", "x } from \"evil\"; //")]].concat();
        assert_eq!(kept(entry(&injected)), 0);
    }
}
