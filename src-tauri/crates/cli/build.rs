//! Embeds the dashboard that `cargo xtask ui` built.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::{env, fs};

/// Every file of the dashboard, compressed with gzip.
const DIST: &str = "../../../ui/dist.gz";
/// Set while it is being built and everything else is compiled.
const UNFINISHED: &str = "SCHEMASCOPE_DASHBOARD_UNFINISHED";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={DIST}");
    println!("cargo:rerun-if-env-changed={UNFINISHED}");
    if env::var_os(UNFINISHED).is_some() {
        return Err("the dashboard is being built".into());
    }
    let mut table = String::from("&[\n");
    let mut files: Vec<_> = match fs::read_dir(DIST) {
        Ok(files) => files.filter_map(|file| Some(file.ok()?.path())).collect(),
        // The program works without; its place in the browser says how to get it.
        Err(_) => Vec::new(),
    };
    files.sort();
    for path in files {
        let name = path
            .file_stem()
            .and_then(|name| name.to_str())
            .ok_or("a file of the dashboard has an odd name")?;
        let mut hasher = DefaultHasher::new();
        fs::read(&path)?.hash(&mut hasher);
        table += &format!(
            "    ({name:?}, \"{:016x}\", include_bytes!({:?})),\n",
            hasher.finish(),
            path.canonicalize()?
        );
    }
    table += "]\n";
    Ok(fs::write(Path::new(&env::var("OUT_DIR")?).join("pages.rs"), table)?)
}
