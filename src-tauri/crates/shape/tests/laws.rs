//! The algebra of shapes, and that schemas accept what they were made from.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use proptest::prelude::*;
use schemascope_shape::{Policy, Shape};
use serde_json::{Value, json};

fn shape_of(documents: &[Value]) -> Shape {
    let mut shape = Shape::new();
    for document in documents {
        shape.observe(document.to_string().as_bytes()).unwrap();
    }
    shape
}

/// Few keys and small documents, so that paths collide.
fn document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i64..3).prop_map(Value::from),
        (-3i64..3).prop_map(|n| Value::from(n as f64 / 2.0)),
        "[a-c]{0,2}|2026-11-2[0-2]|10.0.0.[1-3]".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-e]|k[0-9]{2}| |__proto__", inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Many keys, most of them data, so that small caps trim hard; numbers and texts that are hard to read.
fn wide_document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        Just(Value::from(-0.0)),
        Just(Value::from(1.0)),
        Just(Value::from(u64::MAX)),
        "[a-c]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 120, 12, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-d]|[0-9]{4}|id_[0-9]{4}", inner, 0..14)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Any partition, merged in any order, through written states: the same bytes and schema.
    #[test]
    fn any_split_gives_the_same_state(
        documents in prop::collection::vec((document(), 0usize..4), 0..40),
        order in Just([0usize, 1, 2, 3]).prop_shuffle(),
    ) {
        let whole = shape_of(&documents.iter().map(|(d, _)| d.clone()).collect::<Vec<_>>());
        let mut merged = Shape::new();
        for part in order {
            let mine: Vec<_> = documents.iter().filter(|(_, p)| *p == part).map(|(d, _)| d.clone()).collect();
            let state = shape_of(&mine).to_state();
            merged.merge(&Shape::from_state(&state).unwrap());
        }
        prop_assert_eq!(merged.to_state(), whole.to_state());
        prop_assert_eq!(merged.schema(&Policy::default()), whole.schema(&Policy::default()));
        prop_assert_eq!(merged, whole);
    }

    /// The same where the bound trims: one shape over all, and any split of it.
    #[test]
    fn any_split_gives_the_same_state_when_trimmed(
        documents in prop::collection::vec((wide_document(), 0usize..3), 0..25),
        order in Just([0usize, 1, 2]).prop_shuffle(),
        cap in 1usize..60,
    ) {
        let over = |documents: &[&Value]| {
            let mut shape = Shape::with_cap(cap);
            for document in documents {
                shape.observe(document.to_string().as_bytes()).unwrap();
            }
            shape
        };
        let whole = over(&documents.iter().map(|(d, _)| d).collect::<Vec<_>>());
        let mut merged = Shape::with_cap(cap);
        for part in order {
            let mine: Vec<_> = documents.iter().filter(|(_, p)| *p == part).map(|(d, _)| d).collect();
            merged.merge(&Shape::from_state(&over(&mine).to_state()).unwrap());
        }
        prop_assert_eq!(&merged, &whole);
        prop_assert_eq!(merged.to_state(), whole.to_state());
        let schema = whole.schema(&Policy { required_after: 1 });
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        for (document, _) in &documents {
            prop_assert!(validator.is_valid(document), "{} refuses {}", schema, document);
        }
    }

    #[test]
    fn merging_associates(a in prop::collection::vec(document(), 0..8), b in prop::collection::vec(document(), 0..8), c in prop::collection::vec(document(), 0..8)) {
        let (a, b, c) = (shape_of(&a), shape_of(&b), shape_of(&c));
        let mut left = a.clone();
        left.merge(&b);
        left.merge(&c);
        let mut right = b.clone();
        right.merge(&c);
        let mut outer = a;
        outer.merge(&right);
        prop_assert_eq!(left, outer);
    }

    #[test]
    fn a_schema_accepts_what_it_was_made_from(documents in prop::collection::vec(document(), 1..30)) {
        let schema = shape_of(&documents).schema(&Policy { required_after: 1 });
        prop_assert!(jsonschema::meta::is_valid(&schema), "{}", schema);
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        for document in &documents {
            prop_assert!(validator.is_valid(document), "{} refuses {}", schema, document);
        }
    }

    #[test]
    fn consistency_is_a_share(documents in prop::collection::vec(document(), 1..20)) {
        let shape = shape_of(&documents);
        for field in shape.fields() {
            prop_assert!((0.0..=1.0).contains(&field.consistency), "{:?}", field);
            prop_assert!(field.presence.present <= field.presence.parents);
        }
        prop_assert!((0.0..=1.0).contains(&shape.mean_consistency().unwrap()));
    }

    #[test]
    fn foreign_bytes_never_count_in_part(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let mut shape = shape_of(&[json!({"a": [1]})]);
        let before = shape.clone();
        if shape.observe(&bytes).is_err() {
            prop_assert_eq!(shape, before);
        }
    }

    #[test]
    fn foreign_states_are_refused_not_trusted(bytes in "[\\[\\]{}\",:0-9a-z*]{0,80}") {
        let _ = Shape::from_state(bytes.as_bytes());
    }
}
