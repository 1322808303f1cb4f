//! Candidates are judged by results that came after they were created, and every decision has a reason.

use std::path::Path;

use schemascope_test_support::{McpClient, Places, Program, stdio};
use serde_json::{Map, Value, json};

const TOOL: &str = "shop__get_order";

/// The shop, whose orders change after 100 calls: `customer` becomes an object.
fn program(scratch: &Path) -> Program {
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    let shop = stdio(places.fixture("shop"), &["--drift-after", "100"]);
    Program::new(&places, scratch, &Map::from_iter([("shop".to_owned(), shop)])).unwrap()
}

fn calls(client: &McpClient, numbers: std::ops::Range<u64>) {
    numbers.for_each(|n| drop(client.call(TOOL, &json!({"id": n.to_string()})).unwrap().result().unwrap()));
}

fn candidate(program: &Program) -> Option<u64> {
    let versions = program.json(&["versions", TOOL]).unwrap();
    let newest = versions.as_array().unwrap().last().unwrap();
    (newest["state"] == "candidate").then(|| newest["version"].as_u64().unwrap())
}

fn readiness(program: &Program, version: u64) -> Value {
    program.json(&["impact", TOOL, &version.to_string()]).unwrap()["readiness"].clone()
}

/// Results that came after those that a version was learned from.
fn results_since(program: &Program, version: u64) -> u64 {
    let versions = program.json(&["versions", TOOL]).unwrap();
    let learned = versions.as_array().unwrap().iter().find(|row| row["version"] == version).unwrap();
    let tools = program.json(&["tools"]).unwrap();
    let tool = tools.as_array().unwrap().iter().find(|tool| tool["tool_id"] == TOOL).unwrap();
    tool["observation_count"].as_u64().unwrap() - learned["observation_count"].as_u64().unwrap()
}

#[test]
fn candidate_of_a_drifting_tool_is_judged_by_later_results() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    calls(&client, 0..80);
    let first = candidate(&program).expect("a first candidate");
    let before = readiness(&program, first);
    assert_eq!(before["needed"], json!(10), "{before}");
    let text = program.run(&["impact", TOOL, &first.to_string()]).unwrap().out;
    let expected = match results_since(&program, first) {
        0 => format!("no stored result since version {first} was created"),
        1 => format!("of 1 result since version {first} was created"),
        since => format!("of {since} results since version {first} was created"),
    };
    assert!(text.contains(&expected), "{text}");
    assert_eq!(text.contains("not ready: "), before["ready"] == false, "{text}");

    calls(&client, 80..100);
    let after = readiness(&program, first);
    let since = results_since(&program, first);
    assert!(since >= 20, "{after}");
    assert_eq!((&after["ready"], &after["since"]), (&json!(true), &json!({"fits": since, "violates": 0})));
    let run = program.run(&["promote", TOOL, &first.to_string(), "--reason", "billing"]).unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        run.err.contains(&format!("{since} match it")) && run.err.contains("ready to be promoted"),
        "{run:?}"
    );

    // Later versions were learned from results of both kinds, and fit all of them.
    calls(&client, 100..140);
    let second = candidate(&program).expect("a candidate after the drift");
    calls(&client, 140..155);
    assert_eq!(candidate(&program), Some(second));
    let impact = program.json(&["impact", TOOL, &second.to_string()]).unwrap();
    assert_eq!(impact["violating"], json!(0), "it fits what it was learned from");
    let judged = &impact["readiness"];
    assert_eq!(judged["ready"], json!(false), "{judged}");
    let since = results_since(&program, second);
    assert!(since >= 15, "{judged}");
    assert_eq!(judged["since"], json!({"fits": since, "violates": 0}), "{judged}");
    let rival = json!({"version": first, "fits": {"fits": 0, "violates": since}});
    assert_eq!(judged["effective"], rival, "the effective version on the same results");
    assert_eq!(judged["readers"], "breaking", "{judged}");
    let drifts = judged["drifts"].as_array().unwrap();
    assert!(drifts.iter().all(|drift| drift["acknowledged"].is_null()), "{judged}");
    let retyped = drifts.iter().find(|drift| drift["change"] == "retyped").expect("the drift it contains");
    assert_eq!((&retyped["path"], &retyped["from"]), (&json!("customer"), &json!("string")));
    let reasons = judged["reasons"].to_string();
    assert!(reasons.contains("breaks readers") && reasons.contains("contains drift"), "{reasons}");
    let text = program.run(&["versions", TOOL]).unwrap().err;
    assert!(
        text.contains("changed from a string to an object at ") && text.contains("not acknowledged"),
        "{text}"
    );

    let run = program.run(&["promote", TOOL, "--reason", "the new form is right"]).unwrap();
    assert!(run.code == Some(0) && run.err.contains("not ready: breaks readers"), "{run:?}");
}

/// Quality alone promotes nothing: a version that contains a drift waits for a person.
#[test]
fn automatic_promotion_leaves_candidates_that_contain_drift() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    let args = &["--auto-promote", "at_high", "--promote-after", "5", "--cut-after", "5"];
    let serve = program.serve(args).unwrap();
    let client = serve.connect(None).unwrap();
    calls(&client, 0..240);
    let newest = candidate(&program).expect("a candidate");
    calls(&client, 240..300);
    let promoted = program.json_lines(&["audit", TOOL]).unwrap();
    let promoted = promoted.iter().filter(|row| row["event"] == "promote").count();
    let judged = readiness(&program, newest);
    assert_eq!(promoted, 0, "{judged:#}");
    let since = judged["since"]["fits"].as_u64().unwrap();
    assert!(since >= 5 && judged["reasons"].to_string().contains("contains drift"), "{judged:#}");
}

#[test]
fn decision_without_a_reason_is_rejected_unless_left_out_on_purpose() {
    let scratch = tempfile::tempdir().unwrap();
    let program = program(scratch.path());
    let serve = program.serve(&[]).unwrap();
    let client = serve.connect(None).unwrap();
    calls(&client, 0..20);
    assert!(candidate(&program).is_some());
    let usage = program.run(&["promote", TOOL]).unwrap();
    assert!(usage.code == Some(2) && usage.err.contains("--no-reason"), "{usage:?}");
    let empty = program.run(&["promote", TOOL, "--reason", " "]).unwrap();
    assert!(empty.code == Some(1) && empty.err.contains("a decision needs a reason"), "{empty:?}");
    let done = program.run(&["promote", TOOL, "--no-reason"]).unwrap();
    assert_eq!(done.code, Some(0), "{done:?}");
    // Taking a decision back needs none.
    let undone = program.run(&["undo", TOOL]).unwrap();
    assert_eq!(undone.code, Some(0), "{undone:?}");
    let audit = program.json_lines(&["audit", TOOL, "--people"]).unwrap();
    assert!(audit.iter().all(|row| row["reason"].is_null() && row["name"] != ""), "{audit:?}");
    drop(serve);
}
