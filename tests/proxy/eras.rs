//! Clients of either era on upstreams of either era, over stdio and HTTP, on `/mcp/NAME` and `/mcp`: what no client
//! library shows. What they do show is in `sdks.rs`.

use std::process::Command;
use std::sync::mpsc::sync_channel;

use schemascope_test_support::{Listening, McpClient, Places, Program, Serve, Streamed, conformance, until};
use serde_json::{Map, json};

const UPSTREAM: &str = "fixture";
const WATCHED: &str = "test://watched-resource";

/// Schemascope in front of a fixture of one era.
struct Setup {
    program: Program,
    serve: Serve,
    _fixture: Option<Listening>,
    _scratch: tempfile::TempDir,
}

fn before(era: &str, over_http: bool) -> Setup {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let (upstream, fixture) = conformance(&places, era, over_http).unwrap();
    let program =
        Program::new(&places, scratch.path(), &Map::from_iter([(UPSTREAM.to_owned(), upstream)])).unwrap();
    let serve = program.serve(&[]).unwrap();
    Setup { program, serve, _fixture: fixture, _scratch: scratch }
}

/// How often the upstream itself saw a call cancelled.
fn cancelled(client: &McpClient, prefix: &str) -> u32 {
    let result = client.call(&format!("{prefix}test_cancelled"), &json!({})).unwrap().result().unwrap();
    result["content"][0]["text"].as_str().unwrap().parse().unwrap()
}

#[test]
fn cancellation_reaches_the_upstream_in_every_combination() {
    for (era, over_http) in [("legacy", false), ("legacy", true), ("modern", false), ("modern", true)] {
        let before = before(era, over_http);
        let serve = &before.serve;
        let watching = serve.connect(Some(UPSTREAM)).unwrap();
        // It comes first, so it uses the process that stateless clients use.
        assert_eq!(cancelled(&watching, ""), 0);
        for (upstream, prefix) in [(Some(UPSTREAM), ""), (None, "fixture__")] {
            let tool = format!("{prefix}test_cancellation");
            let params = json!({"name": tool, "_meta": {"progressToken": "p"}});
            for stateless in [false, true] {
                let cell = format!("{era} over HTTP {over_http}, {upstream:?}, stateless {stateless}");
                if stateless {
                    let before = cancelled(&watching, "");
                    let call = Streamed::stateless(serve, upstream, &json!({}), "tools/call", params.clone())
                        .unwrap();
                    assert!(call.until("notifications/progress").is_some(), "{cell}");
                    drop(call);
                    until(&cell, || cancelled(&watching, "") == before + 1);
                } else {
                    let client = serve.connect(upstream).unwrap();
                    let before = cancelled(&client, prefix);
                    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
                    let headers = [("mcp-session-id", client.session())];
                    let call = Streamed::post(serve, upstream, &headers, &body).unwrap();
                    assert!(call.until("notifications/progress").is_some(), "{cell}");
                    // The same id, written otherwise.
                    client.notify("notifications/cancelled", r#"{"requestId":1.0}"#).unwrap();
                    until(&format!("{cell}: its stream ends"), || call.next().is_none());
                    until(&cell, || cancelled(&client, prefix) == before + 1);
                }
            }
        }
        let calls = before.program.json_lines(&["calls"]).unwrap();
        let ended = calls.iter().filter(|call| call["outcome"] == "cancelled").count();
        assert_eq!(ended, 4, "{era} over HTTP {over_http}");
    }
}

/// A resource that is watched is watched again once the upstream is back, in whichever session its end showed.
#[test]
fn subscriptions_outlive_the_process_of_their_upstream() {
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
                let listening =
                    Streamed::stateless(serve, upstream, &json!({}), "subscriptions/listen", wanted.clone());
                (listening.unwrap(), name)
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
            until(&format!("both sessions are notified, {era}"), || {
                // Until it is back nothing can be changed there. Each has a process of its own.
                let _ = one.call("test_trigger_resource_change", &json!({}));
                let _ = all.call("fixture__test_trigger_resource_change", &json!({}));
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
