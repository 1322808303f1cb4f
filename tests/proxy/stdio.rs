//! Clients that start the program themselves. They notice neither the proxy nor a change of the process that runs it.

mod handover;

use std::time::{Duration, Instant};

use schemascope_test_support::{Exchange, Places, Program, Serve, StdioClient, stdio, throughout, until};
use serde_json::{Map, Value, json};

/// What the odd upstream answers; see `tests/upstreams/src/odd.rs`.
const RESULT: &str = r#"{"zeta":1.10,"structuredContent":{"b":1E5,"a":12345678901234567890,"a":[1.0,-0,1e-7,123456789012345678901234567890]},"content":[{"unknown":{"x":1.50},"type":"text","text":"caf\u00e9 \/ \ud83d\ude00 \u0041"},{"type":"hologram","depth":3.140}],"isError":false,"_meta":{"z":0.10,"a":1}}"#;
const ERROR: &str =
    r#"{"message":"odd \u0065rror","extra":[1.10],"code":-32001,"data":{"b":1.10,"a":1E5,"a":"\/"}}"#;
const TOOLS: &str = r#"{"tools":[{"future":{"x":1.10},"name":"odd_result","inputSchema":{"type":"object","x-order":[2.0,1]}},{"name":"odd_error","inputSchema":{"type":"object"},"execution":{"taskSupport":"forbidden"}},{"inputSchema":{"type":"object"},"name":"echo","annotations":{"z":1,"readOnlyHint":true}}],"ttlMs":1.0,"unheard":"of"}"#;
const HELLO: &str = r#"{"serverInfo":{"version":"1.0","name":"odd","motto":1.10},"capabilities":{"tools":{"listChanged":false},"future":{}},"protocolVersion":"2025-11-25","instructions":"caf\u00e9"}"#;

/// What a stateless client says with each request.
const MODERN: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"modern","version":"1"}"#;

fn program(scratch: &tempfile::TempDir) -> Program {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let servers = Map::from_iter([
        ("shop".to_owned(), stdio(places.fixture("shop"), &["--step-ms", "30"])),
        ("odd".to_owned(), stdio(places.fixture("odd"), &[])),
        ("conformance".to_owned(), stdio(places.fixture("conformance"), &[])),
    ]);
    Program::new(&places, scratch.path(), &servers).unwrap()
}

fn client(program: &Program, args: &[&str]) -> StdioClient {
    let mut client = program.stdio(args).unwrap();
    client.initialize(&json!({})).unwrap();
    client
}

