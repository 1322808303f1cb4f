//! Schemas that generators of code stumble over, and what published generators make of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use schemascope_benches::places;
use schemascope_codegen::Language;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::cases::{Case, Suite};
use crate::languages::Done;

const SCHEMAS: &str = include_str!("awkward.json");

#[derive(Deserialize)]
struct Awkward {
    description: String,
    schema: Value,
    accept: Vec<Box<RawValue>>,
    reject: Vec<Box<RawValue>>,
}

/// What a peer did.
#[derive(Debug, Deserialize)]
struct Peer {
    generate: usize,
    compile: usize,
    accepted: usize,
    unchanged: usize,
    rejected: usize,
}

/// The schemas. Fails if the crate `jsonschema` disagrees with a label.
pub fn suite() -> Result<Suite> {
    let mut suite = Suite::default();
    for Awkward { description, schema, accept, reject } in serde_json::from_str::<Vec<Awkward>>(SCHEMAS)? {
        let validator = jsonschema::validator_for(&schema).map_err(|error| anyhow::anyhow!("{error}"))?;
        let at = suite.schemas.len();
        let labelled =
            accept.into_iter().map(|json| (json, true)).chain(reject.into_iter().map(|json| (json, false)));
        for (json, valid) in labelled {
            let value = serde_json::from_str(json.get())?;
            ensure!(validator.is_valid(&value) == valid, "{description}: {json} is labelled wrongly");
            let about = format!("awkward: {description}");
            suite.cases.push(Case { schema: at, about, json: json.get().to_owned(), valid });
        }
        suite.schemas.push((description, schema));
    }
    Ok(suite)
}

/// Runs the peers and prints the table. Whether no peer is better in a column.
pub fn compare(suite: &Suite, ours: &[(Language, Done)]) -> Result<bool> {
    let texts = |schema: usize, valid: bool| -> Vec<&str> {
        let cases = suite.cases.iter().filter(|case| case.schema == schema && case.valid == valid);
        cases.map(|case| case.json.as_str()).collect()
    };
    let cases = suite.schemas.iter().enumerate().map(
        |(at, (_, schema))| json!({"schema": schema, "accept": texts(at, true), "reject": texts(at, false)}),
    );
    let scratch = tempfile::tempdir()?;
    let path = scratch.path().join("cases.json");
    fs::write(&path, Value::from_iter(cases).to_string())?;
    let script = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("src/wrappers").join(name);
    let tools = places::tools()?.join("generators");
    let npm = tools.join("npm");
    let mut peers = counts(Command::new(tools.join("python/bin/python")).arg(script("peer.py")).arg(&path))?;
    peers.extend(counts(Command::new("node").arg(script("peer.mjs")).arg(&path).arg(&npm))?);
    println!("\n{:40} generate  compile  accepted  unchanged  rejected", "");
    let all = suite.schemas.len();
    for (language, Done { accepted, unchanged, rejected, .. }) in ours {
        let name = format!("schemascope, {}", language.word());
        println!("{name:40} {all:8} {all:8} {accepted:9} {unchanged:10} {rejected:9}");
    }
    for (name, Peer { generate, compile, accepted, unchanged, rejected }) in &peers {
        println!("{name:40} {generate:8} {compile:8} {accepted:9} {unchanged:10} {rejected:9}");
    }
    let best = |column: fn(&Peer) -> usize| peers.values().map(column).max().unwrap_or_default();
    let (accepted, unchanged, rejected) =
        (best(|peer| peer.accepted), best(|peer| peer.unchanged), best(|peer| peer.rejected));
    Ok(ours.iter().all(|(_, done)| {
        done.accepted >= accepted && done.unchanged >= unchanged && done.rejected >= rejected
    }))
}

fn counts(command: &mut Command) -> Result<BTreeMap<String, Peer>> {
    let run = command.output()?;
    ensure!(run.status.success(), "{command:?} failed: {}", String::from_utf8_lossy(&run.stderr));
    serde_json::from_slice(&run.stdout).context("a peer prints counts")
}
