//! Properties that hold for any result and any effective schema.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-1e9..1e9).prop_map(Value::from),
        "[a-c \"\\\\/é\n]{0,6}".prop_map(Value::from),
    ]
}

fn document() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[abc]|result|metadata|content|\\$ref", inner, 0..4)
                .prop_map(|map| Value::Object(Map::from_iter(map))),
        ]
    })
}

/// Schemas of all kinds: small enough that documents often fit, with references of every sort.
fn any_schema() -> impl Strategy<Value = Value> {
    let kind =
        prop::sample::select(vec!["object", "array", "string", "integer", "number", "boolean", "null"]);
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        kind.clone().prop_map(|kind| json!({"type": kind})),
        prop::collection::vec(kind, 1..3).prop_map(|kinds| {
            let kinds: std::collections::BTreeSet<_> = kinds.into_iter().collect();
            json!({"type": kinds})
        }),
        prop::sample::select(vec!["#", "#/$defs/a", "#/$defs/b"]).prop_map(|to| json!({"$ref": to})),
        scalar().prop_map(|value| json!({"const": value})),
        Just(json!({})),
    ];
    let schema = leaf.prop_recursive(3, 16, 4, |inner| {
        let fields = prop::collection::btree_map("[abc]|result|metadata|content|\\$ref", inner.clone(), 0..4);
        prop_oneof![
            (
                fields,
                prop::sample::select(vec![vec![], vec!["a"], vec!["content"], vec!["result"]]),
                any::<bool>()
            )
                .prop_map(|(fields, required, typed)| {
                    let mut schema = json!({"properties": fields, "required": required});
                    if typed {
                        schema["type"] = "object".into();
                    }
                    schema
                }),
            inner.clone().prop_map(|items| json!({"type": "array", "items": items})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|some| json!({"anyOf": some})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|one| json!({"oneOf": one})),
            inner.prop_map(|all| json!({"allOf": [all]})),
        ]
    });
    (schema.clone(), schema.clone(), schema, any::<bool>()).prop_map(|(mut root, a, b, id)| {
        if let Value::Object(map) = &mut root {
            map.insert("$defs".into(), json!({"a": a, "b": b}));
            if id {
                map.insert("$id".into(), "https://example.org/tool".into());
            }
        }
        root
    })
}

fn effective() -> impl Strategy<Value = Effective> {
    (any_schema(), 0..5usize).prop_map(|(schema, origin)| match origin {
        4 => Effective::None,
        origin => all_origins(&schema)[origin].clone(),
    })
}

fn text_block() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        document().prop_map(|value| value.to_string()),
        document().prop_map(|value| format!("METADATA: {value}\n\nbody")),
        "[a-c{}\\[\\]\",: \n0-9]{0,12}",
    ];
    prop_oneof![
        4 => text.prop_map(|text| json!({"type": "text", "text": text})),
        1 => Just(json!({"type": "image", "data": "", "mimeType": "image/png"})),
    ]
}

fn result() -> impl Strategy<Value = Value> {
    let structure = prop::option::weighted(0.3, document());
    (prop::collection::vec(text_block(), 0..3), structure, any::<bool>()).prop_map(
        |(content, structure, more)| {
            let mut result = json!({"content": content});
            if let Some(structure) = structure {
                result["structuredContent"] = structure;
            }
            if more {
                result["_meta"] = json!({"n": 1});
                result["unheard"] = json!([1.5]);
            }
            result
        },
    )
}

fn without(result: &Value, names: &[&str]) -> Value {
    let mut result = result.clone();
    if let Value::Object(map) = &mut result {
        map.retain(|name, _| !names.contains(&name.as_str()));
    }
    result
}

