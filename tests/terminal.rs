//! The terminal commands: output for people and programs, and errors that say what to do.

mod discover;
mod guide;
#[cfg(unix)]
mod run;

use std::fs;
use std::net::TcpListener;
use std::process::{Command, Stdio};

use schemascope_test_support::{Places, Program, Run, Serve, stdio, until};
use serde_json::{Map, Value, json};

fn program(scratch: &tempfile::TempDir) -> Program {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let servers = Map::from_iter([("shop".to_owned(), stdio(places.fixture("shop"), &[]))]);
    Program::new(&places, scratch.path(), &servers).unwrap()
}

#[track_caller]
fn fails(run: &Run, words: &str) {
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.is_empty() && run.err.contains(words), "expected {words:?}: {run:?}");
}

/// The same commands, with an engine of their own and through a running one.
#[test]
fn commands_work_alone_and_attached() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let mut expect_calls = 0;
    for attached in [false, true, false] {
        let serve = attached.then(|| program.serve(&[]).unwrap());
        let run = program.run(&["call", "shop__store_info"]).unwrap();
        assert_eq!(
            (run.code, run.out.trim()),
            (Some(0), r#"{"name":"The Shop","city":"Graz","open":["09:00","17:30"]}"#)
        );
        let result = program.json(&["call", "shop__list_orders", "{\"limit\": 2}"]).unwrap();
        assert!(result["content"][0]["text"].as_str().unwrap().contains("orders"));
        let run = program.run_with_input(&["call", "shop__refund", "-"], "{\"id\": \"7\"}").unwrap();
        assert_eq!((run.code, run.out.trim()), (Some(1), "{\"refused\": \"the shop keeps what it has\"}"));
        expect_calls += 3;
        assert_eq!(program.json_lines(&["calls"]).unwrap().len(), expect_calls);
        assert_eq!(program.json_lines(&["calls", "--failures"]).unwrap().len(), expect_calls / 3);
        assert_eq!(program.json_lines(&["calls", "--limit", "2"]).unwrap().len(), 2);
        calls_are_filtered_and_shown(&program, expect_calls);
        let tools = program.json(&["tools"]).unwrap();
        assert_eq!(tools.as_array().unwrap().len(), 13);
        let declared = program.json(&["schema", "shop__store_info"]).unwrap();
        assert_eq!(declared["additionalProperties"], false);
        let inferred = program.json(&["schema", "shop__store_info", "--version", "inferred"]).unwrap();
        assert_eq!(inferred["properties"]["open"]["items"]["type"], "string");
        if let Some(serve) = serve {
            assert_eq!(serve.stop().unwrap(), Some(0));
            assert!(!program.data_dir().join("instance.json").exists());
        }
    }
}

/// A third of the calls each are of `store_info`, `list_orders` and `refund`, which fails.
fn calls_are_filtered_and_shown(program: &Program, all: usize) {
    for (filters, expected) in [
        (&["server:shop"][..], all),
        (&["REFUND", "status:tool_error"], all / 3),
        (&["shop -status:error -orders"], all / 3),
        (&["tool:list_*", "--failures"], 0),
        (&["--tool", "shop__list_orders", "status:ok"], all / 3),
        (&["--since", "2026-01-01"], all),
        (&["--until", "2026-01-01"], 0),
        (&["--since", "2999-01-01"], 0),
        (&["server:nothing"], 0),
    ] {
        let calls = program.json_lines(&[&["calls"], filters].concat()).unwrap();
        assert_eq!(calls.len(), expected, "{filters:?}");
    }
    let listed = program.run(&["calls", "orders", "--limit", "1"]).unwrap().out;
    let short = listed.split_whitespace().last().unwrap();
    let shown = program.run(&["calls", short]).unwrap().out;
    for part in
        ["tool      shop__list_orders", "outcome   ok", "arguments\n{\n  \"limit\": 2\n}\n", "\nresult\n{\n"]
    {
        assert!(shown.contains(part), "{part:?} is missing: {shown}");
    }
    let whole = program.json(&["calls", short]).unwrap();
    let id = whole["id"].as_str().unwrap();
    assert!(id.starts_with(short) && whole["result"]["content"].is_array(), "{whole}");
    assert_eq!(program.json(&["calls", &id.to_uppercase()]).unwrap(), whole);
    fails(&program.run(&["calls", "0000000000000000"]).unwrap(), "there is no call 0000000000000000");
    fails(&program.run(&["calls", "state:ok"]).unwrap(), "state: is no filter of this list");
}

