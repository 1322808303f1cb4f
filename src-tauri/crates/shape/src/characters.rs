//! Characters that the strings at a path consist of: codes, colours and hashes have few kinds of them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Most bytes of a string that may be a code. A SHA-256 hash has as many.
const MAX_LENGTH: usize = 64;

const DIGIT: u8 = 1;
/// Letters that are also hexadecimal digits, and the others.
const LOWER_HEX: u8 = 2;
const LOWER: u8 = 4;
const UPPER_HEX: u8 = 8;
const UPPER: u8 = 16;
const HYPHEN: u8 = 32;
const UNDERSCORE: u8 = 64;
/// Any other character, or a string that is too long, empty or unknown.
const OTHER: u8 = 128;

/// First character of no string so far, and of strings whose first characters differ.
const NONE: u8 = 0;
const VARIED: u8 = u8::MAX;

/// Kinds of characters, one bit each, and the first one. Adding is idempotent, so a value may be added more than once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Characters(u8, u8);

impl Characters {
    /// Those of strings that are not known.
    pub(crate) const UNKNOWN: Self = Self(OTHER, VARIED);

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
    pub(crate) fn are_unknown(&self) -> bool {
        self.0 & OTHER != 0
    }

    /// Adds those of a string.
    #[inline]
    pub(crate) fn add(&mut self, text: &str) {
        if self.are_unknown() {
            return;
        }
        let first = text.as_bytes().first().copied().unwrap_or_default();
        let fits = first != NONE && text.len() <= MAX_LENGTH;
        let seen = || text.bytes().fold(0, |kinds, byte| kinds | KINDS[usize::from(byte)]);
        self.merge(if fits { Self(seen(), first) } else { Self::UNKNOWN });
    }

    pub(crate) fn merge(&mut self, theirs: Self) {
        self.0 |= theirs.0;
        self.1 = match (self.1, theirs.1) {
            (NONE, first) | (first, NONE) => first,
            (mine, theirs) if mine == theirs => mine,
            _ => VARIED,
        };
        if self.are_unknown() {
            *self = Self::UNKNOWN;
        }
    }

    /// Returns the pattern of all strings with these characters and this length, if it says something: digits alone, or
    /// behind the same letter (`INV-1001`), are numbers, which may become longer.
    pub(crate) fn pattern(self, length: u64) -> Option<Pattern> {
        let has = |kind: u8| self.0 & kind != 0;
        let numbered = has(DIGIT) && (self.0 & !DIGIT == 0 || self.1 != VARIED);
        // No kind, or a length that is not counted, is in forged states only.
        let counted = self.0 != 0 && length <= MAX_LENGTH as u64;
        (!self.are_unknown() && !numbered && counted)
            .then_some(Pattern { kinds: self.0, length: length as u8 })
    }
}

/// Pattern of strings of one length that consist of certain kinds of characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pattern {
    pub(crate) kinds: u8,
    pub(crate) length: u8,
}

/// Writes the regular expression.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has = |kind: u8| self.kinds & kind != 0;
        // Short or without digits, it may be chance that all letters are hexadecimal digits.
        let hexadecimal = has(DIGIT) && !has(LOWER | UPPER | HYPHEN | UNDERSCORE) && self.length >= 4;
        let letters = |hex, other, some, all| match (has(hex), has(other)) {
            (true, false) if hexadecimal => some,
            (false, false) => "",
            _ => all,
        };
        let lower = letters(LOWER_HEX, LOWER, "a-f", "a-z");
        let upper = letters(UPPER_HEX, UPPER, "A-F", "A-Z");
        let digits = if has(DIGIT) { "0-9" } else { "" };
        let underscore = if has(UNDERSCORE) { "_" } else { "" };
        let hyphen = if has(HYPHEN) { "-" } else { "" };
        write!(f, "^[{digits}{upper}{lower}{underscore}{hyphen}]{{{}}}$", self.length)
    }
}

const KINDS: [u8; 256] = kinds();

const fn kinds() -> [u8; 256] {
    let mut kinds = [OTHER; 256];
    let mut byte = 0;
    while byte < 128 {
        kinds[byte] = match byte as u8 {
            b'0'..=b'9' => DIGIT,
            b'a'..=b'f' => LOWER_HEX,
            b'g'..=b'z' => LOWER,
            b'A'..=b'F' => UPPER_HEX,
            b'G'..=b'Z' => UPPER,
            b'-' => HYPHEN,
            b'_' => UNDERSCORE,
            _ => OTHER,
        };
        byte += 1;
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&str]) -> Characters {
        let mut characters = Characters::default();
        texts.iter().for_each(|text| characters.add(text));
        characters
    }

    #[test]
    fn pattern_names_the_kinds_of_characters_that_occur() {
        let pattern =
            |texts: &[&str]| of(texts).pattern(texts[0].len() as u64).map(|pattern| pattern.to_string());
        assert_eq!(pattern(&["EUR", "USD"]).as_deref(), Some("^[A-Z]{3}$"));
        assert_eq!(pattern(&["FF0000", "00AA00"]).as_deref(), Some("^[0-9A-F]{6}$"));
        assert_eq!(pattern(&["a3", "b4"]).as_deref(), Some("^[0-9a-z]{2}$"), "too short for hexadecimal");
        assert_eq!(pattern(&["fade", "cafe"]).as_deref(), Some("^[a-z]{4}$"), "no digit");
        assert_eq!(pattern(&["ab-12_X", "zz-99_Y"]).as_deref(), Some("^[0-9A-Za-z_-]{7}$"));
        assert_eq!(pattern(&["2024", "1999"]), None, "digits alone");
        assert_eq!(pattern(&["INV-1001", "INV-1002"]), None, "numbers with a prefix");
        assert_eq!(pattern(&["USA", "UAE"]).as_deref(), Some("^[A-Z]{3}$"));
        assert_eq!(Characters(0, VARIED).pattern(3), None, "no string");
        assert_eq!(of(&["ab", "xy"]).pattern(u64::MAX), None, "a length that is not counted");
        for other in ["", "a b", "é", "1.2", "a\n", "https://x", &"a".repeat(65)] {
            assert_eq!(of(&["ab", other]), Characters::UNKNOWN, "{other:?}");
        }
    }

    #[test]
    fn characters_are_the_same_in_any_order_and_grouping() {
        let texts = ["ab", "A1", "x-y", "", "zz"];
        for split in 0..texts.len() {
            let (mut left, right) = (of(&texts[..split]), of(&texts[split..]));
            left.merge(right);
            assert_eq!(left, of(&texts));
            left.merge(right);
            assert_eq!(left, of(&texts));
        }
    }
}
