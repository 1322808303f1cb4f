//! What must hold of a shape after any document, however hostile.

use std::time::Instant;

use schemascope_shape::{Policy, Shape};
use serde_json::Value;

/// Bytes a state may have.
pub const STATE: usize = 16 << 20;

/// How large the large documents are: at 1 some 10 MB and strings of 5 MB, in a few seconds; at 10 ten times that.
pub const SCALE: usize = 1;

/// Bytes of a document beyond which its schema is not tried on it.
const LARGE: usize = 8 << 20;

/// A shape of these documents, judged.
#[track_caller]
pub fn survives<D: AsRef<[u8]>>(name: &str, documents: impl IntoIterator<Item = D>) -> Shape {
    survives_with(name, Shape::new(), documents)
}

/// The same in a given shape.
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

/// Judges a shape and what it says of a document; the bytes of its state.
#[track_caller]
pub fn holds(shape: &Shape, document: &[u8]) -> usize {
    let state = shape.to_state();
    assert!(state.len() < STATE, "the state has {} bytes", state.len());
    let read = Shape::from_state(&state).unwrap();
    assert!(read.to_state() == state, "it reads back as another one");
    let schema = shape.schema(&Policy::default());
    // Written and read again, as clients do it.
    let written = serde_json::from_str::<Value>(&schema.to_string()).unwrap();
    assert!(written == schema && jsonschema::meta::is_valid(&schema), "{schema}");
    let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
    let validator = options.should_validate_formats(true).build(&schema).unwrap();
    // What only other readers take cannot be judged by this one, nor quickly what is very large.
    if let Ok(document) = serde_json::from_slice(&document[..document.len().min(LARGE)]) {
        assert!(validator.is_valid(&document), "its schema refuses it");
    }
    let policy = Policy::default();
    let _ = (shape.explain(&policy), shape.root(&policy), shape.stability());
    let shares = shape.fields(&policy).into_iter().flat_map(|field| [field.consistency, field.agreement]);
    let shares = shares.chain(shape.mean_consistency()).chain(shape.unseen());
    assert!(shares.into_iter().all(|share| (0.0..=1.0).contains(&share)));
    state.len()
}

/// How often something was noted.
pub fn noted(shape: &Shape, words: &str) -> u64 {
    let notes = shape.notes();
    notes.iter().find(|note| note.note.contains(words)).map_or(0, |note| note.count)
}

/// The most memory this process had, where the system tells.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |line| line.trim().to_owned())
}

/// A stream of numbers without pattern, the same each time.
pub struct Numbers(pub u64);

impl Iterator for Numbers {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Some(self.0 ^ self.0 >> 29)
    }
}

/// Letters only: nothing that looks like data.
pub fn word(mut number: u64, letters: usize) -> String {
    let mut letter = || {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from(b'a' + (number >> 40) as u8 % 26)
    };
    (0..letters).map(|_| letter()).collect()
}

/// An object of these members, written as they are.
pub fn object(members: impl IntoIterator<Item = (String, String)>) -> String {
    let members: Vec<String> = members.into_iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
    format!("{{{}}}", members.join(","))
}
