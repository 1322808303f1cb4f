//! Writes the wrappers of a suite, and runs them in one process per language.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use schemascope_benches::places;
use schemascope_codegen::{Entry, Language, Manifest, Strategy, Tool, folder};
use schemascope_model::{Quality, Source, ToolId};
use serde::Deserialize;
use serde_json::json;

use crate::cases::Suite;
use crate::rust;

/// Least share of invalid values that are rejected, in percent.
const BAR: usize = 90;

/// What became of a value.
#[derive(Debug, Deserialize)]
struct Outcome {
    accepted: bool,
    unchanged: bool,
    error: Option<String>,
}

/// Writes wrappers whose results have the suite's schemas.
pub fn write(suite: &Suite, language: Language, out: &Path) -> Result<Manifest> {
    let mut tools = Vec::new();
    for (name, schema) in &suite.schemas {
        let description = schema.get("description").and_then(serde_json::Value::as_str);
        tools.push(Tool {
            id: ToolId::new("suite", name.as_str())?,
            description: description.unwrap_or_default().to_owned(),
            strategy: Strategy::Typed,
            source: Source::Declared,
            quality: Quality::High,
            observation_count: 0,
            version: None,
            input_schema: schema.clone(),
            output_schema: Some(schema.clone()),
            is_text: false,
            is_gone: false,
        });
    }
    let all: Vec<_> =
        tools.iter().map(|tool| (tool.id.server().to_owned(), tool.id.tool().to_owned())).collect();
    let (files, manifest) = folder(&tools, &all, &BTreeSet::from([language]), &Manifest::default(), |_| None);
    for file in files {
        let path = out.join(&file.path);
        fs::create_dir_all(path.parent().context("a file has a folder")?)?;
        fs::write(path, file.text)?;
    }
    Ok(manifest)
}

/// How wrappers did.
#[derive(Debug, Clone, Copy)]
pub struct Done {
    /// Whether every bar was passed.
    pub passed: bool,
    /// Valid values that were accepted.
    pub accepted: usize,
    /// Valid values that came back as sent.
    pub unchanged: usize,
    /// Invalid values that were rejected.
    pub rejected: usize,
}

