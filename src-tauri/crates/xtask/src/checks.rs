//! Checks that are neither compiler nor test: which crate may depend on which, what may come in from outside, and that
//! tests do not sleep.
//!
//! The first reads the resolve graph of `cargo metadata`, which holds the dependencies of every workspace member for
//! every target, wasm32 and Windows included.

pub mod packages;
pub mod sleeps;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::shell::{cargo, output, root};

/// Pure crates and every dependency each of them may have. They know no runtime, store, file, network or clock; a new
/// dependency here is a decision.
const PURE: &[(&str, &[&str])] = &[
    ("schemascope-model", &["chrono", "serde", "serde_json", "thiserror"]),
    ("schemascope-api", &["schemascope-compose", "schemascope-model", "serde", "serde_json"]),
    ("schemascope-json", &["bytes", "jsonc-parser", "memchr", "serde", "serde_json", "wide"]),
    (
        "schemascope-shape",
        &["memchr", "schemascope-json", "serde", "serde_json", "siphasher", "twox-hash", "wide"],
    ),
    ("schemascope-codegen", &["regex-syntax", "schemascope-model", "serde", "serde_json", "sha2"]),
    ("schemascope-compare", &["serde", "serde_json"]),
    (
        "schemascope-compose",
        &[
            "memchr",
            "percent-encoding",
            "schemascope-json",
            "schemascope-model",
            "serde",
            "serde_json",
            "siphasher",
        ],
    ),
    (
        "schemascope-discovery",
        &["schemascope-json", "schemascope-model", "schemascope-overrides", "serde_json", "thiserror"],
    ),
    ("schemascope-figures", &["plotters", "schemascope-api"]),
    ("schemascope-helptext", &["regex", "serde", "serde_json", "thiserror"]),
    ("schemascope-interview", &["serde", "serde_json", "sha2", "strsim", "thiserror"]),
    ("schemascope-report", &["schemascope-api", "schemascope-figures"]),
    ("schemascope-judge", &["jsonschema", "schemascope-json", "schemascope-model", "serde_json"]),
    (
        "schemascope-redact",
        &[
            "aho-corasick",
            "base64",
            "memchr",
            "regex",
            "schemascope-api",
            "schemascope-json",
            "schemascope-model",
            "schemascope-shape",
            "serde",
            "serde_json",
            "thiserror",
        ],
    ),
    (
        "schemascope-registry",
        &[
            "hmac",
            "memchr",
            "schemascope-compare",
            "schemascope-json",
            "schemascope-judge",
            "schemascope-model",
            "schemascope-shape",
            "schemascope-textform",
            "serde",
            "serde_json",
            "sha2",
            "thiserror",
        ],
    ),
    ("schemascope-textform", &["memchr", "serde_json"]),
    (
        "schemascope-overrides",
        &["schemascope-json", "schemascope-model", "serde", "serde_json", "strsim", "thiserror"],
    ),
];

/// Clippy's rules for pure crates; each of them has a copy, since clippy knows no rules for a group of crates.
const PURE_RULES: &str = include_str!("../pure-clippy.toml");

/// Workspace crates that must not be reached, directly or not.
const UNREACHABLE: &[(&str, &[&str])] = &[
    ("schemascope-journal", &["sled", "tokio", "rmcp"]),
    ("schemascope-store", &["tokio", "rmcp", "schemascope-registry", "schemascope-proxy"]),
    ("schemascope-proxy", &["sled", "schemascope-store", "schemascope-registry", "schemascope-api"]),
    (
        "schemascope-ui",
        &[
            "sled",
            "rmcp",
            "schemascope-engine",
            "schemascope-proxy",
            "schemascope-registry",
            "schemascope-store",
        ],
    ),
    // One HTTP client, that of reqwest.
    ("schemascope", &["gtk", "tauri", "ureq", "webkit2gtk"]),
];

/// External crates that only one crate of the product may name.
const OWNERS: &[(&str, &str)] = &[
    ("jsonc-parser", "schemascope-json"),
    ("jsonschema", "schemascope-judge"),
    ("leptos", "schemascope-ui"),
    ("notify", "schemascope-engine"),
    ("plotters", "schemascope-figures"),
    ("reqwest", "schemascope-proxy"),
    ("rmcp", "schemascope-proxy"),
    ("sled", "schemascope-store"),
    ("tauri", "schemascope-desktop"),
    ("tiktoken-rs", "schemascope-engine"),
];

