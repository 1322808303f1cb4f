//! How long writing wrappers takes, and importing one of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, ensure};
use schemascope_benches::places;
use schemascope_codegen::Language;
use schemascope_test_support::{Places, Program, Serve, scripted};
use serde_json::{Map, Value, json};

use crate::random_schemas;

/// As many tools as one production system was seen to have.
const TOOLS: usize = 585;
/// How often a time is taken; the median is shown.
const TIMES: usize = 5;
const IMPORTS: usize = 15;

/// One good result of each of 164 tools of public servers.
const RESULTS: &str = include_str!("../../census/results.ndjson");

/// Measures and prints. Whether every bar was passed.
pub fn measure() -> Result<bool> {
    let program: PathBuf = std::env::current_exe()?.with_file_name("schemascope");
    ensure!(program.is_file(), "{} is missing; cargo xtask bench wrappers builds it", program.display());
    let places = Places::beside(program)?;
    let scratch = tempfile::tempdir()?;
    let program = Program::new(&places, scratch.path(), &servers()?)?;
    // The bench looks itself.
    program.run(&["settings", "evolve", "false"])?;
    let serve = program.serve(&[])?;
    let client = serve.connect(Some("many"))?;
    client.request("tools/list", "{}")?;
    for tool in 0..TOOLS {
        for _ in 0..3 {
            client.call(&format!("tool_{tool}"), &json!({}))?;
        }
    }
    println!("\n# speed: {TOOLS} tools, {} wrappers", TOOLS * Language::ALL.len());
    let (all, one) = (scratch.path().join("all"), scratch.path().join("one"));
    let generate = |out: &Path, more: Value| {
        let mut command = json!({"path": out, "languages": ["python", "typescript", "rust"]});
        command
            .as_object_mut()
            .into_iter()
            .for_each(|command| command.extend(more.as_object().cloned().unwrap_or_default()));
        timed(&serve, "write_wrappers", &command)
    };
    let (first, written) = generate(&all, json!({}))?;
    ensure!(written["wrapper_count"] == TOOLS * Language::ALL.len(), "{written}");
    let before = stamps(&all)?;
    let (again, _) = generate(&all, json!({}))?;
    let looks = (0..TIMES)
        .map(|_| Ok(timed(&serve, "evolve_wrappers", &json!({}))?.0))
        .collect::<Result<Vec<_>>>()?;
    let untouched = stamps(&all)? == before;
    let mut changed = Vec::new();
    for time in 0..TIMES {
        client.call(&format!("tool_{time}"), &json!({"differently": true}))?;
        let (took, evolved) = timed(&serve, "evolve_wrappers", &json!({}))?;
        changed.push((took, evolved[0]["changes"].as_array().map_or(0, Vec::len)));
    }
    generate(&one, json!({"tool_id": "many__tool_7"}))?;
    let [alone, among] = imports([&one, &all])?;
    let ratio = among.as_secs_f64() / alone.as_secs_f64();
    let look = median(looks);
    changed.retain(|(_, changes)| *changes > 0);
    let fewest = changed.iter().map(|(_, changes)| *changes).min().unwrap_or_default();
    let change = median(changed.into_iter().map(|(took, _)| took).collect());
    println!("{:44} {:>10.1?}   bar 5 s", "all written", first);
    println!("{:44} {:>10.1?}", "written again, nothing changed", again);
    println!("{:44} {:>10.1?}   bar 10 ms", "looked at again, nothing changed", look);
    println!(
        "{:44} {:>10}   bar none",
        "files or folders touched by these",
        if untouched { "none" } else { "some" }
    );
    println!("{:44} {:>10.1?}   bar 100 ms", format!("one tool changed ({fewest} wrappers)"), change);
    println!("{:44} {:>10.1?}", "Python imports one wrapper that is alone", alone);
    println!(
        "{:44} {:>10.1?}   {ratio:.2} times; bar 1.2",
        format!("Python imports one wrapper of {TOOLS}"),
        among
    );
    Ok(first < Duration::from_secs(5)
        && look < Duration::from_millis(10)
        && change < Duration::from_millis(100)
        && fewest > 0
        && untouched
        && ratio <= 1.2)
}

