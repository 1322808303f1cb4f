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
    /// Answers initialize after two seconds
    SlowStart,
    /// Lists tools whose names clients refuse
    OddNames,
}

#[expect(clippy::print_stderr, reason = "complaining there is what upstreams do")]
fn main() -> io::Result<()> {
    let Args { fault } = Args::parse();
    if fault == Fault::Exit {
        eprintln!("TOKEN is not set");
        std::process::exit(3);
    }
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?).unwrap_or_default();
        let Some(id) = message.get("id") else { continue };
        if fault == Fault::Noise {
            writeln!(out, "DEBUG: got {}\n\n{{\"half\": ", message["method"])?;
        }
        let result = match message["method"].as_str() {
            Some("initialize") if fault == Fault::Hang => continue,
            Some("initialize") => {
                if fault == Fault::SlowStart {
                    std::thread::sleep(Duration::from_secs(2));
                }
                json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "faulty", "version": "1"}})
            }
            Some("tools/list") if fault == Fault::OddNames => {
                json!({"tools": [{"name": "what's new?", "inputSchema": {"type": "object"}}, {"name": "x".repeat(200), "inputSchema": {"type": "object"}}]})
            }
            Some("tools/list") => json!({"tools": [{"name": "ask", "inputSchema": {"type": "object"}}]}),
            Some("tools/call") if fault == Fault::Crash => {
                eprintln!("assertion failed: cart is empty");
                std::process::exit(101);
            }
            Some("tools/call") => json!({"content": [{"type": "text", "text": message["params"]["name"]}]}),
            _ => json!({}),
        };
        writeln!(out, "{}", json!({"jsonrpc": "2.0", "id": id, "result": result}))?;
        out.flush()?;
    }
    Ok(())
}
