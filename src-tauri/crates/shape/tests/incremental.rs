//! A schema kept up to date equals one emitted from scratch, after any sequence of steps.

use proptest::prelude::*;
use proptest::sample::Index;
use schemascope_shape::{Emission, Policy, Shape};
use serde_json::{Value, json};

use crate::text;

/// Every threshold at its lowest value.
const EAGER: Policy = Policy {
    required_after: 1,
    required_rejects: f64::MAX,
    mistakes: f64::MAX,
    mistakes_by_share: f64::MAX,
    required_early: 1,
    required_mistaken: 1.0,
    documents: 1,
    closed_after: 1,
    closed_early: 1,
    closed_mistaken: 1.0,
    closed_unseen: 1.0,
    enum_after: 1,
    enum_values: 32,
    tuple_after: 1,
    format_after: 1,
    pattern_after: 1,
    enum_documents: 0,
    null_after: 1,
    null_field_after: 1,
};

/// Thresholds that some documents stay below and a few more exceed.
fn quick() -> Policy {
    Policy {
        required_after: 3,
        required_early: 2,
        documents: 2,
        closed_after: 4,
        closed_unseen: 0.2,
        enum_after: 4,
        tuple_after: 2,
        format_after: 2,
        pattern_after: 3,
        enum_documents: 1,
        null_after: 3,
        null_field_after: 3,
        ..Policy::default()
    }
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0i64..4).prop_map(|n| Value::from(n * 7)),
        Just(Value::from(0.5)),
        text("[ab]|2026-11-2[0-2]").prop_map(Value::from),
        text("[a-z]{70}").prop_map(Value::from),
    ]
}

fn object(
    key: &'static str,
    value: impl Strategy<Value = Value> + 'static,
    most: usize,
) -> BoxedStrategy<Value> {
    let fields = prop::collection::btree_map(text(key), value, 0..most);
    fields.prop_map(|fields| Value::Object(fields.into_iter().collect())).boxed()
}

/// A field that determines the other fields.
fn tagged(inner: BoxedStrategy<Value>) -> impl Strategy<Value = Value> {
    let kinds = prop_oneof![Just(("a", "x")), Just(("b", "y")), Just(("c", "z"))];
    (kinds, inner, any::<bool>()).prop_map(|((kind, field), inner, with)| {
        let mut object = json!({"kind": kind, (field): inner.clone()});
        if with {
            object["also"] = inner;
        }
        object
    })
}

/// Maps with similar values.
fn words() -> impl Strategy<Value = Value> {
    let entries = |value: BoxedStrategy<Value>| {
        let map = prop::collection::btree_map(text("[a-z]{2}"), value, 8..20);
        map.prop_map(|map| Value::Object(map.into_iter().collect()))
    };
    let entry = (text("[a-b]|[0-9]{4}"), leaf(), leaf()).prop_map(|(key, n, m)| json!({"n": n, (key): m}));
    prop_oneof![
        entries((0i64..3).prop_map(Value::from).boxed()),
        entries(text("[ab]").prop_map(Value::from).boxed()),
        entries(entry.boxed()),
    ]
}

/// Records, unions, tuples, lists, and maps whose keys are data or words.
fn document() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(4, 40, 8, |inner| {
        let tuple =
            (0i64..3, text("[a-c]"), inner.clone()).prop_map(|(n, word, inner)| json!([n, word, inner]));
        prop_oneof![
            3 => object("[a-d]", inner.clone(), 5),
            2 => tagged(inner.clone()),
            1 => prop::collection::vec(tagged(inner.clone()), 0..8).prop_map(Value::from),
            1 => tuple,
            1 => prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            1 => object("[0-9]{4}|2026-01-[0-3][0-9]", inner.clone(), 6),
            1 => object("[a-z]{2}", inner, 10),
            2 => words(),
        ]
    })
}

/// Deep enough, with different content at many levels, that the limit on nesting may apply.
fn deep() -> impl Strategy<Value = Value> {
    let chain = (leaf(), 1usize..58).prop_map(|(leaf, levels)| {
        let around =
            |inner, level: usize| if level.is_multiple_of(7) { json!([inner]) } else { json!({"d": inner}) };
        (0..levels).rev().fold(leaf, around)
    });
    prop::collection::vec(chain, 1..12).prop_map(Value::from)
}

