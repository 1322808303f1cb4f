//! Known wrong ways of earlier systems, and the plain cases.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use schemascope_shape::{MAX_DEPTH, Policy, Shape};
use serde_json::{Value, json};

fn shape(documents: &[&str]) -> Shape {
    let mut shape = Shape::new();
    for document in documents {
        shape.observe(document.as_bytes()).unwrap();
    }
    shape
}

fn schema(documents: &[&str]) -> Value {
    let mut schema = shape(documents).schema(&Policy { required_after: 1, ..Policy::default() });
    schema.as_object_mut().unwrap().remove("$schema");
    schema
}

#[track_caller]
fn check(documents: &[&str], expect: impl Into<Value>) {
    assert_eq!(schema(documents), expect.into());
}

#[test]
fn scalars_nullables_and_numbers() {
    check(&["1", "2"], json!({"type": "integer"}));
    check(&["1", "2.5"], json!({"type": "number"}));
    check(&["null"], json!({"type": "null"}));
    check(&["null", "true"], json!({"type": ["boolean", "null"]}));
    check(
        &["1", "\"x\"", "null"],
        json!({"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]}),
    );
    check(&[], json!({}));
}

/// A field missing once is optional, wherever in the order it was missing.
#[test]
fn presence_is_counted_not_intersected() {
    for order in [
        ["{\"a\":1,\"b\":1}", "{\"a\":1}", "{\"a\":1,\"b\":1}"],
        ["{\"a\":1}", "{\"a\":1,\"b\":1}", "{\"a\":1,\"b\":1}"],
    ] {
        check(
            &order,
            json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a"]}),
        );
    }
}

/// How many are enough depends on how many other fields turned out to be optional.
#[test]
fn required_needs_enough_parents() {
    let required = |documents: &[&str]| shape(documents).schema(&Policy::default()).get("required").cloned();
    let both = "{\"a\":1,\"b\":1}";
    assert_eq!(required(&[both; 2]), None);
    assert_eq!(required(&[both; 3]), Some(json!(["a", "b"])));
    let mut documents = vec!["{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1}", "{\"a\":1}"];
    documents.resize(7, "{\"a\":1}");
    assert_eq!(required(&documents), None);
    documents.push("{\"a\":1}");
    assert_eq!(required(&documents), Some(json!(["a"])));
}

/// The fourth item counts as the first does, and the losing side of a conflict stays.
#[test]
fn every_item_and_every_type_stays() {
    check(
        &["[1,2,3,\"x\"]"],
        json!({"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}),
    );
    check(&["[]"], json!({"type": "array"}));
    check(
        &["{\"a\":{\"b\":1}}", "{\"a\":\"x\"}"],
        json!({"type": "object", "required": ["a"], "properties": {"a": {"anyOf": [
            {"type": "string"},
            {"type": "object", "properties": {"b": {"type": "integer"}}, "required": ["b"]}]}}}),
    );
}

#[test]
fn one_null_among_integers_is_nullable_and_consistent() {
    let mut documents = vec!["{\"n\":1}"; 100];
    documents.push("{\"n\":null}");
    let shape = shape(&documents);
    assert_eq!(shape.schema(&Policy::default())["properties"]["n"], json!({"type": ["integer", "null"]}));
    assert_eq!(shape.mean_consistency(), Some(1.0));
}

#[test]
fn maps_with_changing_keys_are_not_records() {
    let documents: Vec<String> =
        (0..10).map(|n| format!("{{\"stock\":{{\"sku-{n}\":{n},\"sku-{}\":1}}}}", n + 100)).collect();
    let documents: Vec<&str> = documents.iter().map(String::as_str).collect();
    let shape = shape(&documents);
    assert_eq!(
        shape.schema(&Policy::default())["properties"]["stock"],
        json!({"type": "object", "additionalProperties": {"type": "integer"}})
    );
    let paths: Vec<_> = shape.fields(&Policy::default()).into_iter().map(|field| field.path).collect();
    assert_eq!(paths, ["stock"]);
}

/// When every key has been seen often no key is a singleton any more; it is a map all the same.
#[test]
fn a_map_stays_one_when_its_keys_come_again() {
    let documents: Vec<String> =
        (0..2_000).map(|n| format!("{{\"sku-{}\":{n},\"sku-{}\":1}}", n % 40, n * 7 % 40)).collect();
    let documents: Vec<&str> = documents.iter().map(String::as_str).collect();
    let shape = shape(&documents);
    let schema = shape.schema(&Policy::default());
    assert_eq!(schema["additionalProperties"], json!({"type": "integer"}));
    assert_eq!(shape.mean_consistency(), Some(1.0));
}

/// Many optional fields beside one that is always there are a record.
#[test]
fn a_record_of_many_optional_fields_is_a_record() {
    let documents: Vec<String> =
        (0..200).map(|n| format!("{{\"id\":\"x\",\"field{}\":\"a\"}}", (b'a' + n % 26) as char)).collect();
    let documents: Vec<&str> = documents.iter().map(String::as_str).collect();
    assert_eq!(shape(&documents).fields(&Policy::default()).len(), 27);
}

#[test]
fn a_format_is_named_when_all_strings_have_it() {
    let at = "{\"at\":\"2026-11-20T12:00:00Z\"}";
    let format = json!({"type": "object", "required": ["at"], "properties": {"at": {"type": "string", "format": "date-time"}}});
    check(&[at, at], format);
    assert_eq!(
        schema(&[at, "{\"at\":null}"])["properties"]["at"],
        json!({"type": ["string", "null"], "format": "date-time"})
    );
    assert_eq!(schema(&[at, "{\"at\":\"now\"}"])["properties"]["at"], json!({"type": "string"}));
    assert_eq!(schema(&[at, "{\"at\":\"2026-11-20\"}"])["properties"]["at"], json!({"type": "string"}));
}

#[test]
fn a_wide_record_seen_once_is_a_record() {
    let document = "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1}";
    assert_eq!(shape(&[document]).fields(&Policy::default()).len(), 8);
}

#[test]
fn consistency_counts_missing_and_odd_types() {
    let shape =
        shape(&["{\"a\":1,\"b\":\"x\"}", "{\"a\":1.5,\"b\":1}", "{\"a\":null}", "{\"a\":2,\"b\":\"y\"}"]);
    let fields = shape.fields(&Policy::default());
    assert_eq!((fields[0].path.as_str(), fields[0].consistency), ("a", 1.0));
    assert_eq!((fields[1].path.as_str(), fields[1].consistency), ("b", 0.5));
    assert_eq!(shape.mean_consistency(), Some(0.75));
}

#[test]
fn a_repeated_key_is_one_presence_of_both_types() {
    check(
        &["{\"a\":1,\"a\":\"x\"}"],
        json!({"type": "object", "required": ["a"], "properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}}),
    );
    assert_eq!(shape(&["[{\"a\":1,\"a\":2},{}]"]).fields(&Policy::default())[0].consistency, 0.5);
}

#[test]
fn paths_quote_what_is_not_a_word() {
    let shape = shape(&["{\"a\":[{\"b.c\":1}],\"\":{\"x\":1}}"]);
    let paths: Vec<_> = shape.fields(&Policy::default()).into_iter().map(|field| field.path).collect();
    assert_eq!(paths, ["[\"\"]", "[\"\"].x", "a", "a[][\"b.c\"]"]);
}

#[test]
fn depth_is_bounded_and_the_rest_opaque() {
    let levels = 1_000_000;
    let deep = "[".repeat(levels) + &"]".repeat(levels);
    let shape = shape(&[&deep]);
    assert!(shape.to_state().len() < 200 * MAX_DEPTH);
    let restored = Shape::from_state(&shape.to_state()).unwrap();
    assert_eq!(restored, shape);
}

#[test]
fn a_state_of_another_version_is_refused_by_name() {
    let error = Shape::from_state(b"{\"version\":9,\"new\":[]}").unwrap_err();
    assert!(error.to_string().contains("version 9"), "{error}");
}

/// The same at the depth where looking ends, whether paths there are kept or not.
#[test]
fn trimming_at_the_last_depth_is_exact() {
    for levels in MAX_DEPTH - 2..=MAX_DEPTH + 1 {
        let deep = "[".repeat(levels) + "{\"a\":1}" + &"]".repeat(levels);
        for cap in [0, 1, MAX_DEPTH - 1, MAX_DEPTH] {
            let mut twice = Shape::with_cap(cap);
            twice.observe(deep.as_bytes()).unwrap();
            let mut merged = twice.clone();
            merged.merge(&twice).unwrap();
            twice.observe(deep.as_bytes()).unwrap();
            assert_eq!(twice, merged, "{levels} levels, {cap} paths");
        }
    }
}

/// The deepest schema can be read by readers with the usual limit.
#[test]
fn the_deepest_schema_can_be_read() {
    let deep = "{\"a\":".repeat(MAX_DEPTH + 5) + "1" + &"}".repeat(MAX_DEPTH + 5);
    let schema = json!({"reply": {"schema": shape(&[&deep]).schema(&Policy::default())}}).to_string();
    assert!(serde_json::from_str::<Value>(&schema).is_ok());
}

/// A million keys, in one document or over many: bounded state, exact where it is kept.
#[test]
fn random_keys_do_not_grow_a_shape() {
    let keys = |from: usize, to: usize| {
        let entries: Vec<String> = (from..to).map(|n| format!("\"key-{n:07}\":{n}")).collect();
        format!("{{\"name\":\"x\",\"map\":{{{}}}}}", entries.join(","))
    };
    let mut at_once = Shape::new();
    at_once.observe(keys(0, 200_000).as_bytes()).unwrap();
    let mut one_by_one = Shape::new();
    for start in (0..40_000).step_by(1_000) {
        one_by_one.observe(keys(start, start + 1_000).as_bytes()).unwrap();
    }
    for shape in [at_once, one_by_one] {
        assert!(shape.is_trimmed());
        assert!(shape.to_state().len() < 1_000_000, "{}", shape.to_state().len());
        assert!(shape.fields(&Policy::default()).iter().any(|field| field.path == "name"));
        let schema = shape.schema(&Policy { required_after: 1, ..Policy::default() });
        assert_eq!(schema["required"], json!(["map", "name"]));
    }
}

/// Whether a document counts does not depend on what is kept; what only some readers accept counts.
#[test]
fn unreadable_documents_do_not_count_whatever_is_kept() {
    for cap in [0, 1_000] {
        let mut shape = Shape::with_cap(cap);
        shape.observe(b"{\"a\":1,\"b\":{\"c\":2}}").unwrap();
        let before = shape.clone();
        for document in [&b"{\"z\":\"\xff\"}"[..], b"{\"z\":[1,}", b"{\"z\":1"] {
            assert!(shape.observe(document).is_err(), "{cap}");
            assert_eq!(shape, before);
        }
    }
}