/// Names and fields of upstreams neither control the terminal nor add lines of their own.
#[test]
fn foreign_text_does_not_control_the_terminal() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let name = "s__get\nforged__tool  inferred  high  9 999\u{1b}[2J\u{202e}";
    let line = json!({"tool_id": name, "output": {"a\u{202e}b": 1, "\u{9b}2J": 2}}).to_string();
    assert_eq!(program.run_with_input(&["backfill", "-"], &line).unwrap().code, Some(0));
    let harmful = |c: char| c != '\n' && (c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c));
    let runs: [&[&str]; 7] = [
        &["tools"],
        &["tools", "--json"],
        &["calls"],
        &["calls", "--json"],
        &["schema", name],
        &["schema", "s__get"],
        &["export", "registry"],
    ];
    for args in runs {
        let run = program.run(args).unwrap();
        for text in [&run.out, &run.err] {
            assert!(!text.contains(harmful), "{args:?}: {text:?}");
            assert!(!text.lines().any(|line| line.trim_start().starts_with("forged")), "{args:?}: {text}");
        }
    }
    assert!(program.run(&["schema", "s__get"]).unwrap().err.contains("did you mean"));
    // JSON still says what there is.
    assert_eq!(program.json(&["tools"]).unwrap()[0]["tool_id"], name);
    let schema = program.json(&["schema", name]).unwrap();
    assert!(schema["properties"].get("a\u{202e}b").is_some(), "{schema}");
}

#[test]
fn tables_are_printed_without_colours_to_a_pipe() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let empty = program.run(&["tools"]).unwrap();
    assert!(empty.out.is_empty() && empty.err.contains("schemascope serve"), "{empty:?}");
    program.run(&["call", "shop__list_orders"]).unwrap();
    let tools = program.run(&["tools"]).unwrap().out;
    assert!(tools.lines().next().unwrap().starts_with("tool "), "{tools}");
    let row = tools.lines().find(|line| line.contains("shop__list_orders")).unwrap();
    assert_eq!(
        row.split_whitespace().take(5).collect::<Vec<_>>(),
        ["shop__list_orders", "inferred", "low", "1", "1"]
    );
    assert!(!tools.contains('\u{1b}'), "colours belong on a terminal only");
    let calls = program.run(&["calls"]).unwrap().out;
    assert!(calls.contains("shop__list_orders") && calls.contains(" ok "), "{calls}");
    let report = program.run(&["report"]).unwrap().out;
    assert!(report.starts_with("13 tools of 1 server, 1 call (0 failed), 1 result"), "{report}");
    let servers = program.run(&["servers"]).unwrap();
    assert!(servers.out.contains("shop") && servers.err.contains("not running"), "{servers:?}");
}

