//! Decisions of schemas beyond types, and their reasons.

use schemascope_shape::{Circumstances, Decision, Policy, Shape, StandsFor};
use serde_json::{Map, Value, json};

fn shape(documents: impl IntoIterator<Item = Value>) -> Shape {
    let mut shape = Shape::new();
    documents.into_iter().for_each(|document| shape.observe(document.to_string().as_bytes()).unwrap());
    shape
}

fn schema(shape: &Shape) -> Value {
    let mut schema = shape.schema(&Policy::default());
    schema.as_object_mut().unwrap().remove("$schema");
    schema
}

fn decided(shape: &Shape, path: &str) -> Vec<String> {
    let at = |one: &Decision| one.path == path;
    shape.explain(&Policy::default()).into_iter().filter(at).map(|one| one.decision).collect()
}

#[test]
fn few_repeated_values_become_an_enum() {
    let states = ["open", "closed", "merged"];
    let shape = shape((0..60).map(|n| json!({"state": states[n % 3], "kind": "pr", "code": 200 + 204 * (n % 2), "n": n % 4, "title": format!("t{n}")})));
    let fields = &schema(&shape)["properties"];
    assert_eq!(fields["state"], json!({"type": "string", "enum": ["closed", "merged", "open"]}));
    assert_eq!(fields["kind"], json!({"type": "string", "const": "pr"}));
    assert_eq!(fields["code"], json!({"type": "integer", "enum": [200, 404]}));
    // Adjacent numbers may continue.
    assert_eq!(fields["n"], json!({"type": "integer"}));
    assert_eq!(fields["title"], json!({"type": "string"}));
    assert_eq!(decided(&shape, "state"), ["required", "enum of 3"]);
}

/// A listing that is asked for again and again shows the same items, and the next one shows others.
#[test]
fn items_that_are_always_the_same_are_no_enum() {
    let tables = |_| json!([{"name": "accounts"}, {"name": "customers"}]);
    let items = &schema(&shape((0..12).map(tables)))["items"];
    assert_eq!(items["properties"]["name"], json!({"type": "string"}), "{items}");
}

/// Alternatives repeat all fields: records of 40 fields in which a flag comes with one more had four times their size.
#[test]
fn tag_that_determines_few_of_many_fields_makes_no_union() {
    let learned = |others: usize| {
        let document = |n: usize| {
            let mut document = json!({"id": format!("x{n}"), "paid": n.is_multiple_of(2)});
            if n.is_multiple_of(2) {
                document["receipt"] = json!(format!("r{n}"));
            }
            for other in 0..others {
                document[format!("f{other}")] = json!(n + other);
            }
            document
        };
        schema(&shape((0..60).map(document)))
    };
    assert_eq!(learned(3)["oneOf"].as_array().map(Vec::len), Some(2));
    let many = learned(12);
    assert_eq!(many["oneOf"], Value::Null);
    assert_eq!(many["properties"]["receipt"], json!({"type": "string"}));
}

/// An agent that asks for the same few things again and again learns nothing new about others.
#[test]
fn few_results_that_recur_fix_no_values_and_no_lengths() {
    let learned = |different: usize| {
        let document = |n: usize| {
            let n = n % different;
            let state = ["open", "closed"][n % 2];
            json!({"id": n, "state": state, "kind": "pr", "sizes": [n, n + 1], "rows": [{"id": 9 * n}, {"id": 9 * n + 1}]})
        };
        schema(&shape((0..60).map(document)))["properties"].clone()
    };
    let few = learned(3);
    assert_eq!(few["state"], json!({"type": "string"}));
    assert_eq!(few["kind"], json!({"type": "string"}));
    assert_eq!(few["sizes"]["maxItems"], Value::Null);
    let ten = |n: usize| json!({"id": n, "kind": format!("kind {}", char::from(b'a' + (n % 10) as u8))});
    assert_eq!(
        schema(&shape((0..60).map(ten)))["properties"]["kind"]["enum"].as_array().map(Vec::len),
        Some(10)
    );
    let many = learned(30);
    assert_eq!(many["state"]["enum"], json!(["closed", "open"]));
    assert_eq!(many["kind"]["const"], "pr");
    assert_eq!(many["sizes"]["maxItems"], 2);
}

