//! Clients are notified once of each change at an upstream that concerns them: lists of all kinds and watched
//! resources, on both endpoints, in both eras, with and without the capability to be asked.

use std::time::Duration;

use schemascope_test_support::{
    McpClient, Places, Program, Serve, Streamed, conformance, stdio, throughout, until,
};
use serde_json::{Map, Value, json};

const UPSTREAM: &str = "fixture";
const WATCHED: &str = "test://watched-resource";
/// Tools that change something, and the notification of each change.
const CHANGES: [(&str, &str); 4] = [
    ("test_trigger_tool_change", "notifications/tools/list_changed"),
    ("test_trigger_prompt_change", "notifications/prompts/list_changed"),
    ("test_trigger_resource_list_change", "notifications/resources/list_changed"),
    ("test_trigger_resource_change", "notifications/resources/updated"),
];
/// How long notifications that must not come are waited for: longer than changes of tools are collected.
const QUIET_TIME: Duration = Duration::from_millis(700);

/// A client that listens.
struct Client<'a> {
    serve: &'a Serve,
    upstream: Option<&'static str>,
    capabilities: Value,
    session: Option<McpClient>,
    told: Streamed,
}

impl<'a> Client<'a> {
    fn new(serve: &'a Serve, upstream: Option<&'static str>, stateless: bool, can_be_asked: bool) -> Self {
        let capabilities = if can_be_asked { json!({"sampling": {}}) } else { json!({}) };
        if stateless {
            let all = json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
                "resourceSubscriptions": [WATCHED]});
            let wanted = json!({ "notifications": all });
            let told = Streamed::stateless(serve, upstream, &capabilities, "subscriptions/listen", wanted);
            let client = Self { serve, upstream, capabilities, session: None, told: told.unwrap() };
            assert!(client.told.until("acknowledged").unwrap().contains(WATCHED));
            client.call("test_simple_text");
            return client;
        }
        let session = serve.connect_with(upstream, &capabilities).unwrap();
        let told = Streamed::get(serve, upstream, session.session()).unwrap();
        assert!(told.until("keep-alive").is_some());
        let client = Self { serve, upstream, capabilities, session: Some(session), told };
        client.call("test_simple_text");
        let session = client.session.as_ref().unwrap();
        let watched = session.request("resources/subscribe", &json!({ "uri": WATCHED }).to_string());
        assert!(watched.unwrap().result().is_ok());
        client
    }

    fn name(&self) -> String {
        let era = if self.session.is_some() { "with a handshake" } else { "stateless" };
        format!("{era}, {}, {:?}", self.capabilities, self.upstream)
    }

    fn tool(&self, tool: &str) -> String {
        if self.upstream.is_some() { tool.to_owned() } else { format!("{UPSTREAM}__{tool}") }
    }

    fn call(&self, tool: &str) {
        let tool = self.tool(tool);
        match &self.session {
            Some(session) => assert!(session.call(&tool, &json!({})).unwrap().result().is_ok(), "{tool}"),
            None => {
                let params = json!({"name": tool});
                let asked =
                    Streamed::stateless(self.serve, self.upstream, &self.capabilities, "tools/call", params);
                assert!(asked.unwrap().until("\"result\"").is_some(), "{tool}");
            }
        }
    }

    /// Notifications of each change since the last look.
    fn heard(&self) -> [usize; 4] {
        let lines = self.told.arrived();
        CHANGES.map(|(_, told)| lines.iter().filter(|line| line.contains(told)).count())
    }
}

