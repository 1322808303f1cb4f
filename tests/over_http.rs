//! Upstreams over HTTP as they are: they forget sessions, answer in every way the protocol has, want headers, and send
//! their clients elsewhere.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use schemascope_test_support::{Asked, McpClient, Places, Program, Said, Serve, Streamed, scripted};
use serde_json::{Value, json};

/// Us before upstreams.
struct Before {
    serve: Serve,
    _program: Program,
    _scratch: tempfile::TempDir,
}

fn before(servers: &Value) -> Before {
    let scratch = tempfile::tempdir().unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let program = Program::new(&places, scratch.path(), servers.as_object().unwrap()).unwrap();
    let serve = program.serve(&[]).unwrap();
    Before { serve, _program: program, _scratch: scratch }
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

fn said(client: &McpClient, tool: &str) -> String {
    let answer = client.call(tool, &json!({})).unwrap().answer().unwrap();
    answer["result"]["content"][0]["text"].as_str().unwrap_or(&answer["error"].to_string()).to_owned()
}

/// A server with sessions that `forget` ends, all of them. What it says of one it does not know is `refusal`.
fn forgetful(refusal: &'static str) -> (String, Arc<AtomicUsize>) {
    let (sessions, opened) = (Mutex::new(BTreeSet::new()), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&opened);
    let url = scripted(move |asked: &Asked| {
        let mut sessions = sessions.lock().unwrap();
        if asked.method() == "initialize" {
            let id = format!("s{}", opened.fetch_add(1, Ordering::Relaxed));
            sessions.insert(id.clone());
            return asked.usual(&[]).unwrap().with("mcp-session-id", &id);
        }
        if !sessions.contains(asked.header("mcp-session-id")) {
            return Said::json(404, refusal);
        }
        asked.usual(&["forget", "echo"]).unwrap_or_else(|| {
            if asked.message["params"]["name"] == "forget" {
                sessions.clear();
            }
            asked.answered(&text("here"))
        })
    });
    (url.unwrap(), counted)
}

/// An upstream that answered so was never introduced to us again: each call from then on failed. The first is what
/// the Python SDK says, whose id is nobody's.
#[test]
fn an_upstream_that_forgets_its_sessions_is_introduced_again_and_asked_again() {
    for refusal in [
        r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}"#,
        "Not Found",
        "",
    ] {
        let (url, opened) = forgetful(refusal);
        let before = before(&json!({"it": {"url": url}}));
        for (upstream, prefix) in [(Some("it"), ""), (None, "it__")] {
            for capabilities in [json!({}), json!({"sampling": {}})] {
                let client = before.serve.connect_with(upstream, &capabilities).unwrap();
                let [forget, echo] = ["forget", "echo"].map(|tool| format!("{prefix}{tool}"));
                assert_eq!(said(&client, &echo), "here");
                for _ in 0..3 {
                    let before = opened.load(Ordering::Relaxed);
                    assert_eq!(said(&client, &forget), "here");
                    // It was not carried out, so nobody need notice.
                    assert_eq!(said(&client, &echo), "here", "{refusal} {upstream:?} {capabilities}");
                    assert_eq!(said(&client, &echo), "here");
                    assert!(opened.load(Ordering::Relaxed) > before);
                }
            }
        }
    }
}

/// Of calls that were under way together, one was sent again and the others failed.
#[test]
fn an_upstream_that_forgets_its_sessions_while_many_call_is_asked_again_for_each() {
    let (url, opened) = forgetful("");
    let before = before(&json!({"it": {"url": url}}));
    let clients: Vec<McpClient> = (0..4).map(|_| before.serve.connect(Some("it")).unwrap()).collect();
    for _ in 0..5 {
        assert_eq!(said(&clients[0], "forget"), "here");
        let met = opened.load(Ordering::Relaxed);
        std::thread::scope(|scope| {
            for client in clients.iter().chain(&clients) {
                scope.spawn(|| assert_eq!(said(client, "echo"), "here"));
            }
        });
        assert!(opened.load(Ordering::Relaxed) > met);
    }
}

/// One that knows no session for longer than a request is not asked for ever.
#[test]
fn an_upstream_that_knows_no_session_is_asked_twice() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let url = scripted(move |asked: &Asked| match asked.usual(&["echo"]) {
        Some(usual) if asked.method() == "initialize" => usual.with("mcp-session-id", "s"),
        Some(usual) => usual,
        None => {
            counted.fetch_add(1, Ordering::Relaxed);
            Said::json(404, "gone")
        }
    });
    let before = before(&json!({"it": {"url": url.unwrap()}}));
    let client = before.serve.connect(Some("it")).unwrap();
    let refused = said(&client, "echo");
    assert!(refused.contains("no such page or session"), "{refused}");
    assert_eq!(calls.load(Ordering::Relaxed), 2);
}

