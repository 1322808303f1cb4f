//! An upstream whose output schemas are difficult to work with: endless references, alternatives that double with each
//! step, cycles that only show on the way. Its results fit none of them or all.

use std::io::{self, BufRead, Write};

use serde_json::{Map, Value, json};

/// References in a chain.
const CHAIN: usize = 20_000;
/// Levels of the results.
const LEVELS: usize = 60;
/// Values of a list.
const VALUES: usize = 100_000;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?).unwrap_or_default();
        let Some(id) = message.get("id") else { continue };
        let result = match message["method"].as_str() {
            Some("initialize") => json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "traps", "version": "1"}}),
            Some("tools/list") => json!({"tools": tools()}),
            Some("tools/call") => json!({"content": [], "structuredContent": nested(LEVELS, json!(1))}),
            _ => json!({}),
        };
        writeln!(out, "{}", json!({"jsonrpc": "2.0", "id": id, "result": result}))?;
        out.flush()?;
    }
    Ok(())
}

fn tools() -> Vec<Value> {
    let traps = [
        ("references", chain(CHAIN, |next| next)),
        ("references_below", chain(CHAIN, |next| json!({"properties": {"a": next}}))),
        ("doubling", chain(40, |next| json!({"anyOf": [next, next]}))),
        ("doubling_below", chain(LEVELS, |next| json!({"properties": {"a": {"anyOf": [next, next]}}}))),
        (
            "wide",
            json!({"allOf": vec![json!({"$ref": "#/$defs/a"}); 300],
            "$defs": {"a": {"allOf": vec![json!({"$ref": "#/$defs/b"}); 300]}, "b": {"type": "string"}}}),
        ),
        ("levels", (0..100).fold(json!({"type": "string"}), |inner, _| json!({"items": inner}))),
        (
            "circle",
            json!({"$id": "https://example.org/a", "$dynamicAnchor": "x", "$ref": "https://example.org/b",
            "$defs": {"b": {"$id": "https://example.org/b", "allOf": [{"$dynamicRef": "#x"}],
                "$defs": {"leaf": {"$dynamicAnchor": "x", "type": "string"}}}}}),
        ),
        ("values", json!({"properties": {"a": {"enum": (0..VALUES).collect::<Vec<_>>()}}})),
        ("pattern", json!({"additionalProperties": {"pattern": "^(?=(a+)+$)(a|a?)+\\1$"}})),
    ];
    let tool = |(name, mut schema): (&str, Value)| {
        schema["type"] = json!("object");
        json!({"name": name, "inputSchema": {"type": "object"}, "outputSchema": schema})
    };
    traps.into_iter().map(tool).collect()
}

/// Definitions that lead from one to the next.
fn chain(length: usize, step: impl Fn(Value) -> Value) -> Value {
    let mut defs = Map::new();
    for n in 0..length {
        defs.insert(format!("d{n}"), step(json!({"$ref": format!("#/$defs/d{}", n + 1)})));
    }
    defs.insert(format!("d{length}"), json!({"type": "string"}));
    json!({"$ref": "#/$defs/d0", "$defs": defs})
}

fn nested(levels: usize, leaf: Value) -> Value {
    (0..levels).fold(leaf, |inner, _| json!({"a": inner}))
}
