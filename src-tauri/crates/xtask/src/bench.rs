//! `cargo xtask bench`: installs the products that a bench compares with, and runs it in release mode. The benches
//! are programs in `tests/benches`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::setup::{npm, pinned, python};
use crate::shell::{cargo, must, root, step, succeeds, target};

/// The help text.
pub const USAGE: &str = "\
cargo xtask bench NAME [OPTIONS]

  cli             what hostile values become as arguments of a program, and what a call costs over the program
  compose         how right edges between tools, plans and suggestions are, on simulated servers
  accuracy        how right learned schemas are by number of observations, beside GenSON
  drift           how often drift is reported by mistake, and how soon changes are found
  proxy           what the proxy costs, beside no proxy, a bare rmcp forwarder and published proxies
  graph           how quick the Graph page is in Chromium with 1,000 tools
  help            how much of the help of 114 programs is read rightly, beside two regular expressions
  interview       whole interviews with scripted experts of 1,600 generated products, and how long each tool takes
  shape           how fast shapes are learned, beside genson-rs, GenSON and parsing alone
  store           what a store of a million calls costs: opening, any page, rebuilding the index
  wrappers        whether generated wrappers compile and what they accept, beside published generators, and how quick
  textform        how much text of tools is learnable, and how much plain text is mistaken for structure

NAME --help prints the options. The first run installs the products to compare with (into the target folder).";

/// The source distribution with JSON-Schema-Test-Suite.
const SUITE: &str = "jsonschema-4.26.0";
const GENSON_RS: &str = "0.2.0";

/// The benches.
pub const NAMES: &[&str] = &[
    "accuracy",
    "cli",
    "compose",
    "drift",
    "graph",
    "help",
    "interview",
    "proxy",
    "shape",
    "store",
    "textform",
    "wrappers",
];

/// Runs one of the benches. Whether its bars were passed.
pub fn run(name: &str, options: &[&str]) -> Result<bool> {
    let tools = target()?.join("tools/bench");
    let asks = options.iter().any(|option| ["--help", "-h"].contains(option));
    if asks || ["compose", "drift", "help", "store", "textform"].contains(&name) {
        // These need no products to compare with.
    } else if ["cli", "interview", "graph"].contains(&name) {
        if name == "graph" {
            crate::setup::servers()?;
            crate::ui::build()?;
        }
        release("schemascope", &["-p", "schemascope"])?;
    } else if name == "wrappers" {
        wrappers(&tools.join("wrappers"))?;
        generators(&tools.join("generators"))?;
        release("schemascope", &["-p", "schemascope"])?;
    } else if name == "accuracy" {
        examples(&tools)?;
        genson(&tools)?;
        if options.contains(&"--formats") {
            formats(&tools)?;
        }
    } else if name == "proxy" {
        welcome([npm_proxies(&tools), python_proxy(&tools)]);
        release("schemascope", &["-p", "schemascope"])?;
        release("the upstream", &["-p", "schemascope-upstreams", "--bin", "payload"])?;
        release("the bare forwarder", &["-p", "schemascope-benches", "--bin", "bare"])?;
    } else {
        examples(&tools)?;
        welcome([genson(&tools), genson_rs(&tools)]);
        release("schemascope", &["-p", "schemascope"])?;
    }
    let package = if name == "compose" { "schemascope-worlds" } else { "schemascope-benches" };
    let mut bench = cargo();
    bench.args(["run", "--release", "--locked", "--quiet", "-p", package, "--bin", name, "--"]);
    succeeds(bench.args(options))
}

/// What wrappers are compiled and checked with, and JSON-Schema-Test-Suite.
fn wrappers(tools: &Path) -> Result<()> {
    let from = peers().join("wrappers");
    step("checkers of Python", || pinned(&tools.join("python"), &from, &["requirements.txt"], python))?;
    step("checkers of TypeScript", || {
        pinned(&tools.join("npm"), &from, &["package.json", "package-lock.json"], npm)
    })?;
    if tools.join(SUITE).is_dir() {
        return Ok(());
    }
    step("JSON-Schema-Test-Suite from PyPI", || {
        let download = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"];
        let sdist = ["--no-binary", "jsonschema", "jsonschema==4.26.0", "--dest"];
        must(Command::new(tools.join("python/bin/python")).args(download).args(sdist).arg(tools))?;
        must(
            Command::new("tar").arg("xzf").arg(tools.join(SUITE.to_owned() + ".tar.gz")).arg("-C").arg(tools),
        )
    })
}

/// Generators of code to compare with.
fn generators(tools: &Path) -> Result<()> {
    let from = peers().join("generators");
    step("generators from PyPI", || pinned(&tools.join("python"), &from, &["requirements.txt"], python))?;
    step("generators from npm", || {
        pinned(&tools.join("npm"), &from, &["package.json", "package-lock.json"], npm)
    })
}

/// Prints which products are missing; they are left out of the table.
fn welcome(peers: impl IntoIterator<Item = Result<()>>) {
    for error in peers.into_iter().filter_map(Result::err) {
        println!("   continues without it: {error:#}");
    }
}

/// Builds a program as users run it.
fn release(name: &str, what: &[&str]) -> Result<()> {
    step(&format!("{name} (a release build)"), || {
        must(cargo().args(["build", "--release", "--locked", "--quiet"]).args(what))
    })
}

/// The proxies to measure against, from npm.
fn npm_proxies(tools: &Path) -> Result<()> {
    let pins = ["package.json", "package-lock.json"];
    step("proxies from npm", || pinned(&tools.join("proxies-npm"), &peers().join("proxies"), &pins, npm))
}

/// The proxy to measure against, from PyPI.
fn python_proxy(tools: &Path) -> Result<()> {
    let pins = ["requirements.txt"];
    step("a proxy from PyPI", || {
        pinned(&tools.join("proxies-python"), &peers().join("proxies"), &pins, python)
    })
}

/// GitHub's payloads and their schemas, from npm.
fn examples(tools: &Path) -> Result<()> {
    step("GitHub's webhook payloads from npm", || {
        pinned(&tools.join("npm"), &peers(), &["package.json", "package-lock.json"], npm)
    })
}

/// Real documents of public formats, from the packages that have some.
fn formats(tools: &Path) -> Result<()> {
    let (folder, from) = (tools.join("formats"), peers().join("formats"));
    step("documents of public formats from PyPI and npm", || {
        pinned(&folder, &from, &["requirements.txt", "packages.txt", "fetch.py"], |folder| {
            python(folder)?;
            must(Command::new(folder.join("bin/python")).arg(folder.join("fetch.py")).arg(folder))
        })
    })
}

/// GenSON, from PyPI.
fn genson(tools: &Path) -> Result<()> {
    step("GenSON from PyPI", || pinned(&tools.join("python"), &peers(), &["requirements.txt"], python))
}

/// genson-rs, from crates.io.
fn genson_rs(tools: &Path) -> Result<()> {
    if tools.join("bin/genson-rs").is_file() {
        return Ok(());
    }
    step("genson-rs (built once)", || {
        let mut install = cargo();
        install.args(["install", "genson-rs", "--version", GENSON_RS, "--locked", "--quiet", "--root"]);
        let build = tools.join("build");
        must(install.arg(tools).arg("--target-dir").arg(&build))?;
        Ok(fs::remove_dir_all(build)?)
    })
}

/// Where the peers are pinned.
fn peers() -> PathBuf {
    root().join("tests/benches/peers")
}