/// Changes everything once, as one client. The clients concerned are notified once, and no other client is.
fn tells_once(clients: &[Client<'_>], by: usize, concerned: impl Fn(usize) -> bool, what: &str) {
    throughout("earlier notifications are read", QUIET_TIME, || {
        clients.iter().for_each(|client| _ = client.heard());
        true
    });
    for (tool, _) in CHANGES {
        clients[by].call(tool);
    }
    let mut heard = vec![[0; 4]; clients.len()];
    let mut look = || {
        for (client, heard) in clients.iter().zip(&mut heard) {
            client.heard().iter().zip(heard).for_each(|(more, times)| *times += more);
        }
        heard.iter().enumerate().all(|(at, times)| !concerned(at) || times.iter().all(|times| *times > 0))
    };
    until(&format!("{what}: clients are notified of changes by {}", clients[by].name()), &mut look);
    throughout("further notifications are read", QUIET_TIME, || {
        look();
        true
    });
    for (at, client) in clients.iter().enumerate() {
        let expected = [usize::from(concerned(at)); 4];
        assert_eq!(heard[at], expected, "{what}: {}, changed by {}", client.name(), clients[by].name());
    }
}

fn each_change_is_notified_once(era: &str, over_http: bool) {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let (upstream, _fixture) = conformance(&places, era, over_http).unwrap();
    let servers = Map::from_iter([(UPSTREAM.to_owned(), upstream)]);
    let program = Program::new(&places, scratch.path(), &servers).unwrap();
    let serve = program.serve(&[]).unwrap();
    let mut clients = Vec::new();
    for stateless in [false, true] {
        for can_be_asked in [false, true] {
            for upstream in [Some(UPSTREAM), None] {
                clients.push(Client::new(&serve, upstream, stateless, can_be_asked));
            }
        }
    }
    let what = format!("{era} over HTTP {over_http}");
    if over_http || era == "modern" {
        // One server for all clients.
        return tells_once(&clients, 0, |_| true, &what);
    }
    if era == "both" {
        // A process for all stateless clients, and one for each client with a handshake.
        for own in [0, 1, 2, 3] {
            tells_once(&clients, own, |at| at == own, &what);
        }
        for stateless in [4, 7] {
            tells_once(&clients, stateless, |at| at >= 4, &what);
        }
        return;
    }
    // Those that share a process with who changes something there: stateless clients that cannot be asked and the first
    // client with a handshake; the others with a handshake, each its own; and stateless ones that can be asked, which
    // use processes in turn.
    let shared = [0, 4, 5];
    tells_once(&clients, 0, |at| shared.contains(&at), &what);
    tells_once(&clients, 5, |at| shared.contains(&at), &what);
    for own in [1, 2, 3] {
        tells_once(&clients, own, |at| at == own, &what);
    }
    for in_turn in [6, 7] {
        tells_once(&clients, in_turn, |at| at >= 6, &what);
    }
}

#[test]
fn changes_of_handshake_server_are_notified_once_over_stdio() {
    each_change_is_notified_once("legacy", false);
}

#[test]
fn changes_of_handshake_server_are_notified_once_over_http() {
    each_change_is_notified_once("legacy", true);
}

#[test]
fn changes_of_server_of_both_eras_are_notified_once_over_stdio() {
    each_change_is_notified_once("both", false);
}

#[test]
fn changes_of_server_of_both_eras_are_notified_once_over_http() {
    each_change_is_notified_once("both", true);
}

#[test]
fn changes_of_stateless_server_are_notified_once_over_stdio() {
    each_change_is_notified_once("modern", false);
}

#[test]
fn changes_of_stateless_server_are_notified_once_over_http() {
    each_change_is_notified_once("modern", true);
}

/// Tools that a server listed before its restart are no change, and a decision is one, although it changes schemas and
/// overrides.
#[test]
fn unchanged_tools_are_no_change_and_a_decision_is_one() {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let servers = Map::from_iter([("shop".to_owned(), stdio(places.fixture("shop"), &[]))]);
    let program = Program::new(&places, scratch.path(), &servers).unwrap();
    let call =
        |client: &McpClient| client.call("shop__get_order", &json!({"id": "1"})).unwrap().result().unwrap();
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    client.request("tools/list", "{}").unwrap();
    (0..12).for_each(|_| _ = call(&client));
    // Where the machine is busy, calls are recorded later, and a kill loses those that wait.
    until("the calls are recorded", || {
        let tools = program.json(&["tools"]).unwrap();
        let mut rows = tools.as_array().unwrap().iter();
        rows.any(|row| row["tool_id"] == "shop__get_order" && row["call_count"] == 12)
    });
    drop(serve);

    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    let told = Streamed::get(&serve, None, client.session()).unwrap();
    assert!(told.until("keep-alive").is_some());
    client.request("tools/list", "{}").unwrap();
    call(&client);
    let mut heard = 0;
    let mut listen = || {
        heard += told.arrived().iter().filter(|line| line.contains("tools/list_changed")).count();
        heard
    };
    throughout("nothing has changed", QUIET_TIME, || listen() == 0);
    let run = program.run(&["promote", "shop__get_order", "--reason", "billing"]).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
    until("the client is notified", || listen() > 0);
    throughout("it is notified once", QUIET_TIME, || listen() == 1);
}

/// A server without subscriptions that tells everyone what has changed.
const TELLS_EVERYONE: &str = r#"
import json, sys
def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") == "initialize":
        about = {"capabilities": {"tools": {}, "resources": {}}, "serverInfo": {"name": "memo", "version": "1"}}
        send({"id": asked["id"], "result": {"protocolVersion": "2025-06-18", **about}})
    elif asked.get("method") == "tools/list":
        send({"id": asked["id"], "result": {"tools": [{"name": "append", "inputSchema": {"type": "object"}}]}})
    elif asked.get("method") == "tools/call":
        send({"method": "notifications/resources/updated", "params": {"uri": "memo://insights"}})
        send({"id": asked["id"], "result": {"content": []}})
    elif "id" in asked:
        send({"id": asked["id"], "error": {"code": -32601, "message": "unknown"}})
"#;

#[test]
fn updates_that_nobody_subscribes_to_reach_every_client() {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let script = scratch.path().join("memo.py");
    std::fs::write(&script, TELLS_EVERYONE).unwrap();
    let server = stdio(places.python(), &[script.to_str().unwrap()]);
    let program =
        Program::new(&places, scratch.path(), &Map::from_iter([("memo".to_owned(), server)])).unwrap();
    let serve = program.serve(&[]).unwrap();
    for (upstream, tool) in [(Some("memo"), "append"), (None, "memo__append")] {
        let client = serve.connect(upstream).unwrap();
        let told = Streamed::get(&serve, upstream, client.session()).unwrap();
        assert!(told.until("keep-alive").is_some());
        client.call(tool, &json!({})).unwrap().result().unwrap();
        assert!(told.until("memo://insights").is_some(), "{upstream:?}");
    }
}
