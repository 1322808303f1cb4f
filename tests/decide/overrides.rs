//! The file of overrides and the configuration, edited while the program runs.

use std::fs;
use std::path::{Path, PathBuf};

use schemascope_test_support::{McpClient, Places, Program, stdio, until};
use serde_json::{Map, Value, json};

const TOOL: &str = "shop__get_order";

fn places() -> Places {
    Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap()
}

fn program(scratch: &Path) -> Program {
    let servers = Map::from_iter([("shop".to_owned(), stdio(places().fixture("shop"), &[]))]);
    Program::new(&places(), scratch, &servers).unwrap()
}

fn file(program: &Program) -> PathBuf {
    program.data_dir().join("tool_overrides.json")
}

/// As editors write: another file takes its place.
fn edit(path: &Path, text: &str) {
    let beside = path.with_extension("swp");
    fs::write(&beside, text).unwrap();
    fs::rename(&beside, path).unwrap();
}

fn tools(client: &McpClient) -> Vec<Value> {
    let list = client.request("tools/list", "{}").unwrap().result().unwrap();
    list["tools"].as_array().unwrap().clone()
}

fn told(client: &McpClient, tool: &str) -> Option<Value> {
    tools(client).into_iter().find(|one| one["name"] == tool)
}

fn calls(client: &McpClient, tool: &str, count: usize) {
    (0..count).for_each(|_| drop(client.call(tool, &json!({"id": "1"})).unwrap().result().unwrap()));
}

fn done(program: &Program, args: &[&str]) -> String {
    let run = program.run(args).unwrap();
    assert_eq!(run.code, Some(0), "{args:?}: {run:?}");
    run.out
}

fn decisions(program: &Program) -> Vec<(String, String)> {
    let rows = program.json_lines(&["audit"]).unwrap();
    let word = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    rows.iter()
        .rev()
        .filter(|row| row["event"] != "cut")
        .map(|row| (word(row, "event"), word(row, "actor")))
        .collect()
}

#[test]
fn override_edited_by_hand_is_advertised() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    let serve = program.serve(&[]).unwrap();
    let (client, plain) = (serve.connect(None).unwrap(), serve.connect(Some("shop")).unwrap());
    let before = told(&client, TOOL).unwrap();
    let as_sent = tools(&plain);
    let watcher = serve.connect(None).unwrap();
    drop(tools(&watcher));
    let listening =
        std::thread::spawn(move || watcher.listen(|message| !message.contains("tools/list_changed")));
    edit(
        &file(&program),
        r#"{
  // by hand
  "schemaVersion": 2,
  "master": {"tools": {"*": {"annotations": {"openWorldHint": false}}}},
  "servers": {"shop": {"tools": {
    "refund": {"enabled": false},
    "check_stock": {"name": "store_info"},
    "get_order": {
      "name": "order",
      "description": "One order",
      "annotations": {"readOnlyHint": true},
      "inputSchema": {"type": "object", "properties": {"id": {"type": "string", "minLength": 1}}, "required": ["id"]},
      "outputSchema": {"type": "object", "required": ["no_such_field"]}
    }
  }}}
}
"#,
    );
    let order = until("the tool is listed by its new name", || told(&client, "order"));
    until("clients are notified", || listening.is_finished());
    assert_eq!(order["description"], "One order");
    assert_eq!(order["annotations"], json!({"openWorldHint": false, "readOnlyHint": true}));
    assert_eq!(order["inputSchema"]["required"], json!(["id"]));
    assert_eq!(order["outputSchema"]["anyOf"][0]["required"], json!(["no_such_field"]), "{order}");
    assert_ne!(order["description"], before["description"]);
    assert!(told(&client, TOOL).is_none() && told(&client, "shop__refund").is_none());
    // The upstream's own endpoint is as it was.
    assert_eq!(tools(&plain), as_sent);

    // By its name and by its own the same tool answers; one that is not shown does not.
    for name in ["order", TOOL] {
        let answer = client.call(name, &json!({"id": "1"})).unwrap().result().unwrap();
        assert!(answer["structuredContent"].is_object(), "{answer}");
    }
    let hidden = client.call("shop__refund", &json!({"id": "1"})).unwrap().answer().unwrap();
    assert!(hidden["error"]["message"].as_str().unwrap().contains("Unknown tool"), "{hidden}");
    let recorded = program.json_lines(&["calls", "--tool", TOOL]).unwrap();
    assert_eq!(recorded.len(), 2);

    // The schema is a version by "file"; what is shown otherwise is in the log.
    let versions = program.json(&["versions", TOOL]).unwrap();
    assert_eq!((&versions[0]["origin"], &versions[0]["state"]), (&json!("file"), &json!("promoted")));
    let taken = decisions(&program);
    let count = |event: &str| taken.iter().filter(|(one, actor)| one == event && actor == "file").count();
    // Three tools, and the pattern of `master` for each of the two servers: shop and the built-in one.
    assert_eq!((count("promote"), count("override")), (1, 5), "{taken:?}");

    // That name is free: the tool it might be taken from is called shop__store_info. The other one is not.
    assert!(told(&client, "store_info").is_some());
    edit(
        &file(&program),
        r#"{"servers": {"shop": {"tools": {"check_stock": {"name": "shop__store_info"}, "get_order": {}, "get_ordr": {}}}, "shpo": {"enabled": true}}}"#,
    );
    until("the tool is listed as before", || told(&client, TOOL).filter(|tool| *tool == before));
    assert!(decisions(&program).contains(&("rollback".to_owned(), "file".to_owned())));
    assert!(told(&client, "shop__check_stock").is_some() && told(&client, "shop__store_info").is_some());
    let check = program.run(&["overrides", "check"]).unwrap();
    assert!(check.code == Some(1) && check.out.contains("has the same name"), "{check:?}");
    assert!(check.out.contains("shop__get_ordr: its server lists no such tool"), "{check:?}");
    assert!(check.out.contains("there is no server \"shpo\""), "{check:?}");
    let report = done(&program, &["report"]);
    assert!(report.contains("attention") && report.contains("shop__store_info"), "{report}");
}

