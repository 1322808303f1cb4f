//! Typical pairs of schemas, and the required result of their comparison.

use schemascope_compare::{ChangeKind, Class, Comparison, compare};
use serde_json::{Value, json};

/// `narrow` allows less than `wide`. With `noise`, they differ only in fields that no schema names.
const ORDERED: &str = include_str!("samples/ordered.jsonl");
/// `one` and `two` allow the same values.
const EQUAL: &str = include_str!("samples/equal.jsonl");
/// The change from `old` to `new` is safe in that direction.
const SAFE: &str = include_str!("samples/safe.jsonl");
/// The change from `old` to `new` is breaking in that direction.
const BREAKING: &str = include_str!("samples/breaking.jsonl");

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
fn safe_changes_are_classed_safe() {
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
fn breaking_changes_are_classed_breaking() {
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

/// Returns the path, kind and severities of every change.
fn changes(old: &Value, new: &Value) -> Vec<(String, ChangeKind, Class, Class)> {
    let changes = compare(old, new).changes;
    changes.into_iter().map(|change| (change.path, change.what, change.output, change.input)).collect()
}

#[test]
fn changes_have_the_path_of_their_schema() {
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
    let mut paths: Vec<String> = changes(&old, &new).into_iter().map(|(path, ..)| path).collect();
    paths.sort();
    assert_eq!(paths, ["[\"odd key\"]", "orders[].customer", "pair[0]", "stock{}"]);
    assert_eq!(
        changes(&kind("string"), &kind("integer")),
        [(String::new(), ChangeKind::TypeChanged, Class::Breaking, Class::Breaking)]
    );
}

#[test]
fn sentences_describe_the_change() {
    let old = json!({"type": "object", "properties": {"total": {"type": "number"}, "status": {"enum": ["open"]}},
        "required": ["total", "status"]});
    let new = json!({"type": "object", "properties": {"total": {"type": "number"}, "status": {"enum": ["open", "paused"]}},
        "required": ["status"]});
    let mut sentences: Vec<String> =
        compare(&old, &new).changes.into_iter().map(|change| change.sentence).collect();
    sentences.sort();
    assert_eq!(
        sentences,
        [
            "`status` can now also be \"paused\"",
            "`total` is now optional: readers must check whether it is present"
        ]
    );
}

#[test]
fn opened_object_is_risky_and_new_field_in_open_object_is_safe_for_readers() {
    let closed = json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false});
    let open = json!({"type": "object", "properties": {"a": {}}});
    assert_eq!(changes(&closed, &open), [(String::new(), ChangeKind::Opened, Class::Risky, Class::Safe)]);
    assert_eq!(changes(&open, &closed), [(String::new(), ChangeKind::Closed, Class::Safe, Class::Breaking)]);
    let more = json!({"type": "object", "properties": {"a": {}, "b": {"type": "string"}}});
    assert_eq!(changes(&open, &more), [("b".to_owned(), ChangeKind::FieldAdded, Class::Safe, Class::Risky)]);
}

#[test]
fn list_of_changes_is_bounded_and_keeps_the_highest_severity() {
    let schema = |kind: &str, last: &str| {
        let field = |n| (format!("f{n:05}"), json!({"type": if n == 1_499 { last } else { kind }}));
        json!({"type": "object", "properties": Value::Object((0..1_500).map(field).collect())})
    };
    let found = compare(&schema("integer", "string"), &schema("number", "string"));
    assert_eq!((found.output, found.input), (Class::Breaking, Class::Safe));
    assert_eq!(found.changes.len(), 1_001);
    let last = found.changes.last().unwrap();
    assert_eq!((last.what, last.output), (ChangeKind::Other, Class::Breaking));
}

#[test]
fn comparison_round_trips_as_json() {
    let found = compare(&json!({"type": "string"}), &json!({"type": ["string", "null"]}));
    let text = serde_json::to_string(&found).unwrap();
    assert!(text.contains("\"what\":\"type_widened\"") && text.contains("\"output\":\"breaking\""), "{text}");
    assert_eq!(serde_json::from_str::<Comparison>(&text).unwrap(), found);
}