#[test]
fn values_that_are_no_words_become_an_enum_only_after_more_documents() {
    let state = |n: usize, kinds: &[&str]| json!({"all": vec![kinds[n % 3]; 5], "n": n});
    let items = |shape: &Shape| schema(shape)["properties"]["all"]["items"].clone();
    let versions = ["3.10", "3.11", "3.12"];
    assert_eq!(items(&shape((0..9).map(|n| state(n, &versions)))), json!({"type": "string"}));
    assert_eq!(items(&shape((0..12).map(|n| state(n, &versions))))["enum"], json!(versions));
    assert_eq!(items(&shape((0..9).map(|n| state(n, &["a", "b", "c"]))))["enum"], json!(["a", "b", "c"]));
    let expressions = ["${{ a }}", "${{ b }}", "c"];
    assert_eq!(items(&shape((0..60).map(|n| state(n, &expressions)))), json!({"type": "string"}));
}

#[test]
fn codes_of_one_length_have_a_pattern() {
    let code = |n: usize| format!("{:06X}", n * 1_234_567 % 0xFF_FFFF);
    let learned = shape((0..15).map(|n| json!({"color": code(n)})));
    assert_eq!(
        schema(&learned)["properties"]["color"],
        json!({"type": "string", "pattern": "^[0-9A-F]{6}$"})
    );
    assert_eq!(decided(&learned, "color"), ["required", "pattern ^[0-9A-F]{6}$"]);
    let none = |documents: Vec<Value>| {
        let learned = shape(documents);
        assert_eq!(schema(&learned)["properties"]["color"], json!({"type": "string"}));
    };
    none((0..14).map(|n| json!({"color": code(n)})).collect());
    none((0..30).map(|n| json!({"color": if n == 7 { "red".to_owned() } else { code(n) }})).collect());
    none((0..30).map(|n| json!({"color": if n == 7 { "#00000".to_owned() } else { code(n) }})).collect());
    // Numbers may become longer.
    none((0..30).map(|n| json!({"color": format!("{}", 100_000 + n)})).collect());
    none((0..30).map(|n| json!({"color": format!("INV-{}", 100_000 + n)})).collect());
}

/// States of the format before lack the kinds of characters, and which fields come together.
#[test]
fn older_states_know_codes_whose_values_are_kept_and_no_union_of_own_fields() {
    let document = |n: usize| {
        let code = format!("{:06X}", n * 1_234_567 % 0xFF_FFFF);
        let mut document = json!({"code": code, "n": n});
        document[["url", "path"][n % 2]] = json!(n);
        document
    };
    let learned = shape((0..24).map(document));
    let mut state: Value = serde_json::from_slice(&learned.to_state()).unwrap();
    for node in state["nodes"].as_array_mut().unwrap() {
        let node = node.as_object_mut().unwrap();
        node.remove("t");
        if let Some(strings) = node.get_mut("strings") {
            strings.as_object_mut().unwrap().remove("characters");
        }
    }
    let mut older = Shape::from_state(state.to_string().as_bytes()).unwrap();
    assert_eq!(schema(&learned)["oneOf"].as_array().map(Vec::len), Some(2));
    assert_eq!(schema(&older)["properties"]["code"]["pattern"], "^[0-9A-F]{6}$");
    (24..90).for_each(|n| older.observe(document(n).to_string().as_bytes()).unwrap());
    assert!(schema(&older)["oneOf"].is_null());
    assert_eq!(older.to_state(), Shape::from_state(&older.to_state()).unwrap().to_state());
}

