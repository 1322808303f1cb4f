//! The endpoint answers invalid requests as the specification asks, and rejects clients without the token.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use schemascope_test_support::{Exchange, McpClient, Places, Program, Serve, Streamed, stdio, until};
use serde_json::{Map, Value, json};

struct Fixture {
    program: Program,
    serve: Serve,
    _scratch: tempfile::TempDir,
}

fn fixture(args: &[&str]) -> Fixture {
    let scratch = tempfile::tempdir().unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let servers = Map::from_iter([
        ("shop".to_owned(), stdio(places.fixture("shop"), &["--step-ms", "30"])),
        ("odd".to_owned(), stdio(places.fixture("odd"), &[])),
    ]);
    let program = Program::new(&places, scratch.path(), &servers).unwrap();
    let serve = program.serve(args).unwrap();
    Fixture { program, serve, _scratch: scratch }
}

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[test]
fn requests_without_token_or_from_other_hosts_are_rejected() {
    let fixture = fixture(&[]);
    let port = fixture.serve.instance["address"].as_str().unwrap().rsplit(':').next().unwrap().to_owned();
    let status = |method: &str, path: &str, headers: &str| -> String {
        let request =
            format!("{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: 0\r\n{headers}\r\n");
        fixture.serve.raw(&request).unwrap().split(' ').nth(1).unwrap_or_default().to_owned()
    };
    let authorized = format!("authorization: Bearer {}\r\n", fixture.serve.owner_token());
    for (method, path) in [
        ("POST", "/mcp"),
        ("GET", "/mcp"),
        ("DELETE", "/mcp"),
        ("POST", "/mcp/shop"),
        ("POST", "/mcp/nope"),
        ("POST", "/api/list_tools"),
        ("POST", "/api/restart_server"),
        ("GET", "/api/events"),
    ] {
        let local = "host: 127.0.0.1\r\n";
        assert_eq!(status(method, path, local), "401", "{method} {path}");
        assert_eq!(status(method, path, &format!("{local}authorization: Bearer wrong\r\n")), "401");
        for foreign in [
            "host: evil.example\r\n",
            "host: 127.0.0.1\r\norigin: http://evil.example\r\n",
            "host: localhost\r\norigin: http://localhost:1\r\n",
        ] {
            assert_eq!(
                status(method, path, &format!("{foreign}{authorized}")),
                "403",
                "{method} {path} {foreign}"
            );
        }
    }
    let own = format!("host: localhost:{port}\r\norigin: http://localhost:{port}\r\n{authorized}");
    assert_eq!(status("POST", "/api/list_tools", &own), "200");
    assert_eq!(status("POST", "/mcp/nope", &own), "404");
    assert_eq!(status("PUT", "/mcp", &own), "405");
    let agent = format!("host: localhost\r\nauthorization: Bearer {}\r\n", fixture.serve.token());
    assert_eq!(status("POST", "/api/list_tools", &agent), "403");
    assert_eq!(status("POST", "/api/decide", &agent), "403");
    assert_eq!(status("PUT", "/mcp", &agent), "405");
}

/// The dashboard's files hold no data, so they need no token; other sites' pages still get nothing.
#[test]
fn dashboard_files_are_served_to_this_machine_only() {
    let fixture = fixture(&[]);
    // Without the bodies, which are compressed.
    let head = |path: &str, headers: &str| {
        fixture.serve.raw(format!("HEAD {path} HTTP/1.1\r\nconnection: close\r\n{headers}\r\n")).unwrap()
    };
    let status = |answer: &str| answer.split(' ').nth(1).unwrap_or_default().to_owned();
    for path in ["/", "/tools", "/tools/shop__get_order", "/calls?q=status%3Aerror", "/servers/shop"] {
        let answer = head(path, "host: localhost\r\n");
        assert_eq!(status(&answer), "200", "{path}");
        let lines = answer.split("\r\n\r\n").next().unwrap().to_lowercase();
        assert!(lines.contains("content-security-policy: default-src 'none'"), "{lines}");
        assert!(lines.contains("x-content-type-options: nosniff"), "{lines}");
        assert_eq!(status(&head(path, "host: evil.example\r\n")), "403");
        assert_eq!(status(&head(path, "host: localhost\r\norigin: http://evil.example\r\n")), "403");
    }
    for path in ["/nothing", "/../../etc/passwd", "/schemascope.exe", "/api", "/tool"] {
        assert_eq!(status(&head(path, "host: localhost\r\n")), "404", "{path}");
    }
    let url = fixture.serve.instance["dashboard_url"].as_str().unwrap();
    let owner = fs::read_to_string(fixture.program.data_dir().join("owner-token")).unwrap();
    assert!(url.ends_with(&format!("/#token={owner}")), "{url}");
    let agent = fs::read_to_string(fixture.program.data_dir().join("token")).unwrap();
    assert_eq!(fixture.serve.token(), agent);
}

