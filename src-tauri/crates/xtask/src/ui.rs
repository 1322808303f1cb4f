//! Building the dashboard: wasm, its glue, styles and fonts, into `ui/dist`, and compressed into
//! `ui/dist.gz`.
//!
//! The window embeds the first, `schemascope` the second. Files are written only when they change, so that
//! nothing is rebuilt without need.

mod lints;
mod wasm;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::shell::{cargo, must, output, root, step, target};
pub use lints::compile;

/// The target it is built for.
const WASM: &str = "wasm32-unknown-unknown";
/// The profile it is built with.
const PROFILE: &str = "ui";
/// Largest first load in bytes, gzipped: everything that Overview and Calls need.
const MAX_FIRST_LOAD: u64 = 400_000;

/// With this variable set, what embeds the dashboard does not compile.
pub const UNFINISHED: &str = "SCHEMASCOPE_DASHBOARD_UNFINISHED";

/// Whether it was built before.
pub fn is_built() -> bool {
    root().join("ui/dist.gz").is_dir()
}

/// Builds the dashboard.
pub fn build() -> Result<bool> {
    build_with(|cargo| Ok(cargo))
}

/// Builds the dashboard, and has this clippy lint it. A finding is an error.
pub fn build_with_lints(clippy: &Path) -> Result<bool> {
    build_with(|cargo| lints::with_lints(cargo, clippy))
}

fn build_with(change: impl FnOnce(&mut Command) -> Result<&mut Command>) -> Result<bool> {
    wasm_target()?;
    step("dashboard", || {
        must(
            change(&mut cargo())?
                .args(["rustc", "--locked", "--quiet", "-p", "schemascope-ui", "--target", WASM])
                .args(["--profile", PROFILE, "--", wasm::EMIT_RELOCATIONS])
                .env("RUSTFLAGS", rust_flags()?),
        )?;
        let mut files = Files::default();
        let linked = target()?.join(WASM).join("ui/schemascope_ui.wasm");
        for code in wasm::files(&linked, &target()?.join(WASM).join("split"))? {
            files.add(&code.name, code.bytes, code.on_demand);
        }
        page(&mut files)?;
        files.write()
    })?;
    Ok(true)
}

/// `erase_components` gives all views one type, which saves a tenth of the code. Paths of this machine are removed,
/// so that they appear in no page and do not change its size.
fn rust_flags() -> Result<String> {
    let home =
        std::env::var("CARGO_HOME").or_else(|_| std::env::var("HOME").map(|home| format!("{home}/.cargo")));
    let remap = home.map(|home| format!(" --remap-path-prefix={home}/registry/src=")).unwrap_or_default();
    Ok(format!("--cfg erase_components{remap} --remap-path-prefix={}=", root().canonicalize()?.display()))
}

/// Installs the standard library for wasm with rustup, if it is missing.
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

/// The files of the dashboard.
#[derive(Default)]
struct Files(BTreeMap<String, (Vec<u8>, bool)>);

impl Files {
    fn add(&mut self, name: &str, bytes: Vec<u8>, on_demand: bool) {
        self.0.insert(name.to_owned(), (bytes, on_demand));
    }

    fn copy(&mut self, path: &Path) -> Result<()> {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let name = path.file_name().and_then(|name| name.to_str()).context("a file has a name")?;
        self.add(name, bytes, false);
        Ok(())
    }

    /// Writes them as they are and compressed, removes all others, and rejects a first load that is too large.
    fn write(self) -> Result<()> {
        let (dist, compressed) = (root().join("ui/dist"), root().join("ui/dist.gz"));
        for folder in [&dist, &compressed] {
            fs::create_dir_all(folder)?;
            for file in fs::read_dir(folder)? {
                let path = file?.path();
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                if !self.0.contains_key(name.trim_end_matches(".gz")) {
                    fs::remove_file(path)?;
                }
            }
        }
        let (mut first_load, mut on_demand) = (0, 0);
        for (name, (bytes, is_on_demand)) in &self.0 {
            write(&dist.join(name), bytes)?;
            let size = compress(&dist.join(name), &compressed.join(format!("{name}.gz")))?;
            println!("   {size:>8} {name}");
            *(if *is_on_demand { &mut on_demand } else { &mut first_load }) += size;
        }
        println!("   {} kB gzipped at first, {} kB on demand", first_load / 1_000, on_demand / 1_000);
        if first_load > MAX_FIRST_LOAD {
            bail!("the first load has {first_load} bytes gzipped; at most {MAX_FIRST_LOAD} are allowed");
        }
        Ok(())
    }
}