#[test]
fn values_seen_once_or_redacted_prevent_an_enum() {
    let once = shape((0..60).map(|n| json!({"state": if n == 7 { "rare" } else { "open" }})));
    assert_eq!(schema(&once)["properties"]["state"], json!({"type": "string"}));
    let hidden = |text: &str| (text == "*").then_some(StandsFor::String(Some(12)));
    let mut shape = Shape::new();
    for n in 0..60 {
        let document = json!({"token": if n % 2 == 0 { "*" } else { "none" }, "at": if n == 3 { "*" } else { "2026-11-21" }});
        let circumstances = Circumstances { epoch: 0, stands_for: Some(&hidden) };
        shape.observe_under(document.to_string().as_bytes(), circumstances).unwrap();
    }
    let fields = &schema(&shape)["properties"];
    assert_eq!((&fields["token"], &fields["at"]), (&json!({"type": "string"}), &json!({"type": "string"})));
    let token = shape.fields(&Policy::default()).into_iter().find(|field| field.path == "token").unwrap();
    assert_eq!(token.values.lengths, Some((4, 12)));
    assert!(!String::from_utf8(shape.to_state()).unwrap().contains("\"*\""));
}

#[test]
fn records_are_closed_if_no_new_field_is_expected() {
    let closed = shape((0..20).map(|n| json!({"a": n, "b": n})));
    assert_eq!(schema(&closed)["additionalProperties"], json!(false));
    let odd = |n: usize| if n.is_multiple_of(2) { json!("x") } else { json!(n) };
    let open = shape((0..20).map(|n| json!({"a": n, format!("x{}", (b'a' + n as u8) as char): odd(n)})));
    assert_eq!(schema(&open).get("additionalProperties"), None);
    assert_eq!(decided(&open, ""), ["open object"]);
}

