//! `cargo xtask bench textform`: how much of what tools return can be learned, and how much plain text is mistaken for
//! structure.
//!
//! The census is one result of each tool of public servers, recorded in `tests/benches/census` before the readers of
//! text were written. Plain texts are files of the machine, given as directories.
#![allow(clippy::print_stdout, reason = "its tables go to stdout")]

mod plain;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use schemascope_model::Carrier;
use schemascope_registry::observe;
use serde::Deserialize;
use serde_json::value::RawValue;

const USAGE: &str = "\
cargo xtask bench textform [DIRECTORY...]

Without directories, reads the census. With directories, reads the plain texts below them.";

const RESULTS: &str = include_str!("../../census/results.ndjson");
/// Least share of tools that are learnable, in percent.
const BAR: usize = 75;

/// One tool of the census.
#[derive(Deserialize)]
struct Row {
    server: String,
    tool: String,
    result: Box<RawValue>,
}

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument.starts_with('-')) {
        println!("{USAGE}");
        return Ok(ExitCode::SUCCESS);
    }
    let passed = match arguments.as_slice() {
        [] => census()?,
        directories => plain::run(&directories.iter().map(PathBuf::from).collect::<Vec<_>>())?,
    };
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints how many tools of the census are learnable. Whether the bar was passed.
fn census() -> Result<bool> {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let mut servers: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for line in RESULTS.lines() {
        let row: Row = serde_json::from_str(line).context("a line of the census")?;
        let observation = observe(&row.result);
        let (kind, is_learnable) = match observation.as_ref().map(|found| (found.carrier, &*found.json)) {
            None => ("no text and no structure", false),
            Some((Carrier::Text, _)) => ("plain text", false),
            Some((Carrier::Markdown, _)) => ("Markdown", false),
            Some((Carrier::Structured, json)) if schemascope_textform::wrapped(json).is_some() => {
                ("plain text in `result`", false)
            }
            Some((Carrier::Structured, _)) => ("structured content", true),
            Some((Carrier::JsonInText, _)) => ("JSON in text", true),
            Some((Carrier::Python, _)) => ("Python literal", true),
            Some((Carrier::MarkdownJson, _)) => ("JSON in Markdown", true),
            Some((Carrier::MarkdownTable, _)) => ("Markdown table", true),
            Some((Carrier::Yaml, _)) => ("YAML", true),
            Some((Carrier::KeyValue, _)) => ("key and value lines, once they recur", true),
        };
        if !is_learnable {
            println!("  {}__{}: {kind}", row.server, row.tool);
        }
        *kinds.entry(kind).or_default() += 1;
        let (learnable, all) = servers.entry(row.server).or_default();
        *learnable += usize::from(is_learnable);
        *all += 1;
    }
    for (kind, count) in &kinds {
        println!("{count:>4}  {kind}");
    }
    let (learnable, all) = servers.values().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let mean = servers.values().map(|(learnable, all)| *learnable as f64 / *all as f64).sum::<f64>();
    println!(
        "{learnable} of {all} tools of {} servers are learnable: {:.1} %; mean of the servers {:.1} %",
        servers.len(),
        100.0 * learnable as f64 / all.max(1) as f64,
        100.0 * mean / servers.len().max(1) as f64
    );
    Ok(learnable * 100 >= all * BAR)
}
