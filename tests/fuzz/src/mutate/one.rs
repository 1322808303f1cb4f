//! Mutations of one document that mostly keep it valid JSON.

use std::ops::Range;

use super::parts::{Part, blanks, parts};
use super::words::Words;
use crate::random::Random;

/// Bytes a changed document has at most.
const LONGEST: usize = 60_000;

/// Levels into which a value is wrapped at once.
const WRAPS: usize = 12;

/// Changes one part of a document.
pub fn change(document: &mut Vec<u8>, donor: &[u8], words: &Words, random: &mut Random) {
    let parts = parts(document);
    let Some(part) = pick(&parts, random) else {
        document.extend_from_slice(random.one(words.values).as_bytes());
        return;
    };
    match random.below(16) {
        0..=2 => {
            let value = value(donor, words, random);
            replace(document, part.value.clone(), &value);
        }
        3 => remove(document, part.whole()),
        4 | 5 => rename(document, part, words, random),
        6 | 7 => repeat(document, part, words, random),
        8 => multiply(document, part, random),
        9 => wrap(document, part.value.clone(), words, random),
        10 => exchange(document, part, &parts, random),
        11 => vary(document, part.value.clone(), random),
        12 | 13 => spell(document, part, random),
        _ => insert(document, &parts, donor, words, random),
    }
}

/// Takes a part away, or what is around one.
pub fn shrink(document: &mut Vec<u8>, random: &mut Random) {
    let parts = parts(document);
    let Some(part) = pick(&parts, random) else { return document.clear() };
    match random.below(4) {
        0 => {
            let inner = document[part.value.clone()].to_vec();
            let around = parts
                .iter()
                .find(|around| around.value.start < part.value.start && around.value.end > part.value.end);
            if let Some(around) = around {
                replace(document, around.value.clone(), &inner);
            }
        }
        1 => replace(document, part.value.clone(), b"1"),
        _ => remove(document, part.whole()),
    }
}

pub fn pick<'p>(parts: &'p [Part], random: &mut Random) -> Option<&'p Part> {
    parts.get(random.below(parts.len()))
}

/// Puts a text in the place of another one, unless the document would get too long.
pub fn replace(document: &mut Vec<u8>, range: Range<usize>, with: &[u8]) {
    if document.len() - range.len() + with.len() <= LONGEST {
        drop(document.splice(range, with.iter().copied()));
    }
}

/// Removes a member or item with a comma beside it.
pub fn remove(document: &mut Vec<u8>, whole: Range<usize>) {
    let behind = whole.end + blanks(&document[whole.end..]);
    let range = if document.get(behind) == Some(&b',') {
        whole.start..behind + 1
    } else {
        let before = document[..whole.start].trim_ascii_end().len();
        if document[..before].ends_with(b",") { before - 1..whole.end } else { whole }
    };
    drop(document.splice(range, []));
}

/// A word, or part of another document.
pub fn value(donor: &[u8], words: &Words, random: &mut Random) -> Vec<u8> {
    let parts = parts(donor);
    match pick(&parts, random) {
        Some(part) if random.once_in(2) => donor[part.value.clone()].to_vec(),
        _ => random.one(words.values).as_bytes().to_vec(),
    }
}

/// A key with its quotes.
pub fn key(words: &Words, random: &mut Random) -> Vec<u8> {
    match random.below(5) {
        0 => format!("\"{}{}\"", random.one(&["", "k", "id_", "20"]), random.below(3_000)).into_bytes(),
        _ => format!("\"{}\"", random.one(words.keys)).into_bytes(),
    }
}

fn rename(document: &mut Vec<u8>, part: &Part, words: &Words, random: &mut Random) {
    let Some(range) = part.key.clone() else {
        // An item has no key yet.
        let named = [&key(words, random)[..], b":"].concat();
        return replace(document, part.value.start..part.value.start, &named);
    };
    let own = String::from_utf8_lossy(&document[range.clone()]).trim_matches('"').to_ascii_lowercase();
    let near: Vec<&str> = words.keys.iter().copied().filter(|key| is_near(&own, key)).collect();
    let name = if near.is_empty() || random.once_in(3) {
        key(words, random)
    } else {
        format!("\"{}\"", random.one(&near)).into_bytes()
    };
    replace(document, range, &name);
}

/// Whether a key begins or ends like another one, as `minimum` and `exclusiveMinimum` do.
fn is_near(own: &str, key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let both = own.bytes().zip(key.bytes());
    let begins = both.take_while(|(one, other)| one == other).count();
    let ends = own.bytes().rev().zip(key.bytes().rev()).take_while(|(one, other)| one == other).count();
    begins.max(ends) >= 2 && own != key
}

/// A member or item once more, a member perhaps with another key or value.
fn repeat(document: &mut Vec<u8>, part: &Part, words: &Words, random: &mut Random) {
    let mut again = b",".to_vec();
    if let Some(range) = &part.key {
        match random.below(2) {
            0 => again.extend_from_slice(&document[range.clone()]),
            _ => again.extend_from_slice(&key(words, random)),
        }
        again.push(b':');
    }
    match random.below(2) {
        0 => again.extend_from_slice(&document[part.value.clone()]),
        _ => again.extend_from_slice(random.one(words.values).as_bytes()),
    }
    replace(document, part.value.end..part.value.end, &again);
}