#[test]
fn errors_say_what_to_do() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    fails(&program.run(&["schema", "shop__list_orders"]).unwrap(), "no tool has been listed or called yet");
    program.run(&["call", "shop__order_total"]).unwrap();
    fails(&program.run(&["schema", "shop__list_order"]).unwrap(), "did you mean shop__list_orders");
    fails(&program.run(&["schema", "list_orders"]).unwrap(), "did you mean shop__list_orders");
    fails(&program.run(&["schema", "shop__list_orders"]).unwrap(), "no successful call has been observed");
    fails(
        &program.run(&["schema", "shop__order_total", "--version", "declared"]).unwrap(),
        "--version inferred",
    );
    fails(&program.run(&["calls", "--tool", "shop__nope"]).unwrap(), "there is no tool");
    fails(&program.run(&["call", "shop__order_total", "{"]).unwrap(), "expected an object");
    fails(&program.run(&["call", "shop__order_total", "[]"]).unwrap(), "must be a JSON object");
    fails(&program.run(&["call", "shop"]).unwrap(), "there is no tool \"shop\"");
    fails(&program.run(&["diff", "shop__order_total", "1"]).unwrap(), "name two of its schemas");
    fails(
        &program.run(&["schema", "shop__order_total", "--where", "id=7"]).unwrap(),
        "has that value of \"id\"",
    );
    fails(&program.run(&["call", "shoop__order_total"]).unwrap(), "did you mean shop?");
    fails(&program.run(&["servers", "nope"]).unwrap(), "it has: shop");
    fails(&program.run(&["infer", "/no/such/file"]).unwrap(), "/no/such/file");
    fails(&program.run(&["backfill", "/no/such/file"]).unwrap(), "/no/such/file");
    for args in [
        &["nonsense"][..],
        &["schema"],
        &["schema", "a__b", "--version", "7th"],
        &["calls", "--limit", "many"],
    ] {
        assert_eq!(program.run(args).unwrap().code, Some(2), "{args:?}");
    }
}

#[test]
fn second_serve_names_the_owner_of_the_data() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let serve = program.serve(&[]).unwrap();
    let address = serve.instance["address"].as_str().unwrap();
    let second = program.run(&["serve", "--listen", "127.0.0.1:0"]).unwrap();
    fails(&second, &format!("pid {}, listening on {address}", serve.pid()));
    // A killed instance leaves its file behind, which is recognised as stale.
    serve.kill().unwrap();
    assert!(program.data_dir().join("instance.json").exists());
    assert_eq!(program.run(&["tools"]).unwrap().code, Some(0));
    assert_eq!(program.serve(&[]).unwrap().stop().unwrap(), Some(0));
}

#[test]
fn tokens_stay_over_restarts_and_are_private() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let first = program.serve(&[]).unwrap();
    let tokens = |serve: &Serve| (serve.token().to_owned(), serve.owner_token().to_owned());
    let before = tokens(&first);
    assert_eq!((before.0.len(), before.1.len()), (64, 64));
    assert_ne!(before.0, before.1);
    for file in ["instance.json", "token", "owner-token", "lock", "journal/00000001.journal"] {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(program.data_dir().join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{file}");
    }
    first.stop().unwrap();
    assert_eq!(tokens(&program.serve(&[]).unwrap()), before);
}

/// Ctrl-C ends a command that waits for an answer, and what it started with it.
#[test]
fn interrupt_ends_a_call_and_its_upstream() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    for attached in [false, true] {
        let serve = attached.then(|| program.serve(&[]).unwrap());
        let arguments = ["call", "shop__rebuild_catalog", "{\"steps\": 1000}"];
        let mut child = program.command(&arguments).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(600));
        let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(interrupt.unwrap().success());
        let began = std::time::Instant::now();
        assert_eq!(child.wait().unwrap().code(), Some(130), "attached: {attached}");
        assert!(began.elapsed() < std::time::Duration::from_secs(8), "attached: {attached}");
        until("the call is recorded as cancelled", || {
            let calls = program.json_lines(&["calls"]).unwrap();
            calls.len() == 1 + usize::from(attached) && calls[0]["outcome"] == "cancelled"
        });
        drop(serve);
    }
}

/// Files in a directory that existed before with ordinary rights are private all the same.
#[test]
fn records_are_private_in_an_existing_directory() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    fs::create_dir(program.data_dir()).unwrap();
    fs::set_permissions(program.data_dir(), fs::Permissions::from_mode(0o755)).unwrap();
    let serve = program.serve_on("localhost:0", &[]).unwrap();
    for folder in ["journal", "index"] {
        let mode = fs::metadata(program.data_dir().join(folder)).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{folder}");
    }
    drop(serve);
}

#[test]
fn port_in_use_is_named_in_the_error() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let run = program.run(&["serve", "--listen", &address]).unwrap();
    fails(&run, &format!("{address} is in use"));
}

