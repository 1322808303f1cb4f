//! Building the dashboard: wasm, its glue, styles and fonts, into `ui/dist`, and compressed into
//! `ui/dist.gz`.
//!
//! The window embeds the first, `schemascope` the second. Files are written only when they change, so that
//! nothing is built anew without need.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

use crate::shell::{cargo, must, output, root, step, target};

/// The target it is built for.
pub const WASM: &str = "wasm32-unknown-unknown";
/// What the dashboard may weigh, gzipped, all files together.
const MAX_GZIPPED: u64 = 500_000;

/// Its files.
const FILES: &[&str] = &[
    "dashboard.css",
    "index.html",
    "inter.woff2",
    "jetbrains-mono.woff2",
    "logo.svg",
    "schemascope.js",
    "schemascope.wasm",
    "start.js",
    "theme.js",
];

/// Builds it.
pub fn build() -> Result<bool> {
    wasm_target()?;
    step("dashboard", || {
        must(
            cargo()
                .args(["build", "--locked", "--quiet", "-p", "schemascope-ui", "--target", WASM])
                .args(["--profile", "ui"])
                .env("RUSTFLAGS", rust_flags()?),
        )?;
        let dist = root().join("ui/dist");
        fs::create_dir_all(&dist)?;
        forget_others(&dist)?;
        bindgen(&dist)?;
        page(&dist)?;
        compress(&dist)
    })?;
    Ok(true)
}

/// Leptos then gives views one type instead of one each: a tenth less code. And paths of this machine have
/// no place in a page, nor any influence on its size.
fn rust_flags() -> Result<String> {
    let home =
        std::env::var("CARGO_HOME").or_else(|_| std::env::var("HOME").map(|home| format!("{home}/.cargo")));
    let remap = home.map(|home| format!(" --remap-path-prefix={home}/registry/src=")).unwrap_or_default();
    Ok(format!("--cfg erase_components{remap} --remap-path-prefix={}=", root().canonicalize()?.display()))
}

/// The standard library for wasm, which rustup brings.
fn wasm_target() -> Result<()> {
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    if Path::new(sysroot.trim()).join("lib/rustlib").join(WASM).exists() {
        return Ok(());
    }
    step("Rust's standard library for wasm", || {
        let added = Command::new("rustup").args(["target", "add", WASM]).stdout(Stdio::null()).status();
        if !added.is_ok_and(|status| status.success()) {
            bail!("the dashboard needs Rust's {WASM} target: rustup target add {WASM}");
        }
        Ok(())
    })
}

/// Files of earlier that are no part of the dashboard any more.
fn forget_others(dist: &Path) -> Result<()> {
    let compressed = root().join("ui/dist.gz");
    fs::create_dir_all(&compressed)?;
    for folder in [dist, &compressed] {
        for file in fs::read_dir(folder)? {
            let path = file?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if !FILES.contains(&name.trim_end_matches(".gz")) {
                fs::remove_file(path)?;
            }
        }
    }
    Ok(())
}

fn bindgen(dist: &Path) -> Result<()> {
    let wasm = target()?.join(WASM).join("ui/schemascope_ui.wasm");
    let made = target()?.join(WASM).join("bindgen");
    Bindgen::new()
        .input_path(&wasm)
        .out_name("schemascope")
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .web(true)?
        .generate(&made)?;
    copy(&made.join("schemascope_bg.wasm"), &dist.join("schemascope.wasm"))?;
    let glue = fs::read_to_string(made.join("schemascope.js"))?;
    write(&dist.join("schemascope.js"), without_comments(&glue).as_bytes())
}

/// The glue explains itself to people at length, in comments on lines of their own; browsers need none
/// of it.
fn without_comments(js: &str) -> String {
    let mut inside = false;
    let kept = js.lines().filter(|line| {
        let line = line.trim();
        inside = inside || line.starts_with("/**");
        let is_comment = inside || line.starts_with("// ");
        inside = inside && !line.ends_with("*/");
        !is_comment && !line.is_empty()
    });
    kept.map(str::trim_start).collect::<Vec<_>>().join("\n")
}

/// In this order, since what comes later overrides.
const STYLES: &[&str] = &[
    "1-ground",
    "2-parts",
    "2-dialogs",
    "3-overview",
    "3-tools",
    "3-calls",
    "4-settings",
    "4-versions",
    "5-sizes",
];

fn page(dist: &Path) -> Result<()> {
    let root = root();
    for file in ["ui/theme.js", "ui/start.js", "assets/logo.svg"] {
        let name = Path::new(file).file_name().context("a file has a name")?;
        copy(&root.join(file), &dist.join(name))?;
    }
    // One file for the browser.
    let mut styles = String::new();
    for part in STYLES {
        styles += &fs::read_to_string(root.join(format!("assets/styles/{part}.css")))?;
    }
    write(&dist.join("dashboard.css"), styles.as_bytes())?;
    for font in ["inter.woff2", "jetbrains-mono.woff2"] {
        copy(&root.join("assets/fonts").join(font), &dist.join(font))?;
    }
    // In the page itself, so that no icon comes late.
    let icons = fs::read_to_string(root.join("assets/icons.svg"))?;
    let html = fs::read_to_string(root.join("ui/index.html"))?;
    write(&dist.join("index.html"), html.replace("<!-- icons -->", icons.trim()).as_bytes())
}

/// Compresses what browsers get, tells what that weighs, and refuses too much.
fn compress(dist: &Path) -> Result<()> {
    let compressed = root().join("ui/dist.gz");
    fs::create_dir_all(&compressed)?;
    let mut total = 0;
    for file in fs::read_dir(dist)? {
        let file = file?;
        let to = compressed.join(format!("{}.gz", file.file_name().display()));
        let made_of = file.metadata()?.modified()?;
        // zopfli takes its time.
        if !fs::metadata(&to).and_then(|made| made.modified()).is_ok_and(|made| made >= made_of) {
            let bytes = fs::read(file.path())?;
            let mut gzip = Vec::new();
            zopfli::compress(zopfli::Options::default(), zopfli::Format::Gzip, &bytes[..], &mut gzip)?;
            // Never half a file under its name: it would be embedded from then on.
            let unfinished = to.with_extension("new");
            fs::write(&unfinished, gzip)?;
            fs::rename(unfinished, &to)?;
        }
        total += fs::metadata(&to)?.len();
    }
    println!("   {} kB gzipped, fonts included", total / 1_000);
    if total > MAX_GZIPPED {
        bail!("the dashboard weighs {total} bytes gzipped; at most {MAX_GZIPPED} are allowed");
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let bytes = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
    write(to, &bytes)
}

fn write(to: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(to).is_ok_and(|known| known == bytes) {
        return Ok(());
    }
    fs::write(to, bytes).with_context(|| format!("cannot write {}", to.display()))
}
