//! Upstreams that misbehave, each in one way.

use std::io::{self, BufRead, Write};
use std::time::Duration;

use clap::{Parser, ValueEnum};
use serde_json::{Value, json};

/// An upstream with a fault, over stdio.
#[derive(Debug, Parser)]
struct Args {
    #[arg(value_enum)]
    fault: Fault,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Fault {
    /// Complains and exits with code 3 at once
    Exit,
    /// Reads, but never answers initialize
    Hang,
    /// Prints lines that are no messages between its answers
    Noise,
    /// Ends in the middle of a call
    Crash,
    /// Answers initialize after five seconds
    SlowStart,
    /// Lists no tools, but an error, until one is called
    Unlisted,
    /// Lists tools whose names clients refuse
    OddNames,
    /// Writes a gigabyte to stdout, without a line's end, before it answers a call
    FloodStdout,
    /// Writes a gigabyte of lines to stderr before it answers a call
    FloodStderr,
    /// Answers a call under other ids first
    WrongIds,
    /// Answers every call twice
    Twice,
    /// Answers a call with a line of 100 MB
    LongLine,
    /// Answers a call with half a message and ends
    Half,
    /// Answers with an unknown protocol version
    OtherVersion,
    /// Stops reading once it is called
    Deaf,
    /// Never answers a call
    Silent,
    /// Tells of thousands of steps in one go before it answers a call, of so many `bytes` each
    Burst,
}

/// Progress notifications of a burst; it logs as many lines.
const STEPS: usize = 2_000;

fn burst(mut to: impl Write, call: &Value) -> io::Result<()> {
    let token = &call["_meta"]["progressToken"];
    let message = "x".repeat(call["arguments"]["bytes"].as_u64().unwrap_or(0) as usize);
    let mut lines = String::new();
    for step in 0..STEPS {
        let progress = json!({"progressToken": token, "progress": step, "message": message});
        let log = json!({"level": "info", "data": step});
        for (method, params) in [("progress", progress), ("message", log)] {
            let method = format!("notifications/{method}");
            lines += &json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string();
            lines.push('\n');
        }
    }
    to.write_all(lines.as_bytes())
}

/// Writes so many bytes, a megabyte at a time.
fn flood(mut to: impl Write, block: &[u8], bytes: usize) -> io::Result<()> {
    for _ in 0..bytes / block.len() {
        to.write_all(block)?;
    }
    to.flush()
}

#[expect(clippy::print_stderr, reason = "complaining there is what upstreams do")]
fn main() -> io::Result<()> {
    let Args { fault } = Args::parse();
    if fault == Fault::Exit {
        eprintln!("TOKEN is not set");
        std::process::exit(3);
    }
    let mut out = io::stdout().lock();
    let mut was_called = false;
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?).unwrap_or_default();
        let Some(id) = message.get("id") else { continue };
        if fault == Fault::Noise {
            writeln!(out, "DEBUG: got {}\n\n{{\"half\": ", message["method"])?;
        }
        was_called |= message["method"] == "tools/call";
        if fault == Fault::Unlisted && message["method"] == "tools/list" && !was_called {
            let error = json!({"code": -32603, "message": "fetch failed"});
            writeln!(out, "{}", json!({"jsonrpc": "2.0", "id": id, "error": error}))?;
            continue;
        }
        let result = match message["method"].as_str() {
            Some("initialize") if fault == Fault::Hang => continue,
            Some("initialize") => {
                if fault == Fault::SlowStart {
                    // Longer than the introduction of a client waits.
                    std::thread::sleep(Duration::from_secs(5));
                }
                let version = if fault == Fault::OtherVersion { "1999-01-01" } else { "2025-06-18" };
                json!({"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "faulty", "version": "1"}})
            }
            Some("tools/list") if fault == Fault::OddNames => {
                json!({"tools": [{"name": "what's new?", "inputSchema": {"type": "object"}}, {"name": "x".repeat(200), "inputSchema": {"type": "object"}}]})
            }
            Some("tools/list") => json!({"tools": [{"name": "ask", "inputSchema": {"type": "object"}}]}),
            Some("tools/call") if fault == Fault::Crash => {
                eprintln!("assertion failed: cart is empty");
                std::process::exit(101);
            }
            Some("tools/call") if fault == Fault::Silent => continue,
            Some("tools/call") if fault == Fault::Deaf => loop {
                std::thread::park();
            },
            Some("tools/call") => json!({"content": [{"type": "text", "text": message["params"]["name"]}]}),
            _ => json!({}),
        };
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
        if message["method"] == "tools/call" {
            match fault {
                Fault::FloodStdout => flood(&mut out, "x".repeat(1 << 20).as_bytes(), 1 << 30)?,
                Fault::FloodStderr => flood(
                    io::stderr(),
                    "noise
"
                    .repeat(170_000)
                    .as_bytes(),
                    1 << 30,
                )?,
                Fault::WrongIds => {
                    for wrong in
                        [json!("1"), json!(-1), json!(1.5), Value::Null, json!({"a": 1}), json!(u64::MAX)]
                    {
                        writeln!(
                            out,
                            "{}",
                            json!({"jsonrpc": "2.0", "id": wrong, "result": {"wrong": true}})
                        )?;
                    }
                }
                Fault::Twice => writeln!(out, "{answer}")?,
                Fault::Burst => burst(&mut out, &message["params"])?,
                Fault::LongLine => {
                    write!(out, "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":\"")?;
                    flood(&mut out, "x".repeat(1 << 20).as_bytes(), 100 << 20)?;
                    writeln!(out, "\"}}")?;
                    continue;
                }
                Fault::Half => {
                    write!(out, "{}", &answer[..answer.len() / 2])?;
                    return out.flush();
                }
                _ => {}
            }
        }
        if fault == Fault::FloodStdout && message["method"] == "tools/call" {
            writeln!(out)?;
        }
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}
