//! Clients of either era on upstreams of either era, over stdio and HTTP, on `/mcp/NAME` and `/mcp`: what no client
//! library shows. What they do show is in `sdks.rs`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::Command;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use schemascope_test_support::{Listening, McpClient, Places, Program, Serve, stdio};
use serde_json::{Map, Value, json};

const UPSTREAM: &str = "fixture";
const WATCHED: &str = "test://watched-resource";

/// Us before a fixture of one era.
struct Before {
    program: Program,
    serve: Serve,
    _fixture: Option<Listening>,
    _scratch: tempfile::TempDir,
}

fn before(era: &str, over_http: bool) -> Before {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let fixture = over_http.then(|| {
        let mut command = Command::new(places.fixture("conformance"));
        command.args(["--port", "0", "--era", era]);
        Listening::start(command).unwrap()
    });
    let upstream = match &fixture {
        Some(fixture) => json!({"url": fixture.url()}),
        None => stdio(places.fixture("conformance"), &["--era", era]),
    };
    let program =
        Program::new(&places, scratch.path(), &Map::from_iter([(UPSTREAM.to_owned(), upstream)])).unwrap();
    let serve = program.serve(&[]).unwrap();
    Before { program, serve, _fixture: fixture, _scratch: scratch }
}

/// A request whose answer is read as it comes. Dropped, its connection closes.
struct Streamed {
    lines: Receiver<String>,
    connection: TcpStream,
}

impl Streamed {
    fn post(serve: &Serve, upstream: Option<&str>, headers: &[(&str, &str)], body: &Value) -> Self {
        let mut connection = TcpStream::connect(serve.instance["address"].as_str().unwrap()).unwrap();
        let path = upstream.map_or_else(|| "/mcp".to_owned(), |name| format!("/mcp/{name}"));
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let body = body.to_string();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n{body}",
            serve.token(),
            body.len()
        );
        connection.write_all(head.as_bytes()).unwrap();
        let (sender, lines) = sync_channel(10_000);
        let reader = BufReader::new(connection.try_clone().unwrap());
        std::thread::spawn(move || {
            for line in reader.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { lines, connection }
    }

    /// As a client of the stateless era.
    fn stateless(serve: &Serve, upstream: Option<&str>, method: &str, mut params: Value) -> Self {
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
        let body = json!({"jsonrpc": "2.0", "id": "s", "method": method, "params": params});
        let mut headers = vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
        headers.extend(params["name"].as_str().map(|name| ("mcp-name", name)));
        Self::post(serve, upstream, &headers, &body)
    }

    /// Waits for a line that says this.
    fn until(&self, said: &str) -> Option<String> {
        loop {
            let line = self.lines.recv_timeout(Duration::from_secs(20)).ok()?;
            if line.contains(said) {
                return Some(line);
            }
        }
    }
}

impl Drop for Streamed {
    fn drop(&mut self) {
        let _ = self.connection.shutdown(std::net::Shutdown::Both);
    }
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// How often the upstream itself saw a call cancelled.
fn cancelled(client: &McpClient) -> u32 {
    let result = client.call("test_cancelled", &json!({})).unwrap().result().unwrap();
    result["content"][0]["text"].as_str().unwrap().parse().unwrap()
}

#[test]
fn cancellation_reaches_the_upstream_in_every_cell() {
    for (era, over_http) in [("legacy", false), ("legacy", true), ("modern", false), ("modern", true)] {
        let before = before(era, over_http);
        let serve = &before.serve;
        let watching = serve.connect(Some(UPSTREAM)).unwrap();
        let mut expected = 0;
        for (upstream, tool) in [(Some(UPSTREAM), "test_cancellation"), (None, "fixture__test_cancellation")]
        {
            let params = json!({"name": tool, "_meta": {"progressToken": "p"}});
            for stateless in [false, true] {
                let cell = format!("{era} over HTTP {over_http}, {upstream:?}, stateless {stateless}");
                if stateless {
                    let call = Streamed::stateless(serve, upstream, "tools/call", params.clone());
                    assert!(call.until("notifications/progress").is_some(), "{cell}");
                } else {
                    let client = serve.connect(upstream).unwrap();
                    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
                    let headers = [("mcp-session-id", client.session())];
                    let call = Streamed::post(serve, upstream, &headers, &body);
                    assert!(call.until("notifications/progress").is_some(), "{cell}");
                    // The same id, written otherwise.
                    client.notify("notifications/cancelled", r#"{"requestId":1.0}"#).unwrap();
                    until(&format!("{cell}: its stream ends"), || {
                        call.lines.recv_timeout(Duration::from_secs(20)).is_err()
                    });
                }
                expected += 1;
                until(&cell, || cancelled(&watching) == expected);
            }
        }
        let calls = before.program.json_lines(&["calls"]).unwrap();
        let ended = calls.iter().filter(|call| call["outcome"] == "cancelled").count();
        assert_eq!(ended, 4, "{era} over HTTP {over_http}");
    }
}

/// What is watched is watched again once the upstream is back, whoever noticed that it was away.
#[test]
fn subscriptions_outlive_their_upstreams_process() {
    for era in ["legacy", "modern"] {
        let before = before(era, false);
        let serve = &before.serve;
        let [one, all] = [Some(UPSTREAM), None].map(|upstream| serve.connect(upstream).unwrap());
        for client in [&one, &all] {
            let subscribed = client.request("resources/subscribe", &json!({"uri": WATCHED}).to_string());
            assert!(subscribed.unwrap().result().is_ok());
        }
        // Where the upstream is of its own era a client's stream ends with the upstream, as it would directly.
        let wanted = json!({"notifications": {"resourceSubscriptions": [WATCHED]}});
        let mut streams = vec![(None, "/mcp")];
        if era == "legacy" {
            streams.push((Some(UPSTREAM), "/mcp/NAME"));
        }
        let streams: Vec<_> = streams
            .into_iter()
            .map(|(upstream, name)| {
                (Streamed::stateless(serve, upstream, "subscriptions/listen", wanted.clone()), name)
            })
            .collect();
        for (stream, name) in &streams {
            assert!(stream.until("subscriptions/acknowledged").is_some(), "{era} {name}");
        }
        let servers = before.program.json(&["servers"]).unwrap();
        let pid = servers["servers"][0]["pid"].as_u64().unwrap();
        assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
        let (told, tellings) = sync_channel(100);
        std::thread::scope(|scope| {
            for (client, name) in [(&one, "one"), (&all, "all")] {
                let told = told.clone();
                scope.spawn(move || {
                    client
                        .listen(|message| {
                            let updated = message.contains("notifications/resources/updated");
                            if updated {
                                let _ = told.send(name);
                            }
                            !updated
                        })
                        .unwrap();
                });
            }
            let mut heard = Vec::new();
            until(&format!("both sessions are told, {era}"), || {
                // Until it is back nobody can change anything there.
                let _ = one.call("test_trigger_resource_change", &json!({}));
                heard.extend(tellings.try_iter());
                heard.contains(&"one") && heard.contains(&"all")
            });
        });
        for (stream, name) in &streams {
            let updated = stream.until("notifications/resources/updated").unwrap_or_default();
            assert!(updated.contains(WATCHED), "{era} {name}");
        }
    }
}