/// `params` of a stateless client; `rest` begins with a comma, if it is not empty.
fn modern(rest: &str) -> String {
    format!(r#"{{"_meta":{{{MODERN}}}{rest}}}"#)
}

fn text(exchange: &Exchange) -> String {
    let result = exchange.result().unwrap();
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned()
}

fn error(exchange: &Exchange) -> (i64, String) {
    let answer = exchange.answer().unwrap();
    let error = answer.get("error").unwrap_or_else(|| panic!("{answer}"));
    (error["code"].as_i64().unwrap(), error["message"].as_str().unwrap().to_owned())
}

/// With the proxy in the same process, and attached to another one.
fn alone_and_attached(each: impl Fn(&Program, Option<&Serve>)) {
    for attached in [false, true] {
        let scratch = tempfile::tempdir().unwrap();
        let program = program(&scratch);
        let serve = attached.then(|| program.serve(&[]).unwrap());
        each(&program, serve.as_ref());
    }
}

#[test]
fn bytes_pass() {
    alone_and_attached(|program, serve| {
        let mut one = program.stdio(&["--server", "odd"]).unwrap();
        assert_eq!(one.initialize(&json!({})).unwrap().raw("result").unwrap(), HELLO);
        assert_eq!(one.request("tools/list", "{}").unwrap().raw("result").unwrap(), TOOLS);
        for id in ["7", "-7", "12345678901234567890", "\"a\\u0062\"", "\"\"", "1.50"] {
            one.ask_as(id, "tools/call", r#"{"name":"odd_result"}"#).unwrap();
            let answer = one.receive().unwrap();
            assert_eq!(answer, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{RESULT}}}"#));
        }
        assert_eq!(one.call("odd_error", &json!({})).unwrap().raw("error").unwrap(), ERROR);
        // Numbers, repeated keys and escapes of what the client sends, too.
        let params =
            r#"{"name":"echo","arguments":{"n":1E5,"n":12345678901234567890,"s":"\/é"},"future":[-0]}"#;
        assert_eq!(text(&one.request("tools/call", params).unwrap()), params);

        let mut all = client(program, &[]);
        assert_eq!(all.call("odd__odd_result", &json!({})).unwrap().raw("result").unwrap(), RESULT);
        assert_eq!(all.call("odd__odd_error", &json!({})).unwrap().raw("error").unwrap(), ERROR);
        let listed = all.request("tools/list", "{}").unwrap().result().unwrap();
        let names: Vec<&str> =
            listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert!(names.contains(&"odd__echo") && names.contains(&"shop__store_info"), "{names:?}");
        let calls = program.json_lines(&["calls", "--tool", "odd__odd_result"]).unwrap();
        assert_eq!(calls.len(), 7);
        assert!(calls.iter().all(|call| call["client"]["name"] == "stdio"), "{calls:?}");
        if serve.is_some() {
            let large =
                format!(r#"{{"name":"echo","arguments":{{"text":"{}"}}}}"#, "é\\u0041 1.10 ".repeat(800_000));
            assert!(text(&one.request("tools/call", &large).unwrap()) == large);
        }
        assert_eq!((one.close().unwrap(), all.close().unwrap()), (Some(0), Some(0)));
    });
}

#[test]
fn stateless_clients_are_served() {
    alone_and_attached(|program, _| {
        for (args, prefix) in [(&[][..], "shop__"), (&["--server", "shop"], "")] {
            let mut client = program.stdio(args).unwrap();
            let discovered = client.request("server/discover", &modern("")).unwrap().result().unwrap();
            assert_eq!(discovered["resultType"], "complete", "{discovered}");
            let listed = client.request("tools/list", &modern("")).unwrap().result().unwrap();
            assert!(listed["tools"].as_array().unwrap().len() >= 13, "{listed}");
            let params = format!(
                r#"{{"_meta":{{"progressToken":"mine",{MODERN}}},"name":"{prefix}rebuild_catalog","arguments":{{"steps":3}}}}"#
            );
            let exchange = client.request("tools/call", &params).unwrap();
            let progress = exchange.progress().unwrap();
            assert_eq!(progress.len(), 3, "{exchange:?}");
            assert!(progress.iter().all(|step| step["progressToken"] == "mine"));
            assert_eq!(exchange.result().unwrap()["resultType"], "complete");
            let unknown = client.request("no/such\\nmethod", &modern("")).unwrap();
            assert_eq!(error(&unknown).0, -32601);
        }
        // An argument that is mirrored in a header over HTTP: here there are none.
        let mut client = program.stdio(&[]).unwrap();
        client.request("tools/list", &modern("")).unwrap();
        let params = modern(r#","name":"conformance__test_header_parameter","arguments":{"region":"é"}"#);
        assert!(client.request("tools/call", &params).unwrap().result().is_ok());
    });
}

#[test]
fn progress_comes_before_the_answer() {
    alone_and_attached(|program, _| {
        let mut client = client(program, &[]);
        let params =
            r#"{"name":"shop__rebuild_catalog","arguments":{"steps":5},"_meta":{"progressToken":"p"}}"#;
        let exchange = client.request("tools/call", params).unwrap();
        let steps: Vec<_> = exchange
            .messages
            .iter()
            .map(|message| serde_json::from_str::<Value>(message).unwrap())
            .filter(|message| message["method"] == "notifications/progress")
            .map(|message| message["params"]["progress"].as_f64().unwrap())
            .collect();
        assert_eq!(steps, [1.0, 2.0, 3.0, 4.0, 5.0]);
        assert!(client.unread().iter().all(|line| !line.contains("notifications/progress")));
    });
}

/// A server's questions reach the client, and its answers the server.
#[test]
fn questions_reach_clients_and_their_answers_return() {
    alone_and_attached(|program, _| {
        for (args, prefix) in [(&[][..], "conformance__"), (&["--server", "conformance"], "")] {
            let mut client = program.stdio(args).unwrap();
            client.initialize(&json!({"sampling": {}, "elicitation": {}, "roots": {}})).unwrap();
            let tool = |name: &str| format!("{prefix}{name}");
            let sampling = client.ask_call(&tool("test_sampling"), &json!({"prompt": "hi"})).unwrap();
            let asked = client.told("sampling/createMessage").unwrap();
            assert_eq!(asked["params"]["messages"][0]["content"]["text"], "hi");
            client
                .say(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "a model's words"}}}).to_string())
                .unwrap();
            assert!(text(&client.answer(&sampling).unwrap()).contains("a model's words"));

            let elicitation =
                client.ask_call(&tool("test_elicitation"), &json!({"message": "who?"})).unwrap();
            let asked = client.told("elicitation/create").unwrap();
            assert_eq!(asked["params"]["message"], "who?");
            client
                .say(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept", "content": {"username": "ada", "email": "a@example.org"}}}).to_string())
                .unwrap();
            assert!(text(&client.answer(&elicitation).unwrap()).contains("ada"));

            let refused = client.ask_call(&tool("test_sampling"), &json!({"prompt": "hi"})).unwrap();
            let asked = client.told("sampling/createMessage").unwrap();
            client
                .say(&json!({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -1, "message": "not today"}}).to_string())
                .unwrap();
            assert!(error(&client.answer(&refused).unwrap()).1.contains("not today"));
        }
    });
}

