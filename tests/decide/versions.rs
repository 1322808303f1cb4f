//! Versions and decisions from the terminal, as a person takes them, and what clients see of them.

use std::fs;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use schemascope_test_support::{McpClient, Places, Program, Run, Serve, stdio, until};
use serde_json::{Map, Value, json};

fn program(scratch: &Path, shop: &[&str]) -> Program {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let servers = Map::from_iter([("shop".to_owned(), stdio(places.fixture("shop"), shop))]);
    Program::new(&places, scratch, &servers).unwrap()
}

#[track_caller]
fn fails(run: &Run, words: &str) {
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.is_empty() && run.err.contains(words), "expected {words:?}: {run:?}");
}

/// Lines of a trace of one tool.
fn trace(program: &Program, tool: &str, outputs: impl Iterator<Item = Value>) {
    let file = program.config().with_file_name("trace.ndjson");
    let lines: Vec<String> =
        outputs.map(|output| json!({"tool_id": tool, "output": output}).to_string()).collect();
    fs::write(&file, lines.join("\n")).unwrap();
    let run = program.run(&["backfill", file.to_str().unwrap()]).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
}

/// Two versions: one with `id` and `name`, one with `more` as well.
fn two_versions(program: &Program) {
    let plain = |n: u64| json!({"id": n, "name": format!("n{n}"), "password": format!("hunter{n}")});
    trace(program, "api__get", (0..30).map(plain));
    let more = |n: u64| {
        let mut value = plain(n);
        value["more"] = json!(format!("m{n}"));
        value
    };
    trace(program, "api__get", (30..80).map(more));
}

fn states(program: &Program, tool: &str) -> Vec<String> {
    let versions = program.json(&["versions", tool]).unwrap();
    versions.as_array().unwrap().iter().map(|one| one["state"].as_str().unwrap().to_owned()).collect()
}

fn told(client: &McpClient, tool: &str) -> Value {
    let list = client.request("tools/list", "{}").unwrap().result().unwrap();
    let tools = list["tools"].as_array().unwrap();
    tools.iter().find(|one| one["name"] == tool).unwrap()["outputSchema"].clone()
}

fn call(client: &McpClient, tool: &str) -> Value {
    client.call(tool, &json!({"id": "1"})).unwrap().result().unwrap()
}

