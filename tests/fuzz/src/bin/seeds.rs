//! Writes the inputs to begin with and the dictionaries into a folder, by target.

use std::fs;
use std::io::Result;
use std::path::Path;

use schemascope_fuzz::seeds::{self, DOCUMENTS, SCHEMAS, STATES};

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_default();
    let curated = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src-tauri/crates/shape/tests/compare");
    for (target, kind, inputs) in [
        ("documents", DOCUMENTS, seeds::documents()),
        ("states", STATES, seeds::states()),
        ("schemas", SCHEMAS, seeds::schemas(&curated)),
    ] {
        let of_target = Path::new(&folder).join(target);
        fs::create_dir_all(&of_target)?;
        for (n, input) in inputs.iter().enumerate() {
            fs::write(of_target.join(format!("{n:03}")), input)?;
        }
        fs::write(of_target.with_extension("dict"), kind.words.dictionary())?;
    }
    Ok(())
}