fn page(files: &mut Files) -> Result<()> {
    let root = root();
    for file in ["ui/theme.js", "ui/start.js", "assets/logo.svg"] {
        files.copy(&root.join(file))?;
    }
    for font in ["inter.woff2", "jetbrains-mono.woff2"] {
        files.copy(&root.join("assets/fonts").join(font))?;
    }
    files.add("dashboard.css", styles(&root.join("assets/styles"))?.into_bytes(), false);
    // Those of pages whose code is loaded on demand, too.
    for name in ["more", "graph"] {
        let styles = styles(&root.join("assets/styles").join(name))?;
        files.add(&format!("{name}.css"), styles.into_bytes(), true);
    }
    guide(files)?;
    // Icons are part of the page, so that none appears late.
    let icons = fs::read_to_string(root.join("assets/icons.svg"))?;
    let html = fs::read_to_string(root.join("ui/index.html"))?;
    files.add("index.html", html.replace("<!-- icons -->", icons.trim()).into_bytes(), false);
    Ok(())
}

/// The styles of a folder as one file for the browser. Later styles override earlier ones.
fn styles(folder: &Path) -> Result<String> {
    let mut styles = String::new();
    for path in in_order(folder)?.iter().filter(|path| path.is_file()) {
        styles += &fs::read_to_string(path)?;
    }
    Ok(styles)
}

/// The topics of the guide a new user needs first; the others follow by name.
const FIRST_TOPICS: &[&str] = &["concepts", "connect", "review-and-promote", "graph"];

/// The user guide: a file per topic, and a list of the topics with their titles.
fn guide(files: &mut Files) -> Result<()> {
    let mut topics = String::new();
    let mut paths = in_order(&root().join("assets/guide"))?;
    let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let place =
        |path: &PathBuf| FIRST_TOPICS.iter().position(|topic| *topic == name(path)).unwrap_or(usize::MAX);
    paths.sort_by_key(place);
    for path in paths {
        let text = fs::read_to_string(&path)?;
        let name = name(&path);
        let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(&name);
        topics += &format!("{name}\t{title}\n");
        files.add(&format!("guide-{name}.md"), text.into_bytes(), true);
    }
    files.add("guide.txt", topics.into_bytes(), true);
    Ok(())
}

/// The files of a folder in order of their names; none if it does not exist.
fn in_order(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let files = fs::read_dir(folder)?.map(|file| Ok(file?.path()));
    let mut paths = files.collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// Compresses a file unless it is up to date; returns the compressed size.
fn compress(from: &Path, to: &Path) -> Result<u64> {
    let changed = fs::metadata(from)?.modified()?;
    // zopfli is slow.
    if !fs::metadata(to).and_then(|made| made.modified()).is_ok_and(|made| made >= changed) {
        let bytes = fs::read(from)?;
        let mut gzip = Vec::new();
        // A megabyte of code gains 2 kB from more blocks than the default of 15.
        let options = zopfli::Options { maximum_block_splits: 100, ..Default::default() };
        zopfli::compress(options, zopfli::Format::Gzip, &bytes[..], &mut gzip)?;
        // An incomplete file under this name would be embedded from then on.
        let unfinished = to.with_extension("new");
        fs::write(&unfinished, gzip)?;
        fs::rename(unfinished, to)?;
    }
    Ok(fs::metadata(to)?.len())
}

fn write(to: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(to).is_ok_and(|known| known == bytes) {
        return Ok(());
    }
    fs::write(to, bytes).with_context(|| format!("cannot write {}", to.display()))
}