#[test]
fn decision_changes_only_its_entry_in_the_overrides_file() {
    const BY_HAND: &str = "// mine\n{\n\t\"note\": [1,  2.50], // kept\n\t\"servers\": {\n\t\t\"shop\": {\"tools\": {\"refund\": {\"enabled\": false} /* never */}}\n\t},\n}\n";
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    edit(&file(&program), BY_HAND);
    until("the tool is hidden", || told(&client, "shop__refund").is_none());
    #[cfg(unix)]
    fs::set_permissions(file(&program), std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    calls(&client, TOOL, 30);

    done(&program, &["promote", TOOL, "--reason", "billing"]);
    let text = fs::read_to_string(file(&program)).unwrap();
    for part in [
        "// mine\n{\n\t\"note\": [1,  2.50], // kept\n",
        "{\"refund\": {\"enabled\": false}",
        "/* never */",
        "\n\t},\n}\n",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    let effective = program.json(&["schema", TOOL, "--version", "effective"]).unwrap();
    let entries = program.json(&["overrides", "show", TOOL]).unwrap();
    assert_eq!(entries["entries"][0]["schemas"], json!(["outputSchema"]), "{entries}");
    assert!(text.contains(&effective.to_string()), "on its line as the others are: {text}");
    assert_eq!(fs::read_to_string(file(&program).with_extension("json.bak")).unwrap(), BY_HAND);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(file(&program)).unwrap().permissions().mode() & 0o777, 0o644);
    }
    done(&program, &["rollback", TOOL, "--reason", "test"]);
    assert_eq!(fs::read_to_string(file(&program)).unwrap(), BY_HAND, "as if nothing had been");
    done(&program, &["undo", TOOL]);
    assert_eq!(fs::read_to_string(file(&program)).unwrap(), text);

    // A kill between the decision and the file: the start brings them in line, and knows who is newer.
    serve.kill().unwrap();
    let agreed = program.data_dir().join("overrides.agreed.json");
    let then = fs::read(&agreed).unwrap();
    done(&program, &["rollback", TOOL, "--reason", "test"]);
    fs::write(file(&program), &text).unwrap();
    fs::write(&agreed, then).unwrap();
    let serve = program.serve(&[]).unwrap();
    assert_eq!(fs::read_to_string(file(&program)).unwrap(), BY_HAND, "what was decided came after the file");
    // An edit while nothing ran is a decision of the file.
    serve.stop().unwrap();
    fs::write(file(&program), &text).unwrap();
    let serve = program.serve(&[]).unwrap();
    assert_eq!(decisions(&program).last().unwrap(), &("promote".to_owned(), "file".to_owned()));
    assert_eq!(program.json(&["schema", TOOL, "--version", "effective"]).unwrap(), effective);
    // What is pinned stays pinned, to what the file says now.
    done(&program, &["pin", TOOL, "--enforce", "--reason", "test"]);
    edit(&file(&program), &text.replace(&effective.to_string(), r#"{"type": "object", "title": "mine"}"#));
    // First it is a version, then it is pinned.
    let pinned = until("the schema of the file is a pinned version", || {
        let versions = program.json(&["versions", TOOL]).unwrap();
        let is_it = |one: &&Value| one["schema"]["title"] == "mine" && one["pinned"] == true;
        versions.as_array().unwrap().iter().find(is_it).cloned()
    });
    assert_eq!(pinned["origin"], "file", "{pinned}");
    edit(&file(&program), &text);
    until("the decision is taken back", || {
        program.json(&["schema", TOOL, "--version", "effective"]).unwrap() == effective
    });

    // One that is gone comes back as it was.
    fs::remove_file(file(&program)).unwrap();
    until("the file is restored", || fs::read_to_string(file(&program)).is_ok_and(|now| now == text));
    drop(serve);
}

#[test]
fn broken_overrides_file_is_kept_and_previous_overrides_stay_in_effect() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    let good = r#"{"servers": {"shop": {"tools": {"refund": {"enabled": false}}}}}"#;
    fs::create_dir_all(program.data_dir()).unwrap();
    fs::write(file(&program), good).unwrap();
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    assert!(told(&client, "shop__refund").is_none());
    calls(&client, TOOL, 30);
    for broken in
        ["", "{\"servers\": {", "{\"servers\": {\"shop\": {\"tools\": {\"refund\": {\"enabled\": \"no\"}}}}}"]
    {
        edit(&file(&program), broken);
        let warned = until("a warning is reported", || {
            let report = program.json(&["report"]).unwrap();
            report["warnings"].as_array().unwrap().first().map(Value::to_string)
        });
        assert!(warned.contains("line 1") && warned.contains("in effect"), "{warned}");
        let report = done(&program, &["report"]);
        assert_eq!(report.matches("line 1").count(), 1, "{report}");
        assert!(told(&client, "shop__refund").is_none());
        assert_eq!(program.run(&["overrides", "check"]).unwrap().code, Some(1));
        assert!(program.run(&["servers"]).unwrap().err.contains("line 1"));
        let populate = program.run(&["overrides", "populate"]).unwrap();
        assert!(populate.code == Some(1) && populate.err.contains("line 1"), "{populate:?}");
        assert_eq!(fs::read_to_string(file(&program)).unwrap(), broken);
        edit(&file(&program), good);
        until("the warning is gone", || {
            program.json(&["report"]).unwrap()["warnings"].as_array().unwrap().is_empty()
        });
    }
    // One that is gone, and in whose place nothing can be written, says what it last said.
    let folder = file(&program).with_extension("json.new");
    fs::create_dir_all(folder.join("in the way")).unwrap();
    fs::remove_file(file(&program)).unwrap();
    for _ in 0..2 {
        let populate = program.run(&["overrides", "populate"]).unwrap();
        assert_eq!(populate.code, Some(1), "{populate:?}");
        assert!(told(&client, "shop__refund").is_none(), "{populate:?}");
    }
    fs::remove_dir_all(folder).unwrap();
    // What is decided meanwhile holds, and is written once the file can be.
    edit(&file(&program), "{");
    let promoted = program.run(&["promote", TOOL, "--reason", "test"]).unwrap();
    assert!(promoted.code == Some(0) && promoted.err.contains("in effect"), "{promoted:?}");
    assert_eq!(fs::read_to_string(file(&program)).unwrap(), "{");
    serve.stop().unwrap();
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    assert!(told(&client, "shop__refund").is_none(), "also after a start");
    assert!(told(&client, TOOL).unwrap()["outputSchema"].is_object());
    assert!(serve.log().unwrap().contains("in effect"), "{}", serve.log().unwrap());
    edit(&file(&program), good);
    until("the decision is written", || fs::read_to_string(file(&program)).unwrap().contains("outputSchema"));
    assert_eq!(decisions(&program).iter().filter(|(event, _)| event == "rollback").count(), 0);
}

#[test]
fn overrides_file_at_another_path_is_used() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    let other = scratch.path().join("mine.jsonc");
    fs::write(
        &other,
        r#"{"servers": {"shop": {"tools": {"*": {"enabled": false}, "get_order": {"enabled": true}}}}}"#,
    )
    .unwrap();
    let serve = program.serve(&["--overrides", other.to_str().unwrap()]).unwrap();
    let client = serve.connect(None).unwrap();
    assert_eq!(tools(&client).len(), 1);
    calls(&client, TOOL, 30);
    done(&program, &["promote", TOOL, "--reason", "test"]);
    assert!(fs::read_to_string(&other).unwrap().contains("outputSchema") && !file(&program).exists());
    assert_eq!(done(&program, &["overrides", "path"]).trim(), other.display().to_string());
    serve.stop().unwrap();
    // What is decided while another file is in use is in both, when each is used again.
    done(&program, &["rollback", TOOL, "--reason", "test"]);
    let serve = program.serve(&["--overrides", other.to_str().unwrap()]).unwrap();
    assert!(!fs::read_to_string(&other).unwrap().contains("outputSchema"));
    assert!(told(&serve.connect(None).unwrap(), TOOL).unwrap()["outputSchema"].is_null());
}

