//! Messages pass byte for byte from upstreams to clients and back.

use schemascope_test_support::{Places, Program, Serve, stdio};
use serde_json::{Map, Value, json};

/// What the odd upstream answers; see `tests/upstreams/src/odd.rs`.
const RESULT: &str = r#"{"zeta":1.10,"structuredContent":{"b":1E5,"a":12345678901234567890,"a":[1.0,-0,1e-7,123456789012345678901234567890]},"content":[{"unknown":{"x":1.50},"type":"text","text":"caf\u00e9 \/ \ud83d\ude00 \u0041"},{"type":"hologram","depth":3.140}],"isError":false,"_meta":{"z":0.10,"a":1}}"#;
const ERROR: &str =
    r#"{"message":"odd \u0065rror","extra":[1.10],"code":-32001,"data":{"b":1.10,"a":1E5,"a":"\/"}}"#;
const TOOLS: &str = r#"{"tools":[{"future":{"x":1.10},"name":"odd_result","inputSchema":{"type":"object","x-order":[2.0,1]}},{"name":"odd_error","inputSchema":{"type":"object"},"execution":{"taskSupport":"forbidden"}},{"inputSchema":{"type":"object"},"name":"echo","annotations":{"z":1,"readOnlyHint":true}}],"ttlMs":1.0,"unheard":"of"}"#;
const HELLO: &str = r#"{"serverInfo":{"version":"1.0","name":"odd","motto":1.10},"capabilities":{"tools":{"listChanged":false},"future":{}},"protocolVersion":"2025-11-25","instructions":"caf\u00e9"}"#;

fn odd(scratch: &tempfile::TempDir) -> (Program, Serve) {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let servers = Map::from_iter([("odd".to_owned(), stdio(places.fixture("odd"), &[]))]);
    let program = Program::new(&places, scratch.path(), &servers).unwrap();
    let serve = program.serve(&[]).unwrap();
    (program, serve)
}

#[test]
fn results_errors_and_lists_pass_byte_for_byte() {
    let scratch = tempfile::tempdir().unwrap();
    let (program, serve) = odd(&scratch);
    let client = serve.connect(Some("odd")).unwrap();
    assert_eq!(client.hello.raw("result").unwrap(), HELLO);
    assert_eq!(client.request("tools/list", "{}").unwrap().raw("result").unwrap(), TOOLS);
    assert_eq!(client.call("odd_result", &json!({})).unwrap().raw("result").unwrap(), RESULT);
    assert_eq!(client.call("odd_error", &json!({})).unwrap().raw("error").unwrap(), ERROR);

    // The same through the aggregate, where only a tool's name is changed.
    let client = serve.connect(None).unwrap();
    assert_eq!(
        client.hello.result().unwrap()["instructions"],
        "# odd: its tools are named odd__NAME\n\ncafé"
    );
    assert_eq!(client.call("odd__odd_result", &json!({})).unwrap().raw("result").unwrap(), RESULT);
    assert_eq!(client.call("odd__odd_error", &json!({})).unwrap().raw("error").unwrap(), ERROR);
    let listed = client.request("tools/list", "{}").unwrap().raw("result").unwrap();
    let expect = TOOLS.replace("\"name\":\"", "\"name\":\"odd__");
    let tools = |list: &str| list[list.find('[').unwrap()..=list.rfind(']').unwrap()].to_owned();
    assert_eq!(tools(&listed), tools(&expect));

    // And what is recorded is what was sent.
    let calls = program.run(&["calls", "--json", "--tool", "odd__odd_result"]).unwrap().out;
    assert_eq!(calls.matches(RESULT).count(), 2, "{calls}");
}

#[test]
fn params_pass_byte_for_byte_but_for_name_and_progress_token() {
    let scratch = tempfile::tempdir().unwrap();
    let (_program, serve) = odd(&scratch);
    let params = |name: &str, token: &str| {
        format!(
            r#"{{"_meta":{{"z":1.10,"progressToken":{token},"a":"\u0041"}},"arguments":{{"n":1E5,"n":12345678901234567890,"s":"\/é"}},"name":"{name}","future":[-0]}}"#
        )
    };
    let echoed = |client: &schemascope_test_support::McpClient, name: &str| -> String {
        let exchange = client.request("tools/call", &params(name, "\"mine\"")).unwrap();
        exchange.result().unwrap()["content"][0]["text"].as_str().unwrap().to_owned()
    };
    let token_of = |echoed: &str| {
        let parsed: Value = serde_json::from_str(echoed).unwrap();
        parsed["_meta"]["progressToken"].to_string()
    };
    for (upstream, name) in [(Some("odd"), "echo"), (None, "odd__echo")] {
        let client = serve.connect(upstream).unwrap();
        let echoed = echoed(&client, name);
        assert_eq!(echoed, params("echo", &token_of(&echoed)));
    }
}