/// A method that is not known is no session that is not known, where a server gives both the same status.
#[test]
fn a_method_that_is_not_known_ends_no_session() {
    let opened = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&opened);
    let url = scripted(move |asked: &Asked| match asked.usual(&["echo"]) {
        Some(usual) if asked.method() == "initialize" => {
            counted.fetch_add(1, Ordering::Relaxed);
            usual.with("mcp-session-id", "s")
        }
        Some(usual) => usual,
        None if asked.method() == "tools/call" => asked.answered(&text("here")),
        None => {
            let error = json!({"code": -32601, "message": "never heard of", "data": asked.method()});
            let answer = json!({"jsonrpc": "2.0", "id": asked.message["id"], "error": error});
            Said::json(404, &answer.to_string())
        }
    });
    let before = before(&json!({"it": {"url": url.unwrap()}}));
    let client = before.serve.connect(Some("it")).unwrap();
    let refused = client.request("x/unknown", "{}").unwrap().answer().unwrap();
    assert_eq!(refused["error"]["data"], "x/unknown", "{refused}");
    assert_eq!(said(&client, "echo"), "here");
    assert_eq!(opened.load(Ordering::Relaxed), 1);
}

/// A body of JSON, an event, several events and a batch, in turn and with line breaks of every kind.
#[test]
fn answers_come_in_whatever_form() {
    let url = scripted(|asked: &Asked| {
        if let Some(usual) = asked.usual(&["json", "events", "batch", "noise", "text-id", "large"]) {
            return usual;
        }
        let tool = asked.message["params"]["name"].as_str().unwrap_or_default();
        let id = &asked.message["id"];
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": text(tool)}).to_string();
        let told =
            r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"log"}}"#;
        let body = match tool {
            "events" => format!("\u{FEFF}id: 1\r\nevent: message\r\ndata: {told}\r\n\r\ndata: {answer}\r\r"),
            "batch" => format!("data: [{told},{answer}]\n\n"),
            "noise" => format!("data: {{no message\n\n: comment\ndata: {answer}\n\n"),
            "text-id" => {
                return Said::json(
                    200,
                    &answer.replace(&format!("\"id\":{id}"), &format!("\"id\":\"{id}\"")),
                );
            }
            "large" => return asked.answered(&text(&"x".repeat(10 << 20))),
            _ => return Said::json(200, &answer),
        };
        let headers = vec![("content-type", "text/event-stream; charset=utf-8".to_owned())];
        Said { status: 200, headers, body }
    });
    let before = before(&json!({"it": {"url": url.unwrap()}}));
    for (upstream, prefix) in [(Some("it"), ""), (None, "it__")] {
        let client = before.serve.connect(upstream).unwrap();
        for tool in ["json", "events", "json", "batch", "noise", "text-id", "events"] {
            assert_eq!(said(&client, &format!("{prefix}{tool}")), tool);
        }
        assert_eq!(said(&client, &format!("{prefix}large")).len(), 10 << 20);
    }
}

/// What stands in an entry's headers goes to its address and nobody else.
#[test]
fn headers_go_where_they_belong_and_refusals_say_what_to_do() {
    let elsewhere = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&elsewhere);
    let target = scripted(move |asked: &Asked| {
        noted.lock().unwrap().push(asked.header("x-key").to_owned());
        Said::json(200, "{}")
    });
    let target = target.unwrap();
    let moved = scripted(move |_: &Asked| Said::json(307, "").with("location", &target)).unwrap();
    let guarded = scripted(|asked: &Asked| match asked.header("x-key") {
        // Compressed bodies would not be understood, so they must not be asked for.
        "s3cret-key" => {
            asked.usual(&["echo"]).unwrap_or_else(|| asked.answered(&text(asked.header("accept-encoding"))))
        }
        other => Said::json(401, &format!("not with {other:?}")),
    });
    let guarded = guarded.unwrap();
    let headers = json!({"X-Key": "s3cret-key"});
    let before = before(&json!({
        "key": {"url": guarded, "headers": headers},
        "nokey": {"url": guarded, "headers": {"X-Key": "wrong-key"}},
        "moved": {"url": moved, "headers": headers},
    }));
    assert_eq!(said(&before.serve.connect(Some("key")).unwrap(), "echo"), "identity");
    for (name, expected) in [("nokey", "does its entry need"), ("moved", "put the address it names")] {
        let refused = before.serve.connect(Some(name)).err().unwrap().to_string();
        assert!(refused.contains(expected) && !refused.contains("wrong-key"), "{refused}");
    }
    assert!(elsewhere.lock().unwrap().is_empty(), "nobody went there");
}

