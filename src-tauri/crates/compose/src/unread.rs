//! Results that no one asked about yet: their text, and a filter of the words in it once it was searched more than a few
//! times. Most results are never read: only one that has a value of a later call's arguments is.

use std::collections::HashSet;

use memchr::memmem;
use serde_json::Value;

use crate::document::read_counted;
use crate::memory::table;
use crate::scalars::{self, Scalar};
use crate::session::Own;

/// Largest number of bits of a filter.
const MAX_BITS: usize = 1 << 20;
/// Number of values that are looked for in a text before it gets a filter, which costs as much as some searches.
const SEARCHES: usize = 16;
/// Number of parts of one argument that are looked for.
const MAX_PARTS: usize = 64;

/// The text of a result.
#[derive(Debug)]
pub(crate) struct Unread {
    /// Number of the call in its session.
    pub(crate) call: u32,
    /// What the call's arguments were, if the result repeats some of them.
    pub(crate) own: Own,
    text: Box<str>,
    /// Whether values cannot be found by their bytes, because characters are written in escapes or for other reasons.
    opaque: bool,
    /// How many values were looked for.
    searches: usize,
    words: Option<Words>,
}

impl Unread {
    pub(crate) fn new(call: u32, text: &str) -> Self {
        // Words end at such white space, and bytes do not tell.
        let has_other_space =
            || !text.is_ascii() && text.contains(|c: char| !c.is_ascii() && c.is_whitespace());
        let opaque = memmem::find(text.as_bytes(), b"\\u").is_some() || has_other_space();
        Self { call, own: Own::new(), text: text.into(), opaque, searches: 0, words: None }
    }

    /// Estimated memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let own: usize = self.own.values().map(|path| path.len()).sum();
        self.text.len()
            + filter_size(self.text.len()) / 8
            + own
            + table(self.own.capacity(), size_of::<(u64, Box<str>)>())
    }

    /// Whether the text may have one of some values.
    pub(crate) fn may_have<'n>(&mut self, wanted: impl Iterator<Item = &'n Needle>) -> bool {
        let mut wanted = wanted;
        wanted.any(|needle| {
            if self.opaque {
                return true;
            }
            self.searches = self.searches.saturating_add(1);
            if self.searches > SEARCHES && self.words.is_none() {
                self.words = Some(Words::of(&self.text));
            }
            self.words.as_ref().is_none_or(|words| words.has(needle)) && needle.is_in(self.text.as_bytes())
        })
    }

    /// Whether the text has one of some values for certain, as far as bytes can tell.
    pub(crate) fn has<'n>(&self, wanted: impl Iterator<Item = &'n Needle>) -> bool {
        let mut wanted = wanted;
        !self.opaque && wanted.any(|needle| needle.alone && needle.is_in(self.text.as_bytes()))
    }

    /// The value, and the number of items and members that were not read.
    pub(crate) fn read(&self) -> (Value, usize) {
        read_counted(&self.text)
    }
}

/// Words of a value, by their hashes, and what is looked for in texts.
#[derive(Debug)]
pub(crate) struct Needle {
    words: Vec<u64>,
    /// The value, or its longest word if JSON may write the value in more than one way.
    text: Vec<u8>,
    /// Whether the text must stand alone, and not be a part of a longer word.
    alone: bool,
}

