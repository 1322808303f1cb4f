//! Pairs of schemas as people change them, and what the comparison must say.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use schemascope_shape::compare::{Class, Comparison, What, compare};
use serde_json::{Value, json};

/// `narrow` allows less than `wide`. With `noise`, only by fields that no schema names.
const ORDERED: &str = include_str!("compare/ordered.jsonl");
/// `one` and `two` allow the same.
const EQUAL: &str = include_str!("compare/equal.jsonl");
/// From `old` to `new` is safe in that direction.
const SAFE: &str = include_str!("compare/safe.jsonl");
/// From `old` to `new` is breaking in that direction.
const BREAKING: &str = include_str!("compare/breaking.jsonl");

fn table(lines: &str) -> Vec<Value> {
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

fn label(case: &Value, direction: &str, found: &Comparison) -> String {
    format!("{direction}: {} {:?}", case["name"], found)
}

#[test]
fn safe_changes_are_called_safe() {
    let (mut count, mut missed) = (0, Vec::new());
    let mut expect = |case: &Value, direction: &str, found: &Comparison, class: Class| {
        count += 1;
        if class != Class::Safe {
            missed.push(label(case, direction, found));
        }
    };
    for case in table(ORDERED) {
        let found = compare(&case["wide"], &case["narrow"]);
        expect(&case, "output", &found, found.output);
        let found = compare(&case["narrow"], &case["wide"]);
        expect(&case, "input", &found, found.input);
    }
    for case in table(EQUAL) {
        for (one, two) in [("one", "two"), ("two", "one")] {
            let found = compare(&case[one], &case[two]);
            expect(&case, "output", &found, found.output);
        }
    }
    for case in table(SAFE) {
        let found = compare(&case["old"], &case["new"]);
        let direction = case["direction"].as_str().unwrap();
        expect(&case, direction, &found, if direction == "output" { found.output } else { found.input });
    }
    println!("{} of {count} safe pairs missed\n{}", missed.len(), missed.join("\n"));
    assert!(count >= 120, "{count}");
    assert!(missed.is_empty());
}

#[test]
fn breaking_changes_are_called_breaking() {
    let (mut count, mut missed) = (0, Vec::new());
    let mut expect = |case: &Value, direction: &str, found: &Comparison, class: Class| {
        count += 1;
        if class != Class::Breaking {
            missed.push(label(case, direction, found));
        }
    };
    for case in table(ORDERED).iter().filter(|case| case["noise"] != json!(true)) {
        let found = compare(&case["narrow"], &case["wide"]);
        expect(case, "output", &found, found.output);
        let found = compare(&case["wide"], &case["narrow"]);
        expect(case, "input", &found, found.input);
    }
    for case in table(BREAKING) {
        let found = compare(&case["old"], &case["new"]);
        let direction = case["direction"].as_str().unwrap();
        expect(&case, direction, &found, if direction == "output" { found.output } else { found.input });
    }
    println!("{} of {count} breaking pairs missed\n{}", missed.len(), missed.join("\n"));
    assert!(count >= 120, "{count}");
    assert!(missed.is_empty());
}

/// The path, kind and classes of every change.
fn told(old: &Value, new: &Value) -> Vec<(String, What, Class, Class)> {
    let changes = compare(old, new).changes;
    changes.into_iter().map(|change| (change.path, change.what, change.output, change.input)).collect()
}

#[test]
fn changes_stand_where_they_are() {
    let schema = |customer: Value, odd: Value, stock: Value, pair: Value| {
        json!({"type": "object", "properties": {
            "orders": {"type": "array", "items": {"type": "object", "properties": {"customer": customer}}},
            "odd key": odd,
            "stock": {"type": "object", "additionalProperties": stock},
            "pair": {"type": "array", "prefixItems": [pair, {"type": "string"}]},
        }})
    };
    let kind = |name: &str| json!({"type": name});
    let old = schema(kind("string"), kind("string"), kind("integer"), kind("string"));
    let new = schema(kind("integer"), kind("integer"), kind("string"), kind("integer"));
    let mut paths: Vec<String> = told(&old, &new).into_iter().map(|(path, ..)| path).collect();
    paths.sort();
    assert_eq!(paths, ["[\"odd key\"]", "orders[].customer", "pair[0]", "stock{}"]);
    assert_eq!(
        told(&kind("string"), &kind("integer")),
        [(String::new(), What::TypeChanged, Class::Breaking, Class::Breaking)]
    );
}

#[test]
fn sentences_are_plain() {
    let old = json!({"type": "object", "properties": {"total": {"type": "number"}, "status": {"enum": ["open"]}},
        "required": ["total", "status"]});
    let new = json!({"type": "object", "properties": {"total": {"type": "number"}, "status": {"enum": ["open", "paused"]}},
        "required": ["status"]});
    let mut sentences: Vec<String> =
        compare(&old, &new).changes.into_iter().map(|change| change.sentence).collect();
    sentences.sort();
    assert_eq!(
        sentences,
        ["`status` can now also be \"paused\"", "`total` may now be missing; code that reads it must check"]
    );
}

#[test]
fn an_opened_object_is_risky_and_a_new_field_in_an_open_one_is_no_news() {
    let closed = json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false});
    let open = json!({"type": "object", "properties": {"a": {}}});
    assert_eq!(told(&closed, &open), [(String::new(), What::Opened, Class::Risky, Class::Safe)]);
    assert_eq!(told(&open, &closed), [(String::new(), What::Closed, Class::Safe, Class::Breaking)]);
    let more = json!({"type": "object", "properties": {"a": {}, "b": {"type": "string"}}});
    assert_eq!(told(&open, &more), [("b".to_owned(), What::FieldAdded, Class::Safe, Class::Risky)]);
}

#[test]
fn the_list_of_changes_is_bounded_and_keeps_the_worst() {
    let schema = |kind: &str, last: &str| {
        let field = |n| (format!("f{n:05}"), json!({"type": if n == 1_499 { last } else { kind }}));
        json!({"type": "object", "properties": Value::Object((0..1_500).map(field).collect())})
    };
    let found = compare(&schema("integer", "string"), &schema("number", "string"));
    assert_eq!((found.output, found.input), (Class::Breaking, Class::Safe));
    assert_eq!(found.changes.len(), 1_001);
    let last = found.changes.last().unwrap();
    assert_eq!((last.what, last.output), (What::Other, Class::Breaking));
}

#[test]
fn results_travel_as_json() {
    let found = compare(&json!({"type": "string"}), &json!({"type": ["string", "null"]}));
    let text = serde_json::to_string(&found).unwrap();
    assert!(text.contains("\"what\":\"type_widened\"") && text.contains("\"output\":\"breaking\""), "{text}");
    assert_eq!(serde_json::from_str::<Comparison>(&text).unwrap(), found);
}
