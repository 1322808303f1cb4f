//! Bundles: what two machines tell is what one machine would that had seen everything.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use schemascope_model::{CallRecord, IdSource, Origin, Outcome, Timestamp, ToolId};
use schemascope_registry::exchange::{Bundle, Share, Team};
use schemascope_registry::{Registry, Tool};
use schemascope_shape::{HashKey, Policy};
use serde_json::value::RawValue;
use serde_json::{Value, json};

const KEY: HashKey = HashKey(11, 22);
const WORD: &str = "planted";

fn id() -> ToolId {
    "shop__get".parse().unwrap()
}

/// What a machine knows that saw these documents.
fn machine(documents: &[(usize, Value)]) -> BTreeMap<ToolId, Tool> {
    let (mut registry, ids) = (Registry::with_key(KEY), IdSource::new(1, 0));
    let definition = json!({"name": "get", "outputSchema": {"type": "object"}}).to_string();
    registry.declare(&id(), Timestamp::from_millis(1), RawValue::from_string(definition).ok());
    for (at, document) in documents {
        let at = Timestamp::from_millis(86_400_000 * (*at as u64 / 10));
        let result = json!({"content": [], "structuredContent": document}).to_string();
        let arguments = json!({"who": format!("{WORD} argument")}).to_string();
        registry.record(&CallRecord {
            result: RawValue::from_string(result).ok(),
            arguments: RawValue::from_string(arguments).ok(),
            ..CallRecord::new(ids.at(at), at, id(), Outcome::Ok, Origin::Proxy)
        });
    }
    registry.tools().clone()
}

fn bundle(node: &str, tools: &BTreeMap<ToolId, Tool>, values: bool) -> String {
    let mut bundle = Bundle::new(KEY, values);
    bundle.add_node(node, tools, |_| true);
    tools.iter().for_each(|(id, tool)| bundle.add_tool(id, tool, None, None));
    bundle.write()
}

/// What is known together by whoever reads these bundles.
fn together(bundles: &[String]) -> Tool {
    let mut team = Team::with_key(KEY);
    for text in bundles {
        let bundle = Bundle::read(text).unwrap();
        bundle.check(KEY).unwrap();
        bundle.add_to(&id(), &mut team).unwrap();
    }
    team.tool()
}

/// Which objects' names are not told. What one machine took for a map, and told no names of, may be none in the light
/// of what others saw.
fn hidden(tool: &Tool) -> Value {
    serde_json::from_slice::<Value>(&tool.shape.to_shared()).unwrap()["veil"].clone()
}

/// Told by a machine that saw nothing else, these names would be keys of a map.
#[test]
fn names_that_one_machine_does_not_tell_stay_untold() {
    let documents = [json!({"planted_000000": 1}), json!({"planted_000001": 1, "planted_000002": 1})];
    let other = json!({"id": 1});
    let number =
        |documents: &[Value]| -> Vec<(usize, Value)> { documents.iter().cloned().enumerate().collect() };
    let (left, right) = (machine(&number(&documents)), machine(&number(std::slice::from_ref(&other))));
    let whole = machine(&number(&[documents.as_slice(), &[other]].concat()));
    let merged = together(&[bundle("00000000000a", &left, false), bundle("00000000000b", &right, false)]);
    let expected = together(&[bundle("00000000000c", &whole, false)]);
    assert_ne!(hidden(&merged), hidden(&expected));
    assert_eq!((merged.calls, merged.standing()), (expected.calls, expected.standing()));
    assert_eq!(merged.shape.mean_consistency(), expected.shape.mean_consistency());
}

fn document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0u64..30).prop_map(|n| Value::from(7_700_000_000 + n)),
        "[a-d]|[a-z]{4}".prop_map(|word| Value::from(format!("{WORD} {word}"))),
    ];
    leaf.prop_recursive(3, 16, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("id|name|kind|lines|planted_[0-9]{6}", inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn two_machines_are_one_that_saw_everything(
        documents in prop::collection::vec(document(), 1..60),
        at in any::<prop::sample::Index>(),
        values in any::<bool>(),
    ) {
        let documents: Vec<(usize, Value)> = documents.into_iter().enumerate().collect();
        let (left, right) = documents.split_at(at.index(documents.len() + 1));
        let whole = machine(&documents);
        let bundles = [bundle("00000000000a", &machine(left), values), bundle("00000000000b", &machine(right), values)];
        let merged = together(&bundles);
        let expected = together(&[bundle("00000000000c", &whole, values)]);
        if hidden(&merged) == hidden(&expected) {
            prop_assert_eq!(merged.shape.to_shared(), expected.shape.to_shared());
            prop_assert_eq!(merged.shape.schema(&Policy::default()), expected.shape.schema(&Policy::default()));
        }
        prop_assert_eq!((merged.calls, merged.carriers), (expected.calls, expected.carriers));
        prop_assert_eq!(merged.standing(), whole[&id()].standing());
        let millionths = |tool: &Tool| tool.shape.mean_consistency().map(|mean| (mean * 1e6).round());
        prop_assert_eq!(millionths(&merged), millionths(&whole[&id()]));
        if values {
            prop_assert_eq!(merged.shape.to_state(), whole[&id()].shape.to_state());
        }
        for text in bundles.iter().filter(|_| !values) {
            prop_assert!(!text.contains(WORD) && !text.contains("77000000"), "{}", text);
            // The same bytes for the same knowledge.
            prop_assert_eq!(&Bundle::read(text).unwrap().write(), text);
        }
    }

    /// Whatever somebody sends as a bundle is taken or refused.
    #[test]
    fn files_of_others_are_read_or_refused(
        documents in prop::collection::vec(document(), 0..8),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let documents: Vec<(usize, Value)> = documents.into_iter().enumerate().collect();
        let mut bytes = bundle("00000000000a", &machine(&documents), false).into_bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        for bytes in [&bytes[..], &bytes[..cut.index(bytes.len())]] {
            let text = String::from_utf8_lossy(bytes);
            if let Ok(bundle) = Bundle::read(&text)
                && bundle.check(KEY).is_ok()
            {
                let mut team = Team::with_key(KEY);
                bundle.add_to(&id(), &mut team).unwrap();
                team.tool().standing();
            }
        }
    }
}

#[test]
fn another_key_is_told() {
    let bundle = Bundle::read(&bundle("00000000000a", &machine(&[(0, json!({"a": 1}))]), false)).unwrap();
    assert!(bundle.check(KEY).is_ok());
    let wrong = bundle.check(HashKey(1, 2)).unwrap_err();
    assert!(wrong.reason.contains("export key") && wrong.reason.contains(&bundle.key_id), "{wrong}");
}

/// What is declared latest counts, and the values of a share can be taken out later.
#[test]
fn values_can_be_taken_out_later() {
    let documents: Vec<(usize, Value)> = (0..40).map(|n| (n, json!({"state": WORD, "n": n}))).collect();
    let tools = machine(&documents);
    let share = Share::of(&tools[&id()], true);
    assert!(serde_json::to_string(&share).unwrap().contains(WORD));
    let veiled = share.veiled(KEY).unwrap();
    assert_eq!(
        serde_json::to_string(&veiled).unwrap(),
        serde_json::to_string(&Share::of(&tools[&id()], false)).unwrap()
    );
}