/// The whole story with a client looking on: learned, weighed, promoted, enforced, rolled back.
#[test]
fn promoted_schema_is_advertised_until_rolled_back() {
    const TOOL: &str = "shop__get_order";
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path(), &["--drift-after", "60"]);
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    assert!(told(&client, TOOL).is_null());
    (0..60).for_each(|_| drop(call(&client, TOOL)));
    let versions = program.json(&["versions", TOOL]).unwrap();
    let newest = versions.as_array().unwrap().last().unwrap();
    let version = newest["version"].to_string();
    assert_eq!((&newest["state"], &newest["origin"]), (&json!("candidate"), &json!("inferred")));
    assert!(
        newest["evidence"]["examples"].as_array().is_some_and(|examples| !examples.is_empty()),
        "{newest}"
    );
    assert_eq!(newest["schema"]["properties"]["customer"]["type"], "string");

    // What it would change is said before it does.
    let impact = program.json(&["impact", TOOL, &version]).unwrap();
    assert_eq!((&impact["observation_count"], &impact["violating"]), (&json!(60), &json!(0)), "{impact}");
    assert_eq!((&impact["advertised"], &impact["list_changed"]), (&Value::Null, &json!(true)));
    assert!(told(&client, TOOL).is_null(), "looking changes nothing");

    std::thread::scope(|scope| {
        let (changed, changes) = mpsc::sync_channel(8);
        let listener = &client;
        scope.spawn(move || {
            let mut told = 0;
            listener
                .listen(|message| {
                    if message.contains("tools/list_changed") {
                        told += 1;
                        let _ = changed.send(());
                    }
                    told < 3
                })
                .unwrap();
        });
        let list_changed = || changes.recv_timeout(Duration::from_secs(30)).unwrap();

        let run = program.run(&["promote", TOOL, "--reason", "orders are what we bill"]).unwrap();
        assert!(run.code == Some(0) && run.out.contains("promoted"), "{run:?}");
        list_changed();
        let tolerant = told(&client, TOOL);
        assert_eq!(tolerant, impact["advertised_then"]);
        assert_eq!(tolerant["anyOf"][1], json!({"type": "object"}), "{tolerant}");
        assert_eq!(tolerant["anyOf"][0]["properties"]["customer"]["type"], "string", "{tolerant}");
        let rows = program.json(&["tools"]).unwrap();
        let row = rows.as_array().unwrap().iter().find(|row| row["tool_id"] == TOOL).unwrap().clone();
        assert_eq!(row["effective_version"].to_string(), version);

        // From here on the shop answers otherwise: a careless release. Clients get it all the same.
        let drifted = call(&client, TOOL);
        assert!(drifted["structuredContent"].is_object(), "{drifted}");
        assert_ne!(drifted["isError"], true);
        let impact = program.json(&["impact", TOOL, &version, "--last", "1"]).unwrap();
        assert_eq!(
            (&impact["violating"], &impact["rules"][0]["path"]),
            (&json!(1), &json!("customer")),
            "{impact}"
        );

        let versions = program.json(&["versions", TOOL]).unwrap();
        let violates = &versions.as_array().unwrap().last().unwrap()["fits"]["violates"];
        assert!(violates.as_u64().is_some_and(|count| count >= 1), "it is counted: {versions}");

        program.run(&["pin", TOOL, "--enforce", "--reason", "no surprises"]).unwrap();
        list_changed();
        assert_eq!(told(&client, TOOL)["properties"]["customer"]["type"], "string");
        let refused = call(&client, TOOL);
        assert_eq!(refused["isError"], true, "{refused}");
        assert!(refused["content"].to_string().contains("customer"), "the original stays: {refused}");

        let run = program.run(&["rollback", TOOL, "--reason", "test"]).unwrap();
        assert!(run.out.contains("the declared schema applies"), "{run:?}");
        list_changed();
    });
    assert!(told(&client, TOOL).is_null(), "everything is as before");
    let after = call(&client, TOOL);
    assert!(after["isError"] != true && after["structuredContent"]["customer"].is_object(), "{after}");

    let audit = program.json_lines(&["audit", TOOL]).unwrap();
    let events: Vec<&str> = audit.iter().rev().map(|row| row["event"].as_str().unwrap()).collect();
    let decisions: Vec<&str> = events.iter().copied().filter(|event| *event != "cut").collect();
    assert_eq!(decisions, ["promote", "pin", "rollback"], "{audit:?}");
    let people = program.json_lines(&["audit", TOOL, "--people"]).unwrap();
    assert_eq!(
        people.iter().map(|row| row["event"].clone()).collect::<Vec<_>>(),
        ["rollback", "pin", "promote"]
    );
    let promoted = audit.iter().find(|row| row["event"] == "promote").unwrap();
    assert_eq!(
        (&promoted["reason"], &promoted["actor"]),
        (&json!("orders are what we bill"), &json!("person"))
    );

    // It is all there again after a start.
    serve.stop().unwrap();
    assert_eq!(program.json_lines(&["audit", TOOL]).unwrap(), audit);
    let serve = program.serve(&[]).unwrap();
    program.run(&["promote", TOOL, &version, "--reason", "test"]).unwrap();
    serve.kill().unwrap();
    let serve = program.serve(&[]).unwrap();
    assert!(told(&serve.connect(None).unwrap(), TOOL)["anyOf"].is_array(), "a decision outlives a kill");
}

