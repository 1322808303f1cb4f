//! Pairs of schemas as people change them, and what the comparison must say.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use schemascope_shape::compare::{Class, Comparison, What, compare};
use serde_json::{Value, json};

/// `narrow` allows less than `wide`. With `noise`, only by fields that no schema names.
const ORDERED: &str = include_str!("compare/ordered.jsonl");
/// `one` and `two` allow the same.
const EQUAL: &str = include_str!("compare/equal.jsonl");
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
