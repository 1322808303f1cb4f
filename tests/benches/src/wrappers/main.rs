//! `cargo xtask bench wrappers`: whether generated wrappers compile, accept every valid value unchanged, and reject
//! invalid ones.
//!
//! The schemas and values are those of JSON-Schema-Test-Suite, draft 2020-12, as the source distribution of PyPI's
//! `jsonschema` has them.
#![allow(clippy::print_stdout, reason = "its tables go to stdout")]

mod cases;
mod languages;
mod rust;
mod tasks;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use schemascope_codegen::Language;

const USAGE: &str = "\
cargo xtask bench wrappers [--keep DIR] [--lang LANG]

  --keep DIR   writes the wrappers there and leaves them
  --lang LANG  python, typescript or rust; all by default";

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option =
        |name: &str| arguments.iter().position(|one| one == name).and_then(|at| arguments.get(at + 1));
    if arguments.iter().any(|argument| ["-h", "--help"].contains(&argument.as_str())) {
        println!("{USAGE}");
        return Ok(ExitCode::SUCCESS);
    }
    let suite = cases::suite()?;
    println!(
        "{} schemas, {} values valid and {} not",
        suite.schemas.len(),
        suite.cases.iter().filter(|case| case.valid).count(),
        suite.cases.iter().filter(|case| !case.valid).count()
    );
    let mut passed = true;
    for language in Language::ALL {
        let name = serde_json::to_value(language)?.as_str().unwrap_or_default().to_owned();
        if option("--lang").is_some_and(|wanted| *wanted != name) {
            continue;
        }
        let start = Instant::now();
        let scratch = tempfile::tempdir()?;
        let folder =
            option("--keep").map_or_else(|| scratch.path().to_owned(), |kept| kept.into()).join(&name);
        let manifest = languages::write(&suite, language, &folder)?;
        println!("\n{name}: {} wrappers written in {} ms", manifest.tools.len(), start.elapsed().as_millis());
        passed &= languages::check(&suite, language, &folder, &manifest)?;
        if language == Language::Python {
            passed &= tasks::check(&folder.join("tasks"))?;
        }
    }
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
