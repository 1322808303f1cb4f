//! Reading agrees with serde_json, what is refused leaves no trace, and how keys are written is no matter.

use schemascope_shape::Shape;
use serde::de::IgnoredAny;

use super::same;
use crate::input::Choices;
use crate::mutate::parts::parts;
use crate::random::Random;

/// Documents from this size on are read twice.
const STREAMED: usize = 256 << 10;

/// The documents that can be read.
pub fn check<'d>(
    documents: &[&'d [u8]],
    choices: &Choices,
    seldom: &mut Random,
) -> Result<Vec<&'d [u8]>, String> {
    let mut shape = Shape::with_cap(choices.cap);
    let mut readable = Vec::new();
    for document in documents {
        let theirs = theirs(document);
        let before = if theirs.is_err() { shape.to_state() } else { Vec::new() };
        match (shape.observe(document), theirs) {
            (Ok(()), Ok(())) => readable.push(*document),
            (Ok(()), Err(error)) => return Err(format!("read what is no JSON: {error}")),
            (Err(error), Ok(())) => return Err(format!("refused what is JSON: {error}")),
            (Err(error), Err(_)) => {
                if error.at > document.len() {
                    return Err(format!("the error lies outside: {error}"));
                }
                same("refused", &before, &shape.to_state())?;
            }
        }
    }
    if seldom.once_in(3) {
        let mut plain = Shape::with_cap(choices.cap);
        for document in &readable {
            let otherwise = otherwise(document, choices.padded);
            plain.observe(&otherwise).map_err(|error| format!("refused when written otherwise: {error}"))?;
        }
        same("written otherwise", &shape.to_state(), &plain.to_state())?;
    }
    Ok(readable)
}

/// Whether it is JSON. What only some readers refuse is JSON too: halves of pairs, numbers beyond every float,
/// depth; of those serde_json knows nothing while it skips.
fn theirs(document: &[u8]) -> Result<(), String> {
    let text = std::str::from_utf8(document).map_err(|error| error.to_string())?;
    serde_json::from_str::<IgnoredAny>(text).map(|_| ()).map_err(|error| error.to_string())
}

/// The document with white space at its ends and behind keys, which have the escapes they need and no more. The
/// values are as they were: of numbers and tags it is counted how they are written.
fn otherwise(document: &[u8], padded: bool) -> Vec<u8> {
    let mut written = if padded { vec![b' '; STREAMED] } else { Vec::new() };
    let mut keys: Vec<_> = parts(document).into_iter().filter_map(|part| part.key).collect();
    keys.sort_by_key(|key| key.start);
    let mut at = 0;
    for key in keys {
        written.extend_from_slice(&document[at..key.start]);
        at = key.end;
        let key = &document[key];
        let name = serde_json::from_slice::<String>(key).ok().and_then(|name| serde_json::to_vec(&name).ok());
        // None of a key with half of a pair.
        written.extend_from_slice(name.as_deref().unwrap_or(key));
        written.push(b' ');
    }
    written.extend_from_slice(&document[at..]);
    written.push(b'\n');
    written
}