/// Regression: the call that opened the client's session with a server overtook the roots. The filesystem server allows
/// all its own folders until it has them.
#[test]
fn first_call_waits_until_the_server_has_the_roots() {
    let scratch = tempfile::tempdir().unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let servers = Map::from_iter([("communal".to_owned(), stdio(places.fixture("communal"), &["--eager"]))]);
    let program = Program::new(&places, scratch.path(), &servers).unwrap();
    let mut client = program.stdio(&[]).unwrap();
    client.initialize(&json!({"roots": {}})).unwrap();
    client.request("tools/list", "{}").unwrap();
    let call = client.ask_call("communal__heard", &json!({})).unwrap();
    let asked = client.told("roots/list").unwrap();
    let roots = json!({"roots": [{"uri": "file:///a"}]});
    client.say(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": roots}).to_string()).unwrap();
    let heard = text(&client.answer(&call).unwrap());
    assert_eq!(heard, json!([{"answer": roots, "to": "roots"}]).to_string());
}

/// In either era, and however soon.
#[test]
fn cancellation_reaches_the_server() {
    alone_and_attached(|program, _| {
        let mut client = client(program, &[]);
        client.call("shop__store_info", &json!({})).unwrap();
        let call = r#""name":"shop__rebuild_catalog","arguments":{"steps":60}"#;
        let mut expected = 0;
        for (token, (id, era)) in (1..).zip([("\"old\"", String::new()), ("\"new\"", format!("{MODERN},"))]) {
            let params = format!(r#"{{"_meta":{{{era}"progressToken":{token}}},{call}}}"#);
            for under_way in [true, false] {
                client.ask_as(id, "tools/call", &params).unwrap();
                if under_way {
                    client.progress(token).unwrap();
                }
                client.notify("notifications/cancelled", &format!("{{\"requestId\":{id}}}")).unwrap();
                expected += 1;
                let calls = until("the call is cancelled", || {
                    let calls = program.json_lines(&["calls", "--tool", "shop__rebuild_catalog"]).unwrap();
                    // One that is taken back at once may never have been made.
                    (calls.len() >= expected || !under_way).then_some(calls)
                });
                assert!(calls.iter().all(|call| call["outcome"] == "cancelled"), "{calls:?}");
                expected = calls.len();
            }
        }
        // They are not answered, and the next request is.
        assert!(text(&client.call("shop__store_info", &json!({})).unwrap()).contains("Graz"));
        assert!(client.unread().iter().all(|line| !line.contains("\"old\"") && !line.contains("\"new\"")));
        // They stay cancelled: none of them goes on at the upstream.
        throughout("all calls are cancelled", Duration::from_millis(2_300), || {
            let calls = program.json_lines(&["calls", "--tool", "shop__rebuild_catalog"]).unwrap();
            calls.iter().all(|call| call["outcome"] == "cancelled")
        });
    });
}

#[test]
fn malformed_messages_are_answered_and_do_no_harm() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let mut client = client(&program, &[]);
    for (line, code, id) in [
        ("hello", -32700, Value::Null),
        ("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":", -32700, Value::Null),
        ("\u{0}\u{1}", -32700, Value::Null),
        ("[]", -32600, Value::Null),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600, Value::Null),
        ("{\"id\":5,\"method\":\"ping\"}", -32600, json!(5)),
        ("{\"jsonrpc\":\"2.0\",\"id\":\"x\"}", -32600, json!("x")),
        ("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", -32600, Value::Null),
    ] {
        client.say(line).unwrap();
        let answer = client.complaint().unwrap();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{line}: {answer}");
        // MCP has no null for an id that is not known.
        assert_eq!(answer.get("id").is_some(), !id.is_null(), "{answer}");
    }
    // Blank lines, unexpected answers, cancellations of nothing: no answer at all.
    for line in [
        "",
        "  ",
        r#"{"jsonrpc":"2.0","id":77,"result":{}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/whatever"}"#,
    ] {
        client.say(line).unwrap();
    }
    // Longer than an endpoint takes, and longer than a line may be.
    for megabytes in [33, 65] {
        let long = "x".repeat(megabytes << 20);
        let sent = client.request("tools/call", &format!("{{\"name\":\"{long}\"}}")).unwrap();
        assert_eq!(error(&sent).0, -32600);
    }
    assert_eq!(client.request("ping", "{}").unwrap().raw("result").unwrap(), "{}");
    let unknown = client.request("no/such", "{}").unwrap();
    assert_eq!(error(&unknown).0, -32601);
    assert!(text(&client.call("shop__store_info", &json!({})).unwrap()).contains("Graz"));
    assert!(client.unread().iter().all(|line| line.contains("list_changed")));
    assert_eq!(client.close().unwrap(), Some(0));
}

#[test]
fn request_before_initialize_is_rejected_with_the_reason() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let mut early = program.stdio(&[]).unwrap();
    let refused = early.request("tools/list", "{}").unwrap();
    assert_eq!(error(&refused), (-32600, "this method needs a session; send initialize first".to_owned()));
    early.initialize(&json!({})).unwrap();
    assert!(early.request("tools/list", "{}").unwrap().result().is_ok());
}

