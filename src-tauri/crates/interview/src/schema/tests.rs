//! Tests of reading files.

use serde_json::json;

use super::*;

const FILE: &str = r#"{
  "message-type": "DS-INSTRUCTIONS",
  "interview-objective": "Find out how long it takes.",
  "budget-decrement": 0.07,
  "prerequisites": ["process/first"],
  "when": {"ds": "process/first", "path": "/kind", "equals": "A"},
  "required": ["/steps/*/duration", "/kind"],
  "DS": {
    "DS-id": "process/second",
    "kind": {"val": "A", "comment": "One of: A, B."},
    "steps": [{"step-id": "one", "duration": {"val": {"units": "h"}, "comment": "How long?"}}],
    "exhausted?": {"comment": "Is this all?"}
  }
}"#;

#[test]
fn file_gives_all_members() {
    let schema = read_schema(FILE).unwrap();
    assert_eq!((schema.id.as_str(), schema.name.as_str()), ("process/second", "second"));
    assert_eq!((schema.cost, schema.interviewer.as_str()), (70, "process"));
    assert_eq!(schema.top_keys(), ["kind", "steps", "exhausted?"]);
    assert!(schema.has_exhausted_key() && !schema.needs_tool);
    let example =
        json!({"kind": "A", "steps": [{"step-id": "one", "duration": {"units": "h"}}], "exhausted?": null});
    assert_eq!(schema.example, example);
}

#[test]
fn older_envelope_is_read() {
    let text = r#"{"message-type": "EADS-INSTRUCTIONS", "EADS": {"EADS-id": "data/x", "a": 1}}"#;
    let schema = read_schema(text).unwrap();
    assert_eq!((schema.id.as_str(), schema.cost), ("data/x", 50));
}

#[test]
fn unusable_file_names_line_and_reason() {
    let long = format!("{{\"DS\": {{\"DS-id\": \"a/b\",\n \"{}\": 1}}}}", "k".repeat(10_000));
    let deep = format!("{{\"DS\": {{\"DS-id\": \"a/b\", \"x\": {}1{}}}}}", "[".repeat(80), "]".repeat(80));
    let large = format!("{{\"DS\": {{\"DS-id\": \"a/b\", \"x\": \"{}\"}}}}", "x".repeat(5_000_000));
    for (text, line, words) in [
        ("{\n  \"DS\": {,\n}", 2, "not valid JSON"),
        ("[]", 1, "object"),
        ("{}", 1, "no \"DS\" object"),
        ("{\n\"DS\": {\"a\": 1}}", 2, "no id"),
        ("{\"DS\": {\n\"DS-id\": \"nodomain\", \"a\": 1}}", 2, "DOMAIN/NAME"),
        ("{\"DS\": {\"DS-id\": \"a/b\", \"comment\": \"itself\"}}", 1, "no fields"),
        ("{\"DS\": {\"DS-id\": \"a/b\",\n \"x\": {\"comment\": {\"comment\": 1}}}}", 2, "has to be text"),
        ("{\"DS\": {\"DS-id\": \"a/b\",\n \"\": 1}}", 2, "empty"),
        ("{\"budget-decrement\":\n 0, \"DS\": {\"DS-id\": \"a/b\", \"x\": 1}}", 1, "0.001"),
        ("{\"required\":\n [\"/y\"], \"DS\": {\"DS-id\": \"a/b\", \"x\": 1}}", 2, "no such key"),
        ("{\"when\": {}, \"DS\": {\"DS-id\": \"a/b\", \"x\": 1}}", 1, "condition"),
        ("{\"DS\": {\"DS-id\": \"a/b\", \"x\": 1}, \"EADS\": {}}", 1, "both"),
        (
            "{\"message-type\": \"EADS-INSTRUCTIONS\", \"DS\": {\"DS-id\": \"a/b\", \"x\": 1}}",
            1,
            "message-type",
        ),
        (
            "{\"interviewer-agent\": \"cook\", \"DS\": {\"DS-id\": \"a/b\", \"x\": 1}}",
            1,
            "there are: process",
        ),
        (long.as_str(), 2, "bytes"),
        (deep.as_str(), 1, "levels"),
        (large.as_str(), 1, "largest size"),
    ] {
        let problem = read_schema(text).unwrap_err();
        assert!(problem.reason.contains(words), "{words}: {problem}");
        assert_eq!(problem.line, line, "{words}: {problem}");
    }
}
