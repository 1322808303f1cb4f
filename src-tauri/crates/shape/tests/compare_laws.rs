//! Laws of the comparison: "safe" has no counter-example, a schema does not differ from itself, nothing panics
//! and nothing takes long.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

#[path = "compare/random.rs"]
mod random;

use std::time::{Duration, Instant};

use jsonschema::Validator;
use proptest::prelude::*;
use random::{Choices, circular, document, instance, mutate, value};
use schemascope_shape::compare::{Class, compare};
use serde_json::{Value, json};

fn validators(schema: &Value) -> Option<[Validator; 2]> {
    let build = |formats| {
        jsonschema::options()
            .with_draft(jsonschema::Draft::Draft202012)
            .should_validate_formats(formats)
            .build(schema)
            .ok()
    };
    Some([build(true)?, build(false)?])
}

/// Looks for a value that the one allows and the other refuses.
fn counter_example(sub: &Value, sup: &Value, choices: &mut Choices<'_>) -> Option<Value> {
    let (allow, refuse) = (validators(sub)?, validators(sup)?);
    for turn in 0..24 {
        let found = match turn % 3 {
            0 => instance(choices, sub, sub, 6),
            1 => instance(choices, sup, sup, 6),
            _ => value(choices, 2),
        };
        for (allow, refuse) in allow.iter().zip(&refuse) {
            if allow.is_valid(&found) && !refuse.is_valid(&found) {
                return Some(found);
            }
        }
    }
    None
}

fn check(old: &Value, new: &Value, choices: &mut Choices<'_>) -> Result<(), TestCaseError> {
    let found = compare(old, new);
    if found.output == Class::Safe {
        let wrong = counter_example(new, old, choices);
        prop_assert!(wrong.is_none(), "output is not safe\nold {old}\nnew {new}\nvalue {}", wrong.unwrap());
    }
    if found.input == Class::Safe {
        let wrong = counter_example(old, new, choices);
        prop_assert!(wrong.is_none(), "input is not safe\nold {old}\nnew {new}\nvalue {}", wrong.unwrap());
    }
    let worst = |class: fn(&schemascope_shape::compare::Change) -> Class| {
        found.changes.iter().map(class).max().unwrap_or(Class::Safe)
    };
    prop_assert_eq!(worst(|change| change.output), found.output, "{} {}", old, new);
    prop_assert_eq!(worst(|change| change.input), found.input, "{} {}", old, new);
    Ok(())
}

/// How many cases: thousands within seconds, unless told otherwise.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(1_500)
}

fn numbers(most: usize) -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 0..most)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn safe_has_no_counter_example_among_random_schemas(
        one in numbers(60), two in numbers(60), values in numbers(300),
    ) {
        let (old, new) = (document(&mut Choices::new(&one)), document(&mut Choices::new(&two)));
        check(&old, &new, &mut Choices::new(&values))?;
    }

    #[test]
    fn safe_has_no_counter_example_after_small_changes(
        one in numbers(80), changes in numbers(30), values in numbers(300),
    ) {
        let old = document(&mut Choices::new(&one));
        let mut new = old.clone();
        let mut choices = Choices::new(&changes);
        for _ in 0..=choices.below(3) {
            mutate(&mut choices, &mut new);
        }
        check(&old, &new, &mut Choices::new(&values))?;
    }

    #[test]
    fn a_schema_does_not_differ_from_itself(one in numbers(80)) {
        let schema = document(&mut Choices::new(&one));
        let found = compare(&schema, &schema.clone());
        prop_assert!(found.changes.is_empty(), "{}: {:?}", schema, found);
        prop_assert_eq!((found.output, found.input), (Class::Safe, Class::Safe));
    }

    #[test]
    fn any_json_may_be_a_schema(one in broken(), two in broken()) {
        compare(&one, &two);
        prop_assert!(compare(&one, &one.clone()).changes.is_empty());
    }
}

proptest! {
    // Each of these takes as long as a few of the others.
    #![proptest_config(ProptestConfig { cases: cases() / 5, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn safe_has_no_counter_example_among_circular_schemas(
        one in numbers(24), two in numbers(24), values in numbers(200), ways in 0..2_usize,
    ) {
        let old = circular(&mut Choices::new(&one));
        // Two of a kind are seldom alike: half of the time, the second is the first with other last choices.
        let keep = if ways == 0 { 0 } else { one.len().saturating_sub(4) };
        let mixed: Vec<u16> = one.iter().take(keep).chain(&two).copied().collect();
        let new = circular(&mut Choices::new(&mixed));
        check(&old, &new, &mut Choices::new(&values))?;
    }
}

