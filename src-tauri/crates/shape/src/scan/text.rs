//! Strings as written in JSON, and their decoded text.

use std::borrow::Cow;

use schemascope_json::{plain_end, unicode_escape};

/// A string as written, without the quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Text<'d> {
    pub(super) raw: &'d str,
    pub(super) writing: Notation,
}

/// Notation of a string. As wide as a register, because a copy reads the whole register, and would
/// wait if only a byte of it had just been written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub(super) enum Notation {
    /// Without escapes, in ASCII.
    Ascii,
    /// Without escapes.
    Plain,
    Escaped,
    /// With an escape for a lone surrogate, which has no meaning.
    Broken,
}

impl<'d> Text<'d> {
    /// Returns the decoded string. A lone surrogate becomes the replacement character.
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

    /// Decodes into an existing buffer. Returns whether the result is ASCII.
    pub(crate) fn decode_into(self, text: &mut String) -> bool {
        text.clear();
        text.reserve(self.raw.len());
        decode(self.raw, text)
    }

    /// Returns the string if it is written without escapes.
    #[inline(always)]
    pub(crate) fn plain(self) -> Option<&'d str> {
        matches!(self.writing, Notation::Ascii | Notation::Plain).then_some(self.raw)
    }

    /// Returns whether it is ASCII without escapes.
    #[inline(always)]
    pub(crate) fn is_plain_ascii(self) -> bool {
        self.writing == Notation::Ascii
    }

    /// Returns whether it contains a lone surrogate.
    #[inline(always)]
    pub(crate) fn has_lone_surrogate(self) -> bool {
        self.writing == Notation::Broken
    }
}

/// Returns the length of the escape at `at`, with a surrogate pair as one, and whether it is a lone
/// surrogate. Returns `None` for an invalid escape.
pub(super) fn escape(bytes: &[u8], at: usize) -> Option<(usize, bool)> {
    match bytes.get(at + 1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some((2, false)),
        b'u' => Some(match unicode_escape(bytes, at)? {
            0xD800..=0xDBFF if matches!(unicode_escape(bytes, at + 6), Some(0xDC00..=0xDFFF)) => (12, false),
            0xD800..=0xDFFF => (6, true),
            _ => (6, false),
        }),
        _ => None,
    }
}

/// Decodes a string. Returns whether all of it is ASCII.
fn decode(raw: &str, text: &mut String) -> bool {
    let bytes = raw.as_bytes();
    let (mut at, mut ascii) = (0, true);
    while at < bytes.len() {
        let (end, wide) = plain_end(bytes, at);
        text.push_str(&raw[at..end]);
        ascii &= !wide;
        at = end;
        // Escapes often follow each other.
        while bytes.get(at) == Some(&b'\\') {
            let (length, letter) = decode_one(bytes, at);
            text.push(letter);
            ascii &= letter.is_ascii();
            at += length;
        }
    }
    ascii
}

/// Returns the length of an escape and the character it represents.
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
    let first = unicode_escape(bytes, at).unwrap_or_default();
    if let Some(letter) = char::from_u32(u32::from(first)) {
        return (6, letter);
    }
    let pair =
        unicode_escape(bytes, at + 6).and_then(|second| char::decode_utf16([first, second]).next()?.ok());
    pair.map_or((6, char::REPLACEMENT_CHARACTER), |letter| (12, letter))
}
