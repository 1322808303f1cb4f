//! Removing the wrappers of tools that their servers no longer list.

use std::collections::BTreeSet;

use crate::folder::Manifest;
use crate::region::Region;
use crate::renewal::beside;
use crate::tool::{Entry, Language};

/// Wrappers that are removed and that stay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Paths of the removed wrappers.
    pub wrappers: Vec<String>,
    /// Paths of all files to be removed.
    pub files: Vec<String>,
    /// Paths of wrappers that stay because they have text of the user.
    pub kept: Vec<String>,
}

/// Takes the wrappers of tools that are gone out of a manifest. `existing` reads a file of the folder. Wrappers with
/// text of the user go only by `force`.
pub fn prune(
    manifest: &mut Manifest,
    is_gone: impl Fn(&str) -> bool,
    existing: impl Fn(&str) -> Option<String>,
    force: bool,
) -> Pruned {
    let mut pruned = Pruned::default();
    let mut folders = BTreeSet::new();
    manifest.tools.retain(|entry| {
        if !is_gone(&entry.tool_id) {
            return true;
        }
        if !force && existing(&entry.file).is_some_and(|text| !Region::is_all_of(&text)) {
            pruned.kept.push(entry.file.clone());
            return true;
        }
        pruned.wrappers.push(entry.file.clone());
        pruned.files.extend([entry.file.clone(), beside(&entry.file)]);
        folders.extend(folder(entry));
        false
    });
    let used: BTreeSet<_> = manifest.tools.iter().filter_map(folder).collect();
    for (language, folder) in folders.difference(&used) {
        let indexes: &[&str] = match language {
            Language::Python => &["__init__.py", "__init__.pyi"],
            Language::Typescript => &["index.ts"],
            Language::Rust => &["mod.rs"],
        };
        pruned.files.extend(indexes.iter().map(|index| format!("servers/{folder}/{index}")));
    }
    // Without wrappers in Rust there is no package, which would name folders that are gone.
    let is_rust = |(language, _): &(Language, String)| *language == Language::Rust;
    if folders.iter().any(is_rust) && !used.iter().any(is_rust) {
        pruned.files.extend(["servers/mod.rs", "lib.rs", "Cargo.toml"].map(str::to_owned));
    }
    pruned
}

fn folder(entry: &Entry) -> Option<(Language, String)> {
    entry.file.split('/').nth(1).map(|folder| (entry.lang, folder.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn entry(tool: &str, lang: &str, file: &str) -> Entry {
        serde_json::from_value(serde_json::json!({
            "tool_id": tool, "lang": lang, "strategy": "helper", "source": "inferred", "quality": "low",
            "observation_count": 1, "version": null, "file": file, "module": "", "function": "get",
            "params": "GetParams", "result": "GetResult", "parse": "", "unchecked": [], "notes": []}))
        .unwrap()
    }

    #[test]
    fn wrappers_of_gone_tools_go_with_the_index_and_text_of_the_user_stays() {
        let manifest = Manifest {
            format: 1,
            tools: vec![
                entry("a__x", "python", "servers/a/x.py"),
                entry("a__x", "rust", "servers/a/x.rs"),
                entry("a__y", "python", "servers/a/y.py"),
                entry("b__x", "typescript", "servers/b/x.ts"),
            ],
        };
        let untouched = "# schemascope: begin (note)\na = 1\n# schemascope: end\n";
        let mut texts = BTreeMap::from([("servers/a/x.py", untouched.to_owned())]);
        texts.insert("servers/b/x.ts", "mine\n// schemascope: begin\n// schemascope: end\n".to_owned());
        let existing = |path: &str| texts.get(path).cloned();
        let gone = |tool: &str| tool.ends_with("__x");
        let mut after = manifest.clone();
        let pruned = prune(&mut after, gone, existing, false);
        assert_eq!(pruned.wrappers, ["servers/a/x.py", "servers/a/x.rs"]);
        assert_eq!(pruned.kept, ["servers/b/x.ts"]);
        let files: BTreeSet<&str> = pruned.files.iter().map(String::as_str).collect();
        let expected = BTreeSet::from([
            "servers/a/x.py",
            "servers/a/x.py.new",
            "servers/a/x.rs",
            "servers/a/x.rs.new",
            "servers/a/mod.rs",
            "servers/mod.rs",
            "lib.rs",
            "Cargo.toml",
        ]);
        assert_eq!(files, expected);
        assert_eq!(after.tools.len(), 2);
        let pruned = prune(&mut after, gone, existing, true);
        assert_eq!(pruned.files, ["servers/b/x.ts", "servers/b/x.ts.new", "servers/b/index.ts"]);
    }
}
