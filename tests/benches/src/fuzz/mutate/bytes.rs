//! Mutations that know nothing of JSON but its words.

use schemascope_benches::random::Random;

/// What readers stumble over.
const TOKENS: &[&[u8]] = &[
    b"\\ud83d",
    b"\\ude00",
    b"\\ud83d\\ude00",
    b"\\u0000",
    b"\\u00e9",
    b"\\\"",
    b"\\\\",
    b"\\",
    b"\"",
    b"1e999",
    b"-1e999",
    b"1e-999",
    b"__proto__",
    b"[[[[[[[[",
    b"]]]]]]]]",
    b"{\"a\":{\"a\":{\"a\":",
    b"}}}",
    b"\0",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\xc3\xa9",
    b"\xf0\x9f\x98\x80",
    b"\xed\xa0\x80",
    b",",
    b":",
    b"{",
    b"}",
    b"[",
    b"]",
    b"[]",
    b"{}",
    b"null",
    b"true",
    b"false",
    b"0",
    b"-",
    b".",
    b"e",
    b"E+",
    b"99999999999999999999",
    b"\"a\":1,",
    b"\"kind\":\"a\",",
    b"\"2026-11-21\":",
    b"\"\":",
    b"\"1234\":{",
    b" ",
    b"\n",
    b"\x1f",
    b"\x7f",
    b"2026-11-21",
    b"10.0.0.1",
    b"a@b.cd",
    b"\xe2\x9f\xa6integer\xe2\x9f\xa7",
];

pub fn mutate(document: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = document.to_vec();
    let at = random.below(bytes.len() + 1);
    let slice = |from: &[u8], random: &mut Random| {
        let begin = random.below(from.len() + 1);
        let end = (begin + 1 + random.below(40)).min(from.len());
        from[begin..end].to_vec()
    };
    let insert = |bytes: &mut Vec<u8>, what: &[u8]| drop(bytes.splice(at..at, what.iter().copied()));
    match random.below(9) {
        0 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = random.bits() as u8;
            }
        }
        2 => {
            let end = (at + 1 + random.below(12)).min(bytes.len());
            bytes.drain(at..end);
        }
        3 => {
            let own = slice(document, random);
            insert(&mut bytes, &own);
        }
        4 => {
            let theirs = slice(other, random);
            insert(&mut bytes, &theirs);
        }
        5 => {
            bytes.truncate(at);
            bytes.extend_from_slice(&other[random.below(other.len() + 1)..]);
        }
        6 if random.chance(0.3) => bytes.truncate(at),
        _ => {
            let token = random.one(TOKENS);
            insert(&mut bytes, token);
        }
    }
    bytes
}
