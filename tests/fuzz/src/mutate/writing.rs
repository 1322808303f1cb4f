//! Odd ways of writing what a document says: escapes, white space, exponents.

use super::one::{pick, replace};
use super::parts::parts;
use crate::random::Random;

/// Writes one part of a document in another way.
pub fn change(document: &mut Vec<u8>, random: &mut Random) {
    let parts = parts(document);
    let Some(part) = pick(&parts, random) else { return };
    let range = match &part.key {
        Some(key) if random.once_in(2) => key.clone(),
        _ => part.value.clone(),
    };
    let written = match document[range.start] {
        b'"' if !random.once_in(3) => escaped(&document[range.clone()], random),
        b'0'..=b'9' | b'-' => number(&document[range.clone()], random),
        _ => {
            let blank = random.one(&[" ", "\n", "\t\r", "        ", "\u{1}", "\u{a0}", "/**/"]).as_bytes();
            let text = &document[range.clone()];
            if random.once_in(2) { [blank, text].concat() } else { [text, blank].concat() }
        }
    };
    replace(document, range, &written);
}

/// A string with one character escaped, or half a pair put in.
fn escaped(text: &[u8], random: &mut Random) -> Vec<u8> {
    let inside = text.len().saturating_sub(2);
    let at = 1 + random.below(inside);
    let odd = [
        "\\ud83d",
        "\\ude00",
        "\\ud83d\\ude00",
        "\\u0000",
        "\\/",
        "\u{1f}",
        "\u{7f}",
        "\\u00e9",
        "\u{1f600}",
        "\\\\",
        "\\\"",
        "\\b",
    ];
    let Some(byte) = text.get(at).filter(|byte| inside > 0 && byte.is_ascii_alphanumeric()) else {
        return [&text[..1], random.one(&odd).as_bytes(), &text[1..]].concat();
    };
    let escape = match random.below(4) {
        0 => random.one(&odd).to_owned(),
        1 => format!("\\u{byte:04X}"),
        _ => format!("\\u{byte:04x}"),
    };
    [&text[..at], escape.as_bytes(), &text[at + 1..]].concat()
}

fn number(text: &[u8], random: &mut Random) -> Vec<u8> {
    let more = random.one(&[
        "E5",
        "e0",
        "e+1",
        "e-400",
        "e400",
        ".0",
        "0",
        "000000000000000000",
        ".",
        "e",
        "E+",
        "5",
    ]);
    match random.below(8) {
        0 => [b"-", text].concat(),
        1 => [b"0", text].concat(),
        _ => [text, more.as_bytes()].concat(),
    }
}
