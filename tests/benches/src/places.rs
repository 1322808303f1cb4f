//! Folders of peers and examples. `cargo xtask bench` installs them; an error names what is missing.

use std::path::PathBuf;

use anyhow::{Context, Result};

/// The target folder this program was built in.
pub fn target() -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    // Tests lie one folder deeper than programs.
    let profile = own.ancestors().find(|folder| folder.ends_with("release") || folder.ends_with("debug"));
    let target = profile.and_then(|profile| profile.parent());
    Ok(target.context("this program lies in a target folder")?.to_owned())
}

/// The folder `cargo xtask bench` installs into.
pub fn tools() -> Result<PathBuf> {
    Ok(target()?.join("tools/bench"))
}

/// A Python that has GenSON; none where it could not be installed.
pub fn python() -> Option<PathBuf> {
    tools().ok().map(|tools| tools.join("python/bin/python")).filter(|path| path.is_file())
}

/// genson-rs's program; none where it could not be installed.
pub fn genson_rs() -> Option<PathBuf> {
    tools().ok().map(|tools| tools.join("bin/genson-rs")).filter(|path| path.is_file())
}

/// The npm package with GitHub's examples or schemas.
pub fn octokit(package: &str, file: &str) -> Result<PathBuf> {
    Ok(tools()?.join("npm/node_modules/@octokit").join(package).join(file))
}

/// The script that runs GenSON.
pub fn script() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src/genson_peer.py"))
}
