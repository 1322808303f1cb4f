//! Bundles: what two machines tell is what one machine would that had seen everything.

use std::collections::BTreeMap;

use proptest::prelude::*;
use schemascope_model::{CallRecord, IdSource, Origin, Outcome, Timestamp, ToolId};
use schemascope_registry::exchange::{Bundle, Share, Team, machine_name};
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
    let mut registry = Registry::with_key(KEY);
    count(&mut registry, 1, documents);
    registry.tools().clone()
}

/// Counts documents as the machine with this number.
fn count(registry: &mut Registry, number: u64, documents: &[(usize, Value)]) {
    let ids = IdSource::new(number, 0);
    let definition = json!({"name": "get", "outputSchema": {"type": "object"}}).to_string();
    if registry.tool(&id()).is_none() {
        registry.declare(&id(), Timestamp::from_millis(1), RawValue::from_string(definition).ok());
    }
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
}

/// The bundle of a machine, under another number, so that several are different ones.
fn bundle(node: &str, tools: &BTreeMap<ToolId, Tool>, values: bool) -> String {
    let mut bundle = Bundle::new(KEY, values);
    bundle.add_machines(1, tools, None, |_| true);
    bundle.nodes =
        std::mem::take(&mut bundle.nodes).into_values().map(|own| (node.to_owned(), own)).collect();
    tools.iter().for_each(|(id, tool)| bundle.add_tool(id, tool, None, None));
    bundle.write()
}

/// The sum of these bundles, as every reader of them has it.
fn together(bundles: &[String]) -> Tool {
    let mut team = Team::with_key(KEY);
    for text in bundles {
        let bundle = Bundle::read(text).unwrap();
        bundle.check(KEY).unwrap();
        bundle.add_to(&id(), &mut team);
    }
    team.tool().unwrap()
}

/// Which objects' names are not told. What one machine took for a map, and told no names of, may be none in the light
/// of what others saw.
fn hidden(tool: &Tool) -> Value {
    serde_json::from_slice::<Value>(&tool.shape.to_shared()).unwrap()["veil"].clone()
}

/// The order of the fields decides the last digits of the mean. Rounding both would tell halves apart: a mean of 27/128
/// was 210,937 millionths in one order and 210,938 in the other.
fn same_mean_consistency(left: &Tool, right: &Tool) -> bool {
    match (left.shape.mean_consistency(), right.shape.mean_consistency()) {
        (Some(left), Some(right)) => (left - right).abs() < 1e-9,
        (left, right) => left == right,
    }
}

