//! Variables that make the modules of a folder importable.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result};

/// Variables for a command that finds modules in `folder`: Python by `PYTHONPATH`, `require` of Node and Bun by
/// `NODE_PATH`, and `import` of Node, which knows no such path, by a hook for names that begin with
/// `servers/`.
pub fn variables(folder: &Path) -> Result<Vec<(&'static str, OsString)>> {
    let shown = folder.display();
    let folder = std::path::absolute(folder).with_context(|| format!("cannot use {shown}"))?;
    let joined = |name: &str| {
        let before = std::env::var_os(name).filter(|before| !before.is_empty());
        let all = std::iter::once(folder.clone()).chain(before.iter().flat_map(std::env::split_paths));
        std::env::join_paths(all).with_context(|| format!("{shown} cannot be part of {name}"))
    };
    let mut options = std::env::var_os("NODE_OPTIONS").unwrap_or_default();
    if let Some(folder) = folder.to_str() {
        if !options.is_empty() {
            options.push(" ");
        }
        options.push(format!("--import={}", data_url(&node_hook(folder))));
    }
    Ok(vec![
        ("PYTHONPATH", joined("PYTHONPATH")?),
        ("NODE_PATH", joined("NODE_PATH")?),
        ("NODE_OPTIONS", options),
    ])
}

/// The script that lets Node import from a folder.
fn node_hook(folder: &str) -> String {
    let script = include_str!("importable.mjs");
    let code = script.lines().skip_while(|line| line.starts_with("//")).collect::<Vec<_>>().join("\n");
    code.replace("FOLDER", &serde_json::Value::from(format!("{folder}/")).to_string())
}

/// A script as an address that has no character with a meaning in `NODE_OPTIONS`.
fn data_url(script: &str) -> String {
    let mut url = "data:text/javascript,".to_owned();
    for byte in script.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => url.push(byte.into()),
            other => url.push_str(&format!("%{other:02X}")),
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_comes_first_and_is_absolute() {
        let variables = variables(Path::new("a b/ü\"")).unwrap();
        let folder = std::env::current_dir().unwrap().join("a b/ü\"");
        for name in ["PYTHONPATH", "NODE_PATH"] {
            let (_, value) = variables.iter().find(|(known, _)| *known == name).unwrap();
            assert_eq!(std::env::split_paths(value).next().unwrap(), folder);
        }
        let (_, options) = variables.iter().find(|(name, _)| *name == "NODE_OPTIONS").unwrap();
        let option = options.to_str().unwrap().rsplit(' ').next().unwrap().to_owned();
        assert!(option.starts_with("--import=data:text/javascript,") && !option.contains(['"', '\\', '\'']));
    }
}