/// Only who listed prompts made their aliases known; after a restart a client's were unknown.
#[test]
fn a_prompts_alias_is_good_without_listing() {
    let url = scripted(|asked: &Asked| match asked.method() {
        "initialize" => asked.answered(&json!({"protocolVersion": "2025-11-25",
            "capabilities": {"prompts": {}}, "serverInfo": {"name": "scripted", "version": "1"}})),
        "prompts/list" => asked.answered(&json!({"prompts": [{"name": "what's new?"}]})),
        "prompts/get" => asked.answered(&json!({"messages": [], "name": asked.message["params"]["name"]})),
        _ => asked.usual(&[]).unwrap_or_default(),
    });
    let servers = json!({"it": {"url": url.unwrap()}});
    let first = before(&servers);
    let listing = first.serve.connect(None).unwrap();
    let listed = listing.request("prompts/list", "{}").unwrap().result().unwrap();
    let alias = listed["prompts"][0]["name"].as_str().unwrap().to_owned();
    assert_ne!(alias, "it__what's new?");
    let second = before(&servers);
    let client = second.serve.connect(None).unwrap();
    let got = client.request("prompts/get", &json!({ "name": alias }).to_string()).unwrap().result().unwrap();
    assert_eq!(got["name"], "what's new?");
}

/// A client that can be asked has a session of its own there. What it said in that one was lost with it, also when it
/// was quiet for some minutes.
#[test]
fn what_a_client_said_in_its_own_session_is_said_again_in_the_next() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let (noted, opened) = (Arc::clone(&told), AtomicUsize::new(0));
    let current = Mutex::new(BTreeSet::new());
    let url = scripted(move |asked: &Asked| {
        let mut current = current.lock().unwrap();
        if asked.method() == "initialize" {
            let id = format!("s{}", opened.fetch_add(1, Ordering::Relaxed));
            current.insert(id.clone());
            return asked.usual(&[]).unwrap().with("mcp-session-id", &id);
        }
        let session = asked.header("mcp-session-id").to_owned();
        if !current.contains(&session) {
            return Said::json(404, "");
        }
        asked.usual(&["forget"]).unwrap_or_else(|| {
            if asked.method() == "tools/call" {
                current.clear();
                return asked.answered(&text("here"));
            }
            noted.lock().unwrap().push((session, format!("{} {}", asked.method(), asked.message["params"])));
            asked.answered(&json!({}))
        })
    });
    let before = before(&json!({"it": {"url": url.unwrap()}}));
    let client = before.serve.connect_with(Some("it"), &json!({"sampling": {}})).unwrap();
    let ask = |method: &str, params: Value| {
        assert!(client.request(method, &params.to_string()).unwrap().result().is_ok(), "{method}");
    };
    ask("resources/subscribe", json!({"uri": "a:"}));
    ask("resources/subscribe", json!({"uri": "b:"}));
    ask("resources/unsubscribe", json!({"uri": "a:"}));
    ask("logging/setLevel", json!({"level": "error"}));
    ask("tools/call", json!({"name": "forget"}));
    ask("x/anything", json!({}));
    let told = told.lock().unwrap();
    let said = |session: &str| -> Vec<&str> {
        told.iter().filter(|(of, _)| of == session).map(|(_, said)| said.as_str()).collect()
    };
    let (first, last) = (&told[0].0, &told[told.len() - 1].0);
    assert_eq!((said(first).len(), first == last), (4, false), "{told:?}");
    let again =
        ["logging/setLevel {\"level\":\"error\"}", "resources/subscribe {\"uri\":\"b:\"}", "x/anything {}"];
    assert_eq!(said(last), again);
}

/// Of both eras, and each request is of the era its headers say: so is the official Python SDK.
fn of_both_eras() -> String {
    let url = scripted(|asked: &Asked| {
        if asked.header("mcp-protocol-version") != "2026-07-28" {
            let usual = asked.usual(&["echo"]).filter(|_| asked.method() != "server/discover");
            return usual.map_or_else(
                || {
                    let error = json!({"code": -32601, "message": "Method not found"});
                    let answer = json!({"jsonrpc": "2.0", "id": asked.message["id"], "error": error});
                    Said::json(200, &answer.to_string())
                },
                |said| said.with("mcp-session-id", "s"),
            );
        }
        if asked.verb != "POST" {
            return Said { status: 405, ..Said::default() };
        }
        let mut result = match asked.method() {
            "server/discover" => {
                json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {"own": true}},
                "serverInfo": {"name": "both", "version": "1"}})
            }
            "tools/list" => json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}),
            _ => text("as a stateless one"),
        };
        result["resultType"] = "complete".into();
        asked.answered(&result)
    });
    url.unwrap()
}

/// It was asked in the session, where it knows no such method, and taken for one of the handshake alone.
#[test]
fn an_upstream_of_both_eras_speaks_the_clients() {
    let before = before(&json!({"it": {"url": of_both_eras()}}));
    let client = before.serve.connect(Some("it")).unwrap();
    assert!(said(&client, "echo").contains("Method not found"));
    let call = |method: &str, params: Value| {
        let told = Streamed::stateless(&before.serve, Some("it"), &json!({}), method, params).unwrap();
        let answer = told.until("\"result").unwrap();
        serde_json::from_str::<Value>(answer.trim_start_matches("data:")).unwrap()["result"].clone()
    };
    assert_eq!(call("server/discover", json!({}))["capabilities"]["tools"]["own"], true);
    let result = call("tools/call", json!({"name": "echo", "arguments": {}}));
    assert_eq!(result["content"][0]["text"], "as a stateless one");
}
