//! Reading agrees with serde_json, and what is refused leaves no trace.

use schemascope_shape::Shape;
use serde_json::Value;

use super::same;

/// What only we take: halves of pairs, numbers beyond every float, depth.
const LENIENT: &[&str] = &["surrogate", "end of hex escape", "out of range", "recursion limit"];

/// The documents that can be read.
pub fn check(documents: &[Vec<u8>], cap: usize) -> Result<Vec<&[u8]>, String> {
    let mut shape = Shape::with_cap(cap);
    let mut readable = Vec::new();
    for document in documents {
        let before = shape.to_state();
        let theirs = serde_json::from_slice::<Value>(document);
        match (shape.observe(document), theirs) {
            (Ok(()), Ok(_)) => readable.push(document.as_slice()),
            (Ok(()), Err(error)) => {
                let error = error.to_string();
                if !LENIENT.iter().any(|known| error.contains(known)) {
                    return Err(format!("read what is no JSON: {error}"));
                }
                readable.push(document);
            }
            (Err(error), Ok(_)) => return Err(format!("refused what is JSON: {error}")),
            (Err(error), Err(_)) => {
                if error.at > document.len() {
                    return Err(format!("the error lies outside: {error}"));
                }
                same("refused", &before, &shape.to_state())?;
            }
        }
    }
    Ok(readable)
}
