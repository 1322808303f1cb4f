//! Results that no one asked about yet: their text, with a filter of the words in it. Most results are never read:
//! only one that has a value of a later call's arguments is.

use memchr::memmem;
use serde_json::Value;

use crate::document::read_counted;
use crate::memory::table;
use crate::scalars;
use crate::session::Own;

/// Largest number of bits of a filter.
const MAX_BITS: usize = 1 << 20;
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
    words: Words,
}

impl Unread {
    pub(crate) fn new(call: u32, text: &str, words: Words, own: Own) -> Self {
        Self { call, own, text: text.into(), words }
    }

    /// Estimated memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let own: usize = self.own.values().map(|path| path.len()).sum();
        self.text.len()
            + self.words.bits.len() * 8
            + own
            + table(self.own.capacity(), size_of::<(u64, Box<str>)>())
    }

    pub(crate) fn may_have(&self, wanted: &[Needle]) -> bool {
        wanted.iter().any(|needle| self.words.has(needle, &self.text))
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
    fn of(value: &str) -> Option<Self> {
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
    let second = before.len().checked_sub(2).and_then(|at| before.get(at));
    let starts = match before.last() {
        Some(b'_') => false,
        Some(b'.' | b'-') => !in_word(second),
        last => !in_word(last) || second == Some(&b'\\'),
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
        let mut add = |text: &str| found.extend(Needle::of(text));
        if weak || !scalars::is_weak(value.text, value.number) {
            add(value.text);
        }
        if !value.number && scalars::has_parts(value.text) {
            let mut left = MAX_PARTS;
            scalars::parts(value.text, &mut |part| {
                if left > 0 && !scalars::is_weak(part, false) {
                    left -= 1;
                    add(part);
                }
            });
            // A folder and a name, which two results may have given.
            if let Some((folder, name)) = value.text.rsplit_once('/') {
                add(folder);
                add(name);
            }
        }
    });
    found
}

/// A filter of words: a word that it does not have is not in the text.
#[derive(Debug)]
pub(crate) struct Words {
    bits: Box<[u64]>,
    mask: u64,
    /// Whether characters are written in escapes, so that words are not as they are written.
    opaque: bool,
}

impl Words {
    /// Reads the words of JSON text.
    pub(crate) fn of(json: &str) -> Self {
        let size = json.len().next_power_of_two().clamp(512, MAX_BITS);
        let mut words =
            Self { bits: vec![0; size / 64].into(), mask: size as u64 - 1, opaque: json.contains("\\u") };
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

    /// Whether the text that the words are of may have a value. Asked often, so the text itself is looked at only if
    /// the filter does not say no.
    pub(crate) fn has(&self, needle: &Needle, text: &str) -> bool {
        self.opaque || (needle.words.iter().all(|word| self.contains(*word)) && needle.is_in(text.as_bytes()))
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
        let words = Words::of(&text);
        let has = |argument: Value| needles(&argument, true).iter().any(|needle| words.has(needle, &text));
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
        let escaped = r#"{"a":"\u00e9t\u00e9"}"#;
        assert!(needles(&json!("été"), true).iter().all(|needle| Words::of(escaped).has(needle, escaped)));
    }
}