/// All at once, as scripts do: what was asked is answered before the end.
#[test]
fn end_of_input_ends_the_process_after_its_answers() {
    alone_and_attached(|program, serve| {
        let mut warm = client(program, &[]);
        warm.call("shop__store_info", &json!({})).unwrap();
        let lines = [
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"script","version":"1"}}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"shop__rebuild_catalog","arguments":{"steps":10}}}"#,
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"shop__store_info"}}"#,
        ];
        let run = program.run_with_input(&["stdio"], &(lines.join("\n") + "\n")).unwrap();
        assert_eq!(run.code, Some(0), "{run:?}");
        let answers: Vec<Value> = run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let ids: Vec<i64> = answers.iter().filter_map(|answer| answer["id"].as_i64()).collect();
        assert_eq!(ids, [1, 3, 2], "{}", run.out);
        assert_eq!(answers[0]["result"]["protocolVersion"], "2025-06-18");
        // An endless call is not waited for.
        let mut client = client(program, &[]);
        client.begin_call("shop__rebuild_catalog", &json!({"steps": 100_000})).unwrap();
        let began = Instant::now();
        assert_eq!(client.close().unwrap(), Some(0));
        assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
        until("the endless call is cancelled", || {
            let calls = program.json_lines(&["calls", "--tool", "shop__rebuild_catalog"]).unwrap();
            calls.iter().any(|call| call["outcome"] == "cancelled")
        });
        // Who runs the proxy leaves nothing behind.
        assert_eq!(warm.close().unwrap(), Some(0));
        assert_eq!(program.data_dir().join("instance.json").exists(), serve.is_some());
    });
}

