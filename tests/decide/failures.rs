//! Failures that a tool returns as ordinary text: found, decided about, counted again, and taken back.

use std::path::Path;

use schemascope_test_support::{Places, Program, stdio, until};
use serde_json::{Map, Value, json};

const TOOL: &str = "docs__search";

fn program(scratch: &Path) -> Program {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let servers = Map::from_iter([("shop".to_owned(), stdio(places.fixture("shop"), &[]))]);
    Program::new(&places, scratch, &servers).unwrap()
}

fn backfill(program: &Program, outputs: impl Iterator<Item = Value>) {
    let file = program.config().with_file_name("trace.ndjson");
    let line = |output: Value| json!({"tool_id": TOOL, "output": output}).to_string();
    std::fs::write(&file, outputs.map(line).collect::<Vec<_>>().join("\n")).unwrap();
    let run = program.run(&["backfill", file.to_str().unwrap()]).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
}

fn error(n: usize) -> Value {
    json!(format!("Error searching libraries: attempt {n}"))
}

/// Results, and every fourth one an error that says it succeeded.
fn results_with_errors() -> impl Iterator<Item = Value> {
    (0..40).map(|n| if n % 4 == 3 { error(n) } else { json!({"id": n, "title": format!("t{n}")}) })
}

/// Observations and failures.
fn counts(program: &Program) -> (u64, u64) {
    let tools = program.json(&["tools"]).unwrap();
    let row = tools.as_array().unwrap().iter().find(|row| row["tool_id"] == TOOL).unwrap();
    (row["observation_count"].as_u64().unwrap(), row["failure_count"].as_u64().unwrap())
}

fn inferred(program: &Program) -> Value {
    program.json(&["schema", TOOL, "--version", "inferred"]).unwrap()
}

fn done(program: &Program, args: &[&str]) -> String {
    let run = program.run(args).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
    run.out
}

fn needs(program: &Program) -> Vec<Value> {
    let report = program.json(&["report"]).unwrap();
    report["attention"].as_array().unwrap().iter().filter(|need| need["kind"] == "texts").cloned().collect()
}

#[test]
fn texts_count_as_failures_in_what_is_stored_and_what_comes_until_that_is_undone() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    backfill(&program, results_with_errors());
    assert_eq!(counts(&program), (40, 0));
    let mixed = inferred(&program);
    let found = program.json(&["failures"]).unwrap();
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    assert_eq!(
        (&found[0]["starts"], &found[0]["results"]),
        (&json!("Error searching libraries:"), &json!(10))
    );
    assert_eq!(needs(&program)[0]["count"], 10);

    let said =
        done(&program, &["failures", "count", TOOL, "Error searching libraries:", "--reason", "no isError"]);
    assert!(said.ends_with("count as failures; 10 so far\n"), "{said}");
    assert_eq!(counts(&program), (30, 10));
    let clean = inferred(&program);
    assert_eq!((&clean["type"], &clean["required"]), (&json!("object"), &json!(["id", "title"])), "{clean}");
    assert!(needs(&program).is_empty());
    // A version of the schema without the errors is there to be promoted.
    let versions = program.json(&["versions", TOOL]).unwrap();
    let newest = versions.as_array().unwrap().last().unwrap();
    assert_eq!(
        (&newest["schema"]["type"], &newest["state"]),
        (&json!("object"), &json!("candidate")),
        "{newest}"
    );

    // It lasts, whichever way the state comes about.
    done(&program, &["verify"]);
    done(&program, &["rebuild"]);
    assert_eq!((counts(&program), inferred(&program)), ((30, 10), clean));
    backfill(&program, (100..105).map(error));
    assert_eq!(counts(&program), (30, 15));
    // Nor do they count against the version.
    let impact = program.json(&["impact", TOOL, &newest["version"].to_string()]).unwrap();
    assert_eq!((&impact["observation_count"], &impact["violating"]), (&json!(30), &json!(0)), "{impact}");

    let audit = done(&program, &["audit", TOOL, "--json"]);
    let mut entries = audit.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let entry = entries.find(|row| row["event"] == "count_failures").unwrap();
    assert_eq!(
        (&entry["starts"], &entry["reason"]),
        (&json!("Error searching libraries:"), &json!("no isError"))
    );
    done(&program, &["undo", TOOL]);
    assert_eq!(counts(&program), (45, 0));
    assert_eq!(inferred(&program)["anyOf"].as_array().map(Vec::len), mixed["anyOf"].as_array().map(Vec::len));
    assert_eq!(program.json(&["failures", TOOL]).unwrap()[0]["results"], 15);
}

#[test]
fn texts_that_are_results_are_not_listed_again() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    backfill(&program, results_with_errors());
    done(&program, &["failures", "keep", TOOL, "Error searching libraries:", "--no-reason"]);
    assert_eq!(program.json(&["failures"]).unwrap(), json!([]));
    assert!(needs(&program).is_empty());
    assert_eq!(counts(&program), (40, 0));
    // A wider beginning is another decision.
    done(&program, &["failures", "count", TOOL, "Error", "--no-reason"]);
    assert_eq!(counts(&program), (30, 10));
    done(&program, &["failures", "keep", TOOL, "Error", "--no-reason"]);
    assert_eq!(counts(&program), (40, 0));
}

#[test]
fn decision_that_a_kill_left_without_effect_is_applied_at_the_next_start() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    backfill(&program, results_with_errors());
    let before = scratch.path().join("before");
    let data = program.data_dir();
    copy(data, &before);
    done(&program, &["failures", "count", TOOL, "Error", "--no-reason"]);
    // The decision is in the audit log; journal and index are as they were before it.
    for folder in ["journal", "index"] {
        std::fs::remove_dir_all(data.join(folder)).unwrap();
        copy(&before.join(folder), &data.join(folder));
    }
    until("the decision takes effect", || counts(&program) == (30, 10));
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in from.read_dir().unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn decisions_that_cannot_be_are_rejected_and_change_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    backfill(&program, results_with_errors());
    let long = "x".repeat(201);
    for (args, words) in [
        (["failures", "count", TOOL, " ", "--no-reason"], "1 to 200 bytes"),
        (["failures", "count", TOOL, &long, "--no-reason"], "1 to 200 bytes; this one has 201"),
        (["failures", "count", "docs__serch", "Error", "--no-reason"], "docs__search"),
    ] {
        let run = program.run(&args).unwrap();
        assert_eq!((run.code, run.out.as_str()), (Some(1), ""), "{run:?}");
        assert!(run.err.contains(words), "{run:?}");
    }
    assert_eq!(program.run(&["failures", "count", TOOL, "Error"]).unwrap().code, Some(2));
    done(&program, &["failures", "count", TOOL, "Error", "--no-reason"]);
    let again = program.run(&["failures", "count", TOOL, "Error", "--no-reason"]).unwrap();
    assert!(again.err.contains("count as failures already"), "{again:?}");
    assert_eq!(counts(&program), (30, 10));
}
