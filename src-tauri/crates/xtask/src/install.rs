//! `cargo xtask install`: the programs with their dashboard, where cargo puts programs.

use anyhow::Result;

use crate::shell::{cargo, must, step};
use crate::{setup, ui};

/// Builds the dashboard and installs `schemascope` and, where it can be built, the window.
pub fn run() -> Result<bool> {
    ui::build()?;
    let install = |package: &str, path: &str| {
        step(&format!("{package} (a release build, some minutes)"), || {
            must(cargo().args(["install", "--locked", "--quiet", "--path", path]))
        })
    };
    install("schemascope", "src-tauri/crates/cli")?;
    match setup::window() {
        Ok(()) => install("schemascope-desktop", "src-tauri")?,
        Err(error) => println!("The window was left out: {error:#}"),
    }
    println!(
        "\nschemascope opens the window; schemascope serve runs without it; schemascope --help lists all commands."
    );
    Ok(true)
}
