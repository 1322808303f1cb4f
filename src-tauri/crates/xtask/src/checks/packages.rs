//! What may come in: licences, sources and versions of the packages everything is built from.
//!
//! Advisories need a database from the network: `cargo deny check advisories`, with what `deny.toml` says of them.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use spdx::{Expression, Licensee, ParseMode};

use super::metadata;

/// All compatible with being offered under Apache-2.0 or MIT. CDLA is of the list of root certificates, data.
const LICENCES: &[&str] = &[
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];
/// Where packages come from, beside the workspace.
const SOURCE: &str = "registry+https://github.com/rust-lang/crates.io-index";
/// Packages that must not come in, not through another one either, and why.
const BANNED: &[(&str, &str)] = &[
    ("native-tls", "TLS is rustls here, and one is more than enough on loopback"),
    ("openssl-sys", "TLS is rustls here, and one is more than enough on loopback"),
    ("rusqlite", "a second store beside sled would be a second truth"),
];

/// Checks all packages the workspace is built from, for every target.
pub fn check() -> Result<()> {
    let breaches = breaches(&metadata()?).context("cargo metadata has an unknown form")?;
    if breaches.is_empty() { Ok(()) } else { bail!("{}", breaches.join("\n")) }
}

/// Every breach of the rules, a sentence each.
fn breaches(metadata: &Value) -> Option<Vec<String>> {
    let mut breaches = Vec::new();
    for package in metadata["packages"].as_array()? {
        let name = package["name"].as_str()?;
        let licence = package["license"].as_str().unwrap_or_default();
        if !is_allowed(licence) {
            breaches.push(format!("{name} has the licence {licence:?}, which is not among those allowed"));
        }
        match package["source"].as_str() {
            Some(SOURCE) => {}
            Some(source) => breaches.push(format!("{name} comes from {source}, not from crates.io")),
            None => breaches.extend(any_version(package["dependencies"].as_array()?).map(|dependency| {
                format!("{name} takes any version of {dependency}; name the one it was written for")
            })),
        }
        if let Some((_, reason)) = BANNED.iter().find(|(banned, _)| *banned == name) {
            breaches.push(format!("{name} must not come in: {reason}"));
        }
    }
    Some(breaches)
}

/// Dependencies from outside without a version.
fn any_version(dependencies: &[Value]) -> impl Iterator<Item = &str> {
    let any =
        dependencies.iter().filter(|dependency| dependency["req"] == "*" && dependency["path"].is_null());
    any.filter_map(|dependency| dependency["name"].as_str())
}

/// Whether some choice the expression offers, as of `MIT OR GPL-3.0`, is among [`LICENCES`].
fn is_allowed(licence: &str) -> bool {
    Expression::parse_mode(licence, ParseMode::LAX).is_ok_and(|expression| {
        expression.evaluate(|wanted| {
            let mut allowed = LICENCES.iter().filter_map(|licence| Licensee::parse(licence).ok());
            allowed.any(|licence| licence.satisfies(wanted))
        })
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_listed_licence_is_known() {
        for licence in LICENCES {
            assert!(Licensee::parse(licence).is_ok() && is_allowed(licence), "{licence}");
        }
    }

    #[test]
    fn one_allowed_choice_is_enough_and_each_part_is_needed() {
        for licence in ["MIT/Apache-2.0", "MIT OR GPL-3.0-only", "(MIT OR GPL-2.0-only) AND Unicode-3.0"] {
            assert!(is_allowed(licence), "{licence}");
        }
        for licence in
            ["", "GPL-3.0-only", "MIT AND GPL-3.0-only", "Apache-2.0 WITH Font-exception-2.0", "beer"]
        {
            assert!(!is_allowed(licence), "{licence}");
        }
    }

    #[test]
    fn breaches_are_named() {
        let metadata = json!({"packages": [
            {"name": "good", "license": "MIT", "source": SOURCE, "dependencies": [{"name": "any", "req": "*"}]},
            {"name": "ours", "license": "MIT", "source": null, "dependencies": [
                {"name": "neighbour", "req": "*", "path": "../neighbour"},
                {"name": "serde", "req": "*", "path": null},
            ]},
            {"name": "fork", "license": "MIT", "source": "git+https://example.org/fork", "dependencies": []},
            {"name": "rusqlite", "license": "MIT", "source": SOURCE, "dependencies": []},
            {"name": "copyleft", "license": "GPL-3.0-only", "source": SOURCE, "dependencies": []},
            {"name": "silent", "license": null, "source": SOURCE, "dependencies": []},
        ]});
        let breaches = breaches(&metadata).unwrap();
        let names: Vec<&str> = breaches.iter().filter_map(|breach| breach.split(' ').next()).collect();
        assert_eq!(names, ["ours", "fork", "rusqlite", "copyleft", "silent"]);
        assert!(breaches[0].contains("serde"));
    }
}
