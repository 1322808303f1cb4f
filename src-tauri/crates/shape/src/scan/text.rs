//! Strings as they are written, and what they stand for.
//!
//! Owns: escapes. Refuses to know: where strings stand.

use std::borrow::Cow;

use super::bytes::{plain, unit};

/// A string as written, between the quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Text<'d> {
    pub(super) raw: &'d str,
    pub(super) writing: Writing,
}

/// How a string is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    /// As it is, in ASCII.
    Ascii,
    /// As it is.
    Plain,
    Escaped,
    /// With an escape that is half of a surrogate pair, which stands for nothing.
    Broken,
}

impl<'d> Text<'d> {
    /// The string it stands for. Half of a surrogate pair becomes the replacement character.
    pub(crate) fn decoded(self) -> Cow<'d, str> {
        match self.plain() {
            Some(raw) => Cow::Borrowed(raw),
            None => {
                let mut text = String::new();
                self.decode_into(&mut text);
                Cow::Owned(text)
            }
        }
    }

    /// The same, in memory that is there; whether it is ASCII.
    pub(crate) fn decode_into(self, text: &mut String) -> bool {
        text.clear();
        text.reserve(self.raw.len());
        decode(self.raw, text)
    }

    /// The string, where it is written as it is.
    #[inline(always)]
    pub(crate) fn plain(self) -> Option<&'d str> {
        matches!(self.writing, Writing::Ascii | Writing::Plain).then_some(self.raw)
    }

    /// Whether it is written as it is, in ASCII.
    #[inline(always)]
    pub(crate) fn is_plain_ascii(self) -> bool {
        self.writing == Writing::Ascii
    }

    /// Whether it holds half of a surrogate pair.
    #[inline(always)]
    pub(crate) fn has_lone_surrogate(self) -> bool {
        self.writing == Writing::Broken
    }
}

/// How many bytes the escape at `at` takes, a surrogate pair as one, and whether it is half of one. None where
/// there is no such escape.
pub(super) fn escape(bytes: &[u8], at: usize) -> Option<(usize, bool)> {
    match bytes.get(at + 1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some((2, false)),
        b'u' => Some(match unit(bytes, at)? {
            0xD800..=0xDBFF if matches!(unit(bytes, at + 6), Some(0xDC00..=0xDFFF)) => (12, false),
            0xD800..=0xDFFF => (6, true),
            _ => (6, false),
        }),
        _ => None,
    }
}

/// Whether all of it is ASCII.
fn decode(raw: &str, text: &mut String) -> bool {
    let bytes = raw.as_bytes();
    let (mut at, mut ascii) = (0, true);
    while at < bytes.len() {
        let (end, wide) = plain(bytes, at);
        text.push_str(&raw[at..end]);
        ascii &= !wide;
        at = end;
        // Escapes come in runs.
        while bytes.get(at) == Some(&b'\\') {
            let (length, letter) = decode_one(bytes, at);
            text.push(letter);
            ascii &= letter.is_ascii();
            at += length;
        }
    }
    ascii
}

/// The bytes of an escape, and what it stands for.
fn decode_one(bytes: &[u8], at: usize) -> (usize, char) {
    let letter = match bytes.get(at + 1) {
        Some(b'u') => return decode_units(bytes, at),
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(other) => char::from(*other),
        None => char::REPLACEMENT_CHARACTER,
    };
    (2, letter)
}

fn decode_units(bytes: &[u8], at: usize) -> (usize, char) {
    let first = unit(bytes, at).unwrap_or_default();
    if let Some(letter) = char::from_u32(u32::from(first)) {
        return (6, letter);
    }
    let pair = unit(bytes, at + 6).and_then(|second| char::decode_utf16([first, second]).next()?.ok());
    pair.map_or((6, char::REPLACEMENT_CHARACTER), |letter| (12, letter))
}
