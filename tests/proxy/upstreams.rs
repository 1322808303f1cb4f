//! An upstream that misbehaves is reported in plain words and harms no other upstream.

use std::fs;
use std::time::{Duration, Instant};

use schemascope_test_support::{Places, Program, Serve, stdio, until};
use serde_json::{Map, Value, json};

fn program(scratch: &tempfile::TempDir, more: &[(&str, Value)]) -> Program {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let mut servers = Map::from_iter([("shop".to_owned(), stdio(places.fixture("shop"), &[]))]);
    servers.extend(more.iter().map(|(name, entry)| ((*name).to_owned(), entry.clone())));
    Program::new(&places, scratch.path(), &servers).unwrap()
}

fn faulty(fault: &str) -> Value {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    stdio(places.fixture("faulty"), &[fault])
}

fn with(entry: &Value, key: &str, value: Value) -> Value {
    let mut entry = entry.clone();
    entry[key] = value;
    entry
}

fn server(program: &Program, name: &str) -> Value {
    let servers = program.json(&["servers"]).unwrap();
    servers["servers"]
        .as_array()
        .unwrap()
        .iter()
        .find(|server| server["server_name"] == name)
        .unwrap()
        .clone()
}

fn names(serve: &Serve) -> Vec<String> {
    let client = serve.connect(None).unwrap();
    let list = client.request("tools/list", "{}").unwrap().result().unwrap();
    list["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn faulty_upstreams_are_explained_and_the_others_work() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(
        &scratch,
        &[
            ("missing", stdio("no-such-program", &[])),
            ("exits", faulty("exit")),
            ("hangs", faulty("hang")),
            ("noisy", faulty("noise")),
            ("off", json!({"command": "x", "disabled": true})),
            ("we__ird", json!({"command": "x"})),
            ("web", json!({"url": "http://127.0.0.1:1/mcp"})),
            ("nowhere", json!({"command": "true", "cwd": "/no/such/folder"})),
        ],
    );
    let serve = program.serve(&[]).unwrap();
    let began = Instant::now();
    let names = names(&serve);
    // The one that hangs is waited for, but not for its full 30 s.
    assert!(began.elapsed() < Duration::from_secs(20));
    assert_eq!(names.iter().filter(|name| name.starts_with("shop__")).count(), 13);
    assert!(names.contains(&"noisy__ask".to_owned()));
    assert_eq!(names.len(), 14, "{names:?}");
    // A second list does not wait for it again.
    let began = Instant::now();
    assert_eq!(self::names(&serve).len(), 14);
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());

    for (name, state, words) in [
        ("shop", "ready", ""),
        ("noisy", "ready", "lines to stdout that are not messages"),
        ("missing", "failed", "was not found"),
        ("exits", "failed", "exited with code 3; its last output: \"TOKEN is not set\""),
        ("hangs", "starting", "is not ready yet"),
        ("off", "disabled", ""),
        ("we__ird", "invalid", "without \"__\""),
        ("web", "failed", "cannot be reached"),
        ("nowhere", "failed", "is not a folder"),
    ] {
        let server = server(&program, name);
        assert_eq!(server["state"], state, "{server}");
        assert!(server["reason"].as_str().unwrap_or_default().contains(words), "{server}");
    }
    let noise = server(&program, "noisy")["log"].to_string();
    assert!(noise.contains("DEBUG: got"), "{noise}");
    let log = serve.log().unwrap();
    for words in ["upstream=missing", "upstream=exits", "TOKEN is not set", "upstream=we__ird"] {
        assert!(log.contains(words), "{words}: {log}");
    }

    // A call to a broken one says why at once; the others are not held up.
    let client = serve.connect(None).unwrap();
    let answer = client.call("exits__x", &json!({})).unwrap().answer().unwrap();
    assert!(answer["error"]["message"].as_str().unwrap().contains("TOKEN is not set"), "{answer}");
    assert!(client.call("noisy__ask", &json!({})).unwrap().result().is_ok());
    assert!(client.call("shop__order_total", &json!({})).unwrap().result().is_ok());
    // Stopping does not wait for the one that hangs.
    let began = Instant::now();
    assert_eq!(serve.stop().unwrap(), Some(0));
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn upstream_that_crashes_in_a_call_is_reported_and_restarted() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch, &[("crashes", faulty("crash"))]);
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    let answer = client.call("crashes__ask", &json!({})).unwrap().answer().unwrap();
    assert!(answer["error"]["message"].as_str().unwrap().contains("ended before it answered"), "{answer}");
    until("the reason is shown", || {
        server(&program, "crashes")["reason"].as_str().unwrap_or_default().contains("cart is empty")
    });
    assert!(client.call("shop__order_total", &json!({})).unwrap().result().is_ok());
    // After its pause it is started again, and can be listed.
    until("the upstream answers again", || {
        client.call("crashes__ask", &json!({})).unwrap().answer().unwrap()["error"]["message"]
            .as_str()
            .unwrap()
            .contains("ended before it answered")
    });
    let calls = program.json_lines(&["calls", "--failures", "--tool", "crashes__ask"]).unwrap();
    assert!(calls.iter().all(|call| call["outcome"] == "lost"), "{calls:?}");
}

