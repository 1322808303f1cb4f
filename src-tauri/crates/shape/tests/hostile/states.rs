//! Written states that Schemascope did not write.

use schemascope_shape::{Policy, Shape};
use serde_json::{Value, json};

fn state() -> Value {
    let mut shape = Shape::new();
    for n in 0..30 {
        let document = format!("{{\"kind\":\"a\",\"n\":{},\"list\":[1,2],\"2026\":{{\"x\":1}}}}", n % 3 * 5);
        shape.observe(document.as_bytes()).unwrap();
        shape.observe(b"{\"kind\":\"b\",\"s\":\"x\",\"list\":[3,4]}").unwrap();
    }
    serde_json::from_slice(&shape.to_state()).unwrap()
}

/// Uses every function of a state that is accepted.
fn try_state(state: &Value) -> bool {
    let Ok(mut shape) = Shape::from_state(state.to_string().as_bytes()) else { return false };
    for _ in 0..3 {
        shape.observe(b"{\"kind\":\"a\",\"n\":7,\"list\":[1,2],\"2026\":{\"x\":1},\"new\":[{}]}").unwrap();
        let other = shape.clone();
        shape.merge(&other).unwrap();
        for policy in [Policy::default(), Policy { enum_after: 1, closed_after: 1, ..Policy::default() }] {
            let _ =
                (shape.schema(&policy), shape.explain(&policy), shape.fields(&policy), shape.root(&policy));
        }
        let _ = (shape.consistency(), shape.unseen(), shape.stability(), shape.notes());
        let _ = Shape::from_state(&shape.to_state());
    }
    true
}

/// Each number in turn is replaced by one that is too large to be a count.
#[test]
fn implausible_counts_do_no_harm() {
    fn numbers(value: &Value, path: String, found: &mut Vec<String>) {
        match value {
            Value::Number(_) => found.push(path),
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(at, item)| numbers(item, format!("{path}/{at}"), found));
            }
            Value::Object(fields) => {
                fields.iter().for_each(|(key, field)| numbers(field, format!("{path}/{key}"), found));
            }
            _ => {}
        }
    }
    let state = state();
    let mut found = Vec::new();
    numbers(&state, String::new(), &mut found);
    assert!(try_state(&state) && found.len() > 100);
    for path in found {
        for number in [json!(u64::MAX), json!(i64::MAX), json!(u32::MAX), json!(1_u64 << 47), json!(0)] {
            let mut state = state.clone();
            *state.pointer_mut(&path).unwrap() = number;
            try_state(&state);
        }
    }
}

/// Fields with a count of zero leave no trace in their parent's counts when they are removed. The
/// joint counts with them must be removed as well.
#[test]
fn tags_of_removed_fields_are_removed() {
    for cap in 0..6 {
        let mut state = state();
        state["cap"] = cap.into();
        // Nodes that count values of data keys have no tags.
        let nodes = state["nodes"].as_array_mut().unwrap();
        nodes.retain(|node| node["k"] != "2026" && node["s"] != "{" && node["k"] != "x");
        for node in nodes {
            if node["k"] != "kind" && node["d"] == 1 {
                node["c"] = json!([]);
            }
        }
        assert!(try_state(&state));
    }
}

/// The values of integers are integers. Larger ones in a foreign state must not overflow the
/// comparison.
#[test]
fn integers_of_more_than_128_bits_do_no_harm() {
    let mut state = state();
    for node in state["nodes"].as_array_mut().unwrap() {
        if let Some(values) = node.pointer_mut("/numbers/distinct/v").filter(|values| values[2].is_array()) {
            values[0][0] = i128::MIN.to_string().into();
            values[1][0] = i128::MAX.to_string().into();
        }
    }
    try_state(&state);
}

/// Fields that seem to come together or apart without having been seen so.
#[test]
fn implausible_companions_do_no_harm() {
    let mut shape = Shape::new();
    for n in 0..60 {
        shape.observe(if n % 2 == 0 { b"{\"a\":1,\"n\":1}" } else { b"{\"b\":1,\"n\":1}" }).unwrap();
    }
    let state: Value = serde_json::from_slice(&shape.to_state()).unwrap();
    for with in [0, 1, 2, 3, 7, u64::MAX] {
        for always in [0, 1, 2, 4, 7, u64::MAX] {
            for field in 0..3 {
                let mut state = state.clone();
                state["nodes"][0]["t"][field] = json!({"w": with, "a": always});
                try_companions(&state);
            }
            let mut state = state.clone();
            state["nodes"][0]["t"] =
                json!([{"w": with, "a": always}, {"w": with, "a": always}, {"w": with, "a": always}]);
            try_companions(&state);
        }
    }
}

fn try_companions(state: &Value) {
    let shape = Shape::from_state(state.to_string().as_bytes()).unwrap();
    let _ =
        (shape.schema(&Policy::default()), shape.explain(&Policy::default()), shape.root(&Policy::default()));
    assert!(try_state(state));
}
