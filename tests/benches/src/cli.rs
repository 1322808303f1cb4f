//! `cargo xtask bench cli`: what hostile values become as arguments of a program, and what a call costs over running the
//! program bare.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "its tables go to stdout")]

use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use schemascope_benches::start;
use schemascope_test_support::{McpClient, Places, Program};
use serde_json::{Map, Value, json};

const USAGE: &str = "\
cargo xtask bench cli

Exits with 1 when a hostile value becomes an option or more than one argument.";

/// Timed runs of each kind, as they take turns.
const RUNS: usize = 200;

/// Values that an option's parser, a shell or a reader of files would take for something else.
const VALUES: &[&str] = &[
    "-x",
    "-",
    "--",
    "--help",
    "--file=/etc/passwd",
    "$(id)",
    "`id`",
    "; rm -rf /",
    "| tee /tmp/x",
    "&& id",
    "> /tmp/x",
    "*",
    "~root",
    "${HOME}",
    "%s%n",
    "@/etc/passwd",
    "../../etc/passwd",
    "a b\tc",
    "line\nline",
    "it's \"quoted\" \\ so",
    "",
    "\u{202e}txt.exe",
    "é e\u{301} 👍🏽",
    "\u{feff}x",
    "\0",
    "a\0-x",
];

fn main() -> ExitCode {
    start::start(USAGE, |args| args.is_empty().then_some(()), |()| run())
}

fn run() -> Result<bool> {
    let program: PathBuf = std::env::current_exe()?.with_file_name("schemascope");
    ensure!(program.is_file(), "{} is missing; cargo xtask bench cli builds it", program.display());
    let scratch = tempfile::tempdir()?;
    let program = Program::new(&Places::beside(program)?, scratch.path(), &Map::new())?;
    for (command, alias) in [("grep", "find-text"), ("wc", "count")] {
        let run = program.run(&[
            "cli",
            "add",
            command,
            "--alias",
            alias,
            "--ok-exit-code",
            "0",
            "--ok-exit-code",
            "1",
            "--reason",
            "bench",
        ])?;
        ensure!(run.code == Some(0), "{run:?}");
    }
    let serve = program.serve(&[])?;
    let client = serve.connect(None)?;
    client.request("tools/list", "{}")?;
    let passed = hostile(&client)?;
    cost(&client)?;
    Ok(passed)
}

/// Gives each value to an option and as an argument. Whether each became one word in its place, or was rejected.
fn hostile(client: &McpClient) -> Result<bool> {
    println!("| value | as the option `regexp` of grep | as its argument `patterns` |\n|---|---|---|");
    let long = "x".repeat(100_000);
    let mut passed = true;
    for value in VALUES.iter().copied().chain([long.as_str()]) {
        let mut cells = Vec::new();
        for property in ["regexp", "patterns"] {
            let mut arguments = json!({"stdin": "text\n", property: value});
            if property == "regexp" {
                // Required, and then the name of a file, which does not exist.
                arguments["patterns"] = json!("no-such-file");
            }
            let result = client.call("find-text__grep", &arguments)?.result()?;
            let argv = &result["_meta"]["schemascope/argv"];
            let cell = match argv.as_array() {
                Some(words) => {
                    passed &= is_one_word(words, property, value);
                    let words: Vec<String> = words.iter().map(shown).collect();
                    words.join(" ")
                }
                None => result["content"][0]["text"].as_str().unwrap_or_default().replace('\n', " "),
            };
            cells.push(cell.replace('|', "\\|"));
        }
        println!("| {} | {} |", shown(&json!(value)).replace('|', "\\|"), cells.join(" | "));
    }
    Ok(passed)
}

fn is_one_word(words: &[Value], property: &str, value: &str) -> bool {
    let written = words.get(1..).unwrap_or_default();
    match property {
        // The value is a part of its own option.
        "regexp" => *written == [json!(format!("--regexp={value}")), json!("no-such-file")],
        _ if value.starts_with('-') => *written == [json!("--"), json!(value)],
        _ => *written == [json!(value)],
    }
}

/// A word as it is readable in a table.
fn shown(word: &Value) -> String {
    const LONGEST: usize = 40;
    let word = word.as_str().unwrap_or_default();
    let visible: String = word.escape_debug().take(LONGEST).collect();
    let more =
        if word.chars().count() > LONGEST { format!("… ({} bytes)", word.len()) } else { String::new() };
    format!("`{visible}{more}`")
}

/// Runs a program bare and as a tool, in turns.
fn cost(client: &McpClient) -> Result<()> {
    let (mut bare, mut called) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let begun = Instant::now();
        let done = Command::new("wc").arg("--lines").stdin(Stdio::null()).output()?;
        bare.push(begun.elapsed());
        ensure!(done.status.success(), "{done:?}");
        let begun = Instant::now();
        let result = client.call("count__wc", &json!({"lines": true}))?.result()?;
        called.push(begun.elapsed());
        ensure!(result["isError"] != true, "{result}");
    }
    println!("\n| {RUNS} runs of `wc --lines` | p50 | p95 |\n|---|---|---|");
    for (name, times) in [("bare", &mut bare), ("as a tool, over HTTP, recorded", &mut called)] {
        times.sort();
        let at = |share: usize| times.get(times.len() * share / 100).copied().context("it ran");
        println!("| {name} | {} | {} |", millis(at(50)?), millis(at(95)?));
    }
    Ok(())
}

fn millis(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1_000.0)
}
