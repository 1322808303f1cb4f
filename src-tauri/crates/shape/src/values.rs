//! Statistics of scalar values and arrays at one path: ranges, lengths, formats and positions, each
//! a commutative monoid.

use serde::{Deserialize, Serialize};

use crate::characters::Characters;
use crate::distinct::Distinct;
use crate::format::Format;
use crate::node::Type;
use crate::rank::HashKey;

/// Smallest and largest value. Nothing was seen if the first is greater than the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Range<T>(pub(crate) T, pub(crate) T);

impl<T: PartialOrd + Copy> Range<T> {
    #[inline]
    pub(crate) fn add(&mut self, value: T) {
        if value < self.0 {
            self.0 = value;
        }
        if value > self.1 {
            self.1 = value;
        }
    }

    pub(crate) fn merge(&mut self, theirs: &Self) {
        if theirs.0 < self.0 {
            self.0 = theirs.0;
        }
        if theirs.1 > self.1 {
            self.1 = theirs.1;
        }
    }
}

/// Numbers at a path.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Numbers {
    /// Range of integers that fit in 64 bits.
    pub(crate) integers: Option<Range<i128>>,
    /// Range of all other numbers, as bits with the same order.
    pub(crate) floats: Option<Range<i64>>,
    /// Distinct numbers, as written.
    pub(crate) distinct: Distinct,
}

impl Numbers {
    /// Adds a number written as an integer. Beyond 64 bits it counts as any other number.
    #[inline(always)]
    pub(crate) fn add_integer(&mut self, text: &str, key: HashKey) {
        if self.distinct.add(if text == "-0" { "0" } else { text }, key) {
            return;
        }
        match integer(text) {
            Some(value) => self.integers.get_or_insert(Range(value, value)).add(value),
            None => self.extend_floats(text),
        }
    }

    pub(crate) fn add_number(&mut self, text: &str, key: HashKey) {
        if !self.distinct.add(text, key) {
            self.extend_floats(text);
        }
    }

    /// Extends the range by a number, unless it is too large for a float. Those are counted as a peculiarity.
    fn extend_floats(&mut self, text: &str) {
        if let Some(value) = text.parse::<f64>().ok().filter(|value| value.is_finite()) {
            let value = ordered(value);
            self.floats.get_or_insert(Range(value, value)).add(value);
        }
    }

    pub(crate) fn merge(&mut self, theirs: &Self, key: HashKey) {
        merge_range(&mut self.integers, theirs.integers.as_ref());
        merge_range(&mut self.floats, theirs.floats.as_ref());
        self.distinct.merge(&theirs.distinct, key);
    }

    /// Returns the same statistics without any number.
    pub(crate) fn veiled(&self, key: HashKey) -> Self {
        Self { integers: None, floats: None, distinct: self.distinct.veiled(key) }
    }

    /// Returns the smallest and the largest number, as JSON.
    pub(crate) fn range(&self) -> Option<(String, String)> {
        let integers = self.integers.map(|range| [range.0, range.1]);
        let floats = self.floats.map(|range| [from_ordered(range.0), from_ordered(range.1)]);
        Some(match (integers, floats) {
            (Some([low, high]), None) => (low.to_string(), high.to_string()),
            (None, Some([low, high])) => (low.to_string(), high.to_string()),
            (Some([low, high]), Some([low_float, high_float])) => (
                if low_float < low as f64 { low_float.to_string() } else { low.to_string() },
                if high_float > high as f64 { high_float.to_string() } else { high.to_string() },
            ),
            (None, None) => return None,
        })
    }
}

fn merge_range<T: PartialOrd + Copy>(mine: &mut Option<Range<T>>, theirs: Option<&Range<T>>) {
    if let Some(theirs) = theirs {
        mine.get_or_insert(*theirs).merge(theirs);
    }
}

/// Length of a written integer, in bytes, up to which it certainly fits in 64 bits.
pub(crate) const SHORT_INTEGER: usize = 18;

/// Reads an integer of at most 64 bits, signed or unsigned, as JSON writes it.
#[inline(always)]
pub(crate) fn integer(text: &str) -> Option<i128> {
    if text.len() > SHORT_INTEGER {
        return long_integer(text);
    }
    let (negative, digits) = match text.as_bytes() {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let value = digits.iter().fold(0_i64, |value, digit| value * 10 + i64::from(digit & 0xF));
    Some(i128::from(if negative { -value } else { value }))
}

#[cold]
fn long_integer(text: &str) -> Option<i128> {
    text.parse::<i64>().map(i128::from).or_else(|_| text.parse::<u64>().map(i128::from)).ok()
}

/// Returns bits with the same order as finite numbers, minus zero before zero (IEEE 754,
/// totalOrder).
fn ordered(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

fn from_ordered(bits: i64) -> f64 {
    f64::from_bits((bits ^ ((bits >> 63) as u64 >> 1) as i64) as u64)
}

/// Common format of all strings so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CommonFormat {
    /// No string was seen.
    #[default]
    Unseen,
    /// All strings have this format.
    On(Format),
    /// Some have no format or another.
    Not,
}

impl CommonFormat {
    fn add(&mut self, text: &str, ascii: bool) {
        *self = match *self {
            Self::Not => return,
            Self::On(format) if ascii && format.is_of(text) => return,
            Self::On(_) => Self::Not,
            Self::Unseen => Format::of(text).map_or(Self::Not, Self::On),
        }
    }

    fn merge(&mut self, theirs: Self) {
        *self = match (*self, theirs) {
            (Self::Unseen, other) | (other, Self::Unseen) => other,
            (Self::On(mine), Self::On(theirs)) if mine == theirs => return,
            _ => Self::Not,
        }
    }
}

/// Strings at a path.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Strings {
    pub(crate) format: CommonFormat,
    /// Range of lengths, in characters.
    pub(crate) lengths: Range<u64>,
    /// Kinds of characters of all strings, while they have one length. States before had none.
    #[serde(default = "unknown", skip_serializing_if = "Characters::are_unknown")]
    pub(crate) characters: Characters,
    pub(crate) distinct: Distinct,
    /// Number of strings of which only the length is known, if that.
    pub(crate) redacted: u64,
}

