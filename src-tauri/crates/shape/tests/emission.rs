//! Known mistakes of other systems, and the simple cases.

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
fn scalars_nullables_and_numbers_have_their_types() {
    check(&["1", "2"], json!({"type": "integer"}));
    check(&["1", "2.5"], json!({"type": "number"}));
    check(&["null", "true"], json!({"type": ["boolean", "null"]}));
    check(
        &["1", "\"x\"", "null"],
        json!({"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]}),
    );
    check(&[], json!({}));
}

/// Of a value that was only ever null, nothing is known; a value that is null very often is always null.
#[test]
fn null_alone_is_no_type_before_it_recurs() {
    check(&["null"; 19], json!({}));
    check(&["null"; 20], json!({"type": "null"}));
}

/// The items of one document are alike: what all of them have may be missing in the next document.
#[test]
fn objects_of_few_documents_are_neither_complete_nor_closed() {
    let item = json!({"id": 1, "name": "a"});
    let one = json!({"items": vec![item; 20]}).to_string();
    let known = |documents: usize| {
        let schema = shape(&vec![one.as_str(); documents]).schema(&Policy::default());
        let item = &schema["properties"]["items"]["items"];
        (item.get("required").is_some(), item.get("additionalProperties").is_some())
    };
    assert_eq!((known(2), known(20)), ((false, false), (true, true)));
}

/// A field missing once is optional, at whatever position it was missing.
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

/// The number of objects needed depends on how many other fields are optional.
#[test]
fn required_needs_enough_parents() {
    let required = |documents: &[&str]| shape(documents).schema(&Policy::default()).get("required").cloned();
    let both = "{\"a\":1,\"b\":1}";
    assert_eq!(required(&[both; 2]), None);
    assert_eq!(required(&[both; 3]), Some(json!(["a", "b"])));
    let mut documents =
        vec!["{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1}", "{\"a\":1}"];
    documents.resize(7, "{\"a\":1}");
    assert_eq!(required(&documents), None);
    documents.push("{\"a\":1}");
    assert_eq!(required(&documents), Some(json!(["a"])));
}

/// The fourth item counts like the first, and the less frequent type of a conflict is kept.
#[test]
fn every_item_and_every_type_is_kept() {
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

/// After every key has been seen often, no key occurs only once; it is still a map.
#[test]
fn map_with_recurring_keys_is_a_map() {
    let documents: Vec<String> =
        (0..2_000).map(|n| format!("{{\"sku-{}\":{n},\"sku-{}\":1}}", n % 40, n * 7 % 40)).collect();
    let documents: Vec<&str> = documents.iter().map(String::as_str).collect();
    let shape = shape(&documents);
    let schema = shape.schema(&Policy::default());
    assert_eq!(schema["additionalProperties"], json!({"type": "integer"}));
    assert_eq!(shape.mean_consistency(), Some(1.0));
}

/// Many optional fields beside one that is always present make a record.
#[test]
fn object_with_many_optional_fields_is_a_record() {
    let documents: Vec<String> =
        (0..200).map(|n| format!("{{\"id\":\"x\",\"field{}\":\"a\"}}", (b'a' + n % 26) as char)).collect();
    let documents: Vec<&str> = documents.iter().map(String::as_str).collect();
    assert_eq!(shape(&documents).fields(&Policy::default()).len(), 27);
}

#[test]
fn format_is_emitted_if_all_strings_have_it() {
    let at = "{\"at\":\"2026-11-20T12:00:00Z\"}";
    let format = json!({"type": "object", "required": ["at"], "properties": {"at": {"type": "string", "format": "date-time"}}});
    check(&[at, at, at], format);
    let none = json!({"type": "string"});
    assert_eq!(schema(&[at, at])["properties"]["at"], none, "one more may be without it");
    assert_eq!(
        schema(&[at, at, at, "{\"at\":null}"])["properties"]["at"],
        json!({"type": ["string", "null"], "format": "date-time"})
    );
    assert_eq!(schema(&[at, at, at, "{\"at\":\"now\"}"])["properties"]["at"], none);
    assert_eq!(schema(&[at, at, at, "{\"at\":\"2026-11-20\"}"])["properties"]["at"], none);
}

#[test]
fn wide_object_seen_once_is_a_record() {
    let document = "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1}";
    assert_eq!(shape(&[document]).fields(&Policy::default()).len(), 8);
}

#[test]
fn consistency_counts_missing_fields_and_deviating_types() {
    let shape =
        shape(&["{\"a\":1,\"b\":\"x\"}", "{\"a\":1.5,\"b\":1}", "{\"a\":null}", "{\"a\":2,\"b\":\"y\"}"]);
    let fields = shape.fields(&Policy::default());
    assert_eq!((fields[0].path.as_str(), fields[0].consistency), ("a", 1.0));
    assert_eq!((fields[1].path.as_str(), fields[1].consistency), ("b", 0.5));
    assert_eq!(shape.mean_consistency(), Some(0.75));
}

#[test]
fn duplicate_key_is_one_presence_of_both_types() {
    check(
        &["{\"a\":1,\"a\":\"x\"}"],
        json!({"type": "object", "required": ["a"], "properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}}),
    );
    assert_eq!(shape(&["[{\"a\":1,\"a\":2},{}]"]).fields(&Policy::default())[0].consistency, 0.5);
}

#[test]
fn paths_quote_keys_that_are_not_words() {
    let shape = shape(&["{\"a\":[{\"b.c\":1}],\"\":{\"x\":1}}"]);
    let paths: Vec<_> = shape.fields(&Policy::default()).into_iter().map(|field| field.path).collect();
    assert_eq!(paths, ["[\"\"]", "[\"\"].x", "a", "a[][\"b.c\"]"]);
}

#[test]
fn depth_is_bounded_and_deeper_values_are_opaque() {
    let levels = 1_000_000;
    let deep = "[".repeat(levels) + &"]".repeat(levels);
    let shape = shape(&[&deep]);
    assert!(shape.to_state().len() < 200 * MAX_DEPTH);
    let restored = Shape::from_state(&shape.to_state()).unwrap();
    assert_eq!(restored, shape);
}

#[test]
fn state_of_another_format_is_rejected_with_its_number() {
    let error = Shape::from_state(b"{\"version\":9,\"new\":[]}").unwrap_err();
    assert!(error.to_string().contains("format 9"), "{error}");
}

/// Trimming is exact at the last examined depth as well, whether paths there are kept or not.
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

/// Readers with the usual limit can read the deepest schema.
#[test]
fn deepest_schema_is_readable() {
    let deep = "{\"a\":".repeat(MAX_DEPTH + 5) + "1" + &"}".repeat(MAX_DEPTH + 5);
    let schema = json!({"reply": {"schema": shape(&[&deep]).schema(&Policy::default())}}).to_string();
    assert!(serde_json::from_str::<Value>(&schema).is_ok());
}

/// A million keys, in one document or over many: the state is bounded, and exact where it is kept.
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

/// Whether a document counts does not depend on which paths are kept; documents that only some
/// readers accept count.
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

/// Returns a document with structure that all share, and many keys of its own one level deeper.
fn with_own_keys(number: u64) -> String {
    let own: Vec<String> = (0..40).map(|at| format!("\"key{number}x{at}\":{{\"deep\":{at}}}")).collect();
    format!(
        r#"{{"id":{number},"user":{{"name":"n{number}","mail":"m","team":{{"lead":"l","size":3}}}},
        "service.name":"s","tags":["a"],"own":{{{}}}}}"#,
        own.join(",")
    )
}

#[test]
fn shared_structure_outlives_keys_that_one_document_has() {
    let mut shape = Shape::new();
    let (mut left, mut right) = (Shape::new(), Shape::new());
    for number in 0..600 {
        let document = with_own_keys(number);
        shape.observe(document.as_bytes()).unwrap();
        if number % 3 == 0 { &mut left } else { &mut right }.observe(document.as_bytes()).unwrap();
    }
    assert!(shape.is_trimmed());
    let schema = shape.schema(&Policy::default());
    assert_eq!(schema["required"], json!(["id", "own", "service.name", "tags", "user"]));
    let user = &schema["properties"]["user"];
    assert_eq!(user["required"], json!(["mail", "name", "team"]));
    assert_eq!(user["properties"]["team"]["required"], json!(["lead", "size"]));
    assert_eq!(user["properties"]["team"]["properties"]["size"]["type"], "integer");
    right.merge(&left).unwrap();
    assert_eq!(right, shape);
}

#[test]
fn types_of_fields_that_were_not_kept_are_stated() {
    let mut shape = Shape::with_cap(40);
    for number in 0..60 {
        let own: Vec<String> = (0..5).map(|at| format!("\"key{number}x{at}\":{at}")).collect();
        shape
            .observe(format!("{{\"id\":{number},\"own\":{{{},\"word\":\"w\"}}}}", own.join(",")).as_bytes())
            .unwrap();
    }
    let schema = shape.schema(&Policy::default());
    let others = &schema["properties"]["own"]["additionalProperties"];
    let accepts = |value: Value| jsonschema::is_valid(others, &value);
    assert!(accepts(json!(7)) && !accepts(json!({})) && !accepts(Value::Null), "{schema}");
}

/// A map of hundreds of records by name, a few in each document, in a shape that keeps a hundred paths.
fn wide_map(name: &str) -> Shape {
    let mut shape = Shape::with_cap(100);
    for number in 0..120_u64 {
        let record = |at: u64| {
            let tls = if (number + at).is_multiple_of(3) { r#","tls":{"on":true}"# } else { "" };
            format!(
                r#""w{}":{{"port":{number},"image":"i{at}","args":["x"]{tls}}}"#,
                letters(7 * number + at)
            )
        };
        let records: Vec<String> = (0..1 + number % 4).map(record).collect();
        let document = format!(r#"{{"at":"2026-11-21","{name}":{{{}}}}}"#, records.join(","));
        shape.observe(document.as_bytes()).unwrap();
    }
    assert!(shape.is_trimmed());
    shape
}

fn letters(number: u64) -> String {
    [number / 26, number % 26].map(|letter| char::from(b'a' + (letter % 26) as u8)).iter().collect()
}

#[test]
fn records_of_a_wide_map_are_known_if_its_name_is_a_plural() {
    let known = json!({
        "type": "object",
        "properties": {
            "args": {"type": "array", "items": {"type": "string", "const": "x"}},
            "image": {"type": "string", "enum": ["i0", "i1", "i2", "i3"]},
            "port": {"type": "integer"},
            "tls": {
                "type": "object",
                "properties": {"on": {"type": "boolean"}},
                "required": ["on"],
                "additionalProperties": false,
            },
        },
        "required": ["args", "image", "port"],
        "additionalProperties": false,
    });
    for name in ["services", "buildJobs", "by_name", "itemsByName", "volume_map"] {
        let schema = wide_map(name).schema(&Policy::default());
        assert_eq!(schema["properties"][name]["additionalProperties"], known, "{schema}");
    }
    let schema = wide_map("status").schema(&Policy::default());
    assert_ne!(schema["properties"]["status"]["additionalProperties"], known, "{schema}");
}

/// Members that are counted by themselves and together at every level would double the paths, and the work, with each.
#[test]
fn plurals_nested_on_purpose_do_not_multiply_paths() {
    let nested = (0..20).fold("1".to_owned(), |inner, _| format!(r#"{{"jobs":{{"a":{inner}}}}}"#));
    let paths = shape(&[&nested]).paths();
    assert!(paths < 400, "{paths} paths of 40 levels");
}

/// Returns a shape as it is read from a state of format 4.
fn of_format_4(shape: &Shape) -> Shape {
    let mut state: Value = serde_json::from_slice(&shape.to_state()).unwrap();
    state["version"] = json!(4);
    let nodes = state["nodes"].as_array().unwrap();
    let members = nodes.iter().position(|node| node["s"] == "+").unwrap();
    let depth = |node: &Value| node["d"].as_u64();
    let below = nodes[members + 1..].iter().take_while(|node| depth(node) > depth(&nodes[members])).count();
    let without = [&nodes[..members], &nodes[members + 1 + below..]].concat();
    state["nodes"] = json!(without);
    Shape::from_state(state.to_string().as_bytes()).unwrap()
}

#[test]
fn older_and_newer_states_merge_in_any_order() {
    let newer = shape(&[r#"{"jobs":{"a":{"b":1},"2026-11-21":{"c":2}}}"#]);
    let older = of_format_4(&newer);
    let merged = |one: &Shape, other: &Shape| {
        let mut merged = one.clone();
        merged.merge(other).unwrap();
        merged.to_state()
    };
    let state = merged(&newer, &older);
    assert_eq!(state, merged(&older, &newer));
    assert_eq!(Shape::from_state(&state).unwrap().to_state(), state);
}

/// In format 4, members were not counted together, so those counted since are not all.
#[test]
fn members_counted_since_an_older_state_are_not_taken_for_all() {
    let mut shape = of_format_4(&wide_map("services"));
    for number in 0..40 {
        shape
            .observe(format!(r#"{{"at":"2026-11-21","services":{{"w":{{"new":{number}}}}}}}"#).as_bytes())
            .unwrap();
    }
    let schema = shape.schema(&Policy::default());
    let earlier = json!({"at": "2026-11-21", "services": {"w": {"port": 1, "image": "i0", "args": ["x"]}}});
    assert!(jsonschema::is_valid(&schema, &earlier), "{schema}");
}

/// In format 3, values of dotted names were also counted together.
#[test]
fn state_of_the_format_before_is_converted() {
    let mut shape = Shape::new();
    for number in 0..30 {
        let document =
            format!(r#"{{"id":{number},"sap.app":{{"type":"app{number}"}},"sap.ui":"text {number}"}}"#);
        shape.observe(document.as_bytes()).unwrap();
    }
    let mut state: Value = serde_json::from_slice(&shape.to_state()).unwrap();
    let now = state.clone();
    state["version"] = json!(3);
    let nodes = state["nodes"].as_array_mut().unwrap();
    let together =
        json!({"d": 1, "s": "{", "p": 30, "n": 30, "c": [[4, 30], [5, 30]], "f": [[4, 0], [5, 0]]});
    let below = json!({"d": 2, "k": "type", "p": 30, "n": 30, "c": [[4, 30]], "f": [[4, 0]]});
    nodes.extend([together, below]);
    let converted = Shape::from_state(state.to_string().as_bytes()).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&converted.to_state()).unwrap(), now);
    assert_eq!(converted.schema(&Policy::default())["additionalProperties"], false);
}