#[derive(Debug, Clone)]
enum Step {
    Observe(Index),
    /// Merges a shape of some of the documents, with its cap.
    Merge(Vec<Index>, usize),
    Update,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        20 => any::<Index>().prop_map(Step::Observe),
        12 => Just(Step::Update),
        1 => (prop::collection::vec(any::<Index>(), 0..4), 20usize..200).prop_map(|(of, cap)| Step::Merge(of, cap)),
    ]
}

fn observe(shape: &mut Shape, document: &Value) {
    shape.observe(document.to_string().as_bytes()).unwrap();
}

/// Updates the emission. The schema must equal one emitted from scratch, and a change must be
/// reported if there is one and only then.
fn update(emission: &mut Emission, shape: &Shape, policy: &Policy) -> Result<(), TestCaseError> {
    let before = emission.schema().clone();
    let changed = emission.update(shape);
    let fresh = shape.schema(policy);
    prop_assert_eq!(emission.schema(), &fresh);
    prop_assert_eq!(emission.schema().to_string(), fresh.to_string(), "in another order");
    prop_assert_eq!(changed, before != fresh);
    // Written states are trimmed to the cap.
    let cut_back = Shape::from_state(&shape.to_state()).unwrap();
    prop_assert_eq!(cut_back.schema(policy), fresh);
    prop_assert_eq!(cut_back.explain(policy), shape.explain(policy));
    prop_assert!(!emission.update(shape), "a different schema for the same observations");
    Ok(())
}

fn follows(documents: &[Value], steps: &[Step], cap: usize, policy: Policy) -> Result<(), TestCaseError> {
    let (mut shape, mut emission) = (Shape::with_cap(cap), Emission::new(policy));
    for step in steps {
        match step {
            Step::Observe(at) => observe(&mut shape, at.get(documents)),
            Step::Merge(of, cap) => {
                let mut other = Shape::with_cap(*cap);
                of.iter().for_each(|at| observe(&mut other, at.get(documents)));
                shape.merge(&other).unwrap();
            }
            Step::Update => update(&mut emission, &shape, &policy)?,
        }
    }
    update(&mut emission, &shape, &policy)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn emission_follows_random_steps(
        documents in prop::collection::vec(document(), 1..6),
        steps in prop::collection::vec(step(), 1..90),
        cap in prop_oneof![1usize..30, 20usize..120, Just(4_096)],
        policy in prop_oneof![Just(Policy::default()), Just(quick()), Just(EAGER)],
    ) {
        follows(&documents, &steps, cap, policy)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Each document is observed once, so every key may be new.
    #[test]
    fn emission_follows_documents_that_are_always_new(
        documents in prop::collection::vec(document(), 1..30),
        cap in 1usize..200,
        policy in prop_oneof![Just(Policy::default()), Just(quick()), Just(EAGER)],
    ) {
        let (mut shape, mut emission) = (Shape::with_cap(cap), Emission::new(policy));
        for document in &documents {
            observe(&mut shape, document);
            update(&mut emission, &shape, &policy)?;
        }
    }

    #[test]
    fn emission_follows_deep_documents(
        documents in prop::collection::vec(prop_oneof![deep(), document()], 1..5),
        steps in prop::collection::vec(step(), 1..40),
        cap in prop_oneof![10usize..80, Just(4_096)],
        policy in prop_oneof![Just(Policy::default()), Just(quick()), Just(EAGER)],
    ) {
        follows(&documents, &steps, cap, policy)?;
    }
}

/// Regression: that observations differ was once and for all, although one with many rows can leave it open.
#[test]
fn schema_follows_observations_that_no_longer_seem_to_differ() {
    let policy = Policy::default();
    let state = |id: usize| if id.is_multiple_of(2) { "open" } else { "closed" };
    let row = |id: usize| json!({"id": id, "state": state(id)});
    let (mut shape, mut emission) = (Shape::new(), Emission::new(policy));
    let mut documents: Vec<Value> = (0..24).map(|n| json!({"rows": [row(n)]})).collect();
    documents.push(json!({"rows": (0..1_000).map(|n| row(n % 2)).collect::<Vec<_>>()}));
    let mut enums = Vec::new();
    for document in &documents {
        observe(&mut shape, document);
        update(&mut emission, &shape, &policy).unwrap();
        let state = &emission.schema()["properties"]["rows"]["items"]["properties"]["state"];
        enums.push(state["enum"].is_array());
    }
    assert_eq!(enums[23..], [true, false]);
}
