//! Embeds the dashboard that `cargo xtask ui` built, compressed.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::path::Path;

const DIST: &str = "../../../ui/dist";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::var("OUT_DIR")?;
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={DIST}");
    let mut table = String::from("&[\n");
    let mut names: Vec<_> = match fs::read_dir(DIST) {
        Ok(files) => files.filter_map(|file| Some(file.ok()?.path())).filter(|path| path.is_file()).collect(),
        // The program works without; its place in the browser says how to get it.
        Err(_) => Vec::new(),
    };
    names.sort();
    for path in names {
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .ok_or("a file of the dashboard has an odd name")?;
        let bytes = fs::read(&path)?;
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let tag = format!("{:016x}", hasher.finish());
        // Fonts are compressed already.
        let gzipped = !name.ends_with(".woff2");
        let embedded = Path::new(&out).join(name);
        if gzipped {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            gzip.write_all(&bytes)?;
            fs::write(&embedded, gzip.finish()?)?;
        } else {
            fs::write(&embedded, bytes)?;
        }
        table += &format!("    ({name:?}, {tag:?}, {gzipped}, include_bytes!({embedded:?})),\n");
    }
    table += "]\n";
    Ok(fs::write(Path::new(&out).join("pages.rs"), table)?)
}