/// A reference back to where it stands made a schema look as if it refused everything, or nothing: its meaning is
/// open, and whatever is proven of it is wrong for somebody.
#[test]
fn nothing_is_safe_of_a_schema_that_asks_itself() {
    for schema in [
        json!({"type": "string", "not": {"$ref": "#"}}),
        json!({"type": "object", "required": ["k"], "if": {"$ref": "#"}, "then": {"required": ["y"]}}),
        json!({"oneOf": [{"$ref": "#/$defs/a"}, {"type": "null"}], "$defs": {"a": {"allOf": [{"$ref": "#"}]}}}),
    ] {
        for other in
            [json!({"type": "string"}), json!({"type": "object", "required": ["k"]}), json!({"type": "null"})]
        {
            let found = compare(&schema, &other);
            assert!(found.output != Class::Safe, "{schema} {other}: {found:?}");
            assert!(compare(&schema, &schema).changes.is_empty());
        }
    }
    // What asks itself of a value further in is as clear as any other.
    let list = json!({"properties": {"next": {"$ref": "#"}, "n": {"type": "integer"}}});
    let wider = json!({"properties": {"next": {"$ref": "#"}, "n": {"type": "number"}}});
    assert_eq!(compare(&list, &wider).input, Class::Safe);
}

/// A document that allows the same in other words.
fn said_otherwise(mut schema: Value, way: usize) -> (Value, Value) {
    let defs = schema.as_object_mut().and_then(|map| map.shift_remove("$defs")).unwrap_or(json!({}));
    let mut other = match way {
        0 => json!({"allOf": [schema]}),
        1 => json!({"anyOf": [false, schema]}),
        2 => json!({"oneOf": [schema]}),
        _ => json!({"$ref": "#/$defs/whole"}),
    };
    other["$defs"] = defs.clone();
    other["$defs"]["whole"] = schema.clone();
    if let Some(map) = schema.as_object_mut() {
        map.insert("$defs".into(), defs);
    }
    (schema, other)
}

#[test]
fn saying_it_otherwise_is_safe() {
    let (mut seed, mut missed) = (88_172_645_463_325_252_u64, Vec::new());
    for turn in 0..2_000 {
        let mut next = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            u16::try_from(seed >> 48).unwrap()
        };
        let numbers: Vec<u16> = (0..60).map(|_| next()).collect();
        let (schema, other) = said_otherwise(document(&mut Choices::new(&numbers)), turn % 4);
        let found = compare(&schema, &other);
        if (found.output, found.input) != (Class::Safe, Class::Safe) {
            missed.push(format!("{schema} {other}"));
        }
    }
    // Where a schema contains its own refusal, nothing is proven.
    assert!(missed.len() <= 2, "{missed:#?}");
}

/// JSON that looks like a schema here and there.
fn broken() -> impl Strategy<Value = Value> {
    const WORDS: &[&str] = &[
        "type",
        "enum",
        "const",
        "$ref",
        "properties",
        "required",
        "items",
        "prefixItems",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "then",
        "minimum",
        "minLength",
        "pattern",
        "additionalProperties",
        "contains",
        "$defs",
        "$id",
        "$anchor",
        "x",
        "dependentRequired",
        "propertyNames",
        "uniqueItems",
        "maxItems",
        "multipleOf",
        "patternProperties",
        "allOf",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(&["", "#", "#/$defs/x", "object", "array", "a", "^[", "#x"][..])
            .prop_map(Value::from),
        ".{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((prop::sample::select(WORDS), inner), 0..6).prop_map(|fields| {
                Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
            }),
        ]
    })
}

fn is_quick(old: &Value, new: &Value) {
    let start = Instant::now();
    compare(old, new);
    let took = start.elapsed();
    // A second is meant; unoptimised and beside other work it may be a few.
    assert!(took < Duration::from_secs(10), "took {took:?}");
}

/// A schema with twice as many ways at every level.
fn doubling(depth: usize, leaf: &str) -> Value {
    let mut defs = serde_json::Map::new();
    defs.insert("n0".into(), json!({"type": leaf}));
    for level in 1..depth {
        let below = json!({"$ref": format!("#/$defs/n{}", level - 1)});
        let schema = match level % 4 {
            0 => json!({"anyOf": [below, {"allOf": [below, below]}]}),
            1 => {
                json!({"allOf": [{"anyOf": [below, {"type": "null"}]}, {"anyOf": [below, {"type": "array"}]}]})
            }
            2 => json!({"oneOf": [{"properties": {"a": below}}, {"properties": {"b": below}}]}),
            _ => json!({"not": {"not": {"anyOf": [below, below]}}, "properties": {"c": below}}),
        };
        defs.insert(format!("n{level}"), schema);
    }
    json!({"$ref": format!("#/$defs/n{}", depth - 1), "$defs": defs})
}

