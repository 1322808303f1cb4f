//! Command-line tools as upstreams: served, recorded, reloaded, requested by agents and approved by people.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;

use schemascope_test_support::{Places, Program, Serve, until};
use serde_json::{Map, Value, json};

/// A program whose help and behaviour are known. It notes every run in the file `runs` beside it.
const TOOL: &str = r#"#!/bin/sh
echo "$@" >> "$(dirname "$0")/runs"
case "$1" in
  --help) cat <<'HELP'
Usage: probe-me [OPTION]... [FILE]...
Prints what it is given. With no FILE, read standard input.

Options:
  -n, --name=NAME      name to print
  -s, --slow           take a while, with a child that ignores signals
  -t, --steps          take a second, with progress
      --to-command=CMD pipe the output to another program
      --fail           exit with an error
HELP
  exit 0;;
esac
for word in "$@"; do
  [ "$word" = -- ] && break
  [ "$word" = --fail ] && { echo "went wrong" >&2; exit 3; }
  [ "$word" = --steps ] && { echo "step 1" >&2; sleep 0.6; echo "step 2" >&2; sleep 0.6; }
  [ "$word" = --slow ] && { (trap '' TERM; sleep 600) & echo $! > "$(dirname "$0")/child"; wait; }
done
printf '{"name": "%s", "count": %d}' "$1" "$#"
"#;

fn program(scratch: &Path) -> Program {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let folder = scratch.join("bin");
    fs::create_dir_all(&folder).unwrap();
    install(&folder.join("probe-me"), TOOL);
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    Program::new(&places, scratch, &Map::new()).unwrap().with_env("PATH", path)
}

