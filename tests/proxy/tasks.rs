//! Tasks: calls that are answered later. Whose they are, where they are, and that what they come to is learned from.

use std::path::Path;
use std::process::Command;

use schemascope_test_support::{Listening, McpClient, Places, Program, Serve, stdio, stdio_once, until};
use serde_json::{Map, Value, json};

/// Us before upstreams.
struct Setup {
    serve: Serve,
    program: Program,
    _scratch: tempfile::TempDir,
}

/// Starts the program with upstreams of these names that treat all their clients as one.
fn before(names: &[&str]) -> Setup {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let communal = |name: &&str| ((*name).to_owned(), stdio(places.fixture("communal"), &[]));
    before_these(|_| names.iter().map(communal).collect())
}

/// Starts the program with such an upstream, whose clients share a process.
fn before_one_process() -> Setup {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    before_these(|scratch| {
        Map::from_iter([("communal".to_owned(), stdio_once(places.fixture("communal"), scratch))])
    })
}

fn before_these(servers: impl FnOnce(&Path) -> Map<String, Value>) -> Setup {
    let scratch = tempfile::tempdir().unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let program = Program::new(&places, scratch.path(), &servers(scratch.path())).unwrap();
    let serve = program.serve(&[]).unwrap();
    Setup { serve, program, _scratch: scratch }
}

