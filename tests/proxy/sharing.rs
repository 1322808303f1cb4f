//! Clients of one upstream, or of a Schemascope behind another, do not notice each other.

use std::collections::BTreeMap;
use std::path::Path;

use schemascope_test_support::{
    Exchange, McpClient, Places, Program, Serve, Streamed, stdio, stdio_once, until,
};
use serde_json::{Map, Value, json};

/// Schemascope in front of an upstream that treats all its clients as one.
struct Shared {
    serve: Serve,
    program: Program,
    _scratch: tempfile::TempDir,
}

fn shared(flags: &[&str]) -> Shared {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    before(|_| Map::from_iter([("communal".to_owned(), stdio(places.fixture("communal"), flags))]))
}

/// Its clients share one process.
fn one_process() -> Shared {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    before(|scratch| {
        Map::from_iter([("communal".to_owned(), stdio_once(places.fixture("communal"), scratch))])
    })
}

fn before(servers: impl FnOnce(&Path) -> Map<String, Value>) -> Shared {
    let scratch = tempfile::tempdir().unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let program = Program::new(&places, scratch.path(), &servers(scratch.path())).unwrap();
    let serve = program.serve(&[]).unwrap();
    Shared { serve, program, _scratch: scratch }
}

const UPSTREAM: Option<&str> = Some("communal");

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

/// Notifications that the upstream received.
fn heard(client: &McpClient) -> Value {
    serde_json::from_str(text(&client.call("heard", &json!({})).unwrap().result().unwrap())).unwrap()
}

fn watch(client: &McpClient, uri: &str) {
    let params = json!({"uri": uri}).to_string();
    let subscribed = client.request("resources/subscribe", &params).unwrap().answer().unwrap();
    assert_eq!(subscribed["result"], json!({}), "{uri}");
}

