//! Upstreams over HTTP as they are: they forget sessions, answer in every way the protocol has, want headers, and send
//! their clients elsewhere.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use schemascope_test_support::{
    McpClient, Places, Program, ScriptedRequest, ScriptedResponse, Serve, Streamed, scripted,
};
use serde_json::{Value, json};

/// Us before upstreams.
struct Setup {
    serve: Serve,
    _program: Program,
    _scratch: tempfile::TempDir,
}

fn before(servers: &Value) -> Setup {
    let scratch = tempfile::tempdir().unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let program = Program::new(&places, scratch.path(), servers.as_object().unwrap()).unwrap();
    let serve = program.serve(&[]).unwrap();
    Setup { serve, _program: program, _scratch: scratch }
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

fn said(client: &McpClient, tool: &str) -> String {
    let answer = client.call(tool, &json!({})).unwrap().answer().unwrap();
    answer["result"]["content"][0]["text"].as_str().unwrap_or(&answer["error"].to_string()).to_owned()
}

/// A server whose tool `forget` ends all sessions. It answers an unknown session with a status and `refusal`.
fn forgetful(status: u16, refusal: &'static str) -> (String, Arc<AtomicUsize>) {
    let (sessions, opened) = (Mutex::new(BTreeSet::new()), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&opened);
    let url = scripted(move |asked: &ScriptedRequest| {
        let mut sessions = sessions.lock().unwrap();
        if asked.method() == "initialize" {
            let id = format!("s{}", opened.fetch_add(1, Ordering::Relaxed));
            sessions.insert(id.clone());
            return asked.usual(&[]).unwrap().with("mcp-session-id", &id);
        }
        if !sessions.contains(asked.header("mcp-session-id")) {
            return ScriptedResponse::json(status, refusal);
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

/// Regression: an upstream that answered so was never initialized again, and each call from then on failed. The first
/// answer is that of the Python SDK, whose id belongs to no request; the last two are those of servers built like the
/// examples of the TypeScript SDK.
#[test]
fn upstream_that_forgets_its_session_is_initialized_and_called_again() {
    for (status, refusal) in [
        (
            404,
            r#"{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}"#,
        ),
        (404, r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}"#),
        (404, "Not Found"),
        (404, ""),
        (
            400,
            r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}"#,
        ),
        (400, r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"}}"#),
    ] {
        let (url, opened) = forgetful(status, refusal);
        let before = before(&json!({"it": {"url": url}}));
        for (upstream, prefix) in [(Some("it"), ""), (None, "it__")] {
            for capabilities in [json!({}), json!({"sampling": {}})] {
                let client = before.serve.connect_with(upstream, &capabilities).unwrap();
                let [forget, echo] = ["forget", "echo"].map(|tool| format!("{prefix}{tool}"));
                assert_eq!(said(&client, &echo), "here");
                for _ in 0..3 {
                    let before = opened.load(Ordering::Relaxed);
                    assert_eq!(said(&client, &forget), "here");
                    // The call was not carried out, so the client does not notice.
                    assert_eq!(said(&client, &echo), "here", "{refusal} {upstream:?} {capabilities}");
                    assert_eq!(said(&client, &echo), "here");
                    assert!(opened.load(Ordering::Relaxed) > before);
                }
            }
        }
    }
}

/// Regression: of calls that were under way together, one was sent again and the others failed.
#[test]
fn upstream_that_forgets_its_session_is_called_again_for_each_waiting_call() {
    let (url, opened) = forgetful(404, "");
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

/// Regression: such a list was asked for a thousand times, and the server was not used.
#[test]
fn list_that_repeats_itself_ends() {
    for (cursors, pages) in [(["\"\"", "\"\""], 1), (["\"a\"", "\"a\""], 2), (["\"a\"", "\"b\""], 3)] {
        let asked_for = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&asked_for);
        let url = scripted(move |asked: &ScriptedRequest| {
            if asked.method() != "tools/list" {
                return asked.usual(&[]).unwrap_or_else(|| asked.answered(&text("here")));
            }
            let page = counted.fetch_add(1, Ordering::Relaxed);
            let tools = json!([{"name": format!("t{page}"), "inputSchema": {"type": "object"}}]);
            let cursor: Value = serde_json::from_str(cursors.get(page).unwrap_or(&"null")).unwrap();
            asked.answered(&json!({"tools": tools, "nextCursor": cursor}))
        })
        .unwrap();
        let before = before(&json!({"it": {"url": url}}));
        let client = before.serve.connect(None).unwrap();
        let list = client.request("tools/list", "{}").unwrap().result().unwrap();
        let tools = list["tools"].as_array().unwrap().iter();
        let names = tools.filter(|tool| tool["name"].as_str().unwrap().starts_with("it__t")).count();
        assert_eq!((names, asked_for.load(Ordering::Relaxed)), (pages, pages), "{cursors:?}");
    }
}

/// One that knows no session for longer than a request is not asked for ever.
#[test]
fn upstream_that_rejects_every_session_is_tried_twice() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let url = scripted(move |asked: &ScriptedRequest| match asked.usual(&["echo"]) {
        Some(usual) if asked.method() == "initialize" => usual.with("mcp-session-id", "s"),
        Some(usual) => usual,
        None => {
            counted.fetch_add(1, Ordering::Relaxed);
            ScriptedResponse::json(404, "gone")
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
fn unknown_method_does_not_end_the_session() {
    let opened = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&opened);
    let url = scripted(move |asked: &ScriptedRequest| match asked.usual(&["echo"]) {
        Some(usual) if asked.method() == "initialize" => {
            counted.fetch_add(1, Ordering::Relaxed);
            usual.with("mcp-session-id", "s")
        }
        Some(usual) => usual,
        None if asked.method() == "tools/call" => asked.answered(&text("here")),
        None => {
            let error = json!({"code": -32601, "message": "never heard of", "data": asked.method()});
            let answer = json!({"jsonrpc": "2.0", "id": asked.message["id"], "error": error});
            ScriptedResponse::json(404, &answer.to_string())
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
fn answers_arrive_in_every_allowed_form() {
    let url = scripted(|asked: &ScriptedRequest| {
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
                return ScriptedResponse::json(
                    200,
                    &answer.replace(&format!("\"id\":{id}"), &format!("\"id\":\"{id}\"")),
                );
            }
            "large" => return asked.answered(&text(&"x".repeat(10 << 20))),
            _ => return ScriptedResponse::json(200, &answer),
        };
        let headers = vec![("content-type", "text/event-stream; charset=utf-8".to_owned())];
        ScriptedResponse { status: 200, headers, body }
    });
    let before = before(&json!({"it": {"url": url.unwrap()}}));
    for (upstream, prefix) in [(Some("it"), ""), (None, "it__")] {
        let client = before.serve.connect(upstream).unwrap();
        for tool in ["json", "events", "json", "batch", "noise", "events"] {
            assert_eq!(said(&client, &format!("{prefix}{tool}")), tool);
        }
        assert_eq!(said(&client, &format!("{prefix}large")).len(), 10 << 20);
        // The string of a number is another id, so this is no answer.
        let answer = said(&client, &format!("{prefix}text-id"));
        assert!(answer.contains("its answer is not a JSON-RPC message"), "{answer}");
    }
}

/// The headers of an entry are sent to its address and nowhere else.
#[test]
fn headers_stay_with_their_address_and_rejections_say_what_to_do() {
    let elsewhere = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&elsewhere);
    let target = scripted(move |asked: &ScriptedRequest| {
        noted.lock().unwrap().push(asked.header("x-key").to_owned());
        ScriptedResponse::json(200, "{}")
    });
    let target = target.unwrap();
    let moved =
        scripted(move |_: &ScriptedRequest| ScriptedResponse::json(307, "").with("location", &target))
            .unwrap();
    let guarded = scripted(|asked: &ScriptedRequest| match asked.header("x-key") {
        // Compressed bodies would not be understood, so they must not be asked for.
        "s3cret-key" => {
            asked.usual(&["echo"]).unwrap_or_else(|| asked.answered(&text(asked.header("accept-encoding"))))
        }
        other => ScriptedResponse::json(401, &format!("not with {other:?}")),
    });
    let guarded = guarded.unwrap();
    let headers = json!({"X-Key": "s3cret-key"});
    let before = before(&json!({
        "key": {"url": guarded, "headers": headers},
        "nokey": {"url": guarded, "headers": {"X-Key": "wrong-key"}},
        "moved": {"url": moved, "headers": headers},
    }));
    assert_eq!(said(&before.serve.connect(Some("key")).unwrap(), "echo"), "identity");
    for (name, expected) in [("nokey", "does its entry need"), ("moved", "put that address into its entry")] {
        let refused = before.serve.connect(Some(name)).err().unwrap().to_string();
        assert!(refused.contains(expected) && !refused.contains("wrong-key"), "{refused}");
    }
    assert!(elsewhere.lock().unwrap().is_empty(), "no request was sent there");
}

/// Regression: aliases of prompts were known only after a listing, so a client's were unknown after a restart.
#[test]
fn alias_of_prompt_works_without_listing() {
    let url = scripted(|asked: &ScriptedRequest| match asked.method() {
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
fn state_of_client_session_is_restored_in_the_next_one() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let (noted, opened) = (Arc::clone(&told), AtomicUsize::new(0));
    let current = Mutex::new(BTreeSet::new());
    let url = scripted(move |asked: &ScriptedRequest| {
        let mut current = current.lock().unwrap();
        if asked.method() == "initialize" {
            let id = format!("s{}", opened.fetch_add(1, Ordering::Relaxed));
            current.insert(id.clone());
            return asked.usual(&[]).unwrap().with("mcp-session-id", &id);
        }
        let session = asked.header("mcp-session-id").to_owned();
        if !current.contains(&session) {
            return ScriptedResponse::json(404, "");
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

/// An upstream may end a call's stream and name a time after which to resume it. A client that comes back earlier must
/// not wait for the rest of that time.
#[test]
fn client_that_resumes_before_the_retry_time_gets_its_answer_at_once() {
    const RETRY: Duration = Duration::from_secs(20);
    let call = Mutex::new(Value::Null);
    let url = scripted(move |asked: &ScriptedRequest| {
        let body = if asked.header("last-event-id") == "first" {
            format!(
                "data: {}\n\n",
                json!({"jsonrpc": "2.0", "id": *call.lock().unwrap(), "result": text("here")})
            )
        } else {
            if let Some(usual) = asked.usual(&["slow"]) {
                return usual;
            }
            *call.lock().unwrap() = asked.message["id"].clone();
            format!("id: first\nretry: {}\ndata: \n\n", RETRY.as_millis())
        };
        ScriptedResponse {
            status: 200,
            headers: vec![("content-type", "text/event-stream".to_owned())],
            body,
        }
    });
    let before = before(&json!({"it": {"url": url.unwrap()}}));
    let post = |headers: &[(&str, &str)], method: &str, params: Value| {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        Streamed::post(&before.serve, Some("it"), headers, &message).unwrap()
    };
    let client = json!({"name": "test", "version": "1"});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let opened = post(&[], "initialize", hello).until("mcp-session-id: ").unwrap();
    let session = opened.split_once(": ").unwrap().1;
    let stream = post(&[("mcp-session-id", session)], "tools/call", json!({"name": "slow"}));
    let retry = format!("retry: {}", RETRY.as_millis());
    let mut last = String::new();
    while let Some(line) = stream.next() {
        if line == retry {
            break;
        }
        last = line;
    }
    let event = last.strip_prefix("id: ").expect("the event that ends the stream has an id");
    let began = Instant::now();
    let resumed = Streamed::resume(&before.serve, Some("it"), session, event).unwrap();
    assert!(resumed.until("here").is_some());
    assert!(began.elapsed() < RETRY / 2, "{:?}", began.elapsed());
}

/// Of both eras, and each request is of the era its headers say: so is the official Python SDK.
fn of_both_eras() -> String {
    let url = scripted(|asked: &ScriptedRequest| {
        if asked.header("mcp-protocol-version") != "2026-07-28" {
            let usual = asked.usual(&["echo"]).filter(|_| asked.method() != "server/discover");
            return usual.map_or_else(
                || {
                    let error = json!({"code": -32601, "message": "Method not found"});
                    let answer = json!({"jsonrpc": "2.0", "id": asked.message["id"], "error": error});
                    ScriptedResponse::json(200, &answer.to_string())
                },
                |said| said.with("mcp-session-id", "s"),
            );
        }
        if asked.verb != "POST" {
            return ScriptedResponse { status: 405, ..ScriptedResponse::default() };
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

/// Regression: it was asked in the session, where it knows no such method, and was treated as one with handshake only.
#[test]
fn upstream_of_both_eras_is_used_in_the_clients_era() {
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