/// A signal leaves nothing behind either, though the client's pipe is still open.
#[test]
fn signal_ends_the_process() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    for signal in ["-TERM", "-INT"] {
        let mut client = client(&program, &[]);
        client.call("shop__store_info", &json!({})).unwrap();
        let told = std::process::Command::new("kill").args([signal, &client.pid().to_string()]).status();
        assert!(told.unwrap().success());
        assert_eq!(client.wait().unwrap(), Some(0), "{signal}");
        assert!(!program.data_dir().join("instance.json").exists());
    }
    assert_eq!(program.json_lines(&["calls"]).unwrap().len(), 2);
}

#[test]
fn unknown_server_is_named_in_the_error() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let mut client = program.stdio(&["--server", "shoop"]).unwrap();
    let params =
        r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}"#;
    for (method, params) in [("initialize", params), ("tools/list", &modern(""))] {
        let (_, message) = error(&client.request(method, params).unwrap());
        assert!(message.contains("\"shoop\"") && message.contains("conformance, odd, shop"), "{message}");
    }
    assert!(client.log().unwrap().contains("conformance, odd, shop"));
    assert_eq!(client.close().unwrap(), Some(0));
}

/// A configuration that names us among our own servers: as we are, and behind a shell, where only the process that is
/// started can tell.
#[test]
fn own_stdio_server_is_rejected_and_ends_when_it_is_started_by_itself() {
    let scratch = tempfile::tempdir().unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let shop = stdio(places.fixture("shop"), &[]);
    let data = scratch.path().join("data");
    let own = stdio(places.schemascope(), &["stdio", "--data-dir", data.to_str().unwrap()]);
    let command = format!("exec {} stdio --data-dir {}", places.schemascope().display(), data.display());
    let behind = stdio("sh", &["-c", &command]);
    let servers =
        [("shop", shop), ("self", own), ("behind", behind)].map(|(name, entry)| (name.to_owned(), entry));
    let servers = Map::from_iter(servers);
    let program = Program::new(&places, scratch.path(), &servers).unwrap();
    let mut client = client(&program, &[]);
    let listed = client.request("tools/list", "{}").unwrap().result().unwrap();
    assert_eq!(listed["tools"].as_array().unwrap().len(), 13, "{listed}");
    for (name, words) in [("self", "it starts Schemascope itself"), ("behind", "started by itself")] {
        let server = program.json(&["servers", name]).unwrap().to_string();
        assert!(server.contains(words), "{server}");
    }
}

/// Several messages in one line belong to 2025-03-26; each is answered by itself.
#[test]
fn batches_are_answered_in_the_version_that_has_them() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    for (version, taken) in [("2025-03-26", true), ("2025-11-25", false)] {
        let mut client = program.stdio(&["--server", "odd"]).unwrap();
        let hello = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "b", "version": "1"}});
        client.ask_as("0", "initialize", &hello.to_string()).unwrap();
        assert!(client.answer("0").unwrap().result().is_ok());
        client.notify("notifications/initialized", "{}").unwrap();
        let ping = |id: u32| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let list = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
        client.say(&format!("[{}, {list},{}]", ping(1), ping(3))).unwrap();
        if taken {
            assert_eq!(client.answer("2").unwrap().raw("result").unwrap(), TOOLS);
            assert!(
                client.answer("1").unwrap().result().is_ok() && client.answer("3").unwrap().result().is_ok()
            );
        } else {
            let refused = until("the message is rejected", || client.unread().into_iter().next());
            assert!(refused.contains("-32600") && refused.contains("batches"), "{refused}");
        }
    }
}
