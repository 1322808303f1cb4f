//! The algebraic laws of shapes over random documents, and their consequences for schemas.

use proptest::prelude::*;
use schemascope_shape::{Circumstances, HashKey, Policy, Shape, StandsFor};
use serde_json::{Value, json};

use crate::text;

/// A document and the epoch in which it was observed.
type Observed = (Value, u32);

fn stands_for(text: &str) -> Option<StandsFor> {
    match text {
        "⟦integer⟧" => Some(StandsFor::Integer),
        "⟦number⟧" => Some(StandsFor::Number),
        "⟦string⟧" => Some(StandsFor::String(Some(7))),
        _ => None,
    }
}

fn observe(shape: &mut Shape, observed: &Observed) {
    let circumstances = Circumstances { epoch: observed.1, stands_for: Some(&stands_for) };
    shape.observe_under(observed.0.to_string().as_bytes(), circumstances).unwrap();
}

fn shape_of<'o>(cap: usize, documents: impl IntoIterator<Item = &'o Observed>) -> Shape {
    let mut shape = Shape::with_cap(cap);
    documents.into_iter().for_each(|observed| observe(&mut shape, observed));
    shape
}

fn documents_of(documents: &[Value]) -> Shape {
    let mut shape = Shape::new();
    for document in documents {
        shape.observe(document.to_string().as_bytes()).unwrap();
    }
    shape
}

/// Compares written states and shows the first difference.
fn same(a: &Shape, b: &Shape) -> Result<(), TestCaseError> {
    let (a, b) = (a.to_state(), b.to_state());
    if let Some(at) = (0..a.len().max(b.len())).find(|at| a.get(*at) != b.get(*at)) {
        let around = |state: &[u8]| {
            let (from, to) = (at.saturating_sub(300), (at + 80).min(state.len()));
            String::from_utf8_lossy(&state[from.min(to)..to]).into_owned()
        };
        return Err(TestCaseError::fail(format!("differs:\n{}\n{}", around(&a), around(&b))));
    }
    Ok(())
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i64..3).prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-3i64..3).prop_map(|n| Value::from(n as f64 / 2.0)),
        text("[a-c]{0,2}|2026-11-2[0-2]|10.0.0.[1-3]|⟦(integer|number|string)⟧").prop_map(Value::from),
        text("[a-z]{3}|[a-z\u{e9}]{70,90}").prop_map(Value::from),
    ]
}