#[test]
fn versions_are_listed_compared_and_decided() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path(), &[]);
    two_versions(&program);
    assert_eq!(states(&program, "api__get"), ["superseded", "candidate"]);
    let versions = program.json(&["versions", "api__get"]).unwrap();
    let newest = &versions[1];
    assert!(newest["schema"]["properties"]["more"].is_object(), "{newest}");
    assert_eq!(newest["evidence"]["counter_examples"][0]["rule"], "additionalProperties", "{newest}");
    assert!(!versions.to_string().contains("hunter"), "examples are redacted");
    let table = program.run(&["versions", "api__get"]).unwrap().out;
    assert!(table.contains("candidate") && table.contains("inferred"), "{table}");

    let run = program.run(&["diff", "api__get", "1", "2"]).unwrap();
    assert!(run.code == Some(0) && run.out.contains("more"), "{run:?}");
    let run = program.run(&["diff", "api__get", "1", "inferred", "--raw"]).unwrap();
    assert!(run.out.lines().any(|line| line.starts_with('+') && line.contains("\"more\"")), "{run:?}");
    assert_eq!(program.json(&["diff", "api__get", "2", "2"]).unwrap()["changes"], json!([]));

    // Redacted values are wildcards: all that does not fit is what is new.
    let impact = program.json(&["impact", "api__get", "1"]).unwrap();
    assert_eq!((&impact["observation_count"], &impact["violating"]), (&json!(80), &json!(50)), "{impact}");
    assert_eq!(impact["rules"].as_array().unwrap().len(), 1, "{impact}");
    let text = program.run(&["impact", "api__get", "1"]).unwrap().out;
    // Without a number it is the candidate's.
    assert_eq!(program.json(&["impact", "api__get"]).unwrap()["version"], 2);
    assert!(text.contains("50 of the last 80 results do not fit version 1"), "{text}");

    let decide = |args: &[&str]| {
        let run = program.run(args).unwrap();
        assert_eq!(run.code, Some(0), "{run:?}");
        run.out
    };
    let effective = || program.json(&["schema", "api__get", "--version", "effective"]).unwrap();
    assert!(decide(&["promote", "api__get", "1", "--reason", "test"]).contains("effective: version 1"));
    assert_eq!(effective(), versions[0]["schema"]);
    decide(&["promote", "api__get", "--reason", "test"]);
    assert_eq!(effective(), versions[1]["schema"]);
    decide(&["rollback", "api__get", "--reason", "test"]);
    assert_eq!(
        (effective(), states(&program, "api__get")),
        (versions[0]["schema"].clone(), vec!["promoted".into(), "superseded".into()])
    );
    decide(&["undo", "api__get"]);
    assert_eq!(effective(), versions[1]["schema"]);
    decide(&["pin", "api__get", "1", "--reason", "test"]);
    assert_eq!(effective(), versions[0]["schema"]);
    decide(&["unpin", "api__get", "--reason", "test"]);
    assert_eq!(effective(), versions[1]["schema"]);
    decide(&["rollback", "api__get", "--to", "1", "--reason", "test"]);
    decide(&["reject", "api__get", "2", "--reason", "not yet"]);
    assert_eq!(states(&program, "api__get"), ["promoted", "rejected"]);
    assert_eq!(program.json(&["schema", "api__get", "--version", "2"]).unwrap(), versions[1]["schema"]);
    let now = program.json(&["schema", "api__get", "--at", "2999-01-01"]).unwrap();
    assert_eq!(now, versions[0]["schema"]);
    let cut: &str = versions[1]["created"].as_str().unwrap();
    let then = program.json(&["schema", "api__get", "--at", cut]).unwrap();
    assert_eq!(then, versions[1]["schema"], "the newest one, before anything was decided");
    let audit = program.run(&["audit"]).unwrap().out;
    assert!(audit.contains("not yet") && audit.contains("(undone)"), "{audit}");
}

