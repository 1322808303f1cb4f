//! Checks of a shape after any document, however hostile.

use std::time::Instant;

use schemascope_shape::{Policy, Shape};
use serde_json::Value;

/// Most bytes of a state.
pub const STATE: usize = 16 << 20;

/// Size of the large documents: 1 means about 10 MB and strings of 5 MB, which take a few seconds;
/// 10 means ten times that.
pub const SCALE: usize = 1;

/// Size in bytes above which a document is not validated against its schema.
const LARGE: usize = 8 << 20;

/// Returns a checked shape of these documents.
#[track_caller]
pub fn survives<D: AsRef<[u8]>>(name: &str, documents: impl IntoIterator<Item = D>) -> Shape {
    survives_with(name, Shape::new(), documents)
}

/// Adds these documents to a given shape and checks it.
#[track_caller]
pub fn survives_with<D: AsRef<[u8]>>(
    name: &str,
    mut shape: Shape,
    documents: impl IntoIterator<Item = D>,
) -> Shape {
    let (began, mut bytes) = (Instant::now(), 0);
    let mut last = None;
    for document in documents {
        shape.observe(document.as_ref()).unwrap();
        bytes += document.as_ref().len();
        last = Some(document);
    }
    let observed = began.elapsed();
    let state = holds(&shape, last.as_ref().map_or(&[], AsRef::as_ref));
    println!(
        "{name}: {:.1} MB, {} ms to observe, {} ms to judge, {} paths, state {:.2} MB, peak {}",
        bytes as f64 / 1e6,
        observed.as_millis(),
        (began.elapsed() - observed).as_millis(),
        shape.paths(),
        state as f64 / 1e6,
        peak(),
    );
    shape
}

/// Checks a shape, and its schema against a document. Returns the size of its state.
#[track_caller]
pub fn holds(shape: &Shape, document: &[u8]) -> usize {
    let state = shape.to_state();
    assert!(state.len() < STATE, "the state has {} bytes", state.len());
    let read = Shape::from_state(&state).unwrap();
    assert!(read.to_state() == state, "it does not round-trip");
    let schema = shape.schema(&Policy::default());
    // Written and read again, as clients do.
    let written = serde_json::from_str::<Value>(&schema.to_string()).unwrap();
    assert!(written == schema && jsonschema::meta::is_valid(&schema), "{schema}");
    let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
    let validator = options.should_validate_formats(true).build(&schema).unwrap();
    // This validator cannot read documents that only other readers accept, and is slow on very
    // large ones.
    if let Ok(document) = serde_json::from_slice(&document[..document.len().min(LARGE)]) {
        assert!(validator.is_valid(&document), "its schema rejects it");
    }
    let policy = Policy::default();
    let _ = (shape.explain(&policy), shape.root(&policy), shape.stability());
    let shares = shape.fields(&policy).into_iter().flat_map(|field| [field.consistency, field.agreement]);
    let shares = shares.chain(shape.mean_consistency()).chain(shape.unseen());
    assert!(shares.into_iter().all(|share| (0.0..=1.0).contains(&share)));
    state.len()
}

/// Returns how often something was noted.
pub fn noted(shape: &Shape, words: &str) -> u64 {
    let notes = shape.notes();
    notes.iter().find(|note| note.note.contains(words)).map_or(0, |note| note.count)
}

/// Returns the peak memory of this process, if the system reports it.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |line| line.trim().to_owned())
}

/// A reproducible stream of random numbers.
pub struct Numbers(pub u64);

impl Iterator for Numbers {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Some(self.0 ^ self.0 >> 29)
    }
}

/// Returns a word of letters only, which does not look like data.
pub fn word(mut number: u64, letters: usize) -> String {
    let mut letter = || {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from(b'a' + (number >> 40) as u8 % 26)
    };
    (0..letters).map(|_| letter()).collect()
}

/// Returns an object of these members, written as given.
pub fn object(members: impl IntoIterator<Item = (String, String)>) -> String {
    let members: Vec<String> = members.into_iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
    format!("{{{}}}", members.join(","))
}