impl Default for Strings {
    fn default() -> Self {
        let lengths = Range(u64::MAX, 0);
        let characters = Characters::default();
        Self { format: CommonFormat::Unseen, lengths, characters, distinct: Distinct::default(), redacted: 0 }
    }
}

fn unknown() -> Characters {
    Characters::UNKNOWN
}

impl Strings {
    /// Adds a string, in ASCII or not.
    #[inline(always)]
    pub(crate) fn add(&mut self, text: &str, ascii: bool, key: HashKey) {
        if self.distinct.add(text, key) {
            return;
        }
        if self.format != CommonFormat::Not {
            self.format.add(text, ascii);
        }
        let length = if ascii { text.len() } else { text.chars().count() };
        self.lengths.add(length as u64);
        if !self.characters.are_unknown() {
            self.add_characters(text);
        }
    }

    /// Adds the characters of a string. If lengths differ, the strings are no codes.
    #[cold]
    fn add_characters(&mut self, text: &str) {
        let Range(least, most) = self.lengths;
        if least == most { self.characters.add(text) } else { self.characters = Characters::UNKNOWN }
    }

    /// Adds a string that was replaced; its length if that is known.
    pub(crate) fn add_redacted(&mut self, length: Option<u64>) {
        self.redacted += 1;
        self.be_free();
        if let Some(length) = length {
            self.lengths.add(length);
        }
    }

    pub(crate) fn merge(&mut self, theirs: &Self, key: HashKey) {
        self.format.merge(theirs.format);
        self.lengths.merge(&theirs.lengths);
        self.characters.merge(theirs.characters);
        if self.lengths.0 < self.lengths.1 {
            self.characters = Characters::UNKNOWN;
        }
        self.distinct.merge(&theirs.distinct, key);
        self.redacted += theirs.redacted;
    }

    /// Restores what states before did not have, if all values are known.
    pub(crate) fn complete(&mut self) {
        let Range(least, most) = self.lengths;
        let values = self.distinct.values().filter(|_| self.redacted == 0 && least == most);
        let mut characters = Characters::default();
        values.iter().flatten().for_each(|(text, _)| characters.add(text));
        if values.is_some() {
            self.characters = characters;
        }
    }

    /// Drops what the strings had in common, because some are not known.
    pub(crate) fn be_free(&mut self) {
        (self.format, self.characters) = (CommonFormat::Not, Characters::UNKNOWN);
    }

    /// Returns the same statistics without any text.
    pub(crate) fn veiled(&self, key: HashKey) -> Self {
        Self { distinct: self.distinct.veiled(key), characters: Characters::UNKNOWN, ..self.clone() }
    }

    pub(crate) fn format(&self) -> Option<Format> {
        match self.format {
            CommonFormat::On(format) => Some(format),
            _ => None,
        }
    }
}

/// Number of first items that are counted by type.
pub(crate) const POSITIONS: usize = 8;

/// Arrays at a path.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Arrays {
    pub(crate) lengths: Range<u64>,
    /// Types of the first items.
    pub(crate) positions: Vec<[u64; Type::ALL.len()]>,
}

impl Default for Arrays {
    fn default() -> Self {
        Self { lengths: Range(u64::MAX, 0), positions: Vec::new() }
    }
}

impl Arrays {
    /// Adds an array of this length, with the types of its first items.
    pub(crate) fn add(&mut self, length: u64, first: &[Option<Type>; POSITIONS]) {
        self.lengths.add(length);
        for (at, kind) in first.iter().map_while(|kind| *kind).enumerate() {
            if at == self.positions.len() {
                self.positions.push([0; Type::ALL.len()]);
            }
            self.positions[at][kind as usize] += 1;
        }
    }

    pub(crate) fn merge(&mut self, theirs: &Self) {
        self.lengths.merge(&theirs.lengths);
        if self.positions.len() < theirs.positions.len() {
            self.positions.resize(theirs.positions.len(), [0; Type::ALL.len()]);
        }
        for (mine, theirs) in self.positions.iter_mut().zip(&theirs.positions) {
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                *mine += theirs;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordered_bits_keep_the_order_of_numbers() {
        let numbers = [f64::MIN, -1.5, -0.0, 0.0, 1e-300, 1.5, f64::MAX];
        assert!(numbers.windows(2).all(|pair| ordered(pair[0]) < ordered(pair[1])));
        assert!(numbers.iter().all(|number| from_ordered(ordered(*number)).to_bits() == number.to_bits()));
    }

    #[test]
    fn range_covers_integers_and_floats() {
        let mut numbers = Numbers::default();
        numbers.add_integer("3", HashKey::default());
        numbers.add_number("2.5", HashKey::default());
        numbers.add_integer("18446744073709551615", HashKey::default());
        assert_eq!(numbers.range(), Some(("2.5".to_owned(), u64::MAX.to_string())));
    }
}
