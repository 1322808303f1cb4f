//! The work of measured processes that are this program: reads lines and does one thing with each. Results are
//! printed as one line of JSON.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead, BufReader};

use anyhow::{Context, Result, anyhow, bail};
use schemascope_shape::{Emission, Policy, Shape};
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::inputs;

/// Documents after each of which a schema is emitted.
const EMISSIONS: usize = 2_000;

/// Does what is asked for by name.
pub fn run(name: &str, args: &[String]) -> Result<()> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match (name, args.as_slice()) {
        ("make", [name, path, megabytes]) => inputs::write(name, path, megabytes.parse()?),
        ("observe", [path]) => observe(path),
        ("emit", [path]) => emit(path),
        ("value", [path]) => each(path, |line| {
            black_box(serde_json::from_slice::<Value>(line)?);
            Ok(true)
        }),
        ("ignore", [path]) => each(path, |line| {
            black_box(serde_json::from_slice::<IgnoredAny>(line)?);
            Ok(true)
        }),
        _ => bail!("{name} is no work"),
    }
}

/// Every line in turn, until the work says it is enough.
fn each(path: &str, mut work: impl FnMut(&[u8]) -> Result<bool>) -> Result<()> {
    let mut lines = BufReader::with_capacity(1 << 20, File::open(path)?);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        if !work(line.trim_ascii_end())? {
            break;
        }
        line.clear();
    }
    Ok(())
}

/// The full state, and one schema at the end.
fn observe(path: &str) -> Result<()> {
    let mut shape = Shape::new();
    let mut documents = 0_u64;
    each(path, |line| {
        documents += 1;
        shape.observe(line).map_err(|error| anyhow!("document {documents}: {error}"))?;
        Ok(true)
    })?;
    let state = shape.to_state().len();
    let schema = shape.schema(&Policy::default()).to_string().len();
    println!("{}", json!({"documents": documents, "state": state, "schema": schema}));
    Ok(())
}

/// The schema kept up to date after every document.
fn emit(path: &str) -> Result<()> {
    let (mut shape, mut emission) = (Shape::new(), Emission::new(Policy::default()));
    let mut documents = 0;
    each(path, |line| {
        shape.observe(line).map_err(|error| anyhow!("{error}"))?;
        black_box(emission.update(&shape));
        documents += 1;
        Ok(documents < EMISSIONS)
    })?;
    println!("{}", json!({"documents": documents}));
    Ok(())
}

/// What a process printed about itself.
pub fn told(line: &str) -> Result<Value> {
    serde_json::from_str(line.trim()).with_context(|| format!("not JSON: {line}"))
}