/// Most agents list the tools once, so the tools of a server that crashed would be missing for good.
#[test]
fn client_that_lists_without_a_crashed_upstream_is_notified_when_it_is_back() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch, &[("crashes", faulty("crash"))]);
    let serve = program.serve(&[]).unwrap();
    let mut without = None;
    // The pauses grow until one is too long to wait for.
    until("a list lacks its tools", || {
        let client = serve.connect(None).unwrap();
        client.call("crashes__ask", &json!({})).unwrap().answer().unwrap();
        let list = client.request("tools/list", "{}").unwrap().result().unwrap().to_string();
        without = Some(client).filter(|_| list.contains("shop__") && !list.contains("crashes__ask"));
        without.is_some()
    });
    let client = without.unwrap();
    client.listen(|message| !message.contains("notifications/tools/list_changed")).unwrap();
    assert!(names(&serve).contains(&"crashes__ask".to_owned()));
}

/// Where the tools come from may not be there yet. Everything else of the server works, as without a proxy.
#[test]
fn upstream_that_cannot_list_its_tools_works_and_is_asked_again() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch, &[("remote", faulty("unlisted"))]);
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    let list = client.request("tools/list", "{}").unwrap().result().unwrap().to_string();
    assert!(list.contains("shop__") && !list.contains("remote__"), "{list}");
    let shown = server(&program, "remote");
    let reason = "works, but its tools cannot be listed: it answered tools/list with an error: \
                  {\"code\":-32603,\"message\":\"fetch failed\"}";
    assert_eq!((&shown["state"], &shown["reason"]), (&json!("ready"), &json!(reason)));

    let own = serve.connect(Some("remote")).unwrap();
    let error = own.request("tools/list", "{}").unwrap().answer().unwrap()["error"].clone();
    assert_eq!(error, json!({"code": -32603, "message": "fetch failed"}));
    assert!(own.call("ask", &json!({})).unwrap().result().is_ok());
    client.listen(|message| !message.contains("notifications/tools/list_changed")).unwrap();
    assert!(names(&serve).contains(&"remote__ask".to_owned()));
    assert_eq!(server(&program, "remote")["reason"], Value::Null);
}

#[test]
fn late_upstream_is_announced_when_it_is_ready() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch, &[("late", faulty("slow-start"))]);
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    // Whoever comes is announced; the late one comes last.
    client
        .listen(|message| {
            assert!(message.contains("notifications/tools/list_changed"), "{message}");
            !names(&serve).contains(&"late__ask".to_owned())
        })
        .unwrap();
    assert!(names(&serve).contains(&"late__ask".to_owned()));
}

/// Regression: agents that wait a few seconds for all tools got none, because one server was slow.
#[test]
fn tools_of_a_slow_upstream_are_known_from_the_last_time() {
    let scratch = tempfile::tempdir().unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let (ran, faulty) = (scratch.path().join("ran"), places.fixture("faulty"));
    // It answers the first time only.
    let script = r#"test -e "$1" && exec sleep 1000; : > "$1"; exec "$2" noise"#;
    let args = ["-c", script, "sh", ran.to_str().unwrap(), faulty.to_str().unwrap()];
    let entry = stdio("/bin/sh", &args);
    let program = program(&scratch, &[("late", entry.clone())]);
    let listed = || {
        let serve = program.serve(&[]).unwrap();
        let is_listed = names(&serve).contains(&"late__ask".to_owned());
        let state = server(&program, "late")["state"].clone();
        assert_eq!(serve.stop().unwrap(), Some(0));
        (is_listed, state)
    };
    assert_eq!(listed(), (true, json!("ready")));
    assert_eq!(listed(), (true, json!("starting")));
    // What another entry starts may have other tools.
    let other = with(&entry, "env", json!({"OTHER": "1"}));
    fs::write(program.config(), json!({"mcpServers": {"late": other}}).to_string()).unwrap();
    assert_eq!(listed(), (false, json!("starting")));
}