#[test]
fn empty_configuration_is_explained() {
    for (text, words) in [
        ("{ not json", "is not valid JSON"),
        ("{\"server\": {}}", "has no \"mcpServers\""),
        (" // nothing yet", "is empty; expected"),
    ] {
        let scratch = tempfile::tempdir().unwrap();
        let program = program(&scratch);
        fs::write(program.config(), text).unwrap();
        // It serves all the same: what was learned can be looked at.
        let serve = program.serve(&[]).unwrap();
        let servers = program.json(&["servers"]).unwrap();
        assert!(servers["problem"].as_str().unwrap().contains(words), "{servers}");
        assert!(serve.log().unwrap().contains(words), "{}", serve.log().unwrap());
        assert_eq!(
            serve.connect(None).unwrap().request("tools/list", "{}").unwrap().result().unwrap(),
            json!({"tools": []})
        );
    }
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    fs::remove_file(program.config()).unwrap();
    let named = program.run(&["serve"]).unwrap();
    assert!(named.code == Some(2) && named.err.contains("there is no such file"), "{named:?}");
    // The file at the usual place may come later.
    let mut usual = Command::new(env!("CARGO_BIN_EXE_schemascope"));
    usual.args(["servers", "--json", "--data-dir"]).arg(program.data_dir());
    let servers = String::from_utf8(usual.output().unwrap().stdout).unwrap();
    assert!(servers.contains("does not exist; create it with"), "{servers}");
}

fn infer(program: &Program, input: &str) -> (Run, Value) {
    let run = program.run_with_input(&["infer"], input).unwrap();
    let schema = serde_json::from_str(&run.out).unwrap_or(Value::Null);
    (run, schema)
}

#[test]
fn infer_reads_any_layout_and_names_broken_documents() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let documents = "{\"a\":1,\"b\":\"x\"}\n{\"a\":2.5}\n{\n  \"a\": null\n}\n".repeat(4);
    let (run, schema) = infer(&program, &documents);
    assert_eq!(run.code, Some(0));
    assert_eq!(schema["properties"], json!({"a": {"type": ["number", "null"]}, "b": {"type": "string"}}));
    assert_eq!(schema["required"], json!(["a"]));
    assert!(run.err.contains("12 documents, 2 fields"), "{}", run.err);

    let (run, schema) = infer(&program, "{\"a\":1}\n{\"a\":\n[1]\nnot json\n");
    assert_eq!(run.code, Some(1));
    assert!(run.err.contains("line 2: ") && run.err.contains("line 4: "), "{}", run.err);
    assert_eq!(schema["anyOf"].as_array().unwrap().len(), 2);

    let (run, _) = infer(&program, "");
    fails(&run, "no JSON document");
    let file = scratch.path().join("one.json");
    fs::write(&file, "[1, \"x\"]").unwrap();
    let schema = program.json(&["infer", file.to_str().unwrap()]).unwrap();
    assert_eq!(schema["items"]["anyOf"], json!([{"type": "integer"}, {"type": "string"}]));
    // It learns from nothing and keeps nothing.
    assert!(!program.data_dir().exists());
}

#[test]
fn help_lists_commands_and_their_usage() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let help = Command::new(places.schemascope()).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    for verb in [
        "serve", "stdio", "servers", "tools", "schema", "calls", "call", "infer", "diff", "backfill",
        "report",
    ] {
        assert!(help.contains(&format!("\n  {verb} ")), "{verb}: {help}");
        let run = program.run(&[verb, "--help"]).unwrap();
        assert!(run.code == Some(0) && run.out.contains("Usage:"), "{run:?}");
    }
}