/// Members of the workspace that test, measure or build the product; they may name what they need.
const TOOLS: &[&str] = &[
    "schemascope-benches",
    "schemascope-test-support",
    "schemascope-upstreams",
    "schemascope-worlds",
    "xtask",
];

/// Names of the direct dependencies of each package, by kind.
#[derive(Debug, Default, Clone)]
struct Graph {
    members: BTreeSet<String>,
    /// What is compiled into the package, for any target.
    normal: BTreeMap<String, BTreeSet<String>>,
    /// What its tests use.
    dev: BTreeMap<String, BTreeSet<String>>,
}

impl Graph {
    fn of_workspace() -> Result<Self> {
        Self::parse(&metadata()?).context("cargo metadata has an unknown form")
    }

    fn parse(metadata: &Value) -> Option<Self> {
        let mut graph = Self::default();
        let names: BTreeMap<&str, &str> = metadata["packages"]
            .as_array()?
            .iter()
            .filter_map(|package| Some((package["id"].as_str()?, package["name"].as_str()?)))
            .collect();
        for member in metadata["workspace_members"].as_array()? {
            graph.members.insert((*names.get(member.as_str()?)?).to_owned());
        }
        for node in metadata["resolve"]["nodes"].as_array()? {
            let name = (*names.get(node["id"].as_str()?)?).to_owned();
            for dependency in node["deps"].as_array()? {
                let to = (*names.get(dependency["pkg"].as_str()?)?).to_owned();
                for kind in dependency["dep_kinds"].as_array()? {
                    let map = if kind["kind"] == "dev" { &mut graph.dev } else { &mut graph.normal };
                    map.entry(name.clone()).or_default().insert(to.clone());
                }
            }
        }
        Some(graph)
    }

    fn direct(&self, package: &str) -> impl Iterator<Item = &str> {
        self.normal.get(package).into_iter().flatten().map(String::as_str)
    }

    fn reachable(&self, package: &str) -> BTreeSet<&str> {
        let mut reached = BTreeSet::new();
        let mut open: Vec<&str> = self.direct(package).collect();
        while let Some(name) = open.pop() {
            if reached.insert(name) {
                open.extend(self.direct(name));
            }
        }
        reached
    }

    /// Every breach of the rules, a sentence each.
    fn breaches(&self) -> Vec<String> {
        let mut breaches = Vec::new();
        for (package, allowed) in PURE {
            if !self.members.contains(*package) {
                breaches.push(format!("{package} has rules but is not in the workspace"));
            }
            breaches.extend(self.direct(package).filter(|name| !allowed.contains(name)).map(|name| {
                format!("{package} is pure and may not depend on {name} (see PURE in xtask's checks)")
            }));
        }
        for (package, unreachable) in UNREACHABLE {
            let reached = self.reachable(package);
            breaches.extend(
                unreachable
                    .iter()
                    .filter(|name| reached.contains(*name))
                    .map(|name| format!("{package} must not reach {name}")),
            );
        }
        for (name, owner) in OWNERS {
            let names = |package: &str, edges: &BTreeMap<String, BTreeSet<String>>| {
                edges.get(package).is_some_and(|dependencies| dependencies.contains(*name))
            };
            if !names(owner, &self.normal) {
                breaches.push(format!("{owner} owns {name} but does not depend on it"));
            }
            let strangers = self
                .members
                .iter()
                .filter(|member| member.as_str() != *owner && !TOOLS.contains(&member.as_str()))
                .filter(|member| names(member, &self.normal));
            breaches.extend(
                strangers.map(|member| format!("{member} depends on {name}, which belongs to {owner}")),
            );
        }
        breaches
    }
}

/// All packages of the workspace and how they depend on each other, for every target.
fn metadata() -> Result<Value> {
    Ok(serde_json::from_str(&output(cargo().args(["metadata", "--locked", "--format-version", "1"]))?)?)
}

/// Checks the direction of dependencies, as `src-tauri/README.md` draws it.
pub fn layering() -> Result<()> {
    let mut breaches = Graph::of_workspace()?.breaches();
    for (package, _) in PURE {
        let folder = package.trim_start_matches("schemascope-");
        let path = root().join("src-tauri/crates").join(folder).join("clippy.toml");
        if !fs::read_to_string(&path).is_ok_and(|text| text == PURE_RULES) {
            breaches.push(format!(
                "{package} is pure, so src-tauri/crates/{folder}/clippy.toml must equal xtask/pure-clippy.toml"
            ));
        }
    }
    if breaches.is_empty() { Ok(()) } else { bail!("{}", breaches.join("\n")) }
}