impl Needle {
    pub(crate) fn of(value: &str) -> Option<Self> {
        let (mut words, mut longest) = (Vec::new(), &b""[..]);
        split(value.as_bytes(), false, |word| {
            words.push(hash(word));
            if word.len() > longest.len() {
                longest = word;
            }
        });
        let bytes = value.as_bytes();
        let is_plain = bytes.iter().all(|byte| byte.is_ascii_graphic() && !br#""\/"#.contains(byte));
        let is_short_hash =
            (7..=12).contains(&bytes.len()) && bytes.iter().all(|byte| byte.is_ascii_hexdigit());
        let alone = is_plain && !is_short_hash;
        let text = if alone { bytes } else { longest };
        (!words.is_empty()).then(|| Self { words, text: text.to_vec(), alone })
    }

    fn is_in(&self, text: &[u8]) -> bool {
        let mut places = memmem::find_iter(text, &self.text);
        if self.alone {
            places.any(|at| stands_alone(text, at, at + self.text.len()))
        } else {
            places.next().is_some()
        }
    }
}

/// Whether a place of a JSON text is no part of a longer word, as in `ord_100` or `100.5`. Values, and parts of texts
/// that may be ids, stand alone.
fn stands_alone(text: &[u8], start: usize, end: usize) -> bool {
    let in_word = |byte: Option<&u8>| byte.is_some_and(|byte| is_letter(*byte));
    let (before, after) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    let back = |count: usize| before.len().checked_sub(count).and_then(|at| before.get(at));
    // A letter behind a backslash is a line break or the like.
    let is_escape = |count: usize| back(count) == Some(&b'\\');
    let starts = match before.last() {
        Some(b'_') => false,
        Some(b'.' | b'-') => !in_word(back(2)) || is_escape(3),
        last => !in_word(last) || is_escape(2),
    };
    let ends = match after.first() {
        Some(b'_') => false,
        Some(b'.' | b'-') => !in_word(after.get(1)),
        first => !in_word(first),
    };
    starts && ends
}

/// The values that a call's arguments may have from results: the arguments and their parts. `weak` ones are those that
/// many fields have by accident.
pub(crate) fn needles(arguments: &Value, weak: bool) -> Vec<Needle> {
    let mut found = Vec::new();
    scalars::each(arguments, crate::window::MAX_VALUES, &mut |value| {
        if weak || !scalars::is_weak(value.text, value.number) {
            found.extend(Needle::of(value.text));
        }
        parts_of(value, &mut |part| found.extend(Needle::of(part)));
    });
    found
}

/// Calls `visit` for the parts of an argument that it may have from results.
pub(crate) fn parts_of(value: &Scalar<'_>, visit: &mut dyn FnMut(&str)) {
    if value.number {
        return;
    }
    // A folder and a name, which two results may have given.
    if let Some((folder, name)) = value.text.rsplit_once('/') {
        visit(folder);
        visit(name);
    }
    let mut known = HashSet::new();
    scalars::parts(value.text, &mut |part| {
        if known.len() < MAX_PARTS && !scalars::is_weak(part, false) && known.insert(hash(part.as_bytes())) {
            visit(part);
        }
    });
}

/// Number of bits of the filter of a text.
fn filter_size(bytes: usize) -> usize {
    bytes.next_power_of_two().clamp(512, MAX_BITS)
}

/// A filter of words: a word that it does not have is not in the text.
#[derive(Debug)]
struct Words {
    bits: Box<[u64]>,
    mask: u64,
}

impl Words {
    /// Reads the words of JSON text.
    fn of(json: &str) -> Self {
        let size = filter_size(json.len());
        let mut words = Self { bits: vec![0; size / 64].into(), mask: size as u64 - 1 };
        split(json.as_bytes(), true, |word| {
            words.insert(hash(word));
            // Hashes are written in short forms.
            if word.len() >= 20 && word.iter().all(u8::is_ascii_hexdigit) {
                (7..=12).for_each(|length| words.insert(hash(&word[..length])));
            }
        });
        words
    }

    fn places(&self, hash: u64) -> [u64; 2] {
        [hash & self.mask, (hash >> 32) & self.mask]
    }

    fn insert(&mut self, hash: u64) {
        for place in self.places(hash) {
            if let Some(bits) = self.bits.get_mut((place / 64) as usize) {
                *bits |= 1 << (place % 64);
            }
        }
    }

    fn contains(&self, hash: u64) -> bool {
        let has = |place: u64| {
            self.bits.get((place / 64) as usize).is_some_and(|bits| bits >> (place % 64) & 1 == 1)
        };
        self.places(hash).into_iter().all(has)
    }