#[test]
fn invalid_decisions_are_rejected_with_the_reason() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path(), &[]);
    trace(&program, "api__once", std::iter::once(json!({"a": 1})));
    two_versions(&program);
    let log = || program.json_lines(&["audit"]).unwrap();
    let before = log();
    let serve = program.serve(&[]).unwrap();
    let refused: &[(&[&str], &str)] = &[
        (&["versions", "api__gte"], "did you mean api__get"),
        (&["promote", "api__gte", "--reason", "test"], "did you mean api__get"),
        (&["audit", "api__gte"], "did you mean api__get"),
        (&["impact", "api__gte", "1"], "did you mean api__get"),
        (&["diff", "api__gte", "1", "2"], "did you mean api__get"),
        (&["promote", "api__once", "--reason", "test"], "it has no version yet"),
        (&["impact", "api__once", "1"], "it has no version yet"),
        (&["promote", "api__get", "7", "--reason", "test"], "there is no version 7; there are: 1, 2"),
        (&["pin", "api__get", "7", "--reason", "test"], "there is no version 7; there are: 1, 2"),
        (&["reject", "api__get", "7", "--reason", "test"], "there is no version 7; there are: 1, 2"),
        (
            &["rollback", "api__get", "--to", "7", "--reason", "test"],
            "there is no version 7; there are: 1, 2",
        ),
        (&["impact", "api__get", "7"], "there is no version 7; there are: 1, 2"),
        (&["diff", "api__get", "1", "7"], "there is no version 7; there are: 1, 2"),
        (&["diff", "api__get", "1", "best"], "expected a version number, effective"),
        (&["diff", "api__get", "1", "declared"], "declares no output schema"),
        (&["schema", "api__get", "--version", "7"], "there is no version 7; there are: 1, 2"),
        (&["schema", "api__get", "--version", "effective"], "none was promoted"),
        (&["schema", "api__get", "--at", "2001-01-01"], "had no version at 2001-01-01"),
        (&["pin", "api__get", "--reason", "test"], "no version is in effect; name the one to pin: 1, 2"),
        (&["unpin", "api__get", "--reason", "test"], "no version is pinned"),
        (&["rollback", "api__get", "--reason", "test"], "nothing to roll back"),
        (&["undo", "api__get"], "there is no decision to undo"),
        (&["impact", "api__get", "1", "--last", "1000000"], "at most the last 20000"),
    ];
    for (args, words) in refused {
        fails(&program.run(args).unwrap(), words);
    }
    let long = "x".repeat(1_001);
    fails(&program.run(&["promote", "api__get", "--reason", &long]).unwrap(), "1000 bytes at most");
    serve.stop().unwrap();
    for args in [
        &["promote"][..],
        &["promote", "api__get"],
        &["drift", "acknowledge", "api__get", "1"],
        &["promote", "api__get", "first", "--no-reason"],
        &["promote", "api__get", "-1", "--no-reason"],
        &["pin", "api__get", "--reason", "both", "--no-reason"],
        &["impact"],
        &["diff", "api__get"],
        &["schema", "api__get", "--version", "best"],
        &["schema", "api__get", "--at", "yesterday"],
        &["serve", "--auto-promote", "always"],
        &["serve", "--cut-after", "0"],
    ] {
        assert_eq!(program.run(args).unwrap().code, Some(2), "{args:?}");
    }
    assert_eq!(log(), before, "nothing of it changed anything");
}

