//! `cargo xtask bench wrappers`: whether generated wrappers compile, accept every valid value unchanged, and reject
//! invalid ones.
//!
//! Three sets: JSON-Schema-Test-Suite with hostile texts, random schemas, and awkward schemas of published kinds,
//! which peers read too.
#![allow(clippy::print_stdout, reason = "its tables go to stdout")]

mod awkward;
mod cases;
mod languages;
mod random_schemas;
mod random_values;
mod rust;
mod speed;
mod tasks;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use schemascope_codegen::Language;

use languages::Done;

const USAGE: &str = "\
cargo xtask bench wrappers [--only PART] [--lang LANG] [--seed N] [--count N] [--keep DIR]

  --only PART  suite, random, results, awkward, speed; all by default
  --lang LANG  python, typescript or rust; all by default
  --seed N     seed of the random schemas
  --count N    number of random schemas, 300 by default
  --keep DIR   writes the wrappers there and leaves them";

/// Seed of the random schemas whose figures are published.
const SEED: u64 = 20_261_124;
const COUNT: usize = 300;

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option =
        |name: &str| arguments.iter().position(|one| one == name).and_then(|at| arguments.get(at + 1));
    if arguments.iter().any(|argument| ["-h", "--help"].contains(&argument.as_str())) {
        println!("{USAGE}");
        return Ok(ExitCode::SUCCESS);
    }
    let number = |name: &str| option(name).map(|text| text.parse::<u64>()).transpose();
    let seed = number("--seed")?.unwrap_or(SEED);
    let count = number("--count")?.map_or(COUNT, |count| count as usize);
    let is_wanted = |part: &str| option("--only").is_none_or(|only| only == part);
    let is_spoken = |language: &Language| option("--lang").is_none_or(|wanted| wanted == language.word());
    let mut passed = true;
    let mut run = |part: &str, suite: &cases::Suite| -> Result<Vec<(Language, Done)>> {
        println!(
            "\n# {part}: {} schemas, {} values valid and {} not",
            suite.schemas.len(),
            suite.cases.iter().filter(|case| case.valid).count(),
            suite.cases.iter().filter(|case| !case.valid).count()
        );
        let mut all = Vec::new();
        for language in Language::ALL.into_iter().filter(is_spoken) {
            let start = Instant::now();
            let scratch = tempfile::tempdir()?;
            let out = option("--keep").map_or_else(|| scratch.path().to_owned(), |kept| kept.into());
            let folder = out.join(part).join(language.word());
            let manifest = languages::write(suite, language, &folder)?;
            let (written, wrappers) = (start.elapsed().as_millis(), manifest.tools.len());
            println!("\n{}: {wrappers} wrappers written in {written} ms", language.word());
            let done = languages::check(suite, language, &folder, &manifest)?;
            passed &= done.passed;
            all.push((language, done));
            if language == Language::Python && part == "suite" {
                passed &= tasks::check(&folder.join("tasks"))?;
            }
        }
        Ok(all)
    };
    if is_wanted("suite") {
        run("suite", &cases::suite()?)?;
    }
    if is_wanted("random") {
        run("random", &random_schemas::suite(seed, count)?)?;
    }
    if is_wanted("results") {
        run("results", &tasks::results()?)?;
    }
    if is_wanted("awkward") {
        let suite = awkward::suite()?;
        let ours = run("awkward", &suite)?;
        passed &= awkward::compare(&suite, &ours)?;
    }
    if is_wanted("speed") {
        passed &= speed::measure()?;
    }
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
