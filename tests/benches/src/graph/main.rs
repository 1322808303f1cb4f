//! `cargo xtask bench graph`: how quick the Graph page is in Chromium, with a picture of 300 tools and one of more, quiet
//! and while agents make 200 calls per second.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "its table goes to stdout")]

mod tools;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use schemascope_test_support::{McpClient, Places, Program, Serve, play, scripted};
use serde_json::{Map, Value, json};

const USAGE: &str = "\
cargo xtask bench graph

      --tools N    number of tools; 301, 1,000 and 10,000 if not said. Of more than 2,000 only the opening is measured

Needs Chromium. Exits with 1 when a bar is missed.";

/// Numbers of tools: as many as the picture's bars are for, and more.
const TOOLS: [usize; 3] = [301, 1_000, 10_000];
/// With more tools, every id has too many takers for the neighbours of neighbours to be reached.
const MOST_MOVED: usize = 2_000;
/// Calls per second while the picture moves.
const CALLS: u64 = 200;
const CALLERS: u64 = 4;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<bool> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let counts = match args.as_slice() {
        [] => TOOLS.to_vec(),
        ["--tools", count] => vec![count.replace(['_', ','], "").parse().context("--tools needs a number")?],
        ["--help" | "-h"] => {
            println!("{USAGE}");
            return Ok(true);
        }
        _ => bail!("{USAGE}"),
    };
    let mut passed = true;
    for count in counts {
        passed &= measure(count)?;
    }
    Ok(passed)
}

/// Measures the page with so many tools. Whether the bars were passed.
fn measure(count: usize) -> Result<bool> {
    let program: PathBuf = std::env::current_exe()?.with_file_name("schemascope");
    ensure!(program.is_file(), "{} is missing; cargo xtask bench graph builds it", program.display());
    let places = Places::beside(program)?;
    let scratch = tempfile::tempdir()?;
    let listed = json!({"tools": tools::list(count)});
    let url = scripted(move |asked| match asked.method() {
        "tools/list" => asked.answered(&listed),
        "tools/call" => asked.answered(&tools::answer(&asked.message["params"]["name"])),
        _ => asked.usual(&[]).unwrap_or_else(|| asked.answered(&json!({}))),
    })?;
    let servers = Map::from_iter([("many".to_owned(), json!({"type": "http", "url": url}))]);
    let program = Program::new(&places, scratch.path(), &servers)?;
    let serve = program.serve(&[])?;
    // Lists the tools.
    let client = serve.connect(Some("many"))?;
    client.request("tools/list", "{}")?;
    let edges = program.json(&["edges", "--min", "0.05"])?.as_array().map_or(0, Vec::len);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/graph/graph.mjs");
    let job = json!({
        "address": serve.instance["address"], "token": serve.owner_token(), "agent_token": serve.token(),
        "focus": format!("many__{}", tools::FOCUS), "opens_only": count > MOST_MOVED,
    });
    let (mut rows, busy) = (Vec::new(), AtomicBool::new(false));
    let played = std::thread::scope(|scope| -> Result<String> {
        let (mut callers, mut made) = (Vec::new(), 0);
        play(&places, &script, &job, |ask, question| match ask {
            "calls" => {
                busy.store(true, Ordering::Release);
                for number in 0..CALLERS {
                    let (serve, busy) = (&serve, &busy);
                    callers.push(scope.spawn(move || call(serve, number, busy)));
                }
                Ok(Value::Null)
            }
            "no calls" => {
                busy.store(false, Ordering::Release);
                for caller in callers.drain(..) {
                    made += caller.join().unwrap_or(Ok(0))?;
                }
                Ok(json!(made))
            }
            "measured" => {
                rows.push(question["row"].clone());
                Ok(Value::Null)
            }
            ask => bail!("unknown request {ask:?}"),
        })
    });
    busy.store(false, Ordering::Release);
    played?;
    drop(client);
    println!("\n{count} tools, {edges} edges\n\n| what | measured | bar |\n|---|---|---|");
    let mut passed = true;
    for row in rows {
        let (value, bar) = (row["value"].as_f64().unwrap_or(f64::MAX), row["bar"].as_f64());
        let is_missed = bar.is_some_and(|bar| value > bar);
        passed &= !is_missed;
        let mark = if is_missed { " (missed)" } else { "" };
        let (what, unit) =
            (row["what"].as_str().unwrap_or_default(), row["unit"].as_str().unwrap_or_default());
        let bar = bar.map_or(String::new(), |bar| format!("{bar} {unit}"));
        println!("| {what} | {value:.1} {unit}{mark} | {bar} |");
    }
    Ok(passed)
}

/// Makes this caller's share of the calls until it is stopped. Returns how many.
fn call(serve: &Serve, number: u64, busy: &AtomicBool) -> Result<u64> {
    let client: McpClient = serve.connect(Some("many"))?;
    let pause = Duration::from_micros(1_000_000 * CALLERS / CALLS);
    let (began, mut made) = (Instant::now(), 0_u32);
    while busy.load(Ordering::Acquire) {
        let tool = tools::name((u64::from(made) * CALLERS + number) as usize % 300);
        client.call(&tool, &json!({}))?.result()?;
        made += 1;
        std::thread::sleep((pause * made).saturating_sub(began.elapsed()));
    }
    Ok(made.into())
}