/// Compiles and runs the wrappers, and prints how they did.
pub fn check(suite: &Suite, language: Language, out: &Path, manifest: &Manifest) -> Result<Done> {
    let entries: BTreeMap<&str, &Entry> =
        manifest.tools.iter().map(|entry| (entry.tool_id.as_str(), entry)).collect();
    let entry = |schema: usize| entries.get(format!("suite__{}", suite.schemas[schema].0).as_str()).copied();
    let mut cases = Vec::new();
    for case in &suite.cases {
        let entry = entry(case.schema).context("every schema has a wrapper")?;
        cases.push(json!({"module": entry.module, "parse": entry.parse, "json": case.json}));
    }
    let path = out.join("cases.json");
    fs::write(&path, serde_json::to_string(&cases)?)?;
    let mut passed = true;
    let text = match language {
        Language::Python => {
            passed &= clean(out, &tool("python/bin/mypy")?, &["--strict", "servers", "schemascope_runtime"])?;
            passed &= clean(
                out,
                &tool("python/bin/ruff")?,
                &["check", "--quiet", "servers", "schemascope_runtime"],
            )?;
            output(
                Command::new(tool("python/bin/python")?).arg(script("driver.py")).arg(&path).current_dir(out),
            )?
        }
        Language::Typescript => {
            fs::write(out.join("package.json"), r#"{"type":"module"}"#)?;
            fs::write(out.join("tsconfig.json"), tsconfig()?.to_string())?;
            let tsc = tool("npm/node_modules/typescript/bin/tsc")?;
            passed &= clean(out, Path::new("node"), &[&tsc.to_string_lossy(), "-p", "."])?;
            let built = out.join("built");
            fs::write(built.join("package.json"), r#"{"type":"module"}"#)?;
            output(Command::new("node").arg(script("driver.mjs")).arg(&path).arg(&built))?
        }
        Language::Rust => {
            let program = rust::build(out, &manifest.tools)?;
            println!("  cargo build with -D warnings: clean");
            output(Command::new(program).arg(&path))?
        }
    };
    let outcomes: Vec<Outcome> = serde_json::from_str(&text)?;
    if outcomes.len() != suite.cases.len() {
        bail!("{} outcomes of {} values", outcomes.len(), suite.cases.len());
    }
    let (mut valid, mut accepted, mut unchanged, mut invalid, mut rejected) = (0, 0, 0, 0, 0);
    for (case, outcome) in suite.cases.iter().zip(&outcomes) {
        let error = outcome.error.as_deref().unwrap_or_default();
        if case.valid {
            valid += 1;
            accepted += usize::from(outcome.accepted);
            unchanged += usize::from(outcome.unchanged);
            if !outcome.accepted || !outcome.unchanged {
                println!("  valid but {error} {}: {}", case.about, case.json);
            }
        } else {
            invalid += 1;
            rejected += usize::from(!outcome.accepted);
            if let Some(keyword) = entry(case.schema).and_then(|entry| listed_keyword(entry, error)) {
                let (_, schema) = &suite.schemas[case.schema];
                let all = schema.to_string().matches(&format!("\"{keyword}\":")).count();
                // Arguments and result have the same schema here, and so the same places.
                let unchecked = entry(case.schema).into_iter().flat_map(|entry| &entry.unchecked);
                let places: BTreeSet<&str> =
                    unchecked.filter(|one| one.keyword == keyword).map(|one| one.path.as_str()).collect();
                if places.len() >= all {
                    println!("  rejects by {keyword}, which is listed as unchecked: {}", case.about);
                    passed = false;
                }
            }
            let listed = entry(case.schema).is_some_and(|entry| !entry.unchecked.is_empty());
            if outcome.accepted {
                println!(
                    "  let through{}: {}: {}",
                    if listed { "" } else { " and NOT LISTED" },
                    case.about,
                    case.json
                );
                passed &= listed;
            }
        }
    }
    println!("  accepted {accepted} of {valid}, unchanged {unchanged}, rejected {rejected} of {invalid}");
    let listed: usize = manifest.tools.iter().map(|entry| entry.unchecked.len()).sum();
    println!("  rules listed as unchecked: {listed}");
    passed &= accepted == valid && unchanged == valid && rejected * 100 >= invalid * BAR;
    Ok(Done { passed, accepted, unchanged, rejected })
}

/// The keyword that rejected a value, if the entry lists it as unchecked at some place.
fn listed_keyword<'e>(entry: &Entry, error: &'e str) -> Option<&'e str> {
    let (_, reason) = error.split_once(" breaks the schema: ")?;
    let keyword = reason.split(':').next()?;
    entry.unchecked.iter().any(|one| one.keyword == keyword).then_some(keyword)
}

/// What strict users compile with.
fn tsconfig() -> Result<serde_json::Value> {
    Ok(json!({
        "compilerOptions": {
            "strict": true, "exactOptionalPropertyTypes": true, "noUncheckedIndexedAccess": true,
            "noUnusedLocals": true, "noImplicitOverride": true, "verbatimModuleSyntax": true,
            "module": "nodenext", "target": "es2022", "outDir": "built", "rootDir": ".",
            "typeRoots": [tool("npm/node_modules/@types")?], "types": ["node"],
        },
        "include": ["servers", "schemascope_runtime"],
    }))
}

fn tool(path: &str) -> Result<PathBuf> {
    Ok(places::tools()?.join("wrappers").join(path))
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/wrappers").join(name)
}

/// Runs a checker, and prints what it complains about. Whether there is nothing.
fn clean(folder: &Path, program: &Path, arguments: &[&str]) -> Result<bool> {
    let run = Command::new(program).args(arguments).current_dir(folder).output()?;
    let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if run.status.success() {
        println!(
            "  {name} {}: clean",
            arguments.iter().filter(|one| !one.contains('/')).copied().collect::<Vec<_>>().join(" ")
        );
        return Ok(true);
    }
    let text = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
    println!("  {name} complains:");
    for line in text.lines().take(20) {
        println!("    {line}");
    }
    Ok(false)
}

fn output(command: &mut Command) -> Result<String> {
    let run = command.output()?;
    if !run.status.success() {
        bail!("{command:?} failed: {}", String::from_utf8_lossy(&run.stderr));
    }
    Ok(String::from_utf8(run.stdout)?)
}
