//! An upstream with simple answers: `zone` answers the same each time, `quote` with one of three documents, and
//! `state` as it declares. After `--after N` calls of a tool, a field of its results has another name.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};

use serde_json::{Value, json};

const DECLARED: &str = r#"{"type":"object","properties":{"state":{"type":"string"}},"required":["state"]}"#;

fn main() -> io::Result<()> {
    let after = std::env::args().skip_while(|arg| arg != "--after").nth(1);
    let after: u64 = after.and_then(|after| after.parse().ok()).unwrap_or(u64::MAX);
    let mut calls: HashMap<String, u64> = HashMap::new();
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let Ok(message) = serde_json::from_str::<Value>(&line?) else { continue };
        let Some(id) = message.get("id") else { continue };
        let method = message["method"].as_str().unwrap_or_default();
        let name = message["params"]["name"].as_str().unwrap_or_default();
        let answer = match method {
            "initialize" => json!({"result": {
                "serverInfo": {"name": "steady", "version": "1.0"},
                "capabilities": {"tools": {}},
                "protocolVersion": "2025-11-25",
            }}),
            "tools/list" => json!({"result": {"tools": tools()?}}),
            "tools/call" => {
                let made = calls.entry(name.to_owned()).or_default();
                *made += 1;
                let document = document(name, *made - 1, *made > after);
                json!({"result": {"content": [], "structuredContent": document}})
            }
            _ => json!({"error": {"code": -32601, "message": "Method not found"}}),
        };
        let mut answer = answer;
        answer["id"] = id.clone();
        answer["jsonrpc"] = "2.0".into();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn tools() -> io::Result<Value> {
    let declared: Value = serde_json::from_str(DECLARED)?;
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let mut state = tool("state");
    state["outputSchema"] = declared;
    Ok(json!([tool("zone"), tool("quote"), state]))
}

fn document(tool: &str, number: u64, changed: bool) -> Value {
    let (mut document, old, new) = match tool {
        "zone" => (json!({"ok": true}), "zone", "region"),
        "quote" => {
            let text = ["more haste", "less speed", "no news"][(number % 3) as usize];
            (json!({"text": text, "length": text.len()}), "author", "by")
        }
        _ => (json!({"since": 3}), "state", "status"),
    };
    document[if changed { new } else { old }] = "eu".into();
    document
}
