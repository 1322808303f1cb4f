//! Checks that are neither compiler nor test: who may depend on whom.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use crate::shell::{cargo, output};

/// What pure crates must not reach, directly or not.
const IMPURE: &[&str] =
    &["tokio", "sled", "notify", "rmcp", "axum", "ureq", "schemascope-store", "schemascope-engine"];

/// Crates and what they must not depend on, at any depth.
const FORBIDDEN: &[(&str, &[&str])] = &[
    ("schemascope-model", IMPURE),
    ("schemascope-api", IMPURE),
    ("schemascope-shape", IMPURE),
    ("schemascope-judge", IMPURE),
    ("schemascope-registry", IMPURE),
    ("schemascope-overrides", IMPURE),
    ("schemascope-journal", &["sled", "tokio", "rmcp"]),
    ("schemascope-store", &["tokio", "rmcp", "schemascope-registry", "schemascope-proxy"]),
    ("schemascope-proxy", &["sled", "schemascope-store", "schemascope-registry", "schemascope-api"]),
    ("schemascope", &["gtk", "tauri", "webkit2gtk"]),
    ("schemascope-ui", IMPURE),
];

/// External crates with one owner each: only these may name them.
const OWNERS: &[(&str, &[&str])] = &[
    ("sled", &["schemascope-store"]),
    ("rmcp", &["schemascope-proxy", "schemascope-upstreams", "schemascope-benches"]),
    ("notify", &["schemascope-engine"]),
    ("jsonc-parser", &["schemascope-overrides"]),
    ("tauri", &["schemascope-desktop"]),
    ("leptos", &["schemascope-ui"]),
    ("plotters", &["schemascope-ui"]),
];

/// The direction of dependencies, as the architecture section of the README draws it.
pub fn layering() -> Result<()> {
    let mut wrong = Vec::new();
    for (package, forbidden) in FORBIDDEN {
        let tree = output(
            cargo()
                .args(["tree", "--locked", "-p", package, "-e", "normal", "--prefix", "none", "-f", "{p}"]),
        )?;
        let reached: Vec<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
        wrong.extend(
            forbidden
                .iter()
                .filter(|name| reached.contains(name))
                .map(|name| format!("{package} must not reach {name}")),
        );
    }
    let direct = output(cargo().args([
        "tree",
        "--locked",
        "--workspace",
        "-e",
        "normal,dev",
        "--depth",
        "1",
        "--prefix",
        "depth",
        "-f",
        " {p}",
    ]))?;
    let mut package = "";
    let mut namers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in direct.lines() {
        let mut words = line.split(' ');
        match (words.next(), words.next()) {
            (Some("0"), Some(name)) => package = name,
            (Some("1"), Some(name)) => namers.entry(name).or_default().push(package),
            _ => {}
        }
    }
    for (name, owners) in OWNERS {
        for namer in namers.get(name).into_iter().flatten().filter(|namer| !owners.contains(namer)) {
            wrong.push(format!("{namer} names {name}, which belongs to {}", owners.join(" and ")));
        }
    }
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n"));
    }
    Ok(())
}

/// serde_json's `arbitrary_precision` would change how numbers reach every visitor of the workspace.
pub fn features() -> Result<()> {
    let tree = output(cargo().args([
        "tree",
        "--locked",
        "--workspace",
        "-e",
        "features",
        "-i",
        "serde_json",
        "--prefix",
        "none",
    ]))?;
    if tree.contains("arbitrary_precision") {
        bail!(
            "serde_json's feature arbitrary_precision is on; `cargo tree -e features -i serde_json` tells by whom"
        );
    }
    Ok(())
}