#[test]
fn no_auth_opens_mcp_and_keeps_the_other_checks() {
    let fixture = fixture(&["--no-auth"]);
    assert_eq!(fixture.serve.instance["token"], Value::Null);
    let request = |path: &str, headers: &str| {
        let head = format!("POST {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: 0\r\n");
        fixture.serve.raw(format!("{head}{headers}\r\n")).unwrap()
    };
    // Let in, and rejected for what is missing in it.
    assert!(request("/mcp", "host: localhost\r\n").starts_with("HTTP/1.1 415"));
    assert!(request("/mcp", "host: evil.example\r\n").starts_with("HTTP/1.1 403"));
    assert!(
        request("/mcp", "host: localhost\r\norigin: https://evil.example\r\n").starts_with("HTTP/1.1 403")
    );
    let owner = format!("host: localhost\r\nauthorization: Bearer {}\r\n", fixture.serve.owner_token());
    assert!(request("/api/list_tools", "host: localhost\r\n").starts_with("HTTP/1.1 401"));
    assert!(request("/api/list_tools", &owner).starts_with("HTTP/1.1 200"));
    // Terminal commands find the owner token.
    assert!(fixture.program.json(&["tools"]).unwrap().is_array());
}

fn slow(client: &McpClient, name: &str, steps: u32, token: &Value) -> Exchange {
    let params = json!({"name": name, "arguments": {"steps": steps}, "_meta": {"progressToken": token}});
    client.request("tools/call", &params.to_string()).unwrap()
}

#[test]
fn progress_precedes_the_answer_in_order_with_the_clients_token() {
    let fixture = fixture(&[]);
    for (upstream, name) in [(None, "shop__rebuild_catalog"), (Some("shop"), "rebuild_catalog")] {
        // Two clients with the same token on one upstream: each gets its own.
        std::thread::scope(|scope| {
            for steps in [4, 7] {
                let client = fixture.serve.connect(upstream).unwrap();
                scope.spawn(move || {
                    let exchange = slow(&client, name, steps, &json!("same"));
                    assert_eq!(exchange.media_type, "text/event-stream");
                    let progress = exchange.progress().unwrap();
                    let numbers: Vec<f64> =
                        progress.iter().map(|p| p["progress"].as_f64().unwrap()).collect();
                    let expect: Vec<f64> = (1..=steps).map(f64::from).collect();
                    assert_eq!(numbers, expect);
                    assert!(progress.iter().all(|p| p["progressToken"] == "same"));
                    assert!(
                        exchange.result().unwrap()["content"][0]["text"]
                            .as_str()
                            .unwrap()
                            .contains(&format!("\"rebuilt\":{steps}"))
                    );
                });
            }
        });
    }
    // Nobody asked for progress: a plain answer.
    let client = fixture.serve.connect(None).unwrap();
    let exchange = client.call("shop__rebuild_catalog", &json!({"steps": 2})).unwrap();
    assert_eq!((exchange.media_type.as_str(), exchange.messages.len()), ("application/json", 1));
}

