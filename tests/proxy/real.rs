//! Real servers behind Schemascope and real SDKs in front of it.
//!
//! `cargo xtask setup` installs both, pinned, in the target folder.

use std::path::Path;
use std::process::{Command, Stdio};

use schemascope_test_support::{Places, Program, Sdk, stdio};
use serde_json::{Map, Value, json};

fn places() -> Places {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    assert!(
        places.python().exists() && places.npm().join("node_modules").exists(),
        "run `cargo xtask setup` first"
    );
    places
}

fn git(folder: &Path, args: &[&str]) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
    let status = Command::new("git")
        .args(identity)
        .args(args)
        .current_dir(folder)
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
}

/// The real servers on a folder with a file and a repository.
fn real_servers(scratch: &tempfile::TempDir) -> Program {
    let folder = scratch.path().join("folder");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("hello.txt"), "hello\n").unwrap();
    git(&folder, &["init", "-q"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-q", "-m", "first"]);
    let places = places();
    Program::new(&places, scratch.path(), &places.real_servers(&folder)).unwrap()
}

#[test]
fn real_servers_are_listed_called_recorded_and_learned() {
    let scratch = tempfile::tempdir().unwrap();
    let program = real_servers(&scratch);
    let folder = scratch.path().join("folder");
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    let list = client.request("tools/list", "{}").unwrap().result().unwrap();
    let count = |server: &str| {
        let prefix = format!("{server}__");
        list["tools"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|tool| tool["name"].as_str().unwrap().starts_with(&prefix))
            .count()
    };
    for (server, tools) in [("everything", 10), ("files", 10), ("memory", 9), ("git", 10), ("time", 2)] {
        assert!(
            count(server) >= tools,
            "{server} lists {}: {}",
            count(server),
            program.json(&["servers"]).unwrap()
        );
    }
    let file = folder.join("hello.txt");
    let calls = [
        ("everything__echo", json!({"message": "hi"})),
        ("everything__get-env", json!({})),
        ("files__read_text_file", json!({"path": file})),
        ("files__list_directory", json!({"path": folder})),
        (
            "memory__create_entities",
            json!({"entities": [{"name": "a", "entityType": "t", "observations": ["o"]}]}),
        ),
        ("memory__read_graph", json!({})),
        ("git__git_status", json!({"repo_path": folder})),
        ("git__git_log", json!({"repo_path": folder})),
        ("time__get_current_time", json!({"timezone": "UTC"})),
    ];
    for (tool, arguments) in &calls {
        let result = client.call(tool, arguments).unwrap().result().unwrap();
        assert_ne!(result["isError"], true, "{tool}: {result}");
    }
    let failed =
        client.call("files__read_text_file", &json!({"path": "/etc/passwd"})).unwrap().result().unwrap();
    assert_eq!(failed["isError"], true, "{failed}");
    assert_eq!(program.json_lines(&["calls"]).unwrap().len(), calls.len() + 1);

    let tools = program.json(&["tools"]).unwrap();
    let row = |id: &str| tools.as_array().unwrap().iter().find(|row| row["tool_id"] == id).unwrap();
    for (tool, source) in [
        ("everything__echo", "unknown"),
        ("everything__get-env", "inferred"),
        ("files__list_directory", "hybrid"),
        ("memory__read_graph", "hybrid"),
        ("git__git_status", "unknown"),
        ("time__get_current_time", "hybrid"),
    ] {
        assert_eq!(
            (&row(tool)["source"], &row(tool)["violated"]),
            (&json!(source), &json!(false)),
            "{}",
            row(tool)
        );
    }
    // JSON in text without a declared schema: the case this product is for.
    let env = program.json(&["schema", "everything__get-env"]).unwrap();
    assert_eq!(env["properties"]["PATH"]["type"], "string");
    assert_eq!(program.json(&["schema", "git__git_status"]).unwrap()["type"], "string");
}

/// Each upstream as it is, seen through its own endpoint and directly.
#[test]
fn endpoint_of_one_upstream_is_transparent() {
    let scratch = tempfile::tempdir().unwrap();
    let program = real_servers(&scratch);
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(Some("everything")).unwrap();
    let hello = client.hello.result().unwrap();
    assert!(hello["serverInfo"]["name"].as_str().unwrap().contains("everything"), "{hello}");
    assert!(hello["capabilities"]["prompts"].is_object());
    // What we know nothing of passes as well.
    let prompts = client.request("prompts/list", "{}").unwrap().result().unwrap();
    assert!(!prompts["prompts"].as_array().unwrap().is_empty());
    let resources = client.request("resources/list", "{}").unwrap().result().unwrap();
    assert!(!resources["resources"].as_array().unwrap().is_empty());
}

#[test]
fn official_sdks_accept_real_servers() {
    let scratch = tempfile::tempdir().unwrap();
    let program = the_shop(&scratch);
    let serve = program.serve(&[]).unwrap();
    let seen = both_sdks(|upstream| json!({"url": serve.url(upstream), "token": serve.token()}));
    assert_eq!(program.json_lines(&["calls"]).unwrap().len(), seen);
}

/// The same where they start the program, which runs the proxy or finds it running.
#[test]
fn official_sdks_accept_real_servers_over_stdio() {
    let scratch = tempfile::tempdir().unwrap();
    let program = the_shop(&scratch);
    let start = |upstream: Option<&str>| {
        let server = upstream.map_or(vec![], |name| vec!["--server", name]);
        let command = program.command(&[&["stdio"], server.as_slice()].concat());
        let args: Vec<_> = command.get_args().map(|arg| arg.to_str().unwrap()).collect();
        json!({"command": command.get_program().to_str().unwrap(), "args": args})
    };
    let mut seen = both_sdks(start);
    let serve = program.serve(&[]).unwrap();
    seen += both_sdks(start);
    assert_eq!(program.json_lines(&["calls"]).unwrap().len(), seen);
    drop(serve);
}

fn the_shop(scratch: &tempfile::TempDir) -> Program {
    let places = places();
    let servers = Map::from_iter([("shop".to_owned(), stdio(places.fixture("shop"), &[]))]);
    Program::new(&places, scratch.path(), &servers).unwrap()
}

/// Both SDKs on all upstreams and on one, reached as `way` says. How many calls there were.
fn both_sdks(way: impl Fn(Option<&str>) -> Value) -> usize {
    let places = places();
    let mut called = 0;
    for (upstream, prefix) in [(None, "shop__"), (Some("shop"), "")] {
        for sdk in [Sdk::Python, Sdk::TypeScript] {
            let call = |tool: &str, arguments: Value| json!({"name": format!("{prefix}{tool}"), "arguments": arguments});
            let mut job = way(upstream);
            job["calls"] = json!([
                call("list_orders", json!({})),
                call("store_info", json!({})),
                call("refund", json!({"id": "1"})),
                call("refund", json!({})),
                call("rebuild_catalog", json!({"steps": 3})),
            ]);
            called += 5;
            let seen = sdk.see(&places, job).unwrap();
            let context = format!("{sdk:?} on {upstream:?}: {seen}");
            assert_eq!(seen["server"], if prefix.is_empty() { "shop" } else { "schemascope" }, "{context}");
            assert_eq!(seen["tools"].as_array().unwrap().len(), 13, "{context}");
            let calls = &seen["calls"];
            assert!(
                calls[0]["result"]["content"][0]["text"].as_str().unwrap().contains("orders"),
                "{context}"
            );
            assert_eq!(calls[1]["result"]["structuredContent"]["city"], "Graz", "{context}");
            assert_eq!(calls[2]["result"]["isError"], true, "{context}");
            assert_eq!(calls[3]["error"]["code"], -32602, "{context}");
            assert!(
                calls[3]["error"]["message"].as_str().unwrap().contains("refund needs an id"),
                "{context}"
            );
            let progress: Vec<&Value> =
                calls[4]["progress"].as_array().unwrap().iter().map(|step| &step[2]).collect();
            assert_eq!(progress, ["shelf 1", "shelf 2", "shelf 3"], "{context}");
        }
    }
    called
}