const UPSTREAM: Option<&str> = Some("communal");

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[test]
fn tasks_belong_to_the_client_that_made_them() {
    let shared = before_one_process();
    let [a, b] = [(); 2].map(|()| shared.serve.connect(UPSTREAM).unwrap());
    let work = |client: &McpClient| {
        let called = client.request("tools/call", r#"{"name":"work","task":{"ttl":60000}}"#).unwrap();
        called.result().unwrap()["task"]["taskId"].as_str().unwrap().to_owned()
    };
    let (task_of_a, task_of_b) = (work(&a), work(&b));
    let listed = |client: &McpClient| {
        let tasks = client.request("tasks/list", "{}").unwrap().result().unwrap()["tasks"].clone();
        tasks
            .as_array()
            .unwrap()
            .iter()
            .map(|task| task["taskId"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!((listed(&a), listed(&b)), (vec![task_of_a.clone()], vec![task_of_b.clone()]));
    for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
        let ask = |client: &McpClient, task: &str| {
            client.request(method, &json!({"taskId": task}).to_string()).unwrap().answer().unwrap()
        };
        assert!(ask(&a, &task_of_a)["result"].is_object(), "{method}");
        let refused = ask(&a, &task_of_b);
        // Like one that does not exist.
        assert_eq!(refused["error"]["code"], -32602, "{method} {refused}");
        assert_eq!(refused["error"]["message"], format!("Task not found: {task_of_b}"));
        assert_eq!(ask(&a, "t99")["error"]["message"], "Task not found: t99");
    }
    // The client that made a task is notified of its status, and no other client is.
    let mut told = Vec::new();
    std::thread::scope(|scope| {
        let listening = scope.spawn(|| {
            let mut told = Vec::new();
            b.listen(|message| {
                told.push(message.to_owned());
                false
            })
            .map(|()| told)
        });
        // Notifications sent before it listens are not kept.
        until("a client is notified of its task", || {
            work(&a);
            work(&b);
            listening.is_finished()
        });
        told = listening.join().unwrap().unwrap();
    });
    let status: Value = serde_json::from_str(&told[0]).unwrap();
    let task = status["params"]["taskId"].as_str().unwrap().to_owned();
    assert_eq!(status["method"], "notifications/tasks/status");
    assert!(listed(&b).contains(&task), "{status}");
}

#[test]
fn tasks_of_all_upstreams_are_listed_together() {
    let shared = before(&["one", "two"]);
    let plain = shared.serve.connect(None).unwrap();
    // One that can be asked has a process of its own at each.
    let asked = shared.serve.connect_with(None, &json!({"sampling": {}})).unwrap();
    let ask = |client: &McpClient, method: &str, params: Value| {
        client.request(method, &params.to_string()).unwrap().answer().unwrap()
    };
    let work = |client: &McpClient, server: &str| {
        let params = json!({"name": format!("{server}__work"), "task": {"ttl": 60_000}});
        ask(client, "tools/call", params)["result"]["task"]["taskId"].as_str().unwrap().to_owned()
    };
    let listed = |client: &McpClient| {
        let tasks = ask(client, "tasks/list", json!({}))["result"]["tasks"].clone();
        tasks.as_array().unwrap().iter().map(|task| task["taskId"].clone()).collect::<Vec<_>>()
    };
    let tools = ask(&plain, "tools/list", json!({}))["result"]["tools"].clone();
    assert_eq!(tools.as_array().unwrap()[0]["execution"]["taskSupport"], "optional", "{tools}");
    for client in [&plain, &asked] {
        assert_eq!(work(client, "one"), "t1");
        assert_eq!(listed(client), ["t1"]);
        let status = &ask(client, "tasks/get", json!({"taskId": "t1"}))["result"]["status"];
        assert_eq!(status, "working");
        let result = ask(client, "tasks/result", json!({"taskId": "t1"}));
        assert_eq!(text(&result["result"]), "result of \"t1\"");
        assert!(ask(client, "tasks/cancel", json!({"taskId": "t1"}))["result"].is_object());
        let unknown = ask(client, "tasks/get", json!({"taskId": "t2"}));
        assert_eq!(
            (&unknown["error"]["code"], &unknown["error"]["message"]),
            (&json!(-32602), &json!("Task not found: t2"))
        );
        assert!(
            ask(client, "tasks/get", json!({}))["error"]["message"].to_string().contains("taskId is missing")
        );
    }
    // Two servers that count alike: which one is meant is not guessed.
    assert_eq!(work(&asked, "two"), "t1");
    assert_eq!(listed(&asked), ["t1", "t1"]);
    let refused = ask(&asked, "tasks/cancel", json!({"taskId": "t1"}));
    assert!(refused["error"]["message"].to_string().contains("exists at"), "{refused}");
}

/// The calls that were recorded of a tool, oldest first, once there are so many.
fn calls(before: &Setup, tool: &str, expected: usize) -> Vec<Value> {
    until(&format!("{expected} calls of {tool} are recorded"), || {
        let mut calls = before.program.json_lines(&["calls", "--tool", tool]).unwrap();
        calls.reverse();
        (calls.len() == expected).then_some(calls)
    })
}

/// Regression: only the task's handle was recorded, so nothing was learned of a tool that always answers with a task,
/// and on `/mcp` its result lacked the structured content of other results.
#[test]
fn result_of_task_is_recorded_as_result_of_its_tool() {
    let before = before(&["communal"]);
    let mut observed = 0;
    for (upstream, tool) in [(UPSTREAM, "work"), (None, "communal__work")] {
        let client = before.serve.connect(upstream).unwrap();
        let ask = |method: &str, params: Value| {
            client.request(method, &params.to_string()).unwrap().answer().unwrap()
        };
        let result = json!({"content": [{"type": "text", "text": "{\"city\":\"Graz\"}"}]});
        let arguments = json!({ "result": result });
        let called = ask("tools/call", json!({"name": tool, "arguments": arguments, "task": {}}));
        let task = called["result"]["task"]["taskId"].clone();
        // However often it is asked for.
        for _ in 0..2 {
            let got = ask("tasks/result", json!({ "taskId": task }))["result"].clone();
            let mut expected = result.clone();
            if upstream.is_none() {
                expected["structuredContent"] = json!({"city": "Graz"});
            }
            assert_eq!(got, expected);
        }
        // Another client has no such task, and nothing is learned from that.
        let other = before.serve.connect(upstream).unwrap();
        let refused = other.request("tasks/result", &json!({ "taskId": task }).to_string()).unwrap();
        assert_eq!(refused.answer().unwrap()["error"]["code"], -32602);
        observed += 1;
        let calls = calls(&before, "communal__work", 2 * observed);
        let last = &calls[calls.len() - 1];
        assert_eq!((&last["outcome"], &last["arguments"]), (&json!("ok"), &arguments), "{last}");
        assert_eq!(last["result"], result, "as the upstream said it");
    }
    let tools = before.program.json(&["tools"]).unwrap();
    let learned = tools.as_array().unwrap().iter().find(|tool| tool["tool_id"] == "communal__work").unwrap();
    assert_eq!(learned["observation_count"], observed, "{learned}");
    let schema = before.program.json(&["schema", "communal__work", "--version", "inferred"]).unwrap();
    assert!(schema["properties"]["city"].is_object(), "{schema}");
}

/// In the stateless era the result is part of the task's state.
#[test]
fn result_of_stateless_task_is_recorded_as_result_of_its_tool() {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let mut command = Command::new(places.fixture("conformance"));
    command.args(["--port", "0", "--era", "modern"]);
    let fixture = Listening::start(command).unwrap();
    let before = before_these(|_| Map::from_iter([("fixture".to_owned(), json!({"url": fixture.url()}))]));
    let client = before.serve.connect(Some("fixture")).unwrap();
    let tasks = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let ask = |method: &str, params: Value| {
        client.ask_stateless("tasks", &tasks, method, &params).unwrap().result().unwrap()
    };
    let arguments = json!({"seconds": 0, "label": "done"});
    let called = ask("tools/call", json!({"name": "slow_compute", "arguments": arguments}));
    assert_eq!(called["resultType"], "task", "{called}");
    let task = called["taskId"].clone();
    let result = until("the task is done", || {
        let state = ask("tasks/get", json!({ "taskId": task }));
        (state["status"] != "working").then(|| state["result"].clone())
    });
    assert!(text(&result).contains("done"), "{result}");
    ask("tasks/get", json!({ "taskId": task }));
    let calls = calls(&before, "fixture__slow_compute", 2);
    assert_eq!((&calls[1]["result"], &calls[1]["arguments"]), (&result, &arguments), "{calls:?}");
}
