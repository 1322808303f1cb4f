use proptest::prelude::*;
use serde_json::json;

use super::*;

#[track_caller]
fn check(text: &str, expect: &Value) {
    let json = read(text).unwrap_or_else(|| panic!("not read:\n{text}"));
    assert_eq!(&serde_json::from_str::<Value>(&json).unwrap(), expect, "{text}");
}

#[test]
fn read_converts_documents() {
    check(
        "name: demo\nitems:\n- 1\n- two\n- x: 1\n  y: [a, b]",
        &json!({"name": "demo", "items": [1, "two", {"x": 1, "y": ["a", "b"]}]}),
    );
    check("---\na: 1\nb: 'it''s'\n...", &json!({"a": 1, "b": "it's"}));
    check(
        "- id: 1\n  name: Argo\n-   id: 2\n    name:",
        &json!([{"id": 1, "name": "Argo"}, {"id": 2, "name": null}]),
    );
    check("a:\n  b:\n    c: ~\n  d: {}\ne: []", &json!({"a": {"b": {"c": null}, "d": {}}, "e": []}));
    check("list:\n  - - 1\n    - 2\n  -\n    k: v\nb: x", &json!({"list": [[1, 2], {"k": "v"}], "b": "x"}));
    check(
        "url: http://x:80/a#b\ntime: 12:30:00\nn:\n- 1",
        &json!({"url": "http://x:80/a#b", "time": "12:30:00", "n": [1]}),
    );
}

#[test]
fn read_converts_scalars_of_several_lines() {
    check("a: one\n  two\n\n  three\nb: [1]", &json!({"a": "one two\nthree", "b": [1]}));
    check("a: |\n  x\n\n    y\n  z\nb: [1]", &json!({"a": "x\n\n  y\nz\n", "b": [1]}));
    check("a: >-\n  x\n  y\n\n  z\nb: [1]", &json!({"a": "x y\nz", "b": [1]}));
    check(
        "a: \"x \\\n  \\ y\\n\n  z\"\nb: 'p\n\n  q'\nc: [1]",
        &json!({"a": "x  y\n z", "b": "p\nq", "c": [1]}),
    );
}

#[test]
fn read_rejects_what_is_no_document() {
    for text in [
        "Name: demo\nSize: 3",
        "One thing",
        "Note: this is a sentence.\nAnd this is another one.",
        "a: 1\n# comment\nb: [1]",
        "a: &x 1\nb: [1]",
        "a: *x\nb: [1]",
        "a: !tag 1\nb: [1]",
        "a: 1\na: [1]",
        "a: x: y\nb: [1]",
        "a:\n  b: 1\n c: 2\nd: [1]",
        "Steps to take:\n  - one\nWhat then:\n  - two",
        "- one\n- two",
        "- Fix: one\n- Fix: two",
        "a:\n\tb: 1\nc: [1]",
        "a: 'open\nb: [1]",
        "--- a/file\n+++ b/file",
        "only:\n  - 1",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
    assert_eq!(read(&format!("a: {}\nb: 1", "[".repeat(100_000))), None);
    assert_eq!(read(&format!("a: 1\nb:\n{}x: 1", "- ".repeat(100_000))), None);
    let deep: String = (0..100).map(|depth| format!("{}k:\n", " ".repeat(depth))).collect();
    assert_eq!(read(&format!("a: 1\n{deep}")), None);
}

/// Writes a value as block YAML with quoted strings.
fn write(value: &Value, indent: usize, text: &mut String) {
    let pad = " ".repeat(indent);
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (key, value) in members {
                text.push_str(&format!("\n{pad}{key}:"));
                write(value, indent + 2, text);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                text.push_str(&format!("\n{pad}-"));
                write(item, indent + 2, text);
            }
        }
        Value::String(string) => text.push_str(&format!(" '{}'", string.replace('\'', "''"))),
        other => text.push_str(&format!(" {other}")),
    }
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[ -~é€]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z][a-z0-9_]{0,6}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn read_returns_what_was_written(one in values(), two in values()) {
        let value = json!({"one": one, "two": two});
        let mut text = String::from("---");
        write(&value, 0, &mut text);
        let json = read(&text);
        prop_assert!(json.is_some(), "{}", text);
        prop_assert_eq!(serde_json::from_str::<Value>(&json.unwrap()).unwrap(), value);
    }

    #[test]
    fn read_of_any_text_returns_json_or_nothing(text in "(---\n)?a: ([-a:|>'\"\\[\\]{},\n #1]| {2}){0,40}") {
        if let Some(json) = read(&text) {
            prop_assert!(crate::is_json_container(&json), "{} {}", text, json);
        }
    }
}