#[test]
fn populate_fills_gaps_once_and_they_follow_their_server() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    let before = tools(&client);
    let populate = |args: &[&str]| done(&program, &[&["overrides", "populate"], args].concat());
    assert!(populate(&["--dry-run"]).contains("shop__store_info  inputSchema, outputSchema"));
    assert!(!file(&program).exists());
    populate(&["shop__store_info"]);
    let entries = program.json(&["overrides"]).unwrap();
    assert_eq!(entries["entries"].as_array().unwrap().len(), 1, "{entries}");
    assert_eq!(entries["entries"][0]["follows_upstream"], json!(["inputSchema", "outputSchema"]));
    populate(&["--server", "shop"]);
    let text = fs::read_to_string(file(&program)).unwrap();
    assert_eq!(populate(&[]), "");
    assert_eq!(fs::read_to_string(file(&program)).unwrap(), text, "twice changes nothing");
    assert_eq!(tools(&client), before, "it overrides nothing");
    assert!(decisions(&program).is_empty());
    assert_eq!(done(&program, &["overrides", "path"]).trim(), file(&program).display().to_string());

    // An edit removes the mark and is a decision.
    let mut said: Value = serde_json::from_str(&text).unwrap();
    said["servers"]["shop"]["tools"]["store_info"]["outputSchema"] =
        json!({"type": "object", "title": "mine"});
    edit(&file(&program), &said.to_string());
    let mine = until("the schema of the file is a version", || {
        let store = told(&client, "shop__store_info")?;
        (store["outputSchema"]["anyOf"][0]["title"] == "mine").then_some(store)
    });
    assert!(mine["inputSchema"].is_object());
    let entry = until("the mark is updated", || {
        let said: Value = serde_json::from_str(&fs::read_to_string(file(&program)).unwrap()).unwrap();
        let entry = said["servers"]["shop"]["tools"]["store_info"].clone();
        (entry["followsUpstream"] == json!(["inputSchema"])).then_some(entry)
    });
    assert_eq!(entry["outputSchema"]["title"], "mine");

    // What makes no sense changes nothing.
    let run = program.run(&["overrides", "populate", "shop__stor_info"]).unwrap();
    assert!(run.code == Some(1) && run.err.contains("did you mean shop__store_info"), "{run:?}");
    let run = program.run(&["overrides", "populate", "--server", "shup"]).unwrap();
    assert!(run.code == Some(1) && run.err.contains("did you mean shop"), "{run:?}");
    assert_eq!(program.run(&["overrides", "fill"]).unwrap().code, Some(2));
    let other = scratch.path().join("other.json");
    fs::write(&other, "{\n  \"servers\": 1\n}").unwrap();
    let run = program.run(&["overrides", "check", other.to_str().unwrap()]).unwrap();
    assert!(run.code == Some(1) && run.out.contains("line 2: servers must be an object"), "{run:?}");
}