#[test]
fn arrays_with_fixed_positions_become_tuples() {
    let shape = shape((0..30).map(
        |n| json!({"at": [n as f64 / 3.0, n], "row": ["x", n, true], "list": vec![n; n % 4], "one": [n]}),
    ));
    let fields = &schema(&shape)["properties"];
    assert_eq!(
        fields["at"],
        json!({"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2})
    );
    assert_eq!(
        fields["row"],
        json!({"type": "array", "minItems": 3, "items": false, "prefixItems": [
            {"type": "string", "const": "x"}, {"type": "integer"}, {"type": "boolean"}]})
    );
    assert_eq!(fields["list"], json!({"type": "array", "items": {"type": "integer"}}));
    assert_eq!(fields["one"], json!({"type": "array", "items": {"type": "integer"}}));
}

#[test]
fn field_that_determines_the_others_makes_a_tagged_union() {
    let event = |n: usize| match n % 3 {
        0 => json!({"id": n, "event": "opened", "title": format!("t{n}")}),
        1 => json!({"id": n, "event": "closed", "by": format!("u{n}"), "reason": null}),
        _ => json!({"id": n, "event": "moved", "from": n, "to": n + 1}),
    };
    let shape = shape((0..90).map(event));
    let schema = schema(&shape);
    let alternatives = schema["oneOf"].as_array().unwrap();
    assert_eq!(alternatives.len(), 3);
    assert_eq!(
        alternatives[0],
        json!({"additionalProperties": false, "required": ["by", "event", "id", "reason"], "properties": {
            "by": {"type": "string"}, "event": {"const": "closed"}, "id": {"type": "integer"}, "reason": {}}})
    );
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    assert!(validator.is_valid(&event(1)));
    assert!(!validator.is_valid(&json!({"id": 1, "event": "closed", "title": "t"})));
    let root = shape.root(&Policy::default()).unwrap();
    assert_eq!(root.alternatives.len(), 3);
    assert_eq!(
        (root.alternatives[0].tag.as_str(), root.alternatives[0].json.as_str()),
        ("event", "\"closed\"")
    );
    assert_eq!(decided(&shape, ""), ["tagged union of 3"]);
}

/// From recorded answers of APIs: most unions were by names, hashes and times of a few objects that came again and again.
#[test]
fn repeated_objects_times_and_hashes_make_no_union() {
    // Three users in 120 answers; one of them has a name.
    let user = |n: usize| match n % 3 {
        0 => json!({"login": "ann", "id": 11, "name": "Ann"}),
        1 => json!({"login": "bo", "id": 27}),
        _ => json!({"login": "cy", "id": 35}),
    };
    let users = shape((0..120).map(|n| json!({"n": n, "user": user(n)})));
    assert_eq!(schema(&users)["properties"]["user"].get("oneOf"), None);
    // The same field in users of whom there are many.
    let kind = |n: usize| match n % 2 {
        0 => json!({"kind": "person", "id": n, "name": format!("u{n}")}),
        _ => json!({"kind": "bot", "id": n, "owner": n}),
    };
    let kinds = shape((0..120).map(|n| json!({"n": n, "user": kind(n)})));
    assert_eq!(schema(&kinds)["properties"]["user"]["oneOf"].as_array().map(Vec::len), Some(2));
    for tags in [["2020-02-22T19:13:53Z", "2021-03-22T19:13:53Z"], ["b68de5ae38616c29", "6fa61a8f38616c29"]] {
        let by = |n: usize| match n % 2 {
            0 => json!({"mark": tags[0], "n": n, "name": format!("u{n}")}),
            _ => json!({"mark": tags[1], "n": n, "owner": n}),
        };
        // They have fields of their own, which may divide them.
        let by = schema(&shape((0..120).map(by))).to_string();
        assert!(!by.contains("\"const\""), "{by}");
    }
}

#[test]
fn fields_of_which_each_object_has_one_make_a_union() {
    let job = |n: usize| match n % 3 {
        0 => json!({"name": format!("j{n}"), "uses": format!("u {n}"), "with": {"x": n}}),
        1 => json!({"name": format!("j{n}"), "runs_on": format!("r {n}"), "steps": [n], "if": true}),
        _ => json!({"name": format!("j{n}"), "runs_on": format!("r {n}"), "steps": [n]}),
    };
    let learned = shape((0..30).map(job));
    let schema_of_jobs = schema(&learned);
    let alternatives = schema_of_jobs["oneOf"].as_array().unwrap();
    assert_eq!(alternatives.len(), 2);
    assert_eq!(alternatives[0]["required"], json!(["name", "runs_on", "steps"]));
    assert_eq!(alternatives[1]["required"], json!(["name", "uses", "with"]));
    assert_eq!(alternatives[0]["additionalProperties"], json!(false));
    let validator = jsonschema::draft202012::new(&schema_of_jobs).unwrap();
    assert!((0..30).all(|n| validator.is_valid(&job(n))));
    for wrong in [
        json!({"name": "j"}),
        json!({"name": "j", "runs_on": "r", "steps": [], "uses": "u"}),
        json!({"name": "j", "runs_on": "r", "uses": "u", "with": {}}),
        json!({"name": "j", "steps": [1]}),
    ] {
        assert!(!validator.is_valid(&wrong), "{wrong}");
    }
    assert_eq!(decided(&learned, ""), ["union of 2"]);
    let root = learned.root(&Policy::default()).unwrap();
    let rows: Vec<_> =
        root.alternatives.iter().map(|one| (one.tag.as_str(), one.json.as_str(), one.count)).collect();
    assert_eq!(rows, [("", "\"runs_on\"", 20), ("", "\"uses\"", 10)]);
    // One object with both, or with neither, and they are optional fields.
    for odd in [
        json!({"name": "j", "runs_on": "r", "steps": [1], "uses": "u", "with": {"x": 1}}),
        json!({"name": "j"}),
    ] {
        let learned = shape((0..30).map(job).chain([odd]));
        assert!(schema(&learned)["oneOf"].is_null());
    }
    // Too few documents with one of them.
    let learned = shape((0..30).filter(|n| n % 3 > 0 || *n < 20).map(job));
    assert!(schema(&learned)["oneOf"].is_null());
}

/// A field whose values are independent of the other fields is not a tag.
#[test]
fn independent_field_makes_no_union() {
    let shape = shape((0..90).map(|n| {
        let mut document = json!({"status": format!("s{}", n % 3), "flag": n % 2 == 0});
        if n % 5 < 3 {
            document["note"] = "x".into();
        }
        document
    }));
    assert!(schema(&shape).get("oneOf").is_none());
}

#[test]
fn keys_that_look_like_data_make_a_map_of_records() {
    let user = |n: usize| json!({"name": format!("n{n}"), "age": n});
    let shape = shape((0..10).map(|n| json!({"users": {
        format!("{n:08}"): user(n), format!("{:08}", n + 500): user(n + 1), format!("{:08}", n + 900): user(n + 2)}})));
    let users = &schema(&shape)["properties"]["users"];
    assert_eq!(users["additionalProperties"]["required"], json!(["age", "name"]));
    assert_eq!(decided(&shape, "users"), ["required", "map of object"]);
    // With a hundred times as many keys none is kept, but the common structure is.
    let many = self::shape((0..1_000).map(|n| json!({"users": {
        format!("{n:08}"): user(n), format!("{:08}", n + 50_000): user(n + 1), format!("{:08}", n + 90_000): user(n + 2)}})));
    let users = schema(&many)["properties"]["users"].clone();
    assert_eq!(
        users["additionalProperties"]["properties"],
        json!({"age": {"type": "integer"}, "name": {"type": "string"}})
    );
}

/// A record may have odd names. If they are always present, it is still a record.
#[test]
fn object_with_odd_keys_that_are_always_present_is_a_record() {
    let shape =
        shape((0..30).map(|n| json!({"First Name": format!("n{n}"), "Age (years)": n, "a/b": n % 2 == 0})));
    assert_eq!(schema(&shape)["required"], json!(["Age (years)", "First Name", "a/b"]));
}

#[test]
fn every_type_of_root_has_a_schema() {
    assert_eq!(schema(&shape((0..9).map(|n| json!(n)))), json!({"type": "integer"}));
    assert_eq!(schema(&shape((0..9).map(|n| json!(format!("t{n}"))))), json!({"type": "string"}));
    let rows = schema(&shape((0..9).map(|n| json!([{"n": n}, {"n": null}]))));
    assert_eq!(rows["items"]["properties"]["n"], json!({"type": ["integer", "null"]}));
}

#[test]
fn peculiar_documents_are_counted_and_noted() {
    let mut shape = Shape::new();
    let deep = "[".repeat(100) + &"]".repeat(100);
    for document in [
        "{\"a\":1,\"a\":2}",
        "{\"1234567\":{\"a\":1,\"a\":2}}",
        "{\"b\":\"\\ud800\"}",
        "{\"c\":1e999}",
        deep.as_str(),
    ] {
        shape.observe(document.as_bytes()).unwrap();
    }
    let notes: Vec<(&str, u64)> = shape.notes().into_iter().map(|note| (note.note, note.count)).collect();
    assert_eq!(
        notes,
        [
            ("duplicate keys in an object", 2),
            ("values too deep to be examined", 1),
            ("strings with half a surrogate pair", 1),
            ("numbers too large for a float", 1)
        ]
    );
}

#[test]
fn stability_is_measured_in_epochs() {
    let mut shape = Shape::new();
    for epoch in 1..=6 {
        let document = if epoch < 3 { "{\"a\":1}" } else { "{\"a\":1,\"b\":2}" };
        shape.observe_under(document.as_bytes(), Circumstances { epoch, stands_for: None }).unwrap();
    }
    let stability = shape.stability().unwrap();
    assert_eq!((stability.epochs, stability.of), (3, 6));
}

/// Redaction numbers the keys of each document, so that a different key each time looked like one that is always there.
#[test]
fn hidden_keys_are_no_fields() {
    let only = shape((0..30).map(|n| json!({"⟦redacted key 1⟧": {"uses": n}})));
    assert_eq!(schema(&only), json!({"type": "object", "additionalProperties": {"type": "object"}}));
    let mixed = shape((0..30).map(|n| json!({"name": format!("n{n}"), "⟦redacted key 1⟧": n})));
    let mixed = schema(&mixed);
    assert_eq!(mixed["required"], json!(["name"]), "{mixed}");
    assert!(
        !mixed.to_string().contains("redacted") && mixed["additionalProperties"] != json!(false),
        "{mixed}"
    );
    let mut undecodable = Shape::default();
    for n in 0..30 {
        undecodable.observe(format!(r#"{{"caf\udce9":{n}}}"#).as_bytes()).unwrap();
    }
    assert_eq!(schema(&undecodable), json!({"type": "object", "additionalProperties": {"type": "integer"}}));
}

/// Regression: a map of coins was a record as soon as its keys recurred, and the first new coin did not fit.
#[test]
fn map_stays_one_when_its_keys_recur() {
    let coins = ["btc", "eth", "ada", "dot", "sol", "xrp", "bnb", "ltc", "xmr", "etc", "uni", "trx"];
    let prices = |n: usize| {
        let some = (0..4).map(|at| (coins[(n * 7 + at * 5) % 12].to_owned(), json!({"usd": n as f64 + 0.5})));
        json!({"prices": Map::from_iter(some)})
    };
    for documents in [12, 40, 200] {
        let fields = &schema(&shape((0..documents).map(prices)))["properties"];
        assert_eq!(
            fields["prices"]["additionalProperties"]["properties"]["usd"]["type"], "number",
            "{fields}"
        );
    }
}

/// Regression: cells of a table that are numbers or texts were a record of hundreds of fields.
#[test]
fn map_may_have_values_of_several_types() {
    let cell = |n: usize, at: usize| match (n * 31 + at * 17) % 3 {
        0 => json!("text"),
        _ => json!(n),
    };
    let sheet = |n: usize| {
        let some = (0..9).map(|at| ((n * 13 + at * 29) % 80, at));
        json!({"cells": Map::from_iter(some.map(|(key, at)| (format!("A{key}"), cell(n, at))))})
    };
    for documents in [40, 200] {
        let fields = &schema(&shape((0..documents).map(sheet)))["properties"];
        assert!(fields["cells"]["additionalProperties"]["anyOf"].is_array(), "{documents} {fields}");
    }
}

/// Regression: hashes, numbers of orders, amounts and paths were enums as long as few of them had come.
#[test]
fn names_of_things_are_no_enum() {
    let field = |values: [&str; 3]| {
        let shape = shape((0..60_usize).map(|n| json!({"n": n, "value": values[n % 3]})));
        schema(&shape)["properties"]["value"]["enum"].is_array()
    };
    for things in [
        ["9f8a7d1c", "0c4be22f", "77aa01b9"],
        ["cus_9f8a7d1c", "cus_0c4be22f", "cus_77aa01b9"],
        ["100234", "100235", "100239"],
        ["19.99", "24.50", "10.00"],
        ["src/main.rs", "src/lib.rs", "docs/a.md"],
        ["nginx:1.25", "redis:7", "app:2"],
        ["the first issue of all", "b", "c"],
    ] {
        assert!(!field(things), "{things:?}");
    }
    for codes in [
        ["open", "closed", "in progress"],
        ["application/json", "application/vnd.api+json", "application/vnd.ms-excel"],
        [".rs", ".md", ".toml"],
        ["sha256", "sha512", "md5"],
        ["x86_64", "arm64", "i686"],
        ["v1", "v2", "v3"],
        ["2.0", "2.1", "3.0"],
    ] {
        assert!(field(codes), "{codes:?}");
    }
    let numbers = shape((0..60_usize).map(|n| {
        json!({"n": n, "account": ([2_579_067_768_u64, 3_681_059_809, 9_495_619_030][n % 3]), "code": ([200, 404, 500][n % 3])})
    }));
    let fields = &schema(&numbers)["properties"];
    assert!(fields["account"].get("enum").is_none() && fields["code"]["enum"].is_array(), "{fields}");
    let named = shape(
        (0..60_usize).map(|n| json!({"n": n, "baseSha": (["a", "b"][n % 2]), "side": (["a", "b"][n % 2])})),
    );
    let fields = &schema(&named)["properties"];
    assert!(fields["baseSha"].get("enum").is_none() && fields["side"]["enum"].is_array(), "{fields}");
}
