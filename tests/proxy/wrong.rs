//! Invalid requests get the status and the error that the specification asks for, and do no harm.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::TcpStream;

use schemascope_test_support::{McpClient, Places, Program, Serve, Streamed, stdio, until};
use serde_json::{Map, Value, json};

struct Fixture {
    _program: Program,
    serve: Serve,
    _scratch: tempfile::TempDir,
}

fn fixture() -> Fixture {
    let scratch = tempfile::tempdir().unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let servers = Map::from_iter([
        ("shop".to_owned(), stdio(places.fixture("shop"), &["--step-ms", "600000"])),
        ("odd".to_owned(), stdio(places.fixture("odd"), &[])),
    ]);
    let program = Program::new(&places, scratch.path(), &servers).unwrap();
    let serve = program.serve(&[]).unwrap();
    Fixture { _program: program, serve, _scratch: scratch }
}

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

fn post(client: &McpClient, body: &str, headers: &[(&str, &str)]) -> (u16, Value) {
    let exchange = client.post(body, &headers.iter().copied().collect()).unwrap();
    (exchange.status, exchange.answer().unwrap_or(Value::Null)["error"]["code"].clone())
}

#[test]
fn invalid_requests_get_the_specified_status() {
    let fixture = fixture();
    let client = fixture.serve.connect(None).unwrap();
    assert_eq!(post(&client, PING, &[]), (200, Value::Null));
    // Headers.
    assert_eq!(post(&client, PING, &[("mcp-session-id", "")]), (400, json!(-32600)));
    assert_eq!(post(&client, PING, &[("mcp-session-id", "0000")]), (404, json!(-32600)));
    assert_eq!(post(&client, PING, &[("mcp-protocol-version", "1999-01-01")]), (400, json!(-32022)));
    assert_eq!(post(&client, PING, &[("mcp-protocol-version", "")]), (200, Value::Null));
    assert_eq!(post(&client, PING, &[("content-type", "text/plain")]), (415, json!(-32600)));
    assert_eq!(post(&client, PING, &[("accept", "text/html")]), (406, json!(-32600)));
    // Bodies.
    assert_eq!(post(&client, "{", &[]), (400, json!(-32700)));
    assert_eq!(post(&client, &format!("[{PING}]"), &[]), (400, json!(-32600)));
    assert_eq!(post(&client, "{\"jsonrpc\":\"2.0\"}", &[]), (400, json!(-32600)));
    assert_eq!(post(&client, "\u{0}", &[]).0, 400);
    // Methods and tools that do not exist.
    assert_eq!(post(&client, r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#, &[]), (200, json!(-32601)));
    let unknown_list = r#"{"jsonrpc":"2.0","id":1,"method":"no/list","params":{"cursor":"2"}}"#;
    assert_eq!(post(&client, unknown_list, &[]), (200, json!(-32601)));
    let unknown = client.call("nope__x", &json!({})).unwrap().answer().unwrap();
    assert_eq!(unknown["error"]["code"], -32602);
    // The lists of all servers have one page.
    for list in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
        let page = |cursor: &str| {
            let params = json!({"cursor": cursor});
            json!({"jsonrpc": "2.0", "id": 1, "method": list, "params": params}).to_string()
        };
        assert_eq!(post(&client, &page("2"), &[]), (200, json!(-32602)), "{list}");
        assert_eq!(post(&client, &page(""), &[]), (200, Value::Null), "{list}");
    }
    // Notifications, known or not, and unexpected answers are accepted.
    for body in [
        r#"{"jsonrpc":"2.0","method":"notifications/whatever"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    ] {
        assert_eq!(client.post(body, &BTreeMap::new()).unwrap().status, 202, "{body}");
    }
    // A session belongs to its endpoint and ends when asked to.
    let other = fixture.serve.connect(Some("odd")).unwrap();
    let stolen = client.post(PING, &BTreeMap::new()).unwrap();
    assert_eq!(stolen.status, 200);
    assert_eq!(client.delete().unwrap(), 204);
    assert_eq!(client.post(PING, &BTreeMap::new()).unwrap().status, 404);
    assert_eq!(other.post(PING, &BTreeMap::new()).unwrap().status, 200);
}

/// The same for clients of the stateless era.
#[test]
fn invalid_stateless_requests_get_the_specified_status() {
    const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let fixture = fixture();
    let client = fixture.serve.connect(None).unwrap();
    let request = |method: &str, params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":"x1","method":"{method}","params":{{{params}}}}}"#)
    };
    let ask = |body: &str, method: &str, more: &[(&str, &str)]| {
        let usual = [("mcp-session-id", ""), ("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
        let headers = usual.into_iter().chain(more.iter().copied()).collect();
        let exchange = client.post(body, &headers).unwrap();
        let answer = exchange.answer().unwrap_or_default();
        if body.contains("\"method\"") && !body.starts_with("[") {
            assert_eq!(answer["id"], "x1", "{answer}");
        }
        (exchange.status, answer["error"]["code"].clone())
    };
    let list = request("tools/list", META);
    let call = request("tools/call", &format!(r#""name":"odd__echo",{META}"#));
    let name = ("mcp-name", "odd__echo");
    assert_eq!(ask(&list, "tools/list", &[]), (200, Value::Null));
    assert_eq!(ask(&call, "tools/call", &[name]), (200, Value::Null));
    // A session from the other era is ignored.
    assert_eq!(ask(&list, "tools/list", &[("mcp-session-id", "0000")]), (200, Value::Null));
    let mismatch = (400, json!(-32020));
    assert_eq!(ask(&list, "tools/list", &[("mcp-protocol-version", "")]), mismatch);
    assert_eq!(ask(&list, "tools/list", &[("mcp-protocol-version", "2025-11-25")]), mismatch);
    assert_eq!(ask(&list, "", &[]), mismatch);
    assert_eq!(ask(&list, "Tools/list", &[]), mismatch);
    assert_eq!(ask(&call, "tools/call", &[]), mismatch);
    assert_eq!(ask(&call, "tools/call", &[("mcp-name", "echo")]), mismatch);
    assert_eq!(ask(&call, "tools/call", &[("mcp-name", "=?base64?b2RkX19lY2hv?=")]), (200, Value::Null));
    assert_eq!(ask(&call, "tools/call", &[("mcp-name", "=?base64?!?=")]), mismatch);
    let unknown = list.replace("2026-07-28", "2031-01-01");
    assert_eq!(ask(&unknown, "tools/list", &[("mcp-protocol-version", "2031-01-01")]), (400, json!(-32022)));
    assert_eq!(ask(&request("tools/list", ""), "tools/list", &[]), (400, json!(-32602)));
    let half = META.replace(r#","io.modelcontextprotocol/clientCapabilities":{}"#, "");
    assert_eq!(ask(&request("tools/list", &half), "tools/list", &[]), (400, json!(-32602)));
    for gone in ["ping", "initialize", "logging/setLevel", "resources/subscribe", "no/such"] {
        assert_eq!(ask(&request(gone, META), gone, &[]), (404, json!(-32601)), "{gone}");
    }
    // What is repeated says nothing, and what cannot be kept is not taken.
    let twice = "mcp-method: tools/call\r\nmcp-name: odd__echo\r\nmcp-name: odd__echo\r\n";
    let repeated = fixture.serve.raw(format!(
            "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
             connection: close\r\nmcp-protocol-version: 2026-07-28\r\n{twice}content-length: {}\r\n\r\n{call}",
            fixture.serve.token(),
            call.len()
        )).unwrap();
    assert!(repeated.starts_with("HTTP/1.1 400") && repeated.contains("-32020"), "{repeated}");
    let long =
        META.replace(r#"Capabilities":{}"#, &format!(r#"Capabilities":{{"x":"{}"}}"#, "x".repeat(70_000)));
    assert_eq!(ask(&request("tools/list", &long), "tools/list", &[]), (400, json!(-32602)));
    let endless = "m".repeat(1 << 20);
    assert_eq!(ask(&request(&endless, META), "tools/list", &[]), mismatch);
    let stale = format!(r#""name":"odd__echo","requestState":"schemascope:00","inputResponses":{{}},{META}"#);
    assert_eq!(ask(&request("tools/call", &stale), "tools/call", &[name]), (200, json!(-32602)));
    // It sends requests, one at a time, and nothing else.
    assert_eq!(ask(&format!("[{list}]"), "tools/list", &[]).0, 400);
    assert_eq!(ask(r#"{"jsonrpc":"2.0","id":"x1","result":{}}"#, "tools/list", &[]), (400, json!(-32600)));
    let token = fixture.serve.token();
    for method in ["GET", "DELETE", "PUT"] {
        let head = format!("{method} /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n");
        let answer = fixture
            .serve
            .raw(format!("{head}mcp-protocol-version: 2026-07-28\r\nconnection: close\r\n\r\n"))
            .unwrap();
        assert!(answer.starts_with("HTTP/1.1 405"), "{answer}");
    }
}

/// What belongs to no request is asked for with GET, and a session ended with DELETE.
#[test]
fn invalid_session_ids_get_the_specified_status() {
    let fixture = fixture();
    let (client, token) = (fixture.serve.connect(Some("odd")).unwrap(), fixture.serve.token());
    let session = format!("mcp-session-id: {}\r\n", client.session());
    let status = |verb: &str, path: &str, headers: &str| {
        let head = format!("{verb} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n");
        let answer = fixture.serve.raw(format!("{head}connection: close\r\n{headers}\r\n")).unwrap();
        answer.split(' ').nth(1).unwrap_or_default().to_owned()
    };
    let events = "accept: text/event-stream\r\n";
    for (verb, path, headers, expected) in [
        ("GET", "/mcp/odd", format!("{session}accept: application/json\r\n"), "406"),
        ("GET", "/mcp/odd", events.to_owned(), "400"),
        ("GET", "/mcp/odd", format!("{events}mcp-session-id: 0000\r\n"), "404"),
        ("GET", "/mcp", format!("{events}{session}"), "404"),
        ("GET", "/mcp/odd", format!("{events}{session}mcp-protocol-version: 1999-01-01\r\n"), "400"),
        ("GET", "/mcp/odd", format!("{events}{session}last-event-id: 77-0\r\n"), "400"),
        ("GET", "/mcp/odd", format!("{events}{session}last-event-id: garbage\r\n"), "400"),
        ("GET", "/mcp/odd", format!("{events}{session}{session}"), "404"),
        ("DELETE", "/mcp/odd", String::new(), "400"),
        ("DELETE", "/mcp", session.clone(), "404"),
        ("DELETE", "/mcp/odd", "mcp-session-id: 0000\r\n".to_owned(), "404"),
        ("PATCH", "/mcp/odd", session.clone(), "405"),
        ("GET", "/mcp/unknown", format!("{events}{session}"), "404"),
    ] {
        assert_eq!(status(verb, path, &headers), expected, "{verb} {path} {headers}");
    }
    // One listens at a time.
    let listening = Streamed::get(&fixture.serve, Some("odd"), client.session()).unwrap();
    assert!(listening.until("keep-alive").is_some());
    assert_eq!(status("GET", "/mcp/odd", &format!("{events}{session}")), "409");
    assert_eq!(client.post(PING, &BTreeMap::new()).unwrap().status, 200, "none of that ended it");
    assert_eq!(client.delete().unwrap(), 204);
    assert_eq!(status("DELETE", "/mcp/odd", &session), "404");
    // Who listened to it hears that it is over.
    while listening.next().is_some() {}
}

#[test]
fn invalid_message_is_answered_and_the_session_continues() {
    let fixture = fixture();
    let endless = "m".repeat(1 << 20);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for upstream in [None, Some("odd")] {
        let client = fixture.serve.connect(upstream).unwrap();
        let tool = if upstream.is_some() { "echo" } else { "odd__echo" };
        for (body, expected) in [
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#.to_owned(), (400, json!(-32600))),
            (r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#.to_owned(), (400, json!(-32600))),
            (r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#.to_owned(), (400, json!(-32600))),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#.to_owned(), (400, json!(-32600))),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","id":2}"#.to_owned(), (400, json!(-32600))),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"} {}"#.to_owned(), (400, json!(-32700))),
            (r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#.to_owned(), (200, json!(-32602))),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":7}}"#.to_owned(),
                (200, json!(-32602)),
            ),
            (format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{endless}"}}"#), (200, json!(-32601))),
            (format!(r#"{{"jsonrpc":"2.0","id":"{endless}","method":"ping"}}"#), (200, Value::Null)),
            (format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{deep}}}"#), (200, Value::Null)),
        ] {
            let exchange = client.post(&body, &BTreeMap::new()).unwrap();
            let code = exchange.answer().unwrap_or(Value::Null)["error"]["code"].clone();
            assert_eq!((exchange.status, code), expected, "{upstream:?} {}", &body[..body.len().min(90)]);
        }
        // What is too large is not read to its end, so the refusal may not be either.
        let too_large = client.post(&format!("{}{PING}", " ".repeat(33 << 20)), &BTreeMap::new());
        assert!(too_large.is_err() || too_large.is_ok_and(|refused| refused.status == 413));
        // Ids come back as they were sent, whatever they are.
        for id in ["0", "-1", "1.50", "1E2", "12345678901234567890123", "\"\"", "\"\\u0061\\n\"", "\"null\""]
        {
            let exchange = client.request_as(id, "tools/call", &json!({"name": tool}).to_string()).unwrap();
            assert_eq!(exchange.raw("id").unwrap(), id);
            assert!(exchange.result().is_ok(), "{exchange:?}");
        }
    }
    // A body that is no text, and one that breaks off.
    let token = fixture.serve.token();
    let head = |length: usize| {
        format!(
            "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n\
             connection: close\r\ncontent-length: {length}\r\n\r\n"
        )
    };
    let body = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}";
    let answer = fixture.serve.raw([head(body.len()).as_bytes(), body].concat()).unwrap();
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("-32700"), "{answer}");
    let mut broken_off = TcpStream::connect(fixture.serve.instance["address"].as_str().unwrap()).unwrap();
    broken_off.write_all(format!("{}{{\"jsonrpc\"", head(1_000)).as_bytes()).unwrap();
    drop(broken_off);
    assert!(fixture.serve.connect(None).is_ok());
}

/// Without a limit one client could make the proxy keep any number of requests.
#[test]
fn session_rejects_requests_over_its_limit() {
    const MOST: usize = 1_000;
    const TOO_MANY: usize = 20;
    let fixture = fixture();
    let client = fixture.serve.connect(Some("shop")).unwrap();
    let headers = [("mcp-session-id", client.session())];
    let call = json!({"name": "rebuild_catalog", "arguments": {}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call});
    let post = |_| Streamed::post(&fixture.serve, Some("shop"), &headers, &body).unwrap();
    let under_way: Vec<_> = (0..MOST + TOO_MANY).map(post).collect();
    let mut refused = 0;
    until("requests over the limit are rejected", || {
        let lines = under_way.iter().flat_map(Streamed::arrived);
        refused += lines.filter(|line| line.contains("too many requests")).count();
        refused >= TOO_MANY
    });
    assert_eq!(refused, TOO_MANY);
    // Others are not concerned, and it goes on once some have ended.
    assert!(fixture.serve.connect(Some("odd")).unwrap().call("echo", &json!({})).unwrap().result().is_ok());
    client.notify("notifications/cancelled", r#"{"requestId":1}"#).unwrap();
    until("requests are accepted again", || client.request("tools/list", "{}").unwrap().result().is_ok());
}