    /// Whether the text that the words are of may have the words of a value.
    fn has(&self, needle: &Needle) -> bool {
        needle.words.iter().all(|word| self.contains(*word))
    }
}

/// Whether a byte is part of a word: letters, digits, the signs that ids have inside, and everything that is not ASCII.
const IN_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = is_letter(byte as u8) || matches!(byte as u8, b'_' | b'-' | b'.');
        byte += 1;
    }
    table
};

const fn is_letter(byte: u8) -> bool {
    byte >= 128 || byte.is_ascii_alphanumeric()
}

/// Calls `visit` for every word, without dots and dashes around it. In JSON text a backslash and what follows it are no
/// words.
fn split<'t>(text: &'t [u8], is_json: bool, mut visit: impl FnMut(&'t [u8])) {
    let is_around = |byte: &u8| matches!(byte, b'-' | b'.');
    let mut at = 0;
    while at < text.len() {
        let start = at;
        while at < text.len() && IN_WORD[usize::from(text[at])] {
            at += 1;
        }
        let mut word = &text[start..at];
        while let [first, rest @ ..] = word
            && is_around(first)
        {
            word = rest;
        }
        while let [rest @ .., last] = word
            && is_around(last)
        {
            word = rest;
        }
        if !word.is_empty() {
            visit(word);
        }
        if is_json && at < text.len() && text[at] == b'\\' {
            at += 1;
        }
        at += 1;
    }
}

/// A quick hash, eight bytes at a time.
fn hash(word: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = word.len() as u64;
    let mut chunks = word.chunks_exact(8);
    for chunk in &mut chunks {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(bytes)).wrapping_mul(FACTOR).rotate_left(29);
    }
    let rest = chunks.remainder().iter().fold(0, |rest, byte| rest << 8 | u64::from(*byte));
    hash = (hash ^ rest).wrapping_mul(FACTOR);
    hash ^ (hash >> 29)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn filter_has_the_values_of_a_text_and_hardly_others() {
        let document = json!({
            "orders": [{"id": "ord_4711", "n": 7, "note": "Line one\nOPS-3: see \"x\""}],
            "commit": "0123456789abcdef0123456789abcdef01234567", "path": "/data/reports",
        });
        let text = document.to_string();
        for searches in [0, SEARCHES] {
            let mut unread = Unread { searches, ..Unread::new(0, &text) };
            filter_is_right(|argument| unread.may_have(needles(&argument, true).iter()));
        }
        // Parts stand behind line breaks, dashes and white space of other kinds.
        for text in ["a\\n-OPS-17 b", "a\\t.OPS-17", "see\u{a0}OPS-17\u{3000}too", "x\\nOPS-17"] {
            let mut unread = Unread::new(0, &format!("\"{text}\""));
            assert!(unread.may_have(needles(&json!("OPS-17"), true).iter()), "{text}");
        }
        let mut escaped = Unread::new(0, r#"{"a":"\u00e9t\u00e9"}"#);
        assert!(escaped.may_have(needles(&json!("été"), true).iter()));
    }

    fn filter_is_right(mut has: impl FnMut(Value) -> bool) {
        for argument in [
            json!("ord_4711"),
            json!(7),
            json!("7"),
            json!("OPS-3"),
            json!("01234567"),
            json!("/data/reports/q3.csv"),
            json!("https://t.example/OPS-3"),
            json!({"list": ["ord_4711"]}),
        ] {
            assert!(has(argument.clone()), "{argument}");
        }
        for argument in
            [json!(471), json!("ord"), json!("OPS"), json!("ord_471"), json!(471.1), json!("q3-1")]
        {
            assert!(!has(argument.clone()), "{argument}");
        }
        let wrong = (0..1_000).filter(|n| has(json!(format!("cus_{n}x{n}")))).count();
        assert_eq!(wrong, 0);
    }
}