/// A member or item many times, members with keys that differ, texts that differ or not.
fn multiply(document: &mut Vec<u8>, part: &Part, random: &mut Random) {
    let value = document[part.value.clone()].to_vec();
    let times = [2, 7, 20, 47, 60][random.below(5)];
    if value.len() * times > LONGEST / 4 {
        return;
    }
    let name = random.one(&["k", "", "20", "w", "u/", "2026-01-"]);
    let text = value.strip_prefix(b"\"").filter(|_| random.once_in(2));
    let mut many = Vec::new();
    for n in 0..times {
        many.push(b',');
        if part.key.is_some() {
            match name {
                "w" => many.extend_from_slice(format!("\"w{}{}\":", letter(n / 26), letter(n)).as_bytes()),
                name => many.extend_from_slice(format!("\"{name}{:02}\":", n * 7).as_bytes()),
            }
        }
        match text {
            Some(text) => many.extend_from_slice(&[format!("\"{n}").as_bytes(), text].concat()),
            None => many.extend_from_slice(&value),
        }
    }
    replace(document, part.value.end..part.value.end, &many);
}

fn letter(n: usize) -> char {
    char::from(b'a' + (n % 26) as u8)
}

/// Puts a value into arrays or objects, alone or beside others.
fn wrap(document: &mut Vec<u8>, range: Range<usize>, words: &Words, random: &mut Random) {
    let mut inner = document[range.clone()].to_vec();
    let levels = if random.once_in(3) { 1 + random.below(WRAPS) } else { 1 };
    let (key, way, beside) = (key(words, random), random.below(5), random.one(words.values).as_bytes());
    for _ in 0..levels {
        inner = match way {
            0 | 1 => [b"[", &inner[..], b"]"].concat(),
            2 => [b"[", &inner[..], b",", beside, b"]"].concat(),
            3 => [b"{", &key[..], b":", &inner, b"}"].concat(),
            _ => [b"{\"kind\":", beside, b",", &key, b":", &inner, b"}"].concat(),
        };
    }
    replace(document, range, &inner);
}

/// Two values in each other's place, unless one is in the other.
fn exchange(document: &mut Vec<u8>, part: &Part, parts: &[Part], random: &mut Random) {
    let Some(other) = pick(parts, random) else { return };
    let (first, second) = if part.value.start < other.value.start { (part, other) } else { (other, part) };
    if first.value.end <= second.value.start {
        let one = document[first.value.clone()].to_vec();
        let two = document[second.value.clone()].to_vec();
        replace(document, second.value.clone(), &one);
        replace(document, first.value.clone(), &two);
    }
}

/// One character of a text, key or number otherwise: what is a format is none then, or another one.
fn spell(document: &mut Vec<u8>, part: &Part, random: &mut Random) {
    let range = part.key.clone().filter(|_| random.once_in(4)).unwrap_or(part.value.clone());
    let quotes = usize::from(document[range.start] == b'"');
    let at = range.start + quotes + random.below(range.len().saturating_sub(2 * quotes));
    let letter = random
        .one(&["0", "0", "1", "2", "3", "9", "a", "Z", "-", ":", ".", "@", "/", "%", "+", "\u{1f}", "é"]);
    match random.below(4) {
        0 => replace(document, at..(at + 1).min(range.end), b""),
        1 => replace(document, at..at, letter.as_bytes()),
        // Letters of several bytes are changed whole or not at all.
        _ if document.get(at).is_some_and(u8::is_ascii) && at < range.end => {
            replace(document, at..at + 1, letter.as_bytes());
        }
        _ => {}
    }
}

/// A number in the place of what is no text, and a longer text in that of a text.
pub fn vary(document: &mut Vec<u8>, range: Range<usize>, random: &mut Random) {
    let bits = random.bits();
    if let Some(text) = document[range.clone()].strip_prefix(b"\"") {
        let more = random.one(&["x", "-", "0", "é"]).repeat(random.below(4) * random.below(24));
        let longer = [format!("\"{}{more}", bits % 100).as_bytes(), text].concat();
        return replace(document, range, &longer);
    }
    let number = match random.below(6) {
        0 => (bits % 8).to_string(),
        1 => (bits % 1_000).to_string(),
        2 => (1_u128 << (bits % 70)).to_string(),
        3 => ((1_i128 << (bits % 66)) - 1).to_string(),
        4 => format!("-{}", bits % 300),
        _ => format!("{}.{}", bits % 10, bits % 3),
    };
    replace(document, range, number.as_bytes());
}

/// A new member or item at the start of an object or array.
fn insert(document: &mut Vec<u8>, parts: &[Part], donor: &[u8], words: &Words, random: &mut Random) {
    let containers: Vec<&Part> =
        parts.iter().filter(|part| matches!(document[part.value.start], b'{' | b'[')).collect();
    let Some(part) = containers.get(random.below(containers.len())) else { return };
    let at = part.value.start + 1;
    let mut new = Vec::new();
    if document[part.value.start] == b'{' {
        new.extend_from_slice(&key(words, random));
        new.push(b':');
    }
    new.extend_from_slice(&value(donor, words, random));
    if !matches!(document.get(at + blanks(&document[at..])), Some(b'}' | b']')) {
        new.push(b',');
    }
    replace(document, at..at, &new);
}
