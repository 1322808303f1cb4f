//! What changes at an upstream is told to every client it concerns, once: lists of all kinds and watched resources,
//! on both endpoints, to clients of both eras, those that can be asked and those that cannot.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use std::time::Duration;

use schemascope_test_support::{McpClient, Places, Program, Serve, Streamed, conformance};
use serde_json::{Map, Value, json};

const UPSTREAM: &str = "fixture";
const WATCHED: &str = "test://watched-resource";
/// What changes, the tool that does it, and what is told of it.
const CHANGES: [(&str, &str); 4] = [
    ("test_trigger_tool_change", "notifications/tools/list_changed"),
    ("test_trigger_prompt_change", "notifications/prompts/list_changed"),
    ("test_trigger_resource_list_change", "notifications/resources/list_changed"),
    ("test_trigger_resource_change", "notifications/resources/updated"),
];
/// How long is waited for what must not come: longer than changed tools are gathered.
const TOO_MUCH: Duration = Duration::from_millis(700);

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

    /// How often it was told of each change since this was asked last.
    fn heard(&self) -> [usize; 4] {
        let lines = self.told.arrived();
        CHANGES.map(|(_, told)| lines.iter().filter(|line| line.contains(told)).count())
    }
}

/// Changes everything once, as one client; the others that see what it sees are told, once, and nobody else.
fn tells_once(clients: &[Client<'_>], by: usize, concerned: impl Fn(usize) -> bool, what: &str) {
    std::thread::sleep(TOO_MUCH);
    for client in clients {
        client.heard();
    }
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
    let began = std::time::Instant::now();
    while !look() && began.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(TOO_MUCH);
    look();
    for (at, client) in clients.iter().enumerate() {
        let expected = [usize::from(concerned(at)); 4];
        assert_eq!(heard[at], expected, "{what}: {}, changed by {}", client.name(), clients[by].name());
    }
}

fn each_change_is_told_once(era: &str, over_http: bool) {
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
        // One server, whoever it speaks with.
        return tells_once(&clients, 0, |_| true, &what);
    }
    if era == "both" {
        // A process for each era, and one for each client that can be asked with a handshake.
        tells_once(&clients, 0, |at| at < 2, &what);
        for own in [2, 3] {
            tells_once(&clients, own, |at| at == own, &what);
        }
        for stateless in [4, 7] {
            tells_once(&clients, stateless, |at| at >= 4, &what);
        }
        return;
    }
    // Those that share a process with who changes something there: clients that cannot be asked; those with a
    // handshake that can, each its own; and stateless ones that can, which use processes in turn.
    let shared = [0, 1, 4, 5];
    tells_once(&clients, 0, |at| shared.contains(&at), &what);
    tells_once(&clients, 5, |at| shared.contains(&at), &what);
    for own in [2, 3] {
        tells_once(&clients, own, |at| at == own, &what);
    }
    for in_turn in [6, 7] {
        tells_once(&clients, in_turn, |at| at >= 6, &what);
    }
}

#[test]
fn each_change_of_a_server_with_a_handshake_is_told_once_over_stdio() {
    each_change_is_told_once("legacy", false);
}

#[test]
fn each_change_of_a_server_with_a_handshake_is_told_once_over_http() {
    each_change_is_told_once("legacy", true);
}

#[test]
fn each_change_of_a_server_of_both_eras_is_told_once_over_stdio() {
    each_change_is_told_once("both", false);
}

#[test]
fn each_change_of_a_server_of_both_eras_is_told_once_over_http() {
    each_change_is_told_once("both", true);
}

#[test]
fn each_change_of_a_stateless_server_is_told_once_over_stdio() {
    each_change_is_told_once("modern", false);
}

#[test]
fn each_change_of_a_stateless_server_is_told_once_over_http() {
    each_change_is_told_once("modern", true);
}