/// Without a verb the window opens where it is installed; elsewhere the help says what to do.
#[cfg(unix)]
#[test]
fn program_without_command_opens_the_window() {
    use std::os::unix::fs::PermissionsExt;

    let scratch = tempfile::tempdir().unwrap();
    let alone = scratch.path().join("schemascope");
    fs::copy(env!("CARGO_BIN_EXE_schemascope"), &alone).unwrap();
    let run = |args: &[&str]| {
        let output = until("the program can be started", || {
            match Command::new(&alone).args(args).env("PATH", scratch.path()).output() {
                // Another test started a process while the file was being written.
                Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => None,
                output => Some(output.unwrap()),
            }
        });
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, out, err) = run(&[]);
    assert_eq!(code, Some(2));
    assert!(out.contains("Usage: schemascope") && err.contains("schemascope serve"), "{out}{err}");

    let window = scratch.path().join("schemascope-desktop");
    fs::write(&window, "#!/bin/sh\necho \"$@\"\nexit 7\n").unwrap();
    fs::set_permissions(&window, fs::Permissions::from_mode(0o755)).unwrap();
    let config = scratch.path().join("mcp.json");
    fs::write(&config, "{}").unwrap();
    let (code, out, _) = run(&["--data-dir", "/data", "--config", config.to_str().unwrap()]);
    assert_eq!((code, out.trim()), (Some(7), &*format!("--data-dir /data --config {}", config.display())));
}

/// Maintenance of the store: verify, rebuild, compact, rejection while it is in use, and removal of old calls.
#[test]
fn store_maintenance_works_and_is_rejected_while_in_use() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch);
    fails(&program.run(&["verify"]).unwrap(), "there is no store in");
    assert!(!program.data_dir().join("lock").exists());
    for _ in 0..5 {
        program.run(&["call", "shop__list_orders"]).unwrap();
    }
    let run = program.run(&["verify"]).unwrap();
    assert!(run.code == Some(0) && run.out.contains("no differences"), "{run:?}");
    let report = program.json(&["verify"]).unwrap();
    assert_eq!((&report["sound"], &report["calls"]), (&json!(true), &json!(5)));
    assert_eq!(report["audit"]["damaged"]["count"], 0, "{report}");

    fs::remove_dir_all(program.data_dir().join("index")).unwrap();
    let run = program.run(&["verify"]).unwrap();
    assert!(run.code == Some(1) && run.out.contains("schemascope rebuild"), "{run:?}");
    // A reader that closed the pipe changes nothing about what was found.
    let mut closed = program.command(&["verify"]);
    let mut closed = closed.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(closed.stdout.take());
    assert_eq!(closed.wait().unwrap().code(), Some(1));
    let rebuilt = program.json(&["rebuild"]).unwrap();
    assert_eq!(rebuilt["bytes_before"], 0);
    assert!(rebuilt["bytes_after"].as_u64().unwrap() > 0);
    assert_eq!(program.run(&["verify"]).unwrap().code, Some(0));
    assert_eq!(program.run(&["compact"]).unwrap().code, Some(0));
    assert_eq!(program.json_lines(&["calls"]).unwrap().len(), 5);

    let serve = program.serve(&["--keep-calls", "2"]).unwrap();
    for verb in ["verify", "rebuild", "compact", "redact"] {
        fails(&program.run(&[verb]).unwrap(), &format!("in use by process {}", serve.pid()));
    }
    // What runs has other files: what a command says would be about those.
    for option in ["--overrides", "--ai-tools"] {
        let other = scratch.path().join("other.json");
        let run = program.run(&[option, other.to_str().unwrap(), "tools"]).unwrap();
        assert!(
            run.code == Some(1) && run.err.contains(&format!("{option} {} has no effect", other.display())),
            "{run:?}"
        );
        let own = program.data_dir().join(if option == "--overrides" {
            "tool_overrides.json"
        } else {
            "ai-tools.json"
        });
        assert_eq!(program.run(&[option, own.to_str().unwrap(), "tools"]).unwrap().code, Some(0));
    }
    until("calls beyond the limit are removed", || program.json_lines(&["calls"]).unwrap().len() <= 2);
    let tools = program.json(&["tools"]).unwrap();
    let orders = tools.as_array().unwrap().iter().find(|tool| tool["tool_id"] == "shop__list_orders");
    assert_eq!(orders.unwrap()["call_count"], 5);
    assert_eq!(serve.stop().unwrap(), Some(0));
    let report = program.json(&["verify"]).unwrap();
    assert_eq!(
        (&report["sound"], &report["calls"], &report["removed"]),
        (&json!(true), &json!(2), &json!(3))
    );
}