/// Checks that serde_json's `arbitrary_precision`, which changes how numbers reach every visitor of the workspace, is
/// off.
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
            "serde_json's feature arbitrary_precision is on; `cargo tree -e features -i serde_json` shows who enables it"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::sync::OnceLock;

    use super::*;

    fn workspace() -> &'static Graph {
        static GRAPH: OnceLock<Graph> = OnceLock::new();
        GRAPH.get_or_init(|| Graph::of_workspace().unwrap())
    }

    fn with(package: &str, dependency: &str) -> Vec<String> {
        let mut graph = workspace().clone();
        graph.normal.entry(package.to_owned()).or_default().insert(dependency.to_owned());
        graph.breaches()
    }

    #[test]
    fn workspace_keeps_its_rules() {
        layering().unwrap();
    }

    #[test]
    fn workspace_graph_sees_every_member_and_target() {
        let graph = workspace();
        let blind: Vec<_> =
            graph.members.iter().filter(|member| graph.direct(member).next().is_none()).collect();
        assert!(blind.is_empty(), "no dependencies seen of {blind:?}");
        assert!(
            graph.direct("schemascope-ui").any(|name| name == "leptos"),
            "leptos is a dependency for wasm32"
        );
        assert!(
            graph.direct("schemascope-desktop").any(|name| name == "gtk"),
            "gtk is a dependency for Linux"
        );
    }

    #[test]
    fn pure_crate_with_an_unlisted_dependency_is_a_breach() {
        for dependency in ["tokio", "hyper", "schemascope-journal", "schemascope-proxy"] {
            let found = with("schemascope-shape", dependency);
            assert!(found.iter().any(|line| line.contains("pure") && line.contains(dependency)), "{found:?}");
        }
    }

    #[test]
    fn external_crate_with_a_second_owner_is_a_breach() {
        for (name, _) in OWNERS {
            let found = with("schemascope", name);
            assert!(found.iter().any(|line| line.contains("belongs to") && line.contains(name)), "{found:?}");
        }
    }

    #[test]
    fn forbidden_crate_reached_over_others_is_a_breach() {
        let found = with("schemascope-judge", "sled");
        assert!(found.contains(&"schemascope-proxy must not reach sled".to_owned()), "{found:?}");
    }

    #[test]
    fn clippy_rejects_clock_files_network_and_processes_in_pure_crates() {
        let crate_folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(crate_folder.path().join(name), text).unwrap();
        write(
            "Cargo.toml",
            "[package]\nname = \"planted\"\nedition = \"2024\"\n[lib]\npath = \"lib.rs\"\n[workspace]\n",
        );
        write("clippy.toml", PURE_RULES);
        write(
            "lib.rs",
            "//! Breaches.\n\
             pub fn file() -> std::io::Result<Vec<u8>> { std::fs::read(\"a\") }\n\
             pub fn open() -> std::io::Result<std::fs::File> { std::fs::File::open(\"a\") }\n\
             pub fn clock() -> std::time::SystemTime { std::time::SystemTime::now() }\n\
             pub fn timer() -> std::time::Instant { std::time::Instant::now() }\n\
             pub fn net() -> std::io::Result<std::net::TcpStream> { std::net::TcpStream::connect(\"a:1\") }\n\
             pub fn variable() -> Option<String> { std::env::var(\"A\").ok() }\n\
             pub fn process() -> std::process::Command { std::process::Command::new(\"a\") }\n\
             pub fn thread() { let _ = std::thread::spawn(|| ()); }\n",
        );
        let run = Command::new("cargo")
            .args(["clippy", "--offline", "--quiet", "--", "-D", "clippy::disallowed_methods"])
            .current_dir(crate_folder.path())
            .env("CARGO_TARGET_DIR", crate_folder.path().join("target"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stderr);
        for method in [
            "fs::read",
            "fs::File::open",
            "SystemTime::now",
            "Instant::now",
            "TcpStream::connect",
            "env::var",
            "Command::new",
            "thread::spawn",
        ] {
            assert!(
                said.contains(&format!("`std::{}`", method)) || said.contains(method),
                "{method}: {said}"
            );
        }
        assert!(!run.status.success());
    }
}
