//! The official SDKs as clients, of both eras and with their validation on: what they see through us is what
//! they see at the server itself.
//!
//! `cargo xtask setup` installs them, pinned, in the target folder. Each SDK makes the same tour (`tests/sdk/tour.*`)
//! of the fixture itself and of both our endpoints before it, for every era and transport of the fixture.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use schemascope_test_support::{Listening, Places, Program, Serve, conformance};
use serde_json::{Map, Value, json};

/// The name of the fixture in the configuration.
const UPSTREAM: &str = "fixture";
/// What its tools and prompts are called by on `/mcp`.
const PREFIX: &str = "fixture__";

/// With a handshake and sessions, or without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Era {
    Old,
    New,
}

fn places() -> Places {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let client = places.npm().join("node_modules/@modelcontextprotocol/client");
    assert!(places.python().exists() && client.exists(), "run `cargo xtask setup` first");
    places
}

/// Schemascope in front of a fixture of one era.
struct Proxied {
    era: Era,
    over_http: bool,
    program: Program,
    serve: Serve,
    _fixture: Option<Listening>,
    _scratch: tempfile::TempDir,
}

impl Proxied {
    fn start(places: &Places, era: Era, over_http: bool) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let spoken = if era == Era::Old { "legacy" } else { "modern" };
        let (upstream, fixture) = conformance(places, spoken, over_http).unwrap();
        let servers = Map::from_iter([(UPSTREAM.to_owned(), upstream)]);
        let program = Program::new(places, scratch.path(), &servers).unwrap();
        let serve = program.serve(&[]).unwrap();
        Self { era, over_http, program, serve, _fixture: fixture, _scratch: scratch }
    }

    fn target(&self, upstream: Option<&str>) -> Value {
        json!({
            "url": self.serve.url(upstream),
            "token": self.serve.token(),
            "prefix": if upstream.is_some() { "" } else { PREFIX },
        })
    }
}

/// What to do where: all that the fixture has, but for tasks.
fn job(sdk: &str, era: Era, groups: &[Vec<Value>]) -> Value {
    let named = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments});
    let plain = |name: &str| named(name, json!({}));
    json!({
        "sdk": sdk,
        "era": if era == Era::Old { "old" } else { "new" },
        "groups": groups,
        "resources": ["test://static-text", "test://static-binary", "test://template/7/data", "test://nowhere"],
        "prompts": [
            plain("test_simple_prompt"),
            named("test_prompt_with_arguments", json!({"arg1": "a", "arg2": "b"})),
            plain("test_prompt_with_image"),
            plain("test_input_required_result_prompt"),
        ],
        "calls": [
            plain("test_simple_text"),
            plain("test_multiple_content_types"),
            plain("test_error_handling"),
            plain("test_tool_with_progress"),
            named("test_header_parameter", json!({"region": "eu"})),
            named("test_structured_content", json!({"broken": false})),
            named("test_structured_content", json!({"broken": true})),
            named("test_sampling", json!({"prompt": "What is the capital of France?"})),
            named("test_elicitation", json!({"message": "Who are you?"})),
            plain("test_elicitation_sep1034_defaults"),
            plain("test_elicitation_sep1330_enums"),
            plain("test_input_required_result_list_roots"),
            plain("test_input_required_result_multiple_inputs"),
            plain("test_input_required_result_multi_round"),
            plain("test_missing_capability"),
        ],
    })
}

/// Has a script make its tours.
fn seen_by(mut script: Command, job: &Value) -> Vec<Vec<Value>> {
    let mut child =
        script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(job.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}\n{err}"))
}

