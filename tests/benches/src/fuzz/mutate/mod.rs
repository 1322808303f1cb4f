//! One document made into another one.
//!
//! Refuses to know: what is odd about it.

mod bytes;
mod values;

use schemascope_benches::random::Random;

pub use values::mutate_value;

/// Bytes a mutated document has at most.
const LONGEST: usize = 60_000;

/// Changes a document as bytes or, where it is JSON, as values; `other` is there to take parts from.
pub fn mutate(document: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut mutated = if random.chance(0.6) { values::mutate(document, other, random) } else { None }
        .unwrap_or_else(|| bytes::mutate(document, other, random));
    mutated.truncate(LONGEST);
    mutated
}

/// Changes bytes only.
pub fn mutate_bytes(document: &[u8], random: &mut Random) -> Vec<u8> {
    bytes::mutate(document, document, random)
}