/// A policy promotes what has become certain, and leaves alone what a person took back.
#[test]
fn policy_promotes_at_high_quality_but_not_a_rolled_back_schema() {
    const TOOL: &str = "shop__list_invoices";
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path(), &[]);
    let serve = program.serve(&["--auto-promote", "at_high"]).unwrap();
    let client = serve.connect(None).unwrap();
    let calls = |count: usize| (0..count).for_each(|_| drop(call(&client, TOOL)));
    calls(99);
    assert!(!states(&program, TOOL).contains(&"promoted".to_owned()));
    calls(40);
    assert!(
        states(&program, TOOL).contains(&"promoted".to_owned()),
        "{:?}",
        program.json(&["versions", TOOL])
    );
    assert!(told(&client, TOOL)["anyOf"].is_array());
    let audit = program.json_lines(&["audit", TOOL]).unwrap();
    assert_eq!((&audit[0]["event"], &audit[0]["actor"]), (&json!("promote"), &json!("policy")), "{audit:?}");
    program.run(&["rollback", TOOL, "--reason", "test"]).unwrap();
    calls(60);
    assert!(!states(&program, TOOL).contains(&"promoted".to_owned()));
    assert!(told(&client, TOOL).is_null());
}

#[test]
fn policy_switched_on_promotes_waiting_candidate() {
    const TOOL: &str = "shop__list_invoices";
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path(), &[]);
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    (0..100).for_each(|_| drop(call(&client, TOOL)));
    assert!(states(&program, TOOL).contains(&"candidate".to_owned()));
    // A candidate is judged by results that came after it was created.
    (0..40).for_each(|_| drop(call(&client, TOOL)));
    assert_eq!(program.run(&["settings", "auto_promote", "at_high"]).unwrap().code, Some(0));
    until("the candidate is promoted", || states(&program, TOOL).contains(&"promoted".to_owned()));
}

/// Decisions of several fronts have one order, and an answered decision is stored after a kill.
#[test]
fn kill_leaves_no_partial_decision() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path(), &[]);
    two_versions(&program);
    let decide = |serve: &Serve, version: u32| decided(serve, version);
    for round in 0..5u64 {
        let serve = program.serve(&[]).unwrap();
        let pid = serve.pid().to_string();
        let answered: Vec<String> = std::thread::scope(|scope| {
            let serve = &serve;
            let fronts: Vec<_> = (1..=2u32)
                .map(|version| {
                    scope.spawn(move || {
                        std::iter::repeat_with(|| decide(serve, version))
                            .take(200)
                            .flatten()
                            .collect::<Vec<_>>()
                    })
                })
                .collect();
            std::thread::sleep(Duration::from_millis(20 + 37 * round));
            std::process::Command::new("kill").args(["-s", "KILL", &pid]).status().unwrap();
            fronts.into_iter().flat_map(|front| front.join().unwrap()).collect()
        });
        drop(serve);
        let audit = program.json_lines(&["audit", "api__get"]).unwrap();
        let ids: Vec<&str> = audit.iter().map(|row| row["id"].as_str().unwrap()).collect();
        assert!(answered.iter().all(|id| ids.contains(&id.as_str())), "an answered decision is there");
        assert!(ids.is_sorted_by(|newer, older| newer > older), "in one order");
        // The version in effect is the last promoted one of the log.
        let last = audit.iter().find(|row| row["event"] == "promote");
        let in_force = program.json(&["tools"]).unwrap()[0]["effective_version"].clone();
        assert_eq!(last.map_or(Value::Null, |row| row["version"].clone()), in_force, "round {round}");
        let report = program.json(&["report"]).unwrap();
        assert!(!report["recovery"]["notes"].to_string().contains("left out"), "{report}");
    }
}

/// Promotes over the command interface; the decision's id if it was answered.
fn decided(serve: &Serve, version: u32) -> Option<String> {
    let agent: ureq::Agent =
        ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build().into();
    let url = format!("http://{}/api/decide", serve.instance["address"].as_str()?);
    let body =
        json!({"tool_id": "api__get", "decision": {"promote": {"version": version}}, "no_reason": true})
            .to_string();
    let request = agent.post(&url).header("authorization", format!("Bearer {}", serve.owner_token()));
    let reply: Value =
        serde_json::from_str(&request.send(body).ok()?.body_mut().read_to_string().ok()?).ok()?;
    Some(reply["entry"]["id"].as_str()?.to_owned())
}
