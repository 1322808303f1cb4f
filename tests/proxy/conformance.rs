//! The official conformance suite: the fixture passes it directly, and every check also passes through Schemascope.
//!
//! `cargo xtask setup` installs the suite, pinned, in the target folder. The suite has no way to send a
//! token, so the program asks for none here.
#![allow(clippy::print_stdout, reason = "figures, for who asks with --nocapture")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use schemascope_test_support::{Listening, Places, Program, Suite, Verdict, conformance};
use serde_json::{Map, Value, json};

/// A revision of the specification, as the suite names it, and how many checks it does.
struct Revision {
    name: &'static str,
    checks: usize,
    /// The result of the fixture itself, once it is known.
    direct: OnceLock<Verdict>,
}

static LEGACY: Revision = Revision { name: "2025-11-25", checks: 84, direct: OnceLock::new() };
static MODERN: Revision = Revision { name: "2026-07-28", checks: 197, direct: OnceLock::new() };

/// The transport between Schemascope and the fixture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transport {
    Stdio,
    Http,
}

/// When the stream of a call ends before its answer is the server's choice. Over stdio there is no stream it
/// could end, so the client has nothing to come back for: the suite tells that, and calls it no fault.
const LOST_OVER_STDIO_IN_2025_11_25: &[&str] = &["server-sse-polling:server-sse-disconnect-resume"];

fn places() -> Places {
    Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap()
}