/// Few keys and small documents, so that paths collide; with fields that determine others.
fn document() -> impl Strategy<Value = Value> {
    let tagged = prop_oneof![
        (0i64..9).prop_map(|n| json!({"kind": "a", "n": n})),
        text("[a-z]").prop_map(|s| json!({"kind": "b", "s": s})),
        text("[a-j]").prop_map(|s| json!({"kind": s, "ok": true})),
    ];
    prop_oneof![leaf(), tagged].prop_recursive(4, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(
                text("[a-e]|k[0-9]{2}| |__proto__|kind|[0-9]{2}|u/[a-c]"),
                inner,
                0..6
            )
            .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Many keys, most of them data, so that small caps trim much.
fn wide_document() -> impl Strategy<Value = Value> {
    let odd = prop_oneof![Just(Value::from(-0.0)), Just(Value::from(1.0)), Just(Value::from(u64::MAX))];
    prop_oneof![leaf(), odd].prop_recursive(4, 120, 12, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(text("[a-d]|[0-9]{4}|id_[0-9]{4}|[a-z]{2}"), inner, 0..14)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Returns a document whose keys all begin with an escape, so that none is written as expected.
fn with_escaped_keys(document: &Value) -> String {
    let of_all = |parts: Vec<String>| parts.join(",");
    match document {
        Value::Object(members) => {
            let key = |key: &str| {
                let mut letters = key.chars();
                letters
                    .next()
                    .map_or(String::new(), |first| format!("\\u{:04x}{}", first as u32, letters.as_str()))
            };
            let member =
                |(name, value): (&String, &Value)| format!("\"{}\":{}", key(name), with_escaped_keys(value));
            format!("{{{}}}", of_all(members.iter().map(member).collect()))
        }
        Value::Array(items) => format!("[{}]", of_all(items.iter().map(with_escaped_keys).collect())),
        other => other.to_string(),
    }
}

/// Maps by name whose members are counted together, nested, beside other fields.
fn map_of_records() -> impl Strategy<Value = Value> {
    let record = prop_oneof![
        (text("[a-c]"), leaf()).prop_map(|(name, leaf)| json!({"id": leaf, "name": name})),
        (leaf(), leaf()).prop_map(
            |(one, other)| json!({"id": one, "jobs": {"x": other}, "list_of_various_values": [one]})
        ),
    ];
    prop_oneof![3 => record, 1 => leaf()].prop_recursive(3, 120, 12, |inner| {
        let map =
            || prop::collection::btree_map(text("[a-d]|[a-z]{2}|[0-9]{4}|jobs|byId"), inner.clone(), 0..9);
        let map = || map().prop_map(|map| Value::Object(map.into_iter().collect()));
        prop_oneof![
            map(),
            (map(), inner.clone()).prop_map(|(jobs, one)| json!({"jobs": jobs, "to": [one]})),
            (map(), map()).prop_map(|(jobs, others)| json!({"serviceMap": jobs, "jobs": {"a": others}})),
        ]
    })
}

fn observed(document: impl Strategy<Value = Value>) -> impl Strategy<Value = Observed> {
    (document, 0u32..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Any partition, merged in any order through written states, gives the same bytes and schema.
    #[test]
    fn any_split_gives_the_same_state(
        documents in prop::collection::vec((observed(document()), 0usize..4), 0..40),
        order in Just([0usize, 1, 2, 3]).prop_shuffle(),
    ) {
        let whole = shape_of(4_096, documents.iter().map(|(d, _)| d));
        let mut merged = Shape::new();
        for part in order {
            let mine = documents.iter().filter(|(_, p)| *p == part).map(|(d, _)| d);
            let state = shape_of(4_096, mine).to_state();
            merged.merge(&Shape::from_state(&state).unwrap()).unwrap();
        }
        same(&merged, &whole)?;
        prop_assert_eq!(merged.schema(&Policy::default()), whole.schema(&Policy::default()));
    }

    /// The same with trimming: one shape of everything, in any order, and any split.
    #[test]
    fn any_split_gives_the_same_state_when_trimmed(
        documents in prop::collection::vec(
            (observed(prop_oneof![wide_document(), map_of_records()]), 0usize..3),
            0..25,
        ),
        shuffled in any::<prop::sample::Index>(),
        order in Just([0usize, 1, 2]).prop_shuffle(),
        cap in prop_oneof![1usize..60, 40usize..400],
    ) {
        let whole = shape_of(cap, documents.iter().map(|(d, _)| d));
        let mut merged = Shape::with_cap(cap);
        for part in order {
            let mine = documents.iter().filter(|(_, p)| *p == part).map(|(d, _)| d);
            merged.merge(&Shape::from_state(&shape_of(cap, mine).to_state()).unwrap()).unwrap();
        }
        same(&merged, &whole)?;
        if !documents.is_empty() {
            let mut turned: Vec<_> = documents.iter().map(|(d, _)| d).collect();
            turned.rotate_left(shuffled.index(documents.len()));
            turned.reverse();
            same(&shape_of(cap, turned), &whole)?;
        }
    }

    /// Keys that are recognised by comparison with the expected one count like all others.
    #[test]
    fn keys_count_the_same_in_every_notation(
        documents in prop::collection::vec(map_of_records(), 0..8),
        cap in prop_oneof![1usize..60, 40usize..400],
    ) {
        let (mut plain, mut escaped) = (Shape::with_cap(cap), Shape::with_cap(cap));
        for document in &documents {
            plain.observe(document.to_string().as_bytes()).unwrap();
            escaped.observe(with_escaped_keys(document).as_bytes()).unwrap();
        }
        same(&plain, &escaped)?;
    }

    #[test]
    fn merging_associates_and_commutes(
        a in prop::collection::vec(observed(document()), 0..8),
        b in prop::collection::vec(observed(document()), 0..8),
        c in prop::collection::vec(observed(prop_oneof![wide_document(), map_of_records()]), 0..8),
        caps in [1usize..200, 1usize..200, 1usize..200],
    ) {
        let (a, b, c) = (shape_of(caps[0], &a), shape_of(caps[1], &b), shape_of(caps[2], &c));
        let merged = |shapes: &[&Shape]| {
            let mut merged = shapes[0].clone();
            shapes[1..].iter().for_each(|shape| merged.merge(shape).unwrap());
            merged
        };
        let left = merged(&[&merged(&[&a, &b]), &c]);
        same(&left, &merged(&[&a, &merged(&[&b, &c])]))?;
        same(&left, &merged(&[&c, &b, &a]))?;
    }

    /// Also with trimming, and with every threshold at its lowest value.
    #[test]
    fn schema_accepts_the_documents_it_was_made_from(
        documents in prop::collection::vec(
            prop_oneof![document(), wide_document(), map_of_records()],
            1..30,
        ),
        times in 1usize..4,
        cap in prop_oneof![1usize..60, Just(4_096)],
    ) {
        let mut shape = Shape::with_cap(cap);
        for document in documents.iter().cycle().take(documents.len() * times) {
            shape.observe(document.to_string().as_bytes()).unwrap();
        }
        let eager = Policy {
            required_after: 1, required_rejects: f64::MAX, mistakes: f64::MAX, mistakes_by_share: f64::MAX, required_early: 1, required_mistaken: 1.0, documents: 1, closed_after: 1, closed_early: 1, closed_mistaken: 1.0, closed_unseen: 1.0, enum_after: 1, enum_values: 32, tuple_after: 1, format_after: 1, pattern_after: 1, enum_documents: 0, null_after: 1, null_field_after: 1,
        };
        for policy in [Policy::default(), eager] {
            let schema = shape.schema(&policy);
            prop_assert!(jsonschema::meta::is_valid(&schema), "{}", schema);
            let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
            let validator = options.should_validate_formats(true).build(&schema).unwrap();
            for document in &documents {
                prop_assert!(validator.is_valid(document), "{} rejects {}", schema, document);
            }
        }
    }

    #[test]
    fn consistency_is_between_0_and_1(documents in prop::collection::vec(document(), 1..20)) {
        let shape = documents_of(&documents);
        for field in shape.fields(&Policy::default()) {
            prop_assert!((0.0..=1.0).contains(&field.consistency), "{:?}", field);
            prop_assert!((0.0..=1.0).contains(&field.agreement), "{:?}", field);
            prop_assert!(field.presence.present <= field.presence.parents);
        }
        let consistency = shape.consistency().unwrap();
        prop_assert!((0.0..=1.0).contains(&consistency.mean));
        prop_assert_eq!(consistency.fields as usize, shape.fields(&Policy::default()).len());
        prop_assert!((0.0..=1.0).contains(&shape.unseen().unwrap()));
    }

    #[test]
    fn arbitrary_bytes_count_completely_or_not_at_all(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let mut shape = documents_of(&[json!({"a": [1]})]);
        let before = shape.clone();
        if shape.observe(&bytes).is_err() {
            prop_assert_eq!(shape, before);
        }
    }

    #[test]
    fn arbitrary_states_do_not_panic(bytes in "[\\[\\]{}\",:0-9a-z*]{0,80}") {
        let _ = Shape::from_state(bytes.as_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// A document large enough to be read twice and trimmed while it is read counts like the same
    /// document in small shapes.
    #[test]
    fn large_documents_count_like_small_ones(
        documents in prop::collection::vec(prop_oneof![wide_document(), map_of_records()], 1..12),
        cap in 1usize..60,
    ) {
        let spaced = |document: &Value| format!("{}{document}", " ".repeat(300_000));
        let (mut listed, mut streamed) = (Shape::with_cap(cap), Shape::with_cap(cap));
        for document in &documents {
            listed.observe(document.to_string().as_bytes()).unwrap();
            streamed.observe(spaced(document).as_bytes()).unwrap();
        }
        same(&listed, &streamed)?;
        // All documents as one.
        let all = Value::from(documents);
        let (mut tight, mut wide) = (Shape::with_cap(cap), Shape::with_cap(100_000));
        tight.observe(all.to_string().as_bytes()).unwrap();
        wide.observe(all.to_string().as_bytes()).unwrap();
        let mut cut = Shape::with_cap(cap);
        cut.merge(&wide).unwrap();
        same(&cut, &tight)?;
    }
}

#[test]
fn shapes_with_different_keys_do_not_merge() {
    let mut mine = Shape::with_key(HashKey(1, 2));
    mine.observe(b"{\"a\":1}").unwrap();
    let before = mine.clone();
    assert!(mine.merge(&Shape::with_key(HashKey(1, 3))).is_err());
    assert_eq!(mine, before);
    assert_eq!(Shape::from_state(&mine.to_state()).unwrap().key(), HashKey(1, 2));
}