#[test]
fn hostile_schemas_end_quickly() {
    for depth in [5, 10, 20, 40, 100] {
        is_quick(&doubling(depth, "string"), &doubling(depth, "integer"));
        is_quick(&doubling(depth, "string"), &doubling(depth + 1, "string"));
    }
    let product = |leaf: &str| {
        let any: Vec<Value> =
            (0..30).map(|n| json!({"properties": {format!("p{n}"): {"type": leaf}}})).collect();
        json!({"allOf": vec![json!({"anyOf": any}); 12]})
    };
    is_quick(&product("string"), &product("number"));
    let tags = |most: usize| {
        let one = |n| json!({"properties": {"t": {"const": format!("t{n}")}}, "required": ["t"]});
        json!({"oneOf": (0..most).map(one).collect::<Vec<_>>()})
    };
    is_quick(&tags(300), &tags(280));
}

#[test]
fn big_schemas_end_quickly() {
    let flat = |kind: &str, most: usize| {
        let fields =
            (0..most).map(|n| (format!("field_{n}"), json!({"type": kind, "description": "some words"})));
        json!({"type": "object", "properties": Value::Object(fields.collect())})
    };
    is_quick(&flat("string", 60_000), &flat("string", 60_000));
    is_quick(&flat("string", 60_000), &flat("integer", 59_000));
    let list = |start: usize| json!({"enum": (start..start + 200_000).collect::<Vec<_>>()});
    is_quick(&list(0), &list(1));
    let ways = |kind: &str| json!({"anyOf": vec![json!({"type": "object", "properties": {"a": {"type": kind}}}); 20_000]});
    is_quick(&ways("string"), &ways("integer"));
    let names = |first: &str| json!({"required": vec![first; 200_000]});
    is_quick(&names("a"), &names("b"));
}

#[test]
fn deep_and_circular_schemas_are_harmless() {
    let deep = |kind: &str, most: usize| {
        (0..most).fold(json!({"type": kind}), |inner, level| match level % 3 {
            0 => json!({"type": "object", "properties": {"a": inner}}),
            1 => json!({"type": "array", "items": inner}),
            _ => json!({"anyOf": [inner, {"type": "null"}]}),
        })
    };
    let nested = |most: usize, leaf: i32| (0..most).fold(json!(leaf), |inner, _| Value::Array(vec![inner]));
    let object = |name: &str, inner| Value::Object([(name.to_owned(), inner)].into_iter().collect());
    for most in [50, 3_000] {
        let list =
            |leaf| object("enum", Value::Array(vec![nested(most, leaf), object("a", nested(most, leaf))]));
        is_quick(&list(1), &list(2));
        is_quick(&list(1), &json!({"type": "array", "minItems": 2}));
        is_quick(&object("const", nested(most, 1)), &object("not", object("const", nested(most, 1))));
    }
    for most in [10, 50, 100, 1_000] {
        is_quick(&deep("string", most), &deep("integer", most));
        assert!(compare(&deep("string", most), &deep("string", most)).changes.is_empty());
        assert_ne!(compare(&deep("string", most), &deep("integer", most)).output, Class::Safe);
    }
    let circles = [
        json!({"$ref": "#"}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
        json!({"not": {"$ref": "#"}}),
        json!({"anyOf": [{"$ref": "#"}, {"type": "string"}]}),
        json!({"properties": {"a": {"$ref": "#"}}, "required": ["a"]}),
        json!({"items": {"$ref": "#"}, "minItems": 1}),
    ];
    for old in &circles {
        for new in &circles {
            is_quick(old, new);
        }
    }
}

#[test]
fn a_thread_of_usual_size_is_enough() {
    let winding = |kind: &str| {
        (0..200).fold(json!({"type": kind}), |inner, level| match level % 4 {
            0 => json!({"type": "object", "properties": {"a": inner}, "required": ["a"]}),
            1 => json!({"not": {"not": inner}}),
            2 => json!({"type": "object", "dependentSchemas": {"b": {"properties": {"c": inner}}}}),
            _ => json!({"anyOf": [{"type": "array", "contains": inner}, {"type": "null"}]}),
        })
    };
    let small = std::thread::Builder::new().stack_size(1 << 20);
    let run = move || is_quick(&winding("string"), &winding("integer"));
    small.spawn(run).unwrap().join().unwrap();
}