/// Runs the suite against the fixture itself; once for all tests.
fn direct(revision: &'static Revision) -> &'static Verdict {
    revision.direct.get_or_init(|| {
        let (places, scratch) = (places(), tempfile::tempdir().unwrap());
        let fixture = Listening::conformance(&places, "both").unwrap();
        Suite::installed(&places).unwrap().run(fixture.url(), revision.name, scratch.path()).unwrap()
    })
}

/// Runs the suite against the fixture through Schemascope. `era` is the one the fixture speaks.
fn through(revision: &Revision, transport: Transport, era: &str) -> Verdict {
    let (places, scratch) = (places(), tempfile::tempdir().unwrap());
    let (upstream, _fixture) = conformance(&places, era, transport == Transport::Http).unwrap();
    let servers = Map::from_iter([("fixture".to_owned(), upstream)]);
    let program = Program::new(&places, scratch.path(), &servers).unwrap();
    let serve = program.serve(&["--no-auth"]).unwrap();
    let suite = Suite::installed(&places).unwrap();
    suite.run(&serve.url(Some("fixture")), revision.name, scratch.path()).unwrap()
}

/// The fixture conforms to the specification, so it is a valid reference.
fn assert_passes(revision: &'static Revision) {
    let verdict = direct(revision);
    let failing: Vec<_> = verdict.failing().map(|check| format!("{check:?}")).collect();
    let (executed, passed) = (verdict.executed(), verdict.passed());
    println!("{}: {passed} of {executed} checks pass\n{}", revision.name, failing.join("\n"));
    assert_eq!(executed, revision.checks, "the suite does other checks than before");
    assert!(passed * 100 >= executed * 95, "{}", failing.join("\n"));
}

/// What passes directly passes through us as well, but for what is listed, `scenario:check`, and is still
/// so.
fn assert_nothing_lost(revision: &'static Revision, transport: Transport, era: &str, but: &[&str]) {
    let lost = direct(revision).lost(&through(revision, transport, era));
    let told: Vec<_> = lost.iter().map(|(check, why)| format!("{check}  [{why}]")).collect();
    println!(
        "{} over {transport:?}, upstream {era}: {} lost\n{}",
        revision.name,
        lost.len(),
        told.join("\n")
    );
    let lost: Vec<&str> = lost.iter().map(|(check, _)| check.as_str()).collect();
    assert_eq!(lost, but, "{}", told.join("\n"));
}

#[test]
fn fixture_passes_the_suite_of_2025_11_25() {
    assert_passes(&LEGACY);
}

#[test]
fn fixture_passes_the_suite_of_2026_07_28() {
    assert_passes(&MODERN);
}

/// The suite knows HTTP only; the same server has to answer the same over stdio.
#[test]
fn fixture_serves_both_eras_over_stdio() {
    let hello = json!({"protocolVersion": LEGACY.name, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let meta = json!({"io.modelcontextprotocol/protocolVersion": MODERN.name, "io.modelcontextprotocol/clientCapabilities": {}});
    let request = |id: u32, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let legacy = [
        request(1, "initialize", hello),
        initialized,
        request(2, "tools/call", json!({"name": "test_simple_text"})),
    ];
    let modern = [
        request(1, "server/discover", json!({"_meta": meta})),
        request(2, "tools/call", json!({"name": "test_simple_text", "_meta": meta})),
    ];
    for messages in [&legacy[..], &modern[..]] {
        let mut command = Command::new(places().fixture("conformance"));
        let mut fixture = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (mut stdin, stdout) = (fixture.stdin.take().unwrap(), fixture.stdout.take().unwrap());
        let mut answers = BufReader::new(stdout).lines();
        for message in messages {
            writeln!(stdin, "{message}").unwrap();
            let Some(id) = message.get("id") else { continue };
            let answer: Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
            assert_eq!(&answer["id"], id, "{answer}");
            assert!(answer["result"].is_object(), "{answer}");
            if id == 2 {
                assert_eq!(answer["result"]["content"][0]["type"], "text", "{answer}");
            }
        }
        drop(stdin);
        assert!(fixture.wait().unwrap().success());
    }
}

#[test]
fn nothing_is_lost_over_stdio_in_2025_11_25() {
    assert_nothing_lost(&LEGACY, Transport::Stdio, "both", LOST_OVER_STDIO_IN_2025_11_25);
}

#[test]
fn nothing_is_lost_over_http_in_2025_11_25() {
    assert_nothing_lost(&LEGACY, Transport::Http, "both", &[]);
}

#[test]
fn nothing_is_lost_over_stdio_in_2026_07_28() {
    assert_nothing_lost(&MODERN, Transport::Stdio, "both", &[]);
}

#[test]
fn nothing_is_lost_over_http_in_2026_07_28() {
    assert_nothing_lost(&MODERN, Transport::Http, "both", &[]);
}

/// An upstream with a handshake asks one thing at a time and gives it no name, so a stateless client is asked
/// one thing under a name of ours; and tasks are an extension there, which is not declared for an upstream
/// that has tasks in another form, or none.
const LOST_WHERE_A_STATELESS_CLIENT_IS_BRIDGED: &[&str] = &[
    "input-required-result-basic-elicitation:sep-2322-elicitation-complete",
    "input-required-result-basic-elicitation:sep-2322-elicitation-incomplete",
    "input-required-result-ignore-extra-params:sep-2322-ignore-unexpected-params",
    "input-required-result-multiple-input-requests:sep-2322-multiple-inputs-complete",
    "input-required-result-multiple-input-requests:sep-2322-multiple-inputs-incomplete",
    "tasks-capability-negotiation:tasks-extension-advertised",
    "tasks-capability-negotiation:tasks-per-request-meta-opt-in",
    "tasks-request-headers:sep-2663-routing-headers-accepted-on-tasks-get",
    "tasks-request-headers:sep-2663-server-rejects-mismatched-mcp-name-on-tasks-get",
    "tasks-request-state-removal:tasks-create-result-no-request-state",
    "tasks-request-state-removal:tasks-get-detailed-no-request-state",
    "tasks-wire-fields:tasks-no-early-ttl-expiry",
    "tasks-wire-fields:tasks-no-related-task-meta-on-inlined-result",
    "tasks-wire-fields:tasks-wire-field-renames",
];

#[test]
fn stateless_client_is_bridged_to_upstream_with_handshake() {
    for transport in [Transport::Stdio, Transport::Http] {
        assert_nothing_lost(&MODERN, transport, "legacy", LOST_WHERE_A_STATELESS_CLIENT_IS_BRIDGED);
    }
}

/// The stateless era has no streams to come back to.
#[test]
fn client_with_handshake_is_bridged_to_stateless_upstream() {
    for transport in [Transport::Stdio, Transport::Http] {
        assert_nothing_lost(&LEGACY, transport, "modern", LOST_OVER_STDIO_IN_2025_11_25);
    }
}
