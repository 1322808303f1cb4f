//! An upstream with scripted answers: a file names its tools and the answer of each, call by call.
//!
//! The file is an array of `{"definition": …, "results": […]}`. Definitions and results are answered byte for
//! byte; after the last result a tool repeats it.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};

use anyhow::Context;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Tool {
    definition: Box<RawValue>,
    results: Vec<Box<RawValue>>,
}

const HELLO: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"mirror","version":"1"}}"#;

fn main() -> anyhow::Result<()> {
    let path = std::env::args().nth(1).context("name the file with the tools")?;
    let tools: Vec<Tool> = serde_json::from_slice(&std::fs::read(path)?)?;
    let definitions: Vec<&str> = tools.iter().map(|tool| tool.definition.get()).collect();
    let list = format!("{{\"tools\":[{}]}}", definitions.join(","));
    let mut calls: HashMap<String, usize> = HashMap::new();
    let mut answer = |name: &str| {
        let named = |tool: &&Tool| {
            let definition: Result<Value, _> = serde_json::from_str(tool.definition.get());
            definition.is_ok_and(|definition| definition["name"] == name)
        };
        let results = &tools.iter().find(named)?.results;
        let count = calls.entry(name.to_owned()).or_default();
        let result = results.get(*count).or(results.last())?;
        *count += 1;
        Some(result.get())
    };
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let Some(id) = message.get("id") else { continue };
        let name = message["params"]["name"].as_str().unwrap_or_default();
        let result = match message["method"].as_str() {
            Some("initialize") => Some(HELLO),
            Some("tools/list") => Some(list.as_str()),
            Some("tools/call") => answer(name),
            _ => None,
        };
        let body = match result {
            Some(result) => format!("\"result\":{result}"),
            None => "\"error\":{\"code\":-32601,\"message\":\"Method not found\"}".to_owned(),
        };
        writeln!(out, "{{\"jsonrpc\":\"2.0\",\"id\":{id},{body}}}")?;
        out.flush()?;
    }
    Ok(())
}