/// A program that is downloaded, or a machine that wakes up, may be there only at a later attempt.
#[test]
fn upstream_whose_first_start_failed_is_started_again_and_announced() {
    let scratch = tempfile::tempdir().unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let (came, shop) = (scratch.path().join("came"), places.fixture("shop"));
    let script = r#"test -e "$1" || { : > "$1"; exit 1; }; exec "$2""#;
    let args = ["-c", script, "sh", came.to_str().unwrap(), shop.to_str().unwrap()];
    let servers = Map::from_iter([("late".to_owned(), stdio("/bin/sh", &args))]);
    let program = Program::new(&places, scratch.path(), &servers).unwrap();
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    // Asked once, as most clients do.
    let list = client.request("tools/list", "{}").unwrap().result().unwrap();
    let tools = list["tools"].as_array().unwrap();
    assert!(!tools.iter().any(|tool| tool["name"].as_str().unwrap().starts_with("late__")), "{list}");
    client.listen(|message| !message.contains("notifications/tools/list_changed")).unwrap();
    assert!(names(&serve).contains(&"late__order_total".to_owned()));
}

#[test]
fn names_that_clients_reject_are_aliased_and_callable() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(&scratch, &[("odd", faulty("odd-names"))]);
    let serve = program.serve(&[]).unwrap();
    let aliases: Vec<String> = names(&serve).into_iter().filter(|name| name.starts_with("odd__")).collect();
    assert_eq!(aliases.len(), 2);
    let client = serve.connect(None).unwrap();
    let answers: Vec<String> = aliases
        .iter()
        .map(|alias| {
            assert!(
                alias.len() <= 128 && alias.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c)),
                "{alias}"
            );
            let result = client.call(alias, &json!({})).unwrap().result().unwrap();
            result["content"][0]["text"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(answers, ["what's new?".to_owned(), "x".repeat(200)]);
    // The terminal knows the names that agents see.
    for (alias, name) in aliases.iter().zip(&answers) {
        assert_eq!(program.run(&["schema", alias]).unwrap().code, Some(0), "{alias}");
        let versions = program.run(&["versions", alias]).unwrap();
        assert_eq!(versions.code, Some(0), "{versions:?}");
        let calls = program.json_lines(&["calls", "--tool", alias]).unwrap();
        assert_eq!((calls.len(), &calls[0]["tool_id"]), (1, &json!(format!("odd__{name}"))));
    }
}

/// No process of an upstream outlives the program, not even one that the upstream started.
#[test]
fn stopping_ends_children_and_grandchildren() {
    let scratch = tempfile::tempdir().unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let pid_file = scratch.path().join("grandchild");
    let script = format!(
        "sleep 300 & echo $! > '{}'; exec '{}'",
        pid_file.display(),
        places.fixture("shop").display()
    );
    let program = program(&scratch, &[("family", stdio("sh", &["-c", &script]))]);
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(Some("family")).unwrap();
    assert!(client.call("order_total", &json!({})).unwrap().result().is_ok());
    let child = server(&program, "family")["pid"].as_u64().unwrap();
    let grandchild: u64 = fs::read_to_string(&pid_file).unwrap().trim().parse().unwrap();
    // A zombie counts as ended.
    let runs =
        |pid: u64| fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
    assert!(runs(child) && runs(grandchild));
    assert_eq!(serve.stop().unwrap(), Some(0));
    until("both processes have ended", || !runs(child) && !runs(grandchild));
}

/// An upstream gets the variables that programs need and those of its entry, and no other.
#[test]
fn upstreams_do_not_inherit_the_environment() {
    let scratch = tempfile::tempdir().unwrap();
    let dump = scratch.path().join("environment");
    let entry = json!({"command": "sh", "args": ["-c", format!("env > '{}'", dump.display())], "env": {"OWN": "yes"}});
    let program = program(&scratch, &[("env", entry)]);
    let run = program.command(&["call", "env__x"]).env("SECRET_OF_OURS", "leak").output().unwrap();
    assert_eq!(run.status.code(), Some(1));
    let seen = fs::read_to_string(&dump).unwrap();
    assert!(seen.contains("OWN=yes") && seen.contains("PATH="), "{seen}");
    assert!(!seen.contains("SECRET_OF_OURS"), "{seen}");
}