/// A call that reports its steps, under way.
fn rebuild(serve: &Serve, client: &McpClient, steps: u64) -> Streamed {
    let params = json!({"name": "shop__rebuild_catalog", "arguments": {"steps": steps}, "_meta": {"progressToken": 1}});
    let body = json!({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": params});
    let call = Streamed::post(serve, None, &[("mcp-session-id", client.session())], &body).unwrap();
    assert!(call.until("notifications/progress").is_some());
    call
}

#[test]
fn cancellation_ends_the_call_and_the_upstreams_work() {
    let fixture = fixture(&[]);
    let client = fixture.serve.connect(None).unwrap();
    let calling = rebuild(&fixture.serve, &client, 900);
    let began = Instant::now();
    client.notify("notifications/cancelled", r#"{"requestId":"slow","reason":"changed my mind"}"#).unwrap();
    let lines: Vec<String> = std::iter::from_fn(|| calling.next()).collect();
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    let mut messages = lines.iter().filter(|line| line.contains("jsonrpc"));
    assert!(messages.all(|message| message.contains("notifications/progress")), "{lines:?}");
    // The upstream is free again at once, and the call is recorded as what it was.
    assert!(client.call("shop__order_total", &json!({})).unwrap().result().is_ok());
    let calls = fixture.program.json_lines(&["calls", "--tool", "shop__rebuild_catalog"]).unwrap();
    assert_eq!(calls[0]["outcome"], "cancelled");
}

/// Asked to stop, it answers requests that are under way and rejects further ones with the reason.
#[test]
fn stop_answers_requests_under_way_and_rejects_further_ones() {
    let fixture = fixture(&[]);
    let [calling, asking] = [(); 2].map(|()| fixture.serve.connect(None).unwrap());
    calling.call("shop__store_info", &json!({})).unwrap();
    let called = rebuild(&fixture.serve, &calling, 20);
    fixture.serve.signal("TERM").unwrap();
    let refused = until("requests are rejected", || {
        let exchange = asking.post(PING, &BTreeMap::new()).unwrap();
        (exchange.status != 200).then_some(exchange)
    });
    assert_eq!(refused.status, 503);
    let message = refused.answer().unwrap()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("was not carried out"), "{message}");
    assert!(called.until("\"result\"").is_some());
    fixture.serve.wait().unwrap();
    assert_eq!(fixture.program.json_lines(&["calls"]).unwrap().len(), 2);
}

/// A call is recorded even if its client leaves before the answer.
#[test]
fn call_of_client_that_leaves_is_recorded() {
    let fixture = fixture(&[]);
    let client = fixture.serve.connect(None).unwrap();
    drop(client);
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"leaver","version":"1"}}}"#;
    let (address, token) = (fixture.serve.instance["address"].as_str().unwrap(), fixture.serve.token());
    let head = |length: usize, more: &str| {
        format!(
            "POST /mcp HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\nconnection: close\r\ncontent-length: {length}\r\n{more}\r\n"
        )
    };
    let answer = fixture.serve.raw(format!("{}{hello}", head(hello.len(), ""))).unwrap();
    assert!(answer.contains("\"protocolVersion\":\"2025-06-18\""), "{answer}");
    let session =
        answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap().trim().to_owned();
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"shop__rebuild_catalog","arguments":{"steps":10}}}"#;
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .write_all(
            format!("{}{call}", head(call.len(), &format!("mcp-session-id: {session}\r\n"))).as_bytes(),
        )
        .unwrap();
    std::thread::sleep(Duration::from_millis(100));
    drop(stream);
    let calls = until("the call is recorded", || {
        let calls = fixture.program.json_lines(&["calls"]).unwrap();
        (!calls.is_empty()).then_some(calls)
    });
    let [call] = calls.as_slice() else { panic!("{calls:?}") };
    assert_eq!((&call["outcome"], &call["client"]["name"]), (&json!("ok"), &json!("leaver")));
    assert_eq!((&call["session"], &call["protocol_version"]), (&json!(session), &json!("2025-06-18")));
}

/// A refused request leaves its connection usable, also when its body comes late. The Python SDK begins
/// with a version we refuse, and once in a while met a connection that was being closed.
#[test]
fn rejected_request_keeps_its_connection_usable() {
    let fixture = fixture(&[]);
    let (address, token) = (fixture.serve.instance["address"].as_str().unwrap(), fixture.serve.token());
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    for _ in 0..3 {
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\nmcp-protocol-version: 1900-01-01\r\ncontent-length: {}\r\n\r\n",
            PING.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        stream.write_all(PING.as_bytes()).unwrap();
        let mut answer = [0; 4096];
        let read = stream.read(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer[..read]);
        assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("-32022"), "{answer}");
    }
}

#[test]
fn unknown_commands_and_bad_bodies_are_rejected_with_the_reason() {
    let fixture = fixture(&[]);
    let ask = |path: &str, body: &str| {
        let token = fixture.serve.owner_token();
        fixture.serve.raw(format!(
                "POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
                body.len())).unwrap()
    };
    let answer = ask("/api/nope", "{}");
    assert!(
        answer.starts_with("HTTP/1.1 404")
            && answer.contains("expected one of ")
            && answer.contains("list_tools"),
        "{answer}"
    );
    let answer = ask("/api/get_schema", "{\"tool\":1}");
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("tool_id"), "{answer}");
}
