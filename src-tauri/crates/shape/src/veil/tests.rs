//! Tests of veiling over random documents.

use proptest::prelude::*;
use proptest::string::{RegexGeneratorStrategy, string_regex};
use serde_json::{Value, json};

use super::*;
use crate::Policy;

const KEY: HashKey = HashKey(0x1234_5678_9abc_def0, 0x0fed_cba9_8765_4321);

fn shape_of<'d>(cap: usize, documents: impl IntoIterator<Item = &'d Value>) -> Shape {
    let mut shape = Shape { cap, ..Shape::with_key(KEY) };
    for document in documents {
        shape.observe(document.to_string().as_bytes()).unwrap();
    }
    shape
}

/// Texts that match a pattern. A pattern by itself is parsed again for every text.
fn text(pattern: &str) -> RegexGeneratorStrategy<String> {
    string_regex(pattern).unwrap()
}

/// Values and keys that are data contain the word "planted"; words and numbers come from a small
/// set.
fn document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0u64..40).prop_map(|n| Value::from(7_700_000_000 + n)),
        (0i64..9).prop_map(|n| Value::from(77.5 + n as f64)),
        text("planted[a-f]|planted[a-z]{3}|planted[a-z]{60,70}").prop_map(Value::from),
    ];
    let tagged = prop_oneof![
        (0i64..9).prop_map(|n| json!({"kind": "planted-a", "n": 7_700_000_000_i64 + n})),
        text("planted[a-z]").prop_map(|s| json!({"kind": "planted-b", "s": s})),
    ];
    prop_oneof![leaf, tagged].prop_recursive(3, 30, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(text("[a-e]|planted_[0-9]{6}|planted/[a-c]"), inner.clone(), 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
            prop::collection::btree_map(text("planted[a-z]"), inner, 4..9)
                .prop_map(|map| json!({"by_name": Value::Object(map.into_iter().collect())})),
        ]
    })
}

/// Compares byte for byte, after both consider the same objects to be maps.
fn same(one: &Shape, other: &Shape) -> Result<(), TestCaseError> {
    let veil = both(one.tree.veil.as_ref(), other.tree.veil.as_ref());
    let [one, other] = [one, other].map(|shape| {
        let mut shape = shape.clone();
        shape.apply_veil(&veil).unwrap();
        String::from_utf8(shape.to_shared()).unwrap()
    });
    prop_assert_eq!(one, other);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Merging and then veiling equals merging veiled shapes, in any order and through written
    /// states. A shape becomes veiled when it is merged with a veiled one.
    #[test]
    fn veiling_commutes_with_merging(
        documents in prop::collection::vec((document(), 0usize..3), 0..40),
        cap in prop_oneof![Just(4_096usize), 3usize..40],
        order in Just([0usize, 1, 2]).prop_shuffle(),
        clear in any::<bool>(),
    ) {
        let whole = shape_of(cap, documents.iter().map(|(document, _)| document)).veiled();
        let part = |part: usize| {
            shape_of(cap, documents.iter().filter(|(_, at)| *at == part).map(|(document, _)| document))
        };
        let mut merged = if clear { part(order[0]) } else { part(order[0]).veiled() };
        for at in &order[1..] {
            let written = part(*at).veiled().to_shared();
            merged.merge(&Shape::from_shared(&written, KEY).unwrap()).unwrap();
        }
        same(&merged, &whole)?;
        same(&merged.veiled(), &whole)?;
        prop_assert_eq!(merged.observations(), whole.observations());
        if merged.tree.veil == whole.tree.veil {
            prop_assert_eq!(merged.schema(&Policy::default()), whole.schema(&Policy::default()));
        }
    }

    /// The written state and the schema contain no values and no keys that are data. The schema
    /// accepts all documents.
    #[test]
    fn veiled_state_and_schema_contain_no_values(documents in prop::collection::vec(document(), 1..60)) {
        let clear = shape_of(4_096, &documents);
        let shape = clear.veiled();
        let written = String::from_utf8(shape.to_shared()).unwrap();
        let reveals = |text: &str| {
            // Names of a few fields that do not look like data are structure.
            let names = visible_names(&clear);
            let text = names.iter().fold(text.to_owned(), |text, name| text.replace(&format!("{name:?}"), ""));
            text.contains("planted") || text.contains("77000000")
        };
        prop_assert!(!reveals(&written), "{written}");
        let holds_key = [KEY.0, KEY.1].iter().any(|half| written.contains(&half.to_string()));
        prop_assert!(!holds_key);
        let schema = shape.schema(&Policy::default());
        prop_assert!(!reveals(&schema.to_string()), "{schema}");
        let loose = schema_without_values(&clear.schema(&Policy::default()));
        for schema in [&schema, &loose] {
            let validator = jsonschema::validator_for(schema).unwrap();
            for document in &documents {
                prop_assert!(validator.is_valid(document), "{schema}\n{document}");
            }
        }
    }

    /// Any received state is either read or rejected.
    #[test]
    fn damaged_shared_states_are_read_or_rejected(
        documents in prop::collection::vec(document(), 0..10),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut written = shape_of(4_096, &documents).veiled().to_shared();
        let at = at.index(written.len());
        written[at] = byte;
        if let Ok(mut shape) = Shape::from_shared(&written, KEY) {
            let other = shape.clone();
            shape.merge(&other).unwrap();
            shape.schema(&Policy::default());
        }
    }
}

/// Returns the names of fields of objects that are not considered maps, if they are words.
fn visible_names(clear: &Shape) -> Vec<String> {
    let kept = clear.kept();
    let tree = clear.view(&kept);
    let records = tree.nodes().filter(|(id, _)| !is_map(tree, *id));
    let names = records.flat_map(|(id, _)| tree.fields(id));
    names
        .filter(|(_, field)| tree.node(*field).step != (Step::Field { data: true }))
        .map(|(name, _)| name.to_owned())
        .collect()
}

#[test]
fn pseudonyms_look_like_the_names_they_replace() {
    use crate::keys::{looks_like_data, may_be_kept};
    for (kind, data) in [(DATA, true), (CERTAIN, true), (WORD, false)] {
        let name = pseudonym(kind, 0x0123_4567_89ab_cdef);
        assert_eq!((looks_like_data(&name), hash(&name)), (data, Some(0x0123_4567_89ab_cdef)), "{name}");
        assert!(may_be_kept(&name) && is_pseudonym(&name));
    }
    let value = of_value("x", KEY);
    assert!(value.len() <= crate::tags::MAX_LENGTH && hash(&value).is_none() && is_pseudonym(&value));
    assert_eq!(["⟦k abc⟧", "⟦wabcdefghijklmnoz⟧", "name"].map(hash), [None; 3]);
}