/// Servers come, change and go with the configuration; what is under way on the others is not disturbed.
#[test]
fn edited_configuration_restarts_only_changed_servers() {
    let scratch = tempfile::tempdir().unwrap();
    let shop = |args: &[&str]| stdio(places().fixture("shop"), args);
    let slow = shop(&["--step-ms", "300"]);
    let config = |servers: &[(&str, &Value)]| {
        let servers: Map<_, _> =
            servers.iter().map(|(name, entry)| ((*name).to_owned(), (*entry).clone())).collect();
        json!({"mcpServers": servers}).to_string()
    };
    let (one, other) = (shop(&[]), shop(&["--seed", "2"]));
    let program = program(scratch.path());
    edit(program.config(), &config(&[("slow", &slow), ("changes", &one), ("goes", &one)]));
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    let has =
        |server: &str| tools(&client).iter().any(|tool| tool["name"].as_str().unwrap().starts_with(server));
    assert!(has("slow__") && has("changes__") && has("goes__"));
    let pid = |name: &str| {
        let reply = program.json(&["servers"]).unwrap();
        let servers = reply["servers"].as_array().unwrap().clone();
        servers.iter().find(|server| server["server_name"] == name).and_then(|server| server["pid"].as_u64())
    };
    let (slow_before, changes_before) = (pid("slow").unwrap(), pid("changes").unwrap());
    std::thread::scope(|scope| {
        let answer = scope.spawn(|| client.call("slow__rebuild_catalog", &json!({"steps": 10})).unwrap());
        edit(program.config(), &config(&[("slow", &slow), ("changes", &other), ("comes", &one)]));
        let lister = serve.connect(None).unwrap();
        let has = |server: &str| {
            tools(&lister).iter().any(|tool| tool["name"].as_str().unwrap().starts_with(server))
        };
        until("the new server replaces the removed one", || has("comes__") && !has("goes__"));
        let restarted =
            until("the changed server restarts", || pid("changes").filter(|pid| *pid != changes_before));
        assert_ne!(restarted, changes_before);
        assert_eq!(pid("slow"), Some(slow_before), "what did not change runs on");
        let answer = answer.join().unwrap().result().unwrap();
        assert_ne!(answer["isError"], true, "{answer}");
    });
    assert!(
        client.call("goes__get_order", &json!({"id": "1"})).unwrap().answer().unwrap()["error"].is_object()
    );

    // A configuration that cannot be read changes nothing and is reported.
    edit(program.config(), "{\"mcpServers\": ");
    let warned = until("a warning is reported", || {
        program.json(&["report"]).unwrap()["warnings"].as_array().unwrap().first().map(Value::to_string)
    });
    assert!(warned.contains("in effect"), "{warned}");
    assert!(has("comes__") && has("changes__"));
    assert_eq!(pid("slow"), Some(slow_before));
    let mut off = one.clone();
    off["disabled"] = json!(true);
    edit(program.config(), &config(&[("slow", &slow), ("comes", &off)]));
    until("the disabled and the removed server are gone", || !has("comes__") && !has("changes__"));
    assert_eq!(pid("comes"), None);
    edit(program.config(), &config(&[("slow", &slow), ("comes", &one)]));
    until("the enabled server is back", || has("comes__"));
    assert_eq!(pid("slow"), Some(slow_before));
}