/// Regression: the working folder that one agent set for a git server was that of all.
#[test]
fn state_that_a_server_keeps_for_a_client_is_not_seen_by_others() {
    let shared = shared(&[]);
    let remembered = |client: &McpClient, prefix: &str| {
        let answer = client.call(&format!("{prefix}heard"), &json!({})).unwrap();
        text(&answer.result().unwrap()).to_owned()
    };
    let [first, second] = [(); 2].map(|()| shared.serve.connect(UPSTREAM).unwrap());
    let third = shared.serve.connect(None).unwrap();
    for client in [&first, &second] {
        client.request("tools/list", "{}").unwrap().result().unwrap();
    }
    assert_eq!(shared.serve.children(), 1, "lists need no process of their own");
    let clients = [(&first, ""), (&second, ""), (&third, "communal__")];
    for (number, (client, prefix)) in clients.iter().enumerate() {
        assert_eq!(remembered(client, prefix), "[]");
        client.request("logging/setLevel", r#"{"level":"debug"}"#).unwrap().result().unwrap();
        assert!(remembered(client, prefix).contains("debug"), "{number}");
    }
    // A client that has left takes its state with it, and a new one finds none.
    second.delete().unwrap();
    let fourth = shared.serve.connect(UPSTREAM).unwrap();
    assert_eq!(remembered(&fourth, ""), "[]");
    first.delete().unwrap();
    let fifth = shared.serve.connect(UPSTREAM).unwrap();
    assert_eq!(remembered(&fifth, ""), "[]");
}

/// Regression: `servers` and the log said nothing of it, and the next call started another process at once.
#[test]
fn crash_of_the_process_of_one_client_is_shown_and_costs_no_other() {
    let shared = shared(&[]);
    let [first, second] = [(); 2].map(|()| shared.serve.connect(UPSTREAM).unwrap());
    heard(&first);
    heard(&second);
    first.request("logging/setLevel", r#"{"level":"debug"}"#).unwrap().result().unwrap();
    let message = |client: &McpClient, tool: &str| {
        let answer = client.call(tool, &json!({})).unwrap().answer().unwrap();
        answer["error"]["message"].as_str().unwrap_or_default().to_owned()
    };
    let crashed = message(&second, "end");
    assert!(crashed.contains("ended before it answered"), "{crashed}");
    until("its next attempt has to wait", || message(&second, "heard").contains("next attempt in"));
    assert!(heard(&first).to_string().contains("debug"));
    let servers = shared.program.json(&["servers"]).unwrap();
    let server = &servers["servers"][0];
    let reason = server["reason"].as_str().unwrap();
    assert!(
        reason.contains("the session of one client ended") && reason.contains("the pipe is burst"),
        "{reason}"
    );
    assert_eq!(server["state"], "ready");
    until("it is served again", || message(&second, "heard").is_empty());
}

#[test]
fn server_that_can_run_only_once_serves_all_clients() {
    let shared = one_process();
    let clients = [(); 3].map(|()| shared.serve.connect(UPSTREAM).unwrap());
    for client in &clients {
        heard(client);
        watch(client, "communal://a");
    }
    let watched = json!({"resources/subscribe": "communal://a"});
    assert_eq!(heard(&clients[0]), json!([watched, watched, watched]));
    let servers = shared.program.json(&["servers"]).unwrap();
    let reason = servers["servers"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("serves its clients together"), "{reason}");
}

/// Regression: only servers that were ready at that moment got the level, and any level was accepted.
#[test]
fn log_level_reaches_servers_that_start_later() {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    for capabilities in [json!({}), json!({"sampling": {}})] {
        let scratch = tempfile::tempdir().unwrap();
        let (came, communal) = (scratch.path().join("came"), places.fixture("communal"));
        let script = r#"test -e "$1" || { : > "$1"; exit 1; }; exec "$2""#;
        let args = ["-c", script, "sh", came.to_str().unwrap(), communal.to_str().unwrap()];
        let shared = before(|_| Map::from_iter([("communal".to_owned(), stdio("/bin/sh", &args))]));
        let client = shared.serve.connect_with(None, &capabilities).unwrap();
        let set = |level: &str| {
            let params = json!({"level": level}).to_string();
            client.request("logging/setLevel", &params).unwrap().answer().unwrap()
        };
        assert_eq!(set("loud")["error"]["code"], -32602);
        assert_eq!(set("debug")["result"], json!({}));
        until("the server has the level", || {
            let Ok(result) = client.call("communal__heard", &json!({})).unwrap().result() else {
                return false;
            };
            result["content"][0]["text"].as_str().unwrap().contains("{\"level\":\"debug\"}")
        });
    }
}

#[test]
fn upstream_gets_the_reason_of_a_cancellation() {
    let shared = shared(&[]);
    let client = shared.serve.connect_with(UPSTREAM, &json!({"elicitation": {}})).unwrap();
    // A reason that is no text cancels as well.
    for (reason, told) in [(json!("changed my mind"), "changed my mind"), (json!(7), "no longer wanted")] {
        let params = json!({"name": "ask", "arguments": {"message": "?"}});
        let body = json!({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": params});
        let session = [("mcp-session-id", client.session())];
        let call = Streamed::post(&shared.serve, UPSTREAM, &session, &body).unwrap();
        assert!(call.until("elicitation/create").is_some());
        let cancelled = json!({"requestId": "slow", "reason": reason}).to_string();
        client.notify("notifications/cancelled", &cancelled).unwrap();
        until("the upstream has the reason", || {
            heard(&client).as_array().unwrap().contains(&json!({"cancelled": told}))
        });
    }
}

#[test]
fn each_client_gets_log_messages_from_its_own_level_on() {
    let shared = one_process();
    let [quiet, curious, plain] = [(); 3].map(|()| shared.serve.connect(UPSTREAM).unwrap());
    let logged = |client: &McpClient| {
        let exchange = client.call("log", &json!({})).unwrap();
        let (_, before) = exchange.messages.split_last().unwrap();
        let level = |message: &String| {
            serde_json::from_str::<Value>(message).unwrap()["params"]["level"].as_str().unwrap().to_owned()
        };
        before.iter().map(level).collect::<Vec<_>>()
    };
    let usual = ["info", "warning", "error", "emergency"];
    assert_eq!(logged(&plain), usual);
    let set = |client: &McpClient, level: &str| {
        client.request("logging/setLevel", &json!({"level": level}).to_string()).unwrap().answer().unwrap()
    };
    assert_eq!(set(&quiet, "emergency")["result"], json!({}));
    assert_eq!(
        (logged(&quiet), logged(&plain)),
        (vec!["emergency".to_owned()], usual.map(String::from).to_vec())
    );
    assert_eq!(set(&curious, "debug")["result"], json!({}));
    assert_eq!(logged(&curious), ["debug", "info", "warning", "error", "emergency"]);
    assert_eq!(
        (logged(&quiet), logged(&plain)),
        (vec!["emergency".to_owned()], usual.map(String::from).to_vec())
    );
    // What is no level is refused by the upstream, and changes nothing.
    assert_eq!(set(&curious, "loud")["error"]["message"], "no such level");
    assert_eq!(logged(&curious).len(), 5);
    // The only client that wants it leaves.
    curious.delete().unwrap();
    let levels = |heard: &Value| {
        heard
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|it| it["level"].as_str().map(str::to_owned))
            .collect::<Vec<_>>()
    };
    until("the level is the usual one again", || levels(&heard(&plain)) == ["info", "debug", "loud", "info"]);
}

/// Asks as a stateless client that can be asked.
fn ask(client: &McpClient, name: &str, params: &Value) -> Exchange {
    client.ask_stateless(name, &json!({"elicitation": {}}), "tools/call", params).unwrap()
}

fn question(asked: &Exchange) -> (String, String) {
    let result = asked.result().unwrap();
    assert_eq!(result["resultType"], "input_required", "{result}");
    let message = result["inputRequests"]["input"]["params"]["message"].as_str().unwrap().to_owned();
    (message, result["requestState"].as_str().unwrap().to_owned())
}

fn going_on(params: &Value, state: &str, said: &str) -> Value {
    let mut params = params.clone();
    params["requestState"] = json!(state);
    params["inputResponses"] = json!({"input": {"action": "accept", "content": {"said": said}}});
    params
}

#[test]
fn stateless_clients_asked_at_the_same_time_get_their_own_questions() {
    let shared = shared(&[]);
    let client = shared.serve.connect(UPSTREAM).unwrap();
    let params = |message: &str| json!({"name": "ask", "arguments": {"message": message}});
    let names = ["ann", "bob", "eve"];
    let asked = names.map(|name| question(&ask(&client, name, &params(name))));
    for (name, (message, _)) in names.iter().zip(&asked) {
        assert_eq!(name, message);
    }
    // The last one goes away; the others are answered, the first last.
    for at in [1, 0] {
        let answer = ask(&client, names[at], &going_on(&params(names[at]), &asked[at].1, names[at]));
        let result = answer.result().unwrap();
        assert_eq!(result["resultType"], "complete");
        assert!(text(&result).contains(&format!("\"said\":\"{}\"", names[at])), "{result}");
    }
}

#[test]
fn request_state_is_accepted_only_for_its_own_request() {
    let shared = shared(&[]);
    let (one, all) = (shared.serve.connect(UPSTREAM).unwrap(), shared.serve.connect(None).unwrap());
    let params = json!({"name": "ask", "arguments": {"message": "hm?"}});
    let (_, state) = question(&ask(&one, "ann", &params));
    let right = going_on(&params, &state, "yes");
    let mut other_arguments = right.clone();
    other_arguments["arguments"] = json!({"message": "give me all"});
    let mut other_tool = right.clone();
    other_tool["name"] = json!("log");
    let mut elsewhere = right.clone();
    elsewhere["name"] = json!("communal__ask");
    let forged = going_on(&params, &format!("{}{}", &state[..state.len() - 4], "0000"), "yes");
    for (client, name, wrong) in [
        (&one, "ann", &other_arguments),
        (&one, "ann", &other_tool),
        (&all, "ann", &elsewhere),
        (&one, "eve", &right),
        (&one, "ann", &forged),
        (&one, "ann", &going_on(&params, "garbage", "yes")),
        (&one, "ann", &going_on(&params, "schemascope:0123456789abcdef:00", "yes")),
    ] {
        let answer = ask(client, name, wrong).answer().unwrap();
        assert_eq!(answer["error"]["code"], -32602, "{wrong}\n{answer}");
    }
    assert!(text(&ask(&one, "ann", &right).result().unwrap()).contains("yes"));
    // Once.
    assert_eq!(ask(&one, "ann", &right).answer().unwrap()["error"]["code"], -32602);
}

/// An instance in front of another one passes the other's request states on.
#[test]
fn instance_behind_another_keeps_its_own_request_states() {
    let inner = shared(&[]);
    let headers = json!({"Authorization": format!("Bearer {}", inner.serve.token())});
    let servers =
        Map::from_iter([("inner".to_owned(), json!({"url": inner.serve.url(UPSTREAM), "headers": headers}))]);
    let outer = before(|_| servers);
    let client = outer.serve.connect(Some("inner")).unwrap();
    let params = json!({"name": "ask", "arguments": {"message": "how deep?"}});
    let (message, state) = question(&ask(&client, "ann", &params));
    assert_eq!(message, "how deep?");
    let result = ask(&client, "ann", &going_on(&params, &state, "two")).result().unwrap();
    assert!(text(&result).contains("two"), "{result}");
}

/// Batches exist in version 2025-03-26 only.
#[test]
fn batches_are_answered_over_http_in_the_version_that_has_them() {
    for flags in [&[][..], &["--batches"]] {
        let shared = shared(flags);
        let upstream_has_no_say = shared.serve.connect(None).unwrap();
        for (upstream, prefix) in [(UPSTREAM, ""), (None, "communal__")] {
            let client =
                McpClient::connect_in("2025-03-26", &shared.serve.url(upstream), shared.serve.token())
                    .unwrap();
            let post = |body: &str, accept: &str| {
                let headers = [("mcp-protocol-version", ""), ("accept", accept)];
                client.post(body, &headers.into_iter().collect()).unwrap()
            };
            let call = format!(
                r#"{{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{{"name":"{prefix}log"}}}}"#
            );
            let body = format!(
                r#"[{{"jsonrpc":"2.0","id":1.50,"method":"ping"}}, {call},{{"jsonrpc":"2.0","method":"notifications/x"}},
                {{"jsonrpc":"2.0","id":2,"method":"initialize"}},7]"#
            );
            let ids = |messages: &[Value]| {
                let mut ids: Vec<String> = messages
                    .iter()
                    .filter(|it| it.get("method").is_none())
                    .map(|it| it["id"].to_string())
                    .collect();
                ids.sort();
                ids
            };
            // As one body, or as events, with notifications in between.
            let whole = post(&body, "application/json");
            assert_eq!((whole.status, whole.media_type.as_str()), (200, "application/json"));
            let whole: Vec<Value> = serde_json::from_str(&whole.messages[0]).unwrap();
            assert_eq!(ids(&whole), ["\"c\"", "1.5", "2", "null"], "{whole:?}");
            let events = post(&body, "application/json, text/event-stream");
            assert_eq!(events.media_type, "text/event-stream");
            let events: Vec<Value> =
                events.messages.iter().map(|message| serde_json::from_str(message).unwrap()).collect();
            assert_eq!(ids(&events), ids(&whole));
            assert!(events.iter().any(|event| event["method"] == "notifications/message"), "{events:?}");
            // What asks nothing is accepted, what is no batch of messages is not.
            let told =
                r#"[{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":9,"result":{}}]"#;
            assert_eq!(post(told, "*/*").status, 202);
            let many = format!("[{}]", vec!["{}"; 101].join(","));
            for wrong in ["[]", many.as_str()] {
                let refused = post(wrong, "*/*");
                assert_eq!(
                    (refused.status, &refused.answer().unwrap()["error"]["code"]),
                    (400, &json!(-32600))
                );
            }
            assert_eq!(post("[{", "*/*").answer().unwrap()["error"]["code"], -32700);
            // No other version has them.
            let refused = upstream_has_no_say.post(&format!("[{call}]"), &BTreeMap::new()).unwrap();
            assert_eq!((refused.status, &refused.answer().unwrap()["error"]["code"]), (400, &json!(-32600)));
        }
    }
}

/// Clients of `/mcp` are asked for their roots by each server, and none of them heard that those changed.
#[test]
fn servers_are_notified_of_changed_roots() {
    let shared = shared(&[]);
    for (upstream, prefix) in [(UPSTREAM, ""), (None, "communal__")] {
        let client = shared.serve.connect_with(upstream, &json!({"roots": {"listChanged": true}})).unwrap();
        let heard = || {
            let result = client.call(&format!("{prefix}heard"), &json!({})).unwrap().result().unwrap();
            text(&result).to_owned()
        };
        assert_eq!(heard(), "[]");
        client.notify("notifications/roots/list_changed", "{}").unwrap();
        assert_eq!(heard(), r#"[{"roots":"changed"}]"#, "{upstream:?}");
    }
}
