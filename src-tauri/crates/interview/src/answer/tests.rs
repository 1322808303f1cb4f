//! Tests of checking answers.

use serde_json::json;

use super::*;
use crate::schema::read_schema;

fn schema() -> DiscoverySchema {
    let file = json!({"DS": {
        "DS-id": "process/x",
        "kind": {"val": "A", "comment": "One of: A, B."},
        "count": 3,
        "done?": {"comment": "Is it done?"},
        "free": {"comment": "Anything."},
        "steps": [
            {"step-id": "one", "inputs": ["water", {"item-id": "malt", "from": "s"}], "steps": [
                {"step-id": "two", "note": "x", "steps": []}]},
        ],
    }});
    read_schema(&file.to_string()).unwrap()
}

fn check_json(answer: Value) -> Result<Checked, String> {
    let Value::Object(members) = answer else { panic!("not an object") };
    check(&schema(), &members)
}

#[test]
fn annotations_are_stripped_at_every_depth() {
    let answer = json!({
        "DS-id": "process/x",
        "kind": {"val": "b", "comment": "he said so"},
        "steps": {"val": [{"step-id": {"val": "one"}, "comment": "first", "inputs": [{"val": "water"}]}]},
        "done?": null,
    });
    let checked = check_json(answer).unwrap();
    assert_eq!(checked.scr, json!({"kind": "B", "steps": [{"step-id": "one", "inputs": ["water"]}]}));
}

#[test]
fn keys_follow_the_order_of_the_example() {
    let checked = check_json(json!({"steps": [{"inputs": [], "step-id": "one"}], "count": 1})).unwrap();
    assert_eq!(checked.scr.to_string(), r#"{"count":1,"steps":[{"step-id":"one","inputs":[]}]}"#);
}

#[test]
fn unknown_key_is_rejected_by_name() {
    for (answer, words) in [
        (json!({"kinds": "A"}), "unknown key \"kinds\"; did you mean \"kind\""),
        (json!({"steps": [{"step-id": "a", "__proto__": {}}]}), "/steps/0: unknown key \"__proto__\""),
        (json!({"": 1}), "unknown key \"\""),
        (json!({"kind": "C"}), "not one of A, B"),
        (json!({"count": "3"}), "/count: a number is expected, not text"),
        (json!({"done?": "yes"}), "true or false"),
        (json!({"steps": [{"inputs": []}]}), "no \"step-id\""),
        (json!({"steps": "one"}), "a list is expected"),
        (json!({"DS-id": "other/one"}), "names the schema"),
        (json!({"retract": ["kind"]}), "JSON pointer"),
    ] {
        let problem = check_json(answer).unwrap_err();
        assert!(problem.contains(words), "{words}: {problem}");
    }
    let long = check_json(json!({"k".repeat(10_000): 1})).unwrap_err();
    assert!(long.len() < 400, "{}", long.len());
}

#[test]
fn nested_list_has_the_form_of_the_surrounding_one() {
    let answer = json!({"steps": [{"step-id": "a", "steps": [{"step-id": "b", "inputs": ["x"], "steps": [
        {"step-id": "c", "note": "n", "inputs": [{"item-id": "y", "from": "b"}]}]}]}]});
    assert_eq!(check_json(answer.clone()).unwrap().scr, answer);
}

#[test]
fn invented_values_are_kept_apart() {
    let answer = json!({"invented": {"mood": "good"}, "steps": [
        {"step-id": "a", "inputs": {"val": [], "invented": {"note": 1}}}]});
    let checked = check_json(answer).unwrap();
    let expected = json!({"steps": [{"step-id": "a", "inputs": []}],
        "invented": {"mood": "good", "/steps/0/inputs": {"note": 1}}});
    assert_eq!(checked.scr, expected);
}

#[test]
fn retraction_is_taken_from_the_answer() {
    let checked = check_json(json!({"retract": ["/kind", "/steps/one"], "count": 2})).unwrap();
    assert_eq!(checked.retract, ["/kind", "/steps/one"]);
    assert_eq!(checked.scr, json!({"count": 2}));
}

#[test]
fn deep_answer_is_rejected() {
    let mut deep = json!(1);
    for _ in 0..100 {
        deep = json!([deep]);
    }
    assert!(check_json(json!({"free": deep})).unwrap_err().contains("levels"));
}
