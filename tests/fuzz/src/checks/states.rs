//! Whatever bytes there are: they are read as a document like serde_json does, and a state that is accepted can
//! be used.

use schemascope_shape::{Policy, Shape};

use super::{reading, same};
use crate::counts::Tried;
use crate::input::{Choices, EAGER, SEPARATOR};
use crate::random::Random;

/// Observed where nothing else is: they meet every kind of node there is.
const PLAIN: &[&[u8]] = &[
    br#"{"kind":"a","n":7,"list":[1,"x",null],"2026":{"x":1},"new":[{}],"at":"2026-11-21"}"#,
    br#"{"kind":"b","s":"x","s":1.5,"list":[[]],"2027":{"x":"y"}}"#,
    b"[1,2]",
    b"\"text\"",
    b"null",
];

/// Checks bytes: up to the first separator they are a state, behind it are documents for it, or parts of other
/// states to merge it with.
pub fn states(bytes: &[u8]) -> Result<Tried, String> {
    let mut texts = bytes.split(|byte| *byte == SEPARATOR);
    let first = texts.next().unwrap_or_default();
    reading::check(&[first, bytes], &Choices::new(&[]), &mut Random::of(bytes))?;
    let others: Vec<&[u8]> = texts.take(8).collect();
    let Ok(shape) = Shape::from_state(first) else { return Ok(Tried { documents: 3, refused: 1 }) };
    use_all(shape, &others)?;
    Ok(Tried { documents: 3 + others.len(), refused: 0 })
}

fn use_all(mut shape: Shape, others: &[&[u8]]) -> Result<(), String> {
    let mut other = shape.clone();
    for text in others.iter().chain(PLAIN) {
        if let Ok(theirs) = Shape::from_state(text) {
            let _ = other.merge(&theirs);
        }
        let _ = other.observe(text);
    }
    for _ in 0..2 {
        written(&shape)?;
        let _ = shape.merge(&other);
        for policy in [Policy::default(), EAGER] {
            let _ = (shape.schema(&policy), shape.explain(&policy));
            let _ = (shape.fields(&policy), shape.root(&policy));
        }
        let _ = (shape.consistency(), shape.unseen(), shape.stability(), shape.notes());
        for text in PLAIN {
            let _ = shape.observe(text);
        }
    }
    Ok(())
}

/// The written state of any shape reads back. A state that no shape writes may be cut to its bounds once, and its sums
/// may overflow.
fn written(shape: &Shape) -> Result<(), String> {
    let Ok(once) = Shape::from_state(&shape.to_state()) else { return Ok(()) };
    let state = once.to_state();
    let twice = Shape::from_state(&state).map_err(|error| format!("its own state: {error}"))?;
    same("read back", &state, &twice.to_state())
}
