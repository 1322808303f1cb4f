//! What an upstream sends is what a client gets, byte for byte, and the other way round.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

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
fn pretty_printed_requests_arrive() {
    let scratch = tempfile::tempdir().unwrap();
    let (_program, serve) = odd(&scratch);
    let client = serve.connect(Some("odd")).unwrap();
    let pretty = "{\n  \"name\": \"echo\",\r\n  \"arguments\": {\n    \"text\": \"two\\nlines\"\n  }\n}";
    let exchange = client.request("tools/call", pretty).unwrap();
    let echoed = exchange.result().unwrap()["content"][0]["text"].as_str().unwrap().to_owned();
    assert_eq!(echoed, pretty.replace(['\n', '\r'], " "));
}

#[test]
fn large_results_pass_whole() {
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
fn ids_come_back_as_they_were() {
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
