//! Learning a tool's schema again from the results since a change, and taking that back.

use std::path::Path;

use schemascope_test_support::{Places, Program};
use serde_json::{Map, Value, json};

const TOOL: &str = "crm__get_customer";

fn backfill(program: &Program, scratch: &Path, outputs: impl Iterator<Item = Value>) {
    let file = scratch.join("trace.ndjson");
    let line = |output: Value| json!({"tool_id": TOOL, "output": output}).to_string();
    std::fs::write(&file, outputs.map(line).collect::<Vec<_>>().join("\n")).unwrap();
    let run = program.run(&["backfill", file.to_str().unwrap()]).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
}

fn done(program: &Program, args: &[&str]) -> String {
    let run = program.run(args).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
    run.out
}

/// Types of `name` in the schema that is inferred, and the number of results it was learned from.
fn learned(program: &Program) -> (Value, u64) {
    let schema = program.json(&["schema", TOOL, "--version", "inferred"]).unwrap();
    let tools = program.json(&["tools"]).unwrap();
    let row = tools.as_array().unwrap().iter().find(|row| row["tool_id"] == TOOL).unwrap();
    (schema["properties"]["name"].clone(), row["observation_count"].as_u64().unwrap())
}

fn newest(program: &Program) -> Value {
    program.json(&["versions", TOOL]).unwrap().as_array().unwrap().last().unwrap().clone()
}

#[test]
fn schema_after_a_lasting_change_is_that_of_the_results_since() {
    let scratch = tempfile::tempdir().unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let program = Program::new(&places, scratch.path(), &Map::new()).unwrap();
    let old = |n: u64| json!({"id": n, "name": format!("n{n}")});
    let new = |n: u64| json!({"id": n, "name": {"first": format!("f{n}"), "last": format!("l{n}")}});
    backfill(&program, scratch.path(), (0..40).map(old));
    done(&program, &["promote", TOOL, "--no-reason"]);
    backfill(&program, scratch.path(), (40..70).map(new));
    let (both, count) = learned(&program);
    assert_eq!((both["anyOf"].as_array().map(Vec::len), count), (Some(2), 70), "{both}");
    let drift = program.json(&["drift", TOOL]).unwrap();
    let number = |drift: &Value| drift["drift"].to_string();
    let retyped = drift.as_array().unwrap().iter().find(|drift| drift["change"] == "retyped").unwrap();

    let refused = program.run(&["relearn", TOOL, "--drift", "9", "--no-reason"]).unwrap();
    assert!(refused.code == Some(1) && refused.err.contains("no drift 9"), "{refused:?}");
    let refused = program.run(&["relearn", TOOL, "--since", "2999-01-01", "--no-reason"]).unwrap();
    assert!(refused.code == Some(1) && refused.err.contains("future"), "{refused:?}");
    let said = done(&program, &["relearn", TOOL, "--drift", &number(retyped), "--reason", "API 3"]);
    assert!(said.contains("learned from 30 results since"), "{said}");
    let (name, count) = learned(&program);
    assert_eq!((&name["type"], count), (&json!("object"), 30), "{name}");
    let resolved = program.json(&["drift", TOOL, "--all"]).unwrap();
    let mut changed = resolved.as_array().unwrap().iter().filter(|drift| drift["change"] == "retyped");
    assert!(changed.all(|drift| drift["resolved"]["how"] == "learned_again"), "{resolved}");

    // It becomes a version, which is compared with the effective one before it takes its place.
    let version = newest(&program);
    assert_eq!(version["state"], "candidate", "{version}");
    assert_eq!(version["schema"]["properties"]["name"]["type"], "object", "{version}");
    assert!(version["evidence"]["learned_since"].is_string(), "{version}");
    let impact = program.json(&["impact", TOOL, &version["version"].to_string()]).unwrap();
    assert_eq!((&impact["observation_count"], &impact["violating"]), (&json!(30), &json!(0)), "{impact}");
    done(&program, &["promote", TOOL, "--no-reason"]);
    assert_eq!(program.json(&["drift", TOOL]).unwrap(), json!([]));

    // It lasts, whichever way the state comes about.
    done(&program, &["verify"]);
    done(&program, &["rebuild"]);
    assert_eq!(learned(&program), (name, 30));
    let audit = done(&program, &["audit", TOOL, "--json"]);
    let entries: Vec<Value> = audit.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let entry = entries.iter().find(|row| row["event"] == "learn_since").unwrap();
    assert!(entry["learned_since"].is_string() && entry["reason"] == "API 3", "{entry}");

    // First the promotion, then this.
    done(&program, &["undo", TOOL]);
    done(&program, &["undo", TOOL]);
    assert_eq!(learned(&program), (both, 70));
    let open = program.json(&["drift", TOOL]).unwrap();
    assert!(open.as_array().unwrap().iter().any(|drift| drift["change"] == "retyped"), "{open}");
}