/// Whether a client accepts the value.
fn satisfies(schema: &Value, value: &Value) -> bool {
    jsonschema::draft202012::new(schema).unwrap().is_valid(value)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn adapted_results_satisfy_the_advertised_schema(
        sent in result(),
        effective in effective(),
        modern in any::<bool>(),
        mode in prop::sample::select(vec![Mode::On, Mode::All, Mode::Advertised]),
        suspended in any::<bool>(),
    ) {
        let suspended = suspended && effective.may_be_suspended();
        let declared = match &effective {
            Effective::Declared(schema) => Some(schema.schema.as_ref()),
            _ => None,
        };
        let advertised_schema = advertised(declared, &effective, modern, suspended);
        let adapted = adapted(&sent.to_string(), &effective, modern, mode);
        let got: Value = match &adapted.result {
            Some(bytes) => serde_json::from_slice(bytes).unwrap(),
            None => sent.clone(),
        };

        // Only structure is added, and content stays.
        if adapted.rejected {
            prop_assert_eq!(&got["isError"], &json!(true));
            prop_assert!(matches!(effective, Effective::Enforced(_)));
            let all = ["structuredContent", "isError", "_meta"];
            prop_assert_eq!(without(&got, &all), without(&sent, &all));
            return Ok(());
        }
        prop_assert_eq!(without(&got, &["structuredContent"]), without(&sent, &["structuredContent"]));
        if let (Some(bytes), Some(content)) = (&adapted.result, sent.get("content")) {
            let object = object::Object::of(bytes).unwrap();
            prop_assert_eq!(object.get("content").unwrap(), content.to_string());
        }

        let structure = got.get("structuredContent");
        if !modern && adapted.rung.is_some() {
            prop_assert!(structure.is_some_and(Value::is_object), "{}", got);
        }
        if let Some(advertised_schema) = advertised_schema {
            if !modern {
                prop_assert_eq!(&advertised_schema["type"], "object");
            }
            let broken_by_upstream = declared.is_some()
                && !suspended
                && (adapted.rung == Some(schemascope_model::Rung::Generic) || sent.get("structuredContent").is_some());
            prop_assert!(structure.is_some(), "{} without structure, advertised {}", got, advertised_schema);
            if !broken_by_upstream {
                prop_assert!(satisfies(&advertised_schema, &structure.cloned().unwrap_or_default()), "{} by {}", got, advertised_schema);
            }
        }
    }

    /// The advertised schema accepts the same objects as the promoted one: moving it kept all references.
    #[test]
    fn advertised_schema_keeps_references(schema in any_schema(), value in document(), modern in any::<bool>()) {
        let [_, promoted, _, enforced] = all_origins(&schema);
        if !judge(&promoted).is_usable() {
            return Ok(());
        }
        let fits = satisfies(&schema, &value);
        let advertised_schema = advertised(None, &promoted, modern, false).unwrap();
        let inside = |pointer: &str| {
            let mut part = advertised_schema.clone();
            let place = part.pointer_mut(pointer).unwrap().take();
            // Only this part, inside the rest of the document.
            *part.pointer_mut(pointer).unwrap() = place;
            let mut whole = json!({"$ref": format!("https://example.org/advertised_schema#{pointer}"), "$defs": {"advertised_schema": part}});
            whole["$defs"]["advertised_schema"]["$id"] = "https://example.org/advertised_schema".into();
            whole
        };
        let pointer = if advertised_schema.get("anyOf").is_some() { "/anyOf/0" } else { "/properties/result/anyOf/0" };
        prop_assert_eq!(satisfies(&inside(pointer), &value), fits, "{}", advertised_schema);

        let advertised_schema = advertised(None, &enforced, modern, false).unwrap();
        let wrapped = advertised_schema.pointer("/required") == Some(&json!(["result"])) && advertised_schema != schema;
        let shown = if wrapped && !form::is_about_objects(&schema) { json!({"result": value}) } else { value.clone() };
        if shown.is_object() {
            prop_assert_eq!(satisfies(&advertised_schema, &shown), fits, "{}", advertised_schema);
        }
    }

    #[test]
    fn any_bytes_are_accepted(bytes in prop::collection::vec(any::<u8>(), 0..40), modern in any::<bool>()) {
        let effective = Effective::Promoted(schema(json!({"type": "object"})));
        let judge = judge(&effective);
        let context = ToolContext { effective: &effective, judge: &judge, suspended: false, modern };
        let _ = adapt(&Bytes::from(bytes.clone()), &context, Mode::All);
        let _ = advertise(&bytes.into(), &context);
    }
}