fn install(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn runs(scratch: &Path) -> String {
    fs::read_to_string(scratch.join("bin/runs")).unwrap_or_default()
}

fn listed(serve: &Serve) -> Vec<String> {
    let list = serve.connect(None).unwrap().request("tools/list", "{}").unwrap().result().unwrap();
    list["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn command_line_tool_is_listed_called_recorded_and_learned() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    let serve = program.serve(&["--cli", "probe-me"]).unwrap();
    until("the tool is listed", || listed(&serve).contains(&"ask-probe-me__probe-me".to_owned()));
    let client = serve.connect(None).unwrap();
    let list = client.request("tools/list", "{}").unwrap().result().unwrap();
    let tool = list["tools"]
        .as_array()
        .unwrap()
        .iter()
        .find(|tool| tool["name"] == "ask-probe-me__probe-me")
        .unwrap();
    let properties = &tool["inputSchema"]["properties"];
    assert!(properties["name"]["type"] == "string" && properties.get("to_command").is_none(), "{tool}");
    assert_eq!(tool["annotations"]["readOnlyHint"], false);

    // By its full name, by its alias alone, and by a stateless client.
    let arguments = json!({"name": "-x; $(id)", "file": ["--fail"]});
    let result = client.call("ask-probe-me__probe-me", &arguments).unwrap().result().unwrap();
    assert_eq!(result["content"][0]["text"], "{\"name\": \"--name=-x; $(id)\", \"count\": 3}");
    assert_eq!(result["_meta"]["schemascope/argv"], json!(["probe-me", "--name=-x; $(id)", "--", "--fail"]));
    assert_eq!(result["structuredContent"]["count"], 3, "JSON in text is adapted as for any tool");
    let alone = client.call("ask-probe-me", &json!({})).unwrap().result().unwrap();
    assert_eq!(alone["structuredContent"]["count"], 0);
    let params = json!({"name": "ask-probe-me__probe-me", "arguments": {"fail": true}});
    let failed = client.ask_stateless("new", &json!({}), "tools/call", &params).unwrap().result().unwrap();
    assert_eq!(failed["isError"], true);
    assert_eq!(failed["content"][0]["text"], "exit code 3\n\nstderr:\nwent wrong\n");
    for (arguments, says) in [
        (json!({"to_command": "id"}), "runs programs"),
        (json!({"nmae": "x"}), "is no argument of this tool"),
        (json!({"name": true}), "name: has to be text, not a boolean"),
    ] {
        let rejected = client.call("ask-probe-me", &arguments).unwrap().result().unwrap();
        assert_eq!(rejected["isError"], true);
        assert!(rejected["content"][0]["text"].as_str().unwrap().contains(says), "{rejected}");
    }
    let preview = program.json(&["schema", "ask-probe-me__probe-me"]).unwrap();
    assert_eq!(preview["properties"]["count"]["type"], "integer");
    let calls = program.json_lines(&["calls", "--failures"]).unwrap();
    assert!(calls.iter().any(|call| call.to_string().contains("schemascope/exitCode")), "{calls:?}");
}

#[test]
fn progress_is_reported_and_shutdown_ends_the_whole_group() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    let serve = program.serve(&["--cli", "probe-me"]).unwrap();
    until("the tool is listed", || listed(&serve).contains(&"ask-probe-me__probe-me".to_owned()));
    let client = serve.connect(None).unwrap();
    let steps =
        json!({"name": "ask-probe-me", "arguments": {"steps": true}, "_meta": {"progressToken": "p"}});
    let exchange = client.request("tools/call", &steps.to_string()).unwrap();
    let messages: Vec<Value> = exchange.progress().unwrap();
    assert!(messages.iter().any(|message| message["message"] == "step 2"), "{messages:?}");

    let (url, token) = (serve.url(None), serve.token().to_owned());
    let calling = thread::spawn(move || {
        let client = schemascope_test_support::McpClient::connect(&url, &token).unwrap();
        let params = json!({"name": "ask-probe-me", "arguments": {"slow": true}});
        client.request("tools/call", &params.to_string())
    });
    let child = until("the program runs", || {
        fs::read_to_string(scratch.path().join("bin/child"))
            .ok()
            .and_then(|text| text.trim().parse::<u32>().ok())
    });
    assert!(Path::new(&format!("/proc/{child}")).exists());
    serve.stop().unwrap();
    until("the group has ended", || {
        !fs::read_to_string(format!("/proc/{child}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
    });
    let _ = calling.join().unwrap();
}

#[test]
fn file_is_reloaded_and_an_invalid_one_changes_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    let serve = program.serve(&[]).unwrap();
    let added = program.json(&["cli", "add", "probe-me", "--alias", "mine"]).unwrap();
    assert_eq!((&added["state"], &added["withheld"]), (&json!("ready"), &json!(1)), "{added}");
    until("the tool is listed", || listed(&serve).contains(&"mine__probe-me".to_owned()));
    let file = program.data_dir().join("ai-tools.json");
    let before = fs::read_to_string(&file).unwrap();

    let with_unknown = before.replace("\"command\"", "\"mine\": {\"x\": 1}, \"command\"");
    fs::write(
        &file,
        with_unknown
            .replace("\"mine\",", "\"other\",")
            .replace("\"alias\": \"mine\"", "\"alias\": \"other\""),
    )
    .unwrap();
    until("the entry has its new name", || listed(&serve).contains(&"other__probe-me".to_owned()));
    assert!(!listed(&serve).contains(&"mine__probe-me".to_owned()));

    fs::write(&file, "{\"tools\": [").unwrap();
    let problem = until("the problem is shown", || {
        program.json(&["cli", "list"]).unwrap()["problem"].as_str().map(str::to_owned)
    });
    assert!(problem.contains("line 1, column") && problem.contains("previous entries stay"), "{problem}");
    assert!(listed(&serve).contains(&"other__probe-me".to_owned()));
    let run = program.run(&["cli", "add", "sort"]).unwrap();
    assert_eq!(run.code, Some(1), "{run:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{\"tools\": [", "the file is left as it is");

    fs::write(&file, json!({"tools": [
        {"command": "no-such-program", "alias": "gone"}, {"command": "bash", "alias": "shell"}, {"alias": "broken"},
        {"command": "probe-me", "alias": "off", "enabled": false}, {"command": "probe-me", "alias": "good"},
    ]}).to_string()).unwrap();
    until("the good entry is served", || listed(&serve).contains(&"good__probe-me".to_owned()));
    let servers = program.json(&["servers"]).unwrap();
    let reason = |name: &str| {
        let servers = servers["servers"].as_array().unwrap();
        servers.iter().find(|server| server["server_name"] == name).unwrap()["reason"].to_string()
    };
    assert!(reason("gone").contains("was not found in PATH"), "{servers}");
    assert!(reason("shell").contains("runs whatever it is given"), "{servers}");
    assert!(reason("broken").contains("command"), "{servers}");

    install(&scratch.path().join("bin/probe-me"), &TOOL.replace("--name", "--title"));
    let client = serve.connect(None).unwrap();
    let rejected = client.call("good__probe-me", &json!({})).unwrap().result().unwrap();
    assert!(rejected["content"][0]["text"].as_str().unwrap().contains("cli refresh good"), "{rejected}");
    program.run(&["cli", "refresh", "good"]).unwrap();
    until("the new definition is listed", || {
        let list = serve.connect(None).unwrap().request("tools/list", "{}").unwrap().result().unwrap();
        list.to_string().contains("--title")
    });
}

#[test]
fn agent_asks_and_nothing_runs_before_a_person_approves() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    let serve = program.serve(&["--own-tools", "cli"]).unwrap();
    let agent = serve.connect(None).unwrap();
    let ask = |arguments: Value| {
        agent.call("schemascope__register_cli_tool", &arguments).unwrap().result().unwrap()
    };
    let asked =
        ask(json!({"command": "probe-me", "alias": "mine", "description": "Prints", "persist": true}));
    assert_eq!(asked["structuredContent"]["state"], "awaiting approval", "{asked}");
    for (arguments, says) in [
        (json!({"command": "probe-me", "alias": "mine"}), "in use"),
        (json!({"command": "/bin/sh"}), "is a path"),
        (json!({"command": "bash"}), "runs whatever it is given"),
        (json!({"command": "no-such-program"}), "was not found"),
        (json!({"command": "probe-me", "alias": "a__b"}), "alias"),
        (json!({"command": "probe-me --slow"}), "without arguments"),
    ] {
        let rejected = ask(arguments);
        assert_eq!(rejected["isError"], true);
        assert!(rejected["content"][0]["text"].as_str().unwrap().contains(says), "{rejected}");
    }
    assert_eq!(runs(scratch.path()), "", "nothing was run");
    let waiting = program.json(&["cli", "list"]).unwrap();
    assert_eq!(waiting["requests"][0]["alias"], "mine", "{waiting}");
    assert!(program.run(&["cli", "approve", "mine"]).unwrap().err.contains("--reason"));
    let run = program.run(&["cli", "approve", "mien", "--reason", "x"]).unwrap();
    assert!(run.code == Some(1) && run.err.contains("did you mean mine?"), "{run:?}");

    agent.request("tools/list", "{}").unwrap();
    let approved = program.run(&["cli", "approve", "mine", "--reason", "looks useful"]).unwrap();
    assert_eq!(approved.code, Some(0), "{approved:?}");
    agent
        .listen(|message| {
            assert!(message.contains("notifications/tools/list_changed"), "{message}");
            false
        })
        .unwrap();
    until("the tool is listed", || listed(&serve).contains(&"mine__probe-me".to_owned()));
    let called = agent.call("mine", &json!({"name": "x"})).unwrap().result().unwrap();
    assert_eq!(called["isError"], Value::Bool(false), "{called}");
    // An agent that could write this file would decide for the person.
    let owned = program.data_dir().join("ai-tools.json");
    let path = owned.display();
    let relative = format!("x/../../../{}", path.to_string().trim_start_matches('/'));
    let encoded = path.to_string().replace('/', "%2F");
    for value in [
        format!("{path}"),
        format!("a,b={path}"),
        format!("a=@{path}"),
        format!("a=%{path}"),
        format!("vacuum into '{path}'"),
        format!("-f{path}"),
        format!("a\n<{path}"),
        format!("a=@../../../../../../../../..{path}"),
        format!("file://{encoded}"),
        format!("({relative}"),
    ] {
        let rejected = agent.call("mine", &json!({"name": value})).unwrap().result().unwrap();
        assert!(rejected["content"][0]["text"].as_str().unwrap().contains("data directory"), "{rejected}");
    }
    // Its environment has the secrets of servers.
    let own = format!("/proc/{}/environ", serve.instance["pid"]);
    for value in [own.clone(), format!("a=@{own}"), format!("/proc/self/root{own}")] {
        let rejected = agent.call("mine", &json!({"name": value})).unwrap().result().unwrap();
        assert!(rejected["content"][0]["text"].as_str().unwrap().contains("shows a process"), "{rejected}");
    }
    let file = fs::read_to_string(program.data_dir().join("ai-tools.json")).unwrap();
    assert!(file.contains("\"mine\""), "it is kept: {file}");

    ask(json!({"command": "sort", "alias": "sorter"}));
    program.run(&["cli", "reject", "sorter", "--no-reason"]).unwrap();
    assert_eq!(program.json(&["cli", "list"]).unwrap()["requests"], json!([]));
    program.run(&["cli", "remove", "mine"]).unwrap();
    until("the tool is gone", || !listed(&serve).contains(&"mine__probe-me".to_owned()));
    let audit = program.json_lines(&["audit"]).unwrap();
    let events: Vec<&str> = audit.iter().map(|entry| entry["event"].as_str().unwrap()).collect();
    assert_eq!(events, ["cli_removed", "cli_rejected", "cli_approved"], "{audit:?}");
    assert_eq!(audit[2]["reason"], "looks useful");

    program.run(&["settings", "cli_register", "off"]).unwrap();
    let off = until("the setting applies", || {
        let off = ask(json!({"command": "sort", "alias": "again"}));
        (off["isError"] == true).then_some(off)
    });
    assert!(off["content"][0]["text"].as_str().unwrap().contains("cli_register"), "{off}");
}

#[test]
fn entries_of_other_programs_are_added_once_a_person_agrees() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    let file = scratch.path().join(".qwencoderc.json");
    let file = file.to_str().unwrap();
    let entries = json!({"version": "1.0", "tools": [
        {"command": "probe-me", "alias": "code-reviewer", "providerType": "cli-auto",
            "env": {"KEY": "sesame-9", "GIT_SSH_COMMAND": "run-me", "BASH_ENV": "and-me"}, "defaultArgs": {"name": "x"}},
        {"command": "probe-me"}, {"command": "no-such-program"}, {"command": 3},
    ]});
    fs::write(file, entries.to_string()).unwrap();
    let shown = program.run(&["import", "cli", file, "--dry-run"]).unwrap();
    assert!(shown.out.contains("code-reviewer") && shown.out.contains(" KEY"), "{shown:?}");
    assert!(
        !shown.out.contains("sesame-9") && shown.out.contains("run-me") && shown.out.contains("and-me"),
        "{shown:?}"
    );
    let unasked = program.run(&["import", "cli", file]).unwrap();
    assert!(unasked.code == Some(1) && unasked.err.contains("--yes"), "{unasked:?}");
    assert_eq!(program.json(&["cli", "list"]).unwrap()["tools"], json!([]));
    assert_eq!(runs(scratch.path()), "", "nothing runs before a person agrees");

    let imported = program.run(&["import", "cli", file, "--yes", "--reason", "moved"]).unwrap();
    assert!(imported.code == Some(1) && imported.err.contains("no-such-program"), "{imported:?}");
    assert!(
        imported.err.contains("entry 4") && imported.out.contains("2 command-line tools"),
        "{imported:?}"
    );
    let listed = program.json(&["cli", "list"]).unwrap();
    let aliases: Vec<&str> =
        listed["tools"].as_array().unwrap().iter().map(|row| row["alias"].as_str().unwrap()).collect();
    assert_eq!(aliases, ["ask-probe-me", "code-reviewer"]);
    let again = program.run(&["import", "cli", file, "--yes"]).unwrap();
    assert!(again.err.contains("stays as it is") && again.out.contains("0 command-line"), "{again:?}");
}
