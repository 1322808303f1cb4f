//! An upstream whose bytes are unusual but valid: a proxy that parses and serialises messages would change them.
//!
//! `odd_result` and `odd_error` answer with constants; `echo` answers with the exact `params` it got, as
//! a string. Written by hand on purpose: a JSON library would not write such bytes.

use std::io::{self, BufRead, Write};

use serde_json::Value;

/// Unknown fields, odd key order, numbers that change when read as floats, duplicate keys, escapes.
const RESULT: &str = r#"{"zeta":1.10,"structuredContent":{"b":1E5,"a":12345678901234567890,"a":[1.0,-0,1e-7,123456789012345678901234567890]},"content":[{"unknown":{"x":1.50},"type":"text","text":"caf\u00e9 \/ \ud83d\ude00 \u0041"},{"type":"hologram","depth":3.140}],"isError":false,"_meta":{"z":0.10,"a":1}}"#;
const ERROR: &str =
    r#"{"message":"odd \u0065rror","extra":[1.10],"code":-32001,"data":{"b":1.10,"a":1E5,"a":"\/"}}"#;
const TOOLS: &str = r#"{"tools":[{"future":{"x":1.10},"name":"odd_result","inputSchema":{"type":"object","x-order":[2.0,1]}},{"name":"odd_error","inputSchema":{"type":"object"},"execution":{"taskSupport":"forbidden"}},{"inputSchema":{"type":"object"},"name":"echo","annotations":{"z":1,"readOnlyHint":true}}],"ttlMs":1.0,"unheard":"of"}"#;
const HELLO: &str = r#"{"serverInfo":{"version":"1.0","name":"odd","motto":1.10},"capabilities":{"tools":{"listChanged":false},"future":{}},"protocolVersion":"2025-11-25","instructions":"caf\u00e9"}"#;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        let Some(id) = message.get("id") else { continue };
        let method = message["method"].as_str().unwrap_or_default();
        let answer = match (method, message["params"]["name"].as_str()) {
            ("initialize", _) => format!("\"result\":{HELLO}"),
            ("tools/list", _) => format!("\"result\":{TOOLS}"),
            ("tools/call", Some("odd_result")) => format!("\"result\":{RESULT}"),
            ("tools/call", Some("odd_error")) => format!("\"error\":{ERROR}"),
            ("tools/call", Some("echo")) => {
                let params = line
                    .split_once("\"params\":")
                    .map_or("", |(_, rest)| rest.strip_suffix('}').unwrap_or(rest));
                format!("\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":{}}}]}}", Value::from(params))
            }
            _ => "\"error\":{\"code\":-32601,\"message\":\"Method not found\"}".to_owned(),
        };
        writeln!(out, "{{{answer},\"id\":{id},\"jsonrpc\":\"2.0\"}}")?;
        out.flush()?;
    }
    Ok(())
}
