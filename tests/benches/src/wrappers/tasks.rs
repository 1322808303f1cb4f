//! Whether the three programs that `report` counts tokens of print the same, for real results and variants of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use schemascope_benches::places;
use schemascope_codegen::{Language, Manifest, Strategy, Tool, folder, task};
use schemascope_model::{Quality, Source, ToolId};
use schemascope_shape::{Policy, Shape};
use serde_json::{Value, json};

use crate::cases::{Case, Suite};

/// One good result of each of 164 tools of public servers.
const RESULTS: &str = include_str!("../../census/results.ndjson");

/// A tool with its results.
struct Observed {
    tool: Tool,
    results: Vec<Value>,
}

/// Runs the programs and compares what they print. Whether all do the same.
pub fn check(out: &Path) -> Result<bool> {
    let tools = observed()?;
    let mut cases = Vec::new();
    for (name, strategy) in [("helper", Strategy::Helper), ("model", Strategy::Inferred)] {
        let wanted: Vec<Tool> = tools.iter().map(|one| Tool { strategy, ..one.tool.clone() }).collect();
        let all: Vec<_> =
            wanted.iter().map(|tool| (tool.id.server().to_owned(), tool.id.tool().to_owned())).collect();
        let python = BTreeSet::from([Language::Python]);
        let (files, manifest) = folder(&wanted, &all, &python, &Manifest::default(), |_| None);
        for file in files {
            let path = out.join(name).join(&file.path);
            fs::create_dir_all(path.parent().context("a file has a folder")?)?;
            fs::write(path, file.text)?;
        }
        if strategy == Strategy::Inferred {
            for Observed { tool, results } in &tools {
                let id = tool.id.to_string();
                let entry = manifest.tools.iter().find(|entry| entry.tool_id == id).context("a wrapper")?;
                let task = task(tool, entry);
                cases.push(json!({
                    "tool": id, "module": entry.module, "result": entry.result, "results": results,
                    "defensive": task.defensive.body, "helper": task.helper.body, "model": task.model.body,
                }));
            }
        }
    }
    let path = out.join("tasks.json");
    fs::write(&path, Value::from(cases).to_string())?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/wrappers/driver_tasks.py");
    let run =
        Command::new(places::tools()?.join("wrappers/python/bin/python")).arg(script).arg(&path).output()?;
    print!("{}", String::from_utf8_lossy(&run.stdout));
    ensure!(run.status.code().is_some_and(|code| code < 2), "{}", String::from_utf8_lossy(&run.stderr));
    Ok(run.status.success())
}

/// The results with the schemas that were learned from them.
pub fn results() -> Result<Suite> {
    let mut suite = Suite::default();
    for Observed { tool, results } in observed()? {
        let (schema, about) = (suite.schemas.len(), tool.id.to_string());
        suite.schemas.push((about.replace("__", " "), tool.output_schema.unwrap_or_default()));
        suite.cases.extend(results.into_iter().map(|value| Case {
            schema,
            about: about.clone(),
            json: value.to_string(),
            valid: true,
        }));
    }
    Ok(suite)
}

fn observed() -> Result<Vec<Observed>> {
    let mut tools = Vec::new();
    for line in RESULTS.lines() {
        let row: Value = serde_json::from_str(line)?;
        let result = &row["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        let structured = Some(&result["structuredContent"]).filter(|value| !value.is_null()).cloned();
        let Some(value) = structured.or_else(|| serde_json::from_str(text).ok()) else { continue };
        let results = variants(&value);
        let mut shape = Shape::new();
        for result in &results {
            shape.observe(result.to_string().as_bytes()).ok().context("a result is readable")?;
        }
        tools.push(Observed {
            tool: Tool {
                id: ToolId::new(
                    row["server"].as_str().unwrap_or_default(),
                    row["tool"].as_str().unwrap_or_default(),
                )?,
                description: String::new(),
                strategy: Strategy::Inferred,
                source: Source::Inferred,
                quality: Quality::High,
                observation_count: results.len() as u64,
                version: None,
                input_schema: json!({"type": "object"}),
                output_schema: Some(shape.schema(&Policy::default())),
                is_text: false,
                is_gone: false,
            },
            results,
        });
    }
    Ok(tools)
}

/// The value, and the value without each of its keys, with null there, and with an empty list where it has one.
fn variants(value: &Value) -> Vec<Value> {
    let mut variants = vec![value.clone()];
    for (key, inner) in value.as_object().into_iter().flatten() {
        let mut without = value.clone();
        without.as_object_mut().and_then(|members| members.remove(key));
        variants.push(without);
        for other in [Some(Value::Null), inner.is_array().then(|| json!([]))].into_iter().flatten() {
            let mut changed = value.clone();
            changed[key] = other;
            variants.push(changed);
        }
    }
    if value.is_array() {
        variants.push(json!([]));
    }
    variants
}