/// A server with inputs of random schemas and the results of public servers, or others if they are asked for.
fn servers() -> Result<Map<String, Value>> {
    let results: Vec<Value> = RESULTS
        .lines()
        .map(|line| Ok(serde_json::from_str::<Value>(line)?["result"].clone()))
        .collect::<Result<_>>()?;
    let schemas = random_schemas::suite(1, TOOLS)?.schemas;
    let tools: Vec<Value> = schemas
        .into_iter()
        .enumerate()
        .map(|(at, (_, schema))| {
            let mut tool = json!({"name": format!("tool_{at}"), "description": format!("Does thing {at}."),
                "inputSchema": {"type": "object", "properties": {"what": schema}}});
            if at % 22 == 21 {
                tool["outputSchema"] = json!({"type": "object", "properties": {"id": {"type": "integer"}}});
            }
            tool
        })
        .collect();
    let listed = json!({"tools": tools});
    let url = scripted(move |asked| match asked.method() {
        "tools/list" => asked.answered(&listed),
        "tools/call" => {
            let name = asked.message["params"]["name"].as_str().unwrap_or_default();
            let at: usize = name.strip_prefix("tool_").and_then(|at| at.parse().ok()).unwrap_or_default();
            let mut result = results[at % results.len()].clone();
            if at % 22 == 21 {
                result = json!({"content": [], "structuredContent": {"id": at}});
            }
            if asked.message["params"]["arguments"]["differently"] == true {
                result = json!({"content": [], "structuredContent": {"another": {"shape": [at]}}});
            }
            asked.answered(&result)
        }
        _ => asked.usual(&[]).unwrap_or_else(|| asked.answered(&json!({}))),
    })?;
    Ok(Map::from_iter([("many".to_owned(), json!({"type": "http", "url": url}))]))
}

/// Asks the running instance for something: how long it took, and the answer.
fn timed(serve: &Serve, command: &str, body: &Value) -> Result<(Duration, Value)> {
    let (body, address) = (body.to_string(), serve.instance["address"].as_str().unwrap_or_default());
    let request = format!(
        "POST /api/{command} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        serve.owner_token(),
        body.len()
    );
    let start = Instant::now();
    let answer = serve.raw(request)?;
    let took = start.elapsed();
    let (head, body) = answer.split_once("\r\n\r\n").context("an answer has a body")?;
    ensure!(head.starts_with("HTTP/1.1 200"), "{command}: {answer}");
    // The body is sent in one piece, with or without its length before it.
    let json = body.find(['{', '[']).map_or(body, |start| &body[start..]);
    let value = serde_json::Deserializer::from_str(json).into_iter().next();
    Ok((took, value.context("an answer has JSON")??))
}

/// When everything in a folder was last changed.
fn stamps(folder: &Path) -> Result<BTreeMap<PathBuf, SystemTime>> {
    let mut stamps = BTreeMap::from([(folder.to_owned(), folder.metadata()?.modified()?)]);
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            stamps.extend(self::stamps(&path)?);
        } else {
            stamps.insert(path.clone(), path.metadata()?.modified()?);
        }
    }
    Ok(stamps)
}

/// The median time that Python takes to import a wrapper from each folder. The folders take turns.
fn imports(folders: [&Path; 2]) -> Result<[Duration; 2]> {
    let python = places::tools()?.join("wrappers/python/bin/python");
    let script = "import time; start = time.perf_counter()\nfrom servers.many import tool_7\nprint(time.perf_counter() - start)";
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..=IMPORTS {
        for (folder, times) in folders.iter().zip(&mut times) {
            let run = Command::new(&python).args(["-c", script]).current_dir(folder).output()?;
            let seconds = String::from_utf8_lossy(&run.stdout).trim().parse();
            times.push(Duration::from_secs_f64(
                seconds.with_context(|| String::from_utf8_lossy(&run.stderr).into_owned())?,
            ));
        }
    }
    // The first import compiles.
    Ok(times.map(|times| median(times[1..].to_vec())))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