/// Told by a machine that saw nothing else, these names would be keys of a map.
#[test]
fn names_that_one_machine_does_not_tell_stay_untold() {
    let documents = [json!({"planted_000000": 1}), json!({"planted_000001": 1, "planted_000002": 1})];
    let others = vec![json!({"id": 1, "name": "a", "total": 2}); 20];
    let number =
        |documents: &[Value]| -> Vec<(usize, Value)> { documents.iter().cloned().enumerate().collect() };
    let (left, right) = (machine(&number(&documents)), machine(&number(&others)));
    let whole = machine(&number(&[documents.to_vec(), others].concat()));
    let merged = together(&[bundle("00000000000a", &left, false), bundle("00000000000b", &right, false)]);
    let expected = together(&[bundle("00000000000c", &whole, false)]);
    assert_ne!(hidden(&merged), hidden(&expected));
    assert_eq!((merged.calls, merged.standing()), (expected.calls, expected.standing()));
    assert!(same_mean_consistency(&merged, &expected));
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
        prop_assert!(same_mean_consistency(&merged, &whole[&id()]));
        if values {
            prop_assert_eq!(merged.shape.to_state(), whole[&id()].shape.to_state());
        }
        for text in bundles.iter().filter(|_| !values) {
            prop_assert!(!text.contains(WORD) && !text.contains("77000000"), "{}", text);
            // The same bytes for the same knowledge.
            prop_assert_eq!(&Bundle::read(text).unwrap().write(), text);
        }
    }

    /// Any bytes sent as a bundle are accepted or rejected.
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
            if let Ok(mut bundle) = Bundle::read(&text)
                && bundle.check(KEY).is_ok()
            {
                bundle.set_aside(KEY, Timestamp::from_millis(u64::MAX), |_, _, _| Ok(()));
                let mut team = Team::with_key(KEY);
                bundle.add_to(&id(), &mut team);
                team.tool().unwrap().standing();
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

/// A copied data directory goes on counting under a number of its own, with the calls from before the copy.
#[test]
fn copied_counts_are_counted_once() {
    let documents: Vec<(usize, Value)> = (0..100).map(|n| (n, json!({"state": WORD, "n": n}))).collect();
    let mut original = Registry::with_key(KEY);
    count(&mut original, 10, &documents[..40]);
    let mut copy = Registry::with_key(KEY);
    copy.load(id(), &original.state(&id()).unwrap()).unwrap();
    count(&mut original, 10, &documents[40..60]);
    count(&mut copy, 11, &documents[60..70]);
    // What is counted apart survives a restart.
    let state = copy.state(&id()).unwrap();
    copy.load(id(), &state).unwrap();
    assert_eq!(copy.state(&id()).unwrap(), state);
    count(&mut copy, 11, &documents[70..]);
    assert_eq!(copy.tool(&id()).unwrap().calls, 80);
    let whole = machine(&documents);
    let written = |own, registry: &Registry| {
        let mut bundle = Bundle::new(KEY, true);
        bundle.add_machines(own, registry.tools(), None, |_| true);
        bundle.write()
    };
    let bundles = [written(10, &original), written(11, &copy)];
    for order in [[0, 1], [1, 0]] {
        let merged = together(&order.map(|at: usize| bundles[at].clone()));
        assert_eq!(merged.calls, 100);
        assert_eq!(merged.shape.to_state(), whole[&id()].shape.to_state());
    }
    let counts = |text: &str| -> Vec<u64> {
        Bundle::read(text).unwrap().nodes.values().map(|node| node.position.calls).collect()
    };
    assert_eq!((counts(&bundles[0]), counts(&bundles[1])), (vec![60], vec![40, 40]));
}

fn edited(text: &str, edit: impl FnOnce(&mut Value)) -> Bundle {
    let mut value: Value = serde_json::from_str(text).unwrap();
    edit(&mut value);
    Bundle::read(&value.to_string()).unwrap()
}

/// What cannot be true is set aside; the rest of the bundle is taken.
#[test]
fn implausible_shares_are_set_aside_with_the_reason() {
    const DAY: u64 = 86_400_000;
    let documents: Vec<(usize, Value)> = (0..40).map(|n| (n, json!({"n": n}))).collect();
    let text = bundle("00000000000a", &machine(&documents), false);
    let now = Timestamp::from_millis(10 * DAY);
    assert_eq!(edited(&text, |_| {}).set_aside(KEY, now, |_, _, _| Ok(())), []);
    let share = |field: &str| format!("/nodes/00000000000a/tools/shop__get/{field}");
    let at = |days: u64| json!(Timestamp::from_millis(days * DAY));
    for (pointer, value, words) in [
        (share("calls"), json!(39), "only 39 calls"),
        (share("calls"), json!(41), "position"),
        (share("failures"), json!(41), "more failures than calls"),
        (share("failures"), json!(1), "only 39 calls"),
        (share("carriers/text"), json!(1_u64 << 60), "observations"),
        (share("declared_fits"), json!(41), "observations"),
        (share("last_called"), at(1), "later than its latest call"),
        (share("last_called"), at(12), "position"),
        (share("shape/observations"), json!(1_u64 << 48), "number of observations"),
        (share("shape/version"), json!(2), "format"),
        ("/nodes/00000000000a/position/calls".into(), json!(1), "position"),
        ("/nodes/00000000000a/position/latest".into(), at(12), "in the future"),
        ("/tools/shop__get/listed".into(), at(12), "in the future"),
    ] {
        let mut bundle = edited(&text, |bundle| *bundle.pointer_mut(&pointer).unwrap() = value.clone());
        let aside = bundle.set_aside(KEY, now, |_, _, _| Ok(()));
        assert!(aside.len() == 1 && aside[0].reason.contains(words), "{pointer} {value}: {aside:?}");
        let mut team = Team::with_key(KEY);
        bundle.add_to(&id(), &mut team);
        let kept = if pointer.starts_with("/tools") { 40 } else { 0 };
        assert_eq!(team.tool().unwrap().calls, kept, "{pointer}");
    }
    // More than a machine can have counted, although all of it fits together.
    let many = |bundle: &mut Value| {
        let share = &mut bundle["nodes"]["00000000000a"]["tools"]["shop__get"];
        share["calls"] = json!(1_u64 << 48);
        bundle["nodes"]["00000000000a"]["position"]["calls"] = json!(1_u64 << 48);
    };
    assert!(edited(&text, many).set_aside(KEY, now, |_, _, _| Ok(()))[0].reason.contains("a day"));
    assert!(
        edited(&text, |_| {}).set_aside(KEY, Timestamp::from_millis(0), |_, _, _| Ok(()))[0]
            .reason
            .contains("future")
    );
}

/// A bundle of some tools, or an earlier one, replaces nothing that is known better.
#[test]
fn later_share_of_each_tool_is_kept() {
    let number = |count| -> Vec<(usize, Value)> { (0..count).map(|n| (n, json!({"n": n}))).collect() };
    let name = machine_name(1);
    let revised = |count, at: u64, values| {
        let mut bundle = Bundle::new(KEY, values);
        let at = (at > 0).then(|| Timestamp::from_millis(at));
        bundle.add_machines(1, &machine(&number(count)), at, |_| true);
        bundle
    };
    let read = |count, wanted: bool| {
        let mut bundle = revised(count, 0, false);
        bundle.keep(|_| wanted);
        bundle
    };
    let calls = |bundle: &Bundle| bundle.nodes[&name].tools[&id()].calls();
    assert_eq!(calls(&read(50, true).updating(&name, &read(40, true))), 50);
    assert_eq!(calls(&read(40, true).updating(&name, &read(50, true))), 50);
    assert_eq!(calls(&read(50, false).updating(&name, &read(40, true))), 40);

    // Of the same calls those that were redacted later count.
    let share = |bundle: &Bundle| serde_json::to_string(&bundle.nodes[&name].tools[&id()]).unwrap();
    let (with, without) = (revised(50, 0, true), revised(50, 2, false));
    assert_ne!(share(&with), share(&without));
    for both in [with.clone().updating(&name, &without), without.clone().updating(&name, &with)] {
        assert_eq!(share(&both), share(&without));
    }

    // A bundle of some tools has less evidence of edges, and takes none away.
    let edges = |calls, json: &str| {
        let mut bundle = revised(calls, 0, false);
        let position = bundle.nodes[&name].tools[&id()].position();
        bundle.add_edges(&id(), 1, position, json.to_owned());
        bundle
    };
    let whole = edges(50, r#"{"tools":{"s__a":1,"s__b":1}}"#);
    for calls in [50, 60] {
        let part = edges(calls, r#"{"tools":{"s__a":1}}"#);
        for both in [part.clone().updating(&name, &whole), whole.clone().updating(&name, &part)] {
            let share = &both.nodes[&name].tools[&id()];
            assert_eq!(
                (share.calls(), share.edges()),
                (calls as u64, Some(r#"{"tools":{"s__a":1,"s__b":1}}"#))
            );
        }
    }
    // Evidence of the same edges is the later one, though it is shorter.
    let later = edges(60, r#"{"tools":{"s__b":1,"s__a":1}}"#);
    let longer = edges(50, r#"{"tools":{"s__a":12345,"s__b":1}}"#);
    assert_eq!(
        longer.updating(&name, &later).nodes[&name].tools[&id()].edges(),
        Some(r#"{"tools":{"s__b":1,"s__a":1}}"#)
    );
}
