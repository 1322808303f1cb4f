//! What is told of each kind of effective schema.

use serde_json::json;

use super::*;

#[test]
fn what_an_upstream_declares_is_told_byte_for_byte() {
    let definition = br#"{"name":"t", "outputSchema" : {"required":["a"],"type":"object","x":1.10},"y":1E5}"#;
    let definition = Bytes::from_static(definition);
    let declared = schema(json!({"required": ["a"], "type": "object", "x": 1.10}));
    for modern in [false, true] {
        for effective in [Effective::None, Effective::Declared(declared.clone())] {
            let judge = judge(&effective);
            let told = Told { effective: &effective, judge: &judge, suspended: false, modern };
            assert_eq!(advertise(&definition, &told), definition);
        }
    }
}

#[test]
fn what_was_promoted_is_told_so_that_every_object_satisfies_it() {
    let promoted = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}, "self": {"$ref": "#"},
        "twin": {"$ref": "#/properties/a"}, "$ref": {"const": {"$ref": "#"}}}, "$defs": {"b": {"items": {"$ref": "#/$defs/b"}}}});
    let told = json!({"type": "object", "anyOf": [
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}, "self": {"$ref": "#/anyOf/0"},
            "twin": {"$ref": "#/anyOf/0/properties/a"}, "$ref": {"const": {"$ref": "#"}}}},
        {"type": "object"},
    ], "$defs": {"b": {"items": {"$ref": "#/$defs/b"}}}});
    let [_, promoted, pinned, enforced] = all_origins(&promoted);
    for modern in [false, true] {
        for effective in [&promoted, &pinned] {
            assert_eq!(advertised(None, effective, modern, false), Some(told.clone()));
            // Whatever the upstream says itself.
            assert_eq!(
                advertised(Some(&json!({"type": "object"})), effective, modern, false),
                Some(told.clone())
            );
        }
        let bare = enforced.schema().map(|schema| schema.schema.as_ref().clone());
        assert_eq!(advertised(None, &enforced, modern, false), bare);
    }
}

#[test]
fn what_is_no_object_is_told_as_a_field_to_clients_with_sessions() {
    let list = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://x/list",
        "type": "array", "items": {"anyOf": [{"$ref": "https://x/list"}, {"$ref": "#/$defs/n"}]}, "$defs": {"n": {"type": "integer"}}});
    let [declared, promoted, pinned, enforced] = all_origins(&list);
    let told = |place: &str, outer: &dyn Fn(Value) -> Value| {
        let mut told = json!({"$schema": "https://json-schema.org/draft/2020-12/schema"});
        let inner = json!({"type": "array", "items": {"anyOf": [{"$ref": place}, {"$ref": "#/$defs/n"}]}});
        for (key, value) in outer(inner).as_object().unwrap() {
            told[key] = value.clone();
        }
        told["$defs"] = json!({"n": {"type": "integer"}});
        Some(told)
    };
    let field = told(
        "#/properties/result/anyOf/0",
        &|inner| json!({"type": "object", "properties": {"result": {"anyOf": [inner, {}]}}}),
    );
    let bare = told("#/anyOf/0", &|inner| json!({"anyOf": [inner, {}]}));
    let strict = told(
        "#/properties/result",
        &|inner| json!({"type": "object", "properties": {"result": inner}, "required": ["result"]}),
    );
    for effective in [&promoted, &pinned] {
        assert_eq!(advertised(None, effective, false, false), field);
        assert_eq!(advertised(None, effective, true, false), bare);
    }
    assert_eq!(advertised(None, &enforced, false, false), strict);
    assert_eq!(advertised(None, &enforced, true, false), Some(list.clone()));
    // No client with sessions takes such a declaration in a list.
    assert_eq!(advertised(Some(&list), &declared, false, false), field);
    assert_eq!(advertised(Some(&list), &declared, true, false), Some(list));
}

/// One schema they cannot use, and the SDKs refuse the whole list.
#[test]
fn what_would_break_a_list_is_told_differently() {
    let generic = Some(json!({"type": "object", "properties": {"result": {}}}));
    for broken in [
        json!({"type": "object", "properties": {"a": {"$ref": "https://example.org/a"}}}),
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/none"}}}),
        json!({"type": "object", "properties": {"a": {"type": "text"}}}),
        json!({"type": "object", "properties": {"a": {"pattern": "("}}}),
    ] {
        for effective in &all_origins(&broken) {
            assert_eq!(advertised(Some(&broken), effective, false, false), generic, "{broken}");
        }
    }
    let odd = json!({"properties": {"a": true, "b": false}, "required": ["a"]});
    let mended = json!({"type": "object", "allOf": [odd]});
    let [declared, .., enforced] = all_origins(&odd);
    for effective in [&declared, &enforced] {
        assert_eq!(advertised(Some(&odd), effective, false, false), Some(mended.clone()));
    }
    assert_eq!(advertised(Some(&odd), &declared, true, false), Some(odd));
}

#[test]
fn a_suspended_schema_gives_way_to_the_generic_one() {
    let object = json!({"type": "object", "required": ["a"]});
    for effective in &all_origins(&object)[..2] {
        for modern in [false, true] {
            let told = advertised(Some(&object), effective, modern, true);
            // Without a word on what else may come, where anything may.
            let object = json!({"type": "object", "properties": {"result": {}}});
            assert_eq!(told, Some(if modern { json!({"properties": {"result": {}}}) } else { object }));
        }
    }
}