/// Requests written over several lines reach a line-based upstream as one line.
#[test]
fn pretty_printed_requests_are_answered() {
    let scratch = tempfile::tempdir().unwrap();
    let (_program, serve) = odd(&scratch);
    let client = serve.connect(Some("odd")).unwrap();
    let pretty = "{\n  \"name\": \"echo\",\r\n  \"arguments\": {\n    \"text\": \"two\\nlines\"\n  }\n}";
    let exchange = client.request("tools/call", pretty).unwrap();
    let echoed = exchange.result().unwrap()["content"][0]["text"].as_str().unwrap().to_owned();
    assert_eq!(echoed, pretty.replace(['\n', '\r'], " "));
}

/// Answers over several lines, and tells what it was sent.
const PRETTY: &str =
    "{\n  \"content\": [\r\n    {\"type\": \"text\", \"text\": \"plain\"}\n  ],\n\t\"x\": 1E5\n}";

/// A Streamable HTTP upstream by hand: JSON answers, as they come from a library that indents.
fn pretty(runtime: &tokio::runtime::Runtime) -> String {
    use axum::response::IntoResponse;
    let answer = |body: String| async move {
        let message: Value = serde_json::from_str(&body).unwrap();
        let Some(id) = message.get("id") else { return axum::http::StatusCode::ACCEPTED.into_response() };
        let result = match message["method"].as_str().unwrap() {
            "initialize" => HELLO.to_owned(),
            "tools/list" => TOOLS.to_owned(),
            "tools/call" if message["params"]["name"] == "echo" => {
                json!({"content": [{"type": "text", "text": body}]}).to_string()
            }
            _ => PRETTY.to_owned(),
        };
        let answer = format!("{{\n \"jsonrpc\": \"2.0\",\n \"id\": {id},\n \"result\": {result}\n}}\n");
        ([("content-type", "application/json")], answer).into_response()
    };
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let app = axum::Router::new().route("/mcp", axum::routing::post(answer));
        tokio::spawn(async move { axum::serve(listener, app).await });
        url
    })
}

/// Over HTTP nothing needs to be on one line.
#[test]
fn line_breaks_in_messages_pass_over_http() {
    let scratch = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let servers = Map::from_iter([("pretty".to_owned(), json!({"url": pretty(&runtime)}))]);
    let program = Program::new(&places, scratch.path(), &servers).unwrap();
    let serve = program.serve(&[]).unwrap();
    for (upstream, prefix) in [(Some("pretty"), ""), (None, "pretty__")] {
        let client = serve.connect(upstream).unwrap();
        let params = format!("{{\n  \"name\": \"{prefix}echo\",\r\n  \"arguments\": {{\n }}\n}}");
        let echoed = client.request("tools/call", &params).unwrap().result().unwrap();
        let echoed = echoed["content"][0]["text"].as_str().unwrap().to_owned();
        assert!(echoed.contains(&params.replace("pretty__", "")), "{echoed}");
        let name = format!("{prefix}odd_result");
        let called = client.call(&name, &json!({})).unwrap();
        assert_eq!(called.raw("result").unwrap(), PRETTY);
        // Events have lines of their own; a break of two bytes comes as a blank and one.
        let headers = [("accept", "text/event-stream")];
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": name}});
        let events = client.post(&body.to_string(), &headers.into_iter().collect()).unwrap();
        let told = events.messages.join("\n");
        assert!(told.contains(&PRETTY.replace('\r', " ")), "{told}");
    }
}

#[test]
fn large_results_pass_unchanged() {
    let scratch = tempfile::tempdir().unwrap();
    let (_program, serve) = odd(&scratch);
    let client = serve.connect(Some("odd")).unwrap();
    let text = "é\\u0041 1.10 ".repeat(800_000);
    let params = format!(r#"{{"name":"echo","arguments":{{"text":"{text}"}}}}"#);
    let exchange = client.request("tools/call", &params).unwrap();
    let echoed = exchange.result().unwrap()["content"][0]["text"].as_str().unwrap().to_owned();
    assert_eq!(echoed.len(), params.len());
    assert_eq!(echoed, params);
}

/// Ids are the client's business: text, numbers, the same in two sessions.
#[test]
fn request_ids_are_returned_unchanged() {
    let scratch = tempfile::tempdir().unwrap();
    let (_program, serve) = odd(&scratch);
    let clients = [serve.connect(Some("odd")).unwrap(), serve.connect(Some("odd")).unwrap()];
    for id in ["1", "-7", "12345678901234567890", "\"a\\u0062\"", "\"\"", "1.50"] {
        for client in &clients {
            let exchange = client.request_as(id, "ping", "{}").unwrap();
            assert_eq!(exchange.raw("id").unwrap(), id);
            let exchange = client.request_as(id, "tools/call", r#"{"name":"odd_result"}"#).unwrap();
            assert_eq!(
                (exchange.raw("id").unwrap().as_str(), exchange.raw("result").unwrap().as_str()),
                (id, RESULT)
            );
        }
    }
}
