//! Drift from end to end: an upstream changes, and the drift is reported once, over restarts, until it ends.

use std::path::Path;

use schemascope_test_support::{McpClient, Places, Program, stdio};
use serde_json::{Map, Value, json};

const TOOL: &str = "shop__get_order";
/// Calls of each tool before the shop answers otherwise.
const BEFORE: u64 = 60;

fn program(scratch: &Path) -> Program {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let shop = stdio(places.fixture("shop"), &["--drift-after", &BEFORE.to_string()]);
    Program::new(&places, scratch, &Map::from_iter([("shop".to_owned(), shop)])).unwrap()
}

fn calls(client: &McpClient, numbers: std::ops::Range<u64>) {
    numbers.for_each(|n| drop(client.call(TOOL, &json!({"id": n.to_string()})).unwrap().result().unwrap()));
}

fn drifts(program: &Program, more: &[&str]) -> Vec<Value> {
    let args = [&["drift"], more].concat();
    program.json(&args).unwrap().as_array().unwrap().clone()
}

fn row(program: &Program) -> Value {
    let rows = program.json(&["tools"]).unwrap();
    rows.as_array().unwrap().iter().find(|row| row["tool_id"] == TOOL).unwrap().clone()
}

#[test]
fn drift_of_a_release_is_reported_once_until_acknowledged() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    calls(&client, 0..BEFORE);
    assert_eq!(drifts(&program, &[]), [] as [Value; 0]);
    assert_eq!(program.run(&["promote", TOOL, "--reason", "test"]).unwrap().code, Some(0));
    calls(&client, BEFORE..BEFORE + 30);
    let told = drifts(&program, &[TOOL]);
    let changes: Vec<&str> = told.iter().map(|one| one["change"].as_str().unwrap()).collect();
    assert!(changes.contains(&"violated") && changes.iter().any(|one| *one != "violated"), "{told:#?}");
    let listed = program.run(&["calls", "--json"]).unwrap();
    let calls_made: Vec<Value> = listed.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for one in &told {
        assert_eq!((&one["acknowledged"], &one["resolved"]), (&Value::Null, &Value::Null));
        // The first calls behind the change, which can be looked at.
        let examples = one["examples"].as_array().unwrap();
        assert_eq!(examples.len(), 3, "{one}");
        let made_for = |id: &Value| {
            let call = calls_made.iter().find(|call| call["id"] == *id).unwrap();
            call["arguments"]["id"].as_str().unwrap().parse::<u64>().unwrap()
        };
        assert!(examples.iter().all(|id| made_for(id) >= BEFORE), "{one}");
    }
    let count = told.len();
    assert_eq!(
        (&row(&program)["drift_count"], &row(&program)["drift_waiting"]),
        (&json!(count), &json!(count))
    );

    // Somebody has seen one of them, and it stays told.
    let number = told[0]["drift"].to_string();
    let run = program.run(&["drift", "acknowledge", TOOL, &number, "--reason", "their release"]).unwrap();
    assert!(run.code == Some(0) && run.out.contains("acknowledged, still active"), "{run:?}");
    let again = program.run(&["drift", "acknowledge", TOOL, &number, "--reason", "test"]).unwrap();
    assert!(again.code == Some(1) && again.err.contains("acknowledged already"), "{again:?}");
    let none = program.run(&["drift", "acknowledge", TOOL, "99", "--reason", "test"]).unwrap();
    assert!(none.code == Some(1) && none.err.contains("there is no drift 99; open drifts: "), "{none:?}");
    let wrong = program.run(&["drift", "shop__get_ordr"]).unwrap();
    assert!(wrong.code == Some(1) && wrong.err.contains(TOOL), "{wrong:?}");
    assert_eq!(row(&program)["drift_waiting"], json!(count - 1));

    // A kill, more calls: nothing is reported twice.
    drop(client);
    serve.kill().unwrap();
    let serve = program.serve(&[]).unwrap();
    assert_eq!(row(&program)["drift_count"], json!(count));
    let events = |event: &str| {
        let run = program.run(&["audit", TOOL, "--json"]).unwrap();
        let rows = run.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        rows.filter(|row| row["event"] == event).count()
    };
    assert_eq!((events("drift"), events("acknowledge"), events("resolve")), (count, 1, 0));

    // A version that was cut since takes the change in.
    let versions = program.json(&["versions", TOOL]).unwrap();
    assert_eq!(versions.as_array().unwrap().last().unwrap()["state"], "candidate", "{versions}");
    let run = program.run(&["promote", TOOL, "--reason", "test"]).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(drifts(&program, &[]), [] as [Value; 0]);
    for one in drifts(&program, &["--all"]) {
        assert_eq!(one["resolved"]["how"], "taken_in", "{one}");
    }
    assert_eq!((&row(&program)["drift_count"], &row(&program)["drift_waiting"]), (&json!(0), &json!(0)));
    drop(serve);
}

/// Tools whose results are always the same, or one of a few: nothing but the results says that anything changed.
#[test]
fn drift_of_tool_with_few_values_is_reported() {
    let scratch = tempfile::tempdir().unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let steady = stdio(places.fixture("steady"), &["--after", "60"]);
    let program =
        Program::new(&places, scratch.path(), &Map::from_iter([("steady".to_owned(), steady)])).unwrap();
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    let calls = |tool: &str, count: u64| {
        for _ in 0..count {
            drop(client.call(&format!("steady__{tool}"), &json!({})).unwrap().result().unwrap());
        }
    };
    let sentences = |tool: &str| -> Vec<String> {
        let told = drifts(&program, &[&format!("steady__{tool}")]);
        told.iter().map(|one| one["sentence"].as_str().unwrap().to_owned()).collect()
    };
    for (tool, sentence) in [("zone", "`zone` is now `region`"), ("quote", "`author` is now `by`")] {
        calls(tool, 60);
        assert_eq!(sentences(tool), [] as [&str; 0]);
        calls(tool, 30);
        assert_eq!(sentences(tool), [sentence]);
    }
    // A broken declared schema is reported sooner.
    calls("state", 60);
    assert_eq!(sentences("state"), [] as [&str; 0]);
    calls("state", 2);
    assert_eq!(sentences("state"), [] as [&str; 0]);
    calls("state", 8);
    let told = sentences("state");
    assert!(told.len() == 1 && told[0].contains("the effective schema"), "{told:?}");
    drop(serve);
}

/// One of the drifts of an invoice's list is found within thirty calls, too.
#[test]
fn drift_of_list_without_arguments_is_reported() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    for _ in 0..BEFORE + 30 {
        drop(client.call("shop__list_invoices", &json!({})).unwrap().result().unwrap());
    }
    let told = drifts(&program, &["shop__list_invoices"]);
    assert_eq!(told.len(), 1, "{told:#?}");
    assert_eq!(told[0]["path"], "invoices[].amount");
    drop(serve);
}