/// The tour went all its way, so that there is something to compare: nothing fails that should not, what breaks its
/// schema is refused, and what is asked, told and logged arrives.
fn assert_tour(seen: &Value, era: Era) {
    assert!(!seen.to_string().contains(r#""broken off":"#), "{seen}");
    let version = if era == Era::Old { "2025-11-25" } else { "2026-07-28" };
    assert!(seen["hello"]["version"].as_str().is_none_or(|spoken| spoken == version), "{seen}");
    for call in seen["calls"].as_array().unwrap() {
        let called = &call["call"];
        let refused = called["arguments"]["broken"] == true;
        assert!(call[if refused { "refused" } else { "result" }] != Value::Null, "{call}");
        let asks = called["name"] == "test_sampling" || called["name"] == "test_elicitation";
        assert!(!asks || call["asked"].as_array().unwrap().len() == 1, "{call}");
        let tells = called["name"] == "test_tool_with_progress";
        assert!(!tells || call["progress"].as_array().unwrap().len() == 3, "{call}");
    }
    assert_eq!(seen["changes"]["told"].as_array().unwrap().len(), 5, "{seen}");
    assert_eq!(seen["logging"].as_array().unwrap().len(), 3, "{seen}");
    assert_eq!(seen["cancelled"][0], true, "{seen}");
}

/// What is left to compare when client and server are of different eras: all but how lists and results are
/// marked, which codes errors have, and extensions of one era.
fn bridged(seen: &mut Value) {
    match seen {
        Value::Object(fields) => {
            for of_one_era in ["resultType", "ttlMs", "cacheScope", "extensions"] {
                fields.remove(of_one_era);
            }
            if let Some(Value::Object(error)) = fields.get_mut("error") {
                error.retain(|field, _| field == "data");
            }
            fields.values_mut().for_each(bridged);
        }
        Value::Array(items) => items.iter_mut().for_each(bridged),
        _ => {}
    }
}

/// An SDK sees the same everywhere.
fn sees_the_same(script: Command, sdk: &str, era: Era) {
    let places = places();
    let fixture = Listening::conformance(&places, "both").unwrap();
    let proxied: Vec<Proxied> = [Era::Old, Era::New]
        .into_iter()
        .flat_map(|upstream| [false, true].map(|over_http| (upstream, over_http)))
        .map(|(upstream, over_http)| Proxied::start(&places, upstream, over_http))
        .collect();
    let direct = json!({"url": fixture.url(), "token": "none", "prefix": ""});
    let mut groups = vec![vec![direct]];
    groups.extend(proxied.iter().map(|it| vec![it.target(Some(UPSTREAM)), it.target(None)]));
    let mut seen = seen_by(script, &job(sdk, era, &groups)).into_iter();
    let direct = seen.next().unwrap().remove(0);
    assert_tour(&direct, era);

    let mut different = Vec::new();
    for (proxied, seen) in proxied.iter().zip(seen) {
        for (mut seen, all) in seen.into_iter().zip([false, true]) {
            let mut expected = direct.clone();
            if proxied.era != era {
                bridged(&mut expected);
                bridged(&mut seen);
            }
            let endpoint = if all { "/mcp" } else { "/mcp/NAME" };
            if all {
                // It tells who it is itself, and has prefixes.
                expected["hello"].take();
                seen["hello"].take();
                seen = serde_json::from_str(&seen.to_string().replace(PREFIX, "")).unwrap();
            }
            for (part, expected) in expected.as_object().unwrap() {
                if *expected != seen[part] {
                    let what = format!("{endpoint}, {:?} over HTTP {}", proxied.era, proxied.over_http);
                    different.push(format!("{what}, {part}:\n{expected}\n{}", seen[part]));
                }
            }
        }
        let calls = proxied.program.json_lines(&["calls"]).unwrap();
        let cancelled = calls.iter().filter(|call| call["outcome"] == "cancelled").count();
        assert_eq!(cancelled, 2, "one at each endpoint: {calls:?}");
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

fn tour(mut interpreter: Command, script: &str) -> Command {
    interpreter.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/sdk").join(script));
    interpreter
}

fn python() -> Command {
    tour(Command::new(places().python()), "tour.py")
}

fn node() -> Command {
    let mut command = tour(Command::new("node"), "tour.mjs");
    command.arg(places().npm());
    command
}

#[test]
fn python_sdk_works_in_2025_11_25() {
    sees_the_same(python(), "mcp", Era::Old);
}

#[test]
fn python_sdk_works_in_2026_07_28() {
    sees_the_same(python(), "mcp", Era::New);
}

#[test]
fn first_typescript_sdk_works_in_2025_11_25() {
    sees_the_same(node(), "@modelcontextprotocol/sdk", Era::Old);
}

#[test]
fn second_typescript_sdk_works_in_2025_11_25() {
    sees_the_same(node(), "@modelcontextprotocol/client", Era::Old);
}

#[test]
fn second_typescript_sdk_works_in_2026_07_28() {
    sees_the_same(node(), "@modelcontextprotocol/client", Era::New);
}
