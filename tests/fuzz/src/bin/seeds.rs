//! Writes the inputs to begin with and the dictionaries into a folder, by target.

use std::fs;
use std::io::Result;
use std::path::Path;

use schemascope_fuzz::seeds::{self, BUNDLES, DOCUMENTS, SCHEMAS, STATES, calls, help, texts};

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_default();
    let curated = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src-tauri/crates/compare/tests/samples");
    for (target, dictionary, inputs) in [
        ("documents", DOCUMENTS.words.dictionary(), seeds::documents()),
        ("states", STATES.words.dictionary(), seeds::states()),
        ("bundles", BUNDLES.words.dictionary(), seeds::bundles()),
        ("schemas", SCHEMAS.words.dictionary(), seeds::schemas(&curated)),
        ("calls", DOCUMENTS.words.dictionary(), calls::calls()),
        ("texts", texts::dictionary(), texts::texts()),
        ("help", help::dictionary(), help::texts()),
    ] {
        let of_target = Path::new(&folder).join(target);
        fs::create_dir_all(&of_target)?;
        for (n, input) in inputs.iter().enumerate() {
            fs::write(of_target.join(format!("{n:03}")), input)?;
        }
        fs::write(of_target.with_extension("dict"), dictionary)?;
    }
    Ok(())
}
