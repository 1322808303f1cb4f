//! Whatever state is accepted can be used.

use schemascope_benches::random::Random;
use schemascope_shape::{Policy, Shape};
use serde_json::Value;

use super::Round;
use crate::mutate::{mutate_bytes, mutate_value};

/// Numbers and texts that a state should not have.
const ODD: &[&str] = &[
    "0",
    "1",
    "-1",
    "48",
    "57",
    "64",
    "70000",
    "4294967295",
    "140737488355328",
    "281474976710656",
    "18446744073709551615",
    "9223372036854775807",
    "-9223372036854775808",
    "1.5",
    "null",
    "[]",
    "{}",
    "\"\"",
    "\"*\"",
    "\"{\"",
    "true",
    "\"-170141183460469231731687303715884105728\"",
    "\"170141183460469231731687303715884105727\"",
];

/// Only panics fail this.
pub fn check(round: &Round<'_>, shape: &Shape, random: &mut Random) {
    let state = shape.to_state();
    for _ in 0..4 {
        let mutated = if random.chance(0.2) { mutate_bytes(&state, random) } else { mutated(&state, random) };
        if let Ok(accepted) = Shape::from_state(&mutated) {
            use_all(accepted, round, random);
        }
    }
}

fn mutated(state: &[u8], random: &mut Random) -> Vec<u8> {
    let Ok(mut value) = serde_json::from_slice::<Value>(state) else { return Vec::new() };
    let whole = value.clone();
    for _ in 0..random.one(&[1, 1, 2, 4, 10]) {
        if random.chance(0.3) {
            mutate_value(&mut value, &whole, random);
        } else {
            set_somewhere(&mut value, random);
        }
    }
    value.to_string().into_bytes()
}

/// Replaces one of the innermost values, so that most of the form stays right.
fn set_somewhere(value: &mut Value, random: &mut Random) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            let at = random.below(items.len());
            match random.below(20) {
                0 => drop(items.remove(at)),
                1 => items.push(items[at].clone()),
                _ => set_somewhere(&mut items[at], random),
            }
        }
        Value::Object(fields) if !fields.is_empty() => {
            let at = random.below(fields.len());
            if let Some(field) = fields.values_mut().nth(at) {
                set_somewhere(field, random);
            }
        }
        // Registers are letters.
        Value::String(text) if text.len() == 256 && text.is_ascii() => *text = "-".repeat(256),
        leaf => *leaf = serde_json::from_str(random.one(ODD)).unwrap_or_default(),
    }
}

fn use_all(mut shape: Shape, round: &Round<'_>, random: &mut Random) {
    // A bound of millions is a choice of whoever wrote the state.
    for _ in 0..2 {
        if !round.readable.is_empty() {
            let _ = round.observe(&mut shape, random.below(round.readable.len()));
        }
        let other = shape.clone();
        let _ = shape.merge(&other);
        for policy in [
            Policy::default(),
            Policy { enum_after: 1, tuple_after: 1, closed_after: 1, ..Policy::default() },
        ] {
            let _ =
                (shape.schema(&policy), shape.explain(&policy), shape.fields(&policy), shape.root(&policy));
        }
        let _ = (shape.consistency(), shape.unseen(), shape.stability(), shape.notes());
        if let Ok(again) = Shape::from_state(&shape.to_state()) {
            let _ = shape.merge(&again);
        }
    }
}
