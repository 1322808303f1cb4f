//! The advertised schema for each kind of effective schema.

use serde_json::json;

use super::*;

#[test]
fn declared_schema_is_advertised_byte_for_byte() {
    let definition = br#"{"name":"t", "outputSchema" : {"required":["a"],"type":"object","x":1.10},"y":1E5}"#;
    let definition = Bytes::from_static(definition);
    let declared = schema(json!({"required": ["a"], "type": "object", "x": 1.10}));
    for modern in [false, true] {
        for effective in [Effective::None, Effective::Declared(declared.clone())] {
            let judge = judge(&effective);
            let context = ToolContext { effective: &effective, judge: &judge, suspended: false, modern };
            assert_eq!(advertise(&definition, &context), definition);
        }
    }
}

#[test]
fn promoted_schema_is_advertised_so_that_every_object_satisfies_it() {
    let promoted = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}, "self": {"$ref": "#"},
        "twin": {"$ref": "#/properties/a"}, "$ref": {"const": {"$ref": "#"}}}, "$defs": {"b": {"items": {"$ref": "#/$defs/b"}}}});
    let shown = json!({"type": "object", "anyOf": [
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}, "self": {"$ref": "#/anyOf/0"},
            "twin": {"$ref": "#/anyOf/0/properties/a"}, "$ref": {"const": {"$ref": "#"}}}},
        {"type": "object"},
    ], "$defs": {"b": {"items": {"$ref": "#/$defs/b"}}}});
    let [_, promoted, pinned, enforced] = all_origins(&promoted);
    for modern in [false, true] {
        for effective in [&promoted, &pinned] {
            assert_eq!(advertised(None, effective, modern, false), Some(shown.clone()));
            // Whatever the upstream declares.
            assert_eq!(
                advertised(Some(&json!({"type": "object"})), effective, modern, false),
                Some(shown.clone())
            );
        }
        let bare = enforced.schema().map(|schema| schema.schema.as_ref().clone());
        assert_eq!(advertised(None, &enforced, modern, false), bare);
    }
}

#[test]
fn schema_of_other_values_is_wrapped_for_session_clients() {
    let list = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://x/list",
        "type": "array", "items": {"anyOf": [{"$ref": "https://x/list"}, {"$ref": "#/$defs/n"}]}, "$defs": {"n": {"type": "integer"}}});
    let [declared, promoted, pinned, enforced] = all_origins(&list);
    let shown = |place: &str, outer: &dyn Fn(Value) -> Value| {
        let mut shown = json!({"$schema": "https://json-schema.org/draft/2020-12/schema"});
        let inner = json!({"type": "array", "items": {"anyOf": [{"$ref": place}, {"$ref": "#/$defs/n"}]}});
        for (key, value) in outer(inner).as_object().unwrap() {
            shown[key] = value.clone();
        }
        shown["$defs"] = json!({"n": {"type": "integer"}});
        Some(shown)
    };
    let field = shown(
        "#/properties/result/anyOf/0",
        &|inner| json!({"type": "object", "properties": {"result": {"anyOf": [inner, {}]}}}),
    );
    let bare = shown("#/anyOf/0", &|inner| json!({"anyOf": [inner, {}]}));
    let strict = shown(
        "#/properties/result",
        &|inner| json!({"type": "object", "properties": {"result": inner}, "required": ["result"]}),
    );
    for effective in [&promoted, &pinned] {
        assert_eq!(advertised(None, effective, false, false), field);
        assert_eq!(advertised(None, effective, true, false), bare);
    }
    assert_eq!(advertised(None, &enforced, false, false), strict);
    assert_eq!(advertised(None, &enforced, true, false), Some(list.clone()));
    // Clients of the session era reject such a declaration in a list.
    assert_eq!(advertised(Some(&list), &declared, false, false), field);
    assert_eq!(advertised(Some(&list), &declared, true, false), Some(list));
}

/// SDKs reject a whole list because of one schema that they cannot use.
#[test]
fn schemas_that_would_break_a_list_are_replaced() {
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
    let wrapped = json!({"type": "object", "allOf": [odd]});
    let [declared, .., enforced] = all_origins(&odd);
    for effective in [&declared, &enforced] {
        assert_eq!(advertised(Some(&odd), effective, false, false), Some(wrapped.clone()));
    }
    assert_eq!(advertised(Some(&odd), &declared, true, false), Some(odd));
}

#[test]
fn suspended_schema_is_advertised_as_the_generic_one() {
    let object = json!({"type": "object", "required": ["a"]});
    for effective in &all_origins(&object)[..2] {
        for modern in [false, true] {
            let shown = advertised(Some(&object), effective, modern, true);
            // Stateless clients accept any value, so the generic schema has no type for them.
            let object = json!({"type": "object", "properties": {"result": {}}});
            assert_eq!(shown, Some(if modern { json!({"properties": {"result": {}}}) } else { object }));
        }
    }
}
