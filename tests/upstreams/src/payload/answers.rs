//! The answers of the tools, written once at the start.
//!
//! Every tool has a few variants, and the caller chooses one: answers differ as real ones do, and a client knows what
//! to expect.

use std::borrow::Cow;
use std::fmt::Write;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// Variants of each tool's answer; `{"variant": N}` counts round.
const VARIANTS: usize = 16;
const NAMES: [&str; 5] = ["payload_100", "payload_20k", "structured_20k", "structured_100k", "json_text_20k"];
const WORDS: [&str; 16] = [
    "build", "failed", "on", "main", "after", "merging", "the", "parser", "and", "cache", "was", "not",
    "warm", "yet", "see", "log",
];

/// All answers.
pub struct Answers {
    /// By tool, then by variant: `result`, as sent.
    results: [[Vec<u8>; VARIANTS]; NAMES.len()],
    hello: Vec<u8>,
    tools: Vec<u8>,
}

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Option<Params<'a>>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow, default)]
    name: Cow<'a, str>,
    arguments: Option<Arguments>,
}

#[derive(Deserialize)]
struct Arguments {
    #[serde(default)]
    variant: usize,
}

impl Answers {
    /// Writes them all.
    pub fn new() -> Self {
        let tool = |name: &&str| {
            json!({
                "name": name,
                "inputSchema": {"type": "object", "properties": {"variant": {"type": "integer"}}},
            })
        };
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "payload", "version": "1.0.0"},
        });
        Self {
            results: NAMES
                .map(|name| std::array::from_fn(|variant| result(name, variant).to_string().into())),
            hello: hello.to_string().into(),
            tools: json!({"tools": NAMES.iter().map(tool).collect::<Value>()}).to_string().into(),
        }
    }

    /// Appends the answer to a message, without a line end. False when there is none to give.
    pub fn answer(&self, message: &[u8], to: &mut Vec<u8>) -> bool {
        let Ok(request) = serde_json::from_slice::<Request<'_>>(message) else { return false };
        let Some(id) = request.id else { return false };
        let (field, body): (&str, &[u8]) = match (request.method.as_ref(), &request.params) {
            ("initialize", _) => ("result", &self.hello),
            ("tools/list", _) => ("result", &self.tools),
            ("ping", _) => ("result", b"{}"),
            ("tools/call", Some(params)) => match NAMES.iter().position(|name| *name == params.name) {
                Some(at) => {
                    let variant = params.arguments.as_ref().map_or(0, |arguments| arguments.variant);
                    ("result", &self.results[at][variant % VARIANTS])
                }
                None => ("error", br#"{"code":-32602,"message":"Unknown tool"}"#),
            },
            _ => ("error", br#"{"code":-32601,"message":"Method not found"}"#),
        };
        to.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
        to.extend_from_slice(id.get().as_bytes());
        to.extend_from_slice(b",\"");
        to.extend_from_slice(field.as_bytes());
        to.extend_from_slice(b"\":");
        to.extend_from_slice(body);
        to.push(b'}');
        true
    }
}

fn result(name: &str, variant: usize) -> Value {
    let mut random = Random(variant as u64 + 1);
    let text = |text: String| json!({"content": [{"type": "text", "text": text}]});
    let structured = |value: Value| json!({"content": [{"type": "text", "text": "see structuredContent"}], "structuredContent": value});
    match name {
        "payload_100" => text(prose(&mut random, 100)),
        "payload_20k" => text(prose(&mut random, 20_000)),
        "structured_20k" => structured(issues(&mut random, 20_000)),
        "structured_100k" => structured(issues(&mut random, 100_000)),
        _ => text(issues(&mut random, 20_000).to_string()),
    }
}

/// Lines of words, of exactly so many bytes.
fn prose(random: &mut Random, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 16);
    while text.len() < bytes {
        text += *random.pick(&WORDS[..]);
        text.push(if random.below(12) == 0 { '\n' } else { ' ' });
    }
    text.truncate(bytes);
    text
}

/// A list as an issue tracker has it, of about so many bytes.
fn issues(random: &mut Random, bytes: usize) -> Value {
    let (mut items, mut size) = (Vec::new(), 0);
    while size < bytes {
        let item = issue(random);
        size += item.to_string().len() + 1;
        items.push(item);
    }
    json!({"total": items.len(), "next": null, "items": items})
}

fn issue(random: &mut Random) -> Value {
    let id = random.below(1 << 30);
    let assignee = match random.below(3) {
        0 => Value::Null,
        _ => json!({"id": random.below(1 << 20), "login": *random.pick(&WORDS), "site_admin": false}),
    };
    let labels: Vec<&str> = (0..random.below(4)).map(|_| *random.pick(&WORDS)).collect();
    let mut created = String::new();
    // Writing to a string does not fail.
    let _ = write!(
        created,
        "2026-{:02}-{:02}T{:02}:15:00Z",
        1 + random.below(12),
        1 + random.below(28),
        random.below(24)
    );
    json!({
        "id": id,
        "number": random.below(10_000),
        "title": prose(random, 40),
        "state": *random.pick(&["open", "closed"]),
        "url": format!("https://issues.example/{id}"),
        "labels": labels,
        "assignee": assignee,
        "comments": random.below(50),
        "score": (1 + random.below(99)) as f64 / 100.0,
        "locked": random.below(8) == 0,
        "created_at": created,
    })
}

/// Small deterministic randomness: splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % end.max(1)
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }
}
