//! Checks configuration and capabilities. Without a built dashboard a page that says so is embedded, so
//! that this package compiles in a fresh tree.

use std::path::{Path, PathBuf};
use std::{env, fs};

use tauri_build::{AppManifest, Attributes};

const DIST: &str = "../ui/dist";
const CONFIG: &str = "TAURI_CONFIG";
/// Set while the dashboard is being built and everything else is compiled.
const UNFINISHED: &str = "SCHEMASCOPE_DASHBOARD_UNFINISHED";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed={DIST}");
    println!("cargo:rerun-if-env-changed={UNFINISHED}");
    if env::var_os(UNFINISHED).is_some() {
        return Err("the dashboard is being built".into());
    }
    if !Path::new(DIST).join("index.html").is_file() && env::var_os(CONFIG).is_none() {
        let missing = PathBuf::from(env::var("OUT_DIR")?).join("missing");
        fs::create_dir_all(&missing)?;
        fs::write(missing.join("index.html"), include_str!("src/missing.html"))?;
        // What `generate_context!` merges over tauri.conf.json.
        println!("cargo:rustc-env={CONFIG}={{\"build\":{{\"frontendDist\":{missing:?}}}}}");
    }
    // Named here, the commands need a permission like any other.
    let manifest = AppManifest::new().commands(&["call", "follow", "save"]);
    Ok(tauri_build::try_build(Attributes::new().app_manifest(manifest))?)
}
