//! How many distinct values there were, and which.
//!
//! Few values are kept with their counts. When there are too many or too long ones for that, they are only
//! estimated (HyperLogLog: Flajolet et al. 2007) and three are kept as examples. Which of the two a set of
//! values leads to depends on the set alone, and the estimate of few values follows from them, so merging is
//! exact in every order. Owns: that pair. Refuses to know: what the values are of.

use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::rank::HashKey;

/// Distinct values kept with counts.
const MAX_VALUES: usize = 32;
/// Their bytes together, and of the longest one.
const MAX_BYTES: usize = 768;
const MAX_LENGTH: usize = 64;
/// Examples kept of many.
const EXAMPLES: usize = 3;
/// Characters of an example.
const EXAMPLE_LENGTH: usize = 60;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Distinct {
    /// In no particular order.
    Few(Vec<(Box<str>, u64)>),
    Many(Box<Many>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Many {
    registers: Registers,
    /// The values with the lowest hashes, cut where long.
    examples: Vec<(u64, Box<str>)>,
}

impl Default for Distinct {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl Distinct {
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Few(values) if values.is_empty())
    }

    /// Many values of which none is known.
    pub(crate) fn unknown() -> Self {
        Self::Many(Box::new(Many { registers: Registers([0; REGISTERS]), examples: Vec::new() }))
    }

    /// Takes a value.
    #[inline]
    pub(crate) fn add(&mut self, value: &str, key: HashKey) {
        match self {
            Self::Few(values) => {
                if let Some((_, count)) = values.iter_mut().find(|(known, _)| **known == *value) {
                    *count += 1;
                } else {
                    self.add_new(value, 1, key);
                }
            }
            Self::Many(many) => many.add(value, key.hash(value)),
        }
    }

    fn add_new(&mut self, value: &str, count: u64, key: HashKey) {
        let fits = |values: &[(Box<str>, u64)]| {
            let bytes: usize = values.iter().map(|(value, _)| value.len()).sum();
            values.len() < MAX_VALUES && value.len() <= MAX_LENGTH && bytes + value.len() <= MAX_BYTES
        };
        match self {
            Self::Few(values) if fits(values) => values.push((value.into(), count)),
            _ => {
                let many = self.as_many(key);
                many.add(value, key.hash(value));
            }
        }
    }

    fn as_many(&mut self, key: HashKey) -> &mut Many {
        if let Self::Few(values) = self {
            let values = std::mem::take(values);
            *self = Self::unknown();
            for (value, _) in values {
                self.add(&value, key);
            }
        }
        match self {
            Self::Many(many) => many,
            Self::Few(_) => unreachable!("it was just made many"),
        }
    }

    pub(crate) fn merge(&mut self, theirs: &Self, key: HashKey) {
        match theirs {
            Self::Few(values) => {
                for (value, count) in values {
                    match self {
                        Self::Few(mine) => match mine.iter_mut().find(|(known, _)| known == value) {
                            Some((_, mine)) => *mine += count,
                            None => self.add_new(value, *count, key),
                        },
                        Self::Many(many) => many.add(value, key.hash(value)),
                    }
                }
            }
            Self::Many(theirs) => {
                let mine = self.as_many(key);
                for (mine, theirs) in mine.registers.0.iter_mut().zip(&theirs.registers.0) {
                    *mine = (*mine).max(*theirs);
                }
                for (hash, example) in &theirs.examples {
                    mine.add_example(*hash, || example.clone());
                }
            }
        }
    }

    /// All values with their counts, the most frequent first, then by text; none where there are too many.
    pub(crate) fn values(&self) -> Option<Vec<(&str, u64)>> {
        let Self::Few(values) = self else { return None };
        let mut values: Vec<(&str, u64)> = values.iter().map(|(value, count)| (&**value, *count)).collect();
        values.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        Some(values)
    }

    /// The counts of few.
    pub(crate) fn counts(&self) -> impl Iterator<Item = u64> {
        let values = if let Self::Few(values) = self { values.as_slice() } else { &[] };
        values.iter().map(|(_, count)| *count)
    }

    /// How many distinct values; within some 7 % where there are too many to count.
    pub(crate) fn count(&self) -> u64 {
        match self {
            Self::Few(values) => values.len() as u64,
            Self::Many(many) => many.registers.estimate(),
        }
    }

    /// A few values, cut where long.
    pub(crate) fn examples(&self) -> Vec<&str> {
        match self {
            Self::Few(_) => {
                self.values().unwrap_or_default().into_iter().take(EXAMPLES).map(|(value, _)| value).collect()
            }
            Self::Many(many) => many.examples.iter().map(|(_, example)| &**example).collect(),
        }
    }
}

impl Many {
    #[inline]
    fn add(&mut self, value: &str, hash: u64) {
        self.registers.add(hash);
        if self.examples.len() < EXAMPLES || self.examples.last().is_some_and(|last| hash < last.0) {
            self.add_example(hash, || cut(value));
        }
    }

    fn add_example(&mut self, hash: u64, example: impl FnOnce() -> Box<str>) {
        if let Err(at) = self.examples.binary_search_by_key(&hash, |(hash, _)| *hash)
            && at < EXAMPLES
        {
            self.examples.insert(at, (hash, example()));
            self.examples.truncate(EXAMPLES);
        }
    }
}

/// Within what the hash of a long value looks at, so that values of one hash give one example.
fn cut(value: &str) -> Box<str> {
    let fits = |(at, c): &(usize, char)| at + c.len_utf8() <= MAX_LENGTH;
    let mut end = 0;
    for (at, c) in value.char_indices().take(EXAMPLE_LENGTH).take_while(fits) {
        end = at + c.len_utf8();
    }
    if end == value.len() { value.into() } else { format!("{}…", &value[..end]).into() }
}

const REGISTERS: usize = 256;

/// HyperLogLog's, with 8 bits of the hash choosing one: a standard error of 1.04 / √256 = 6.5 %.
#[derive(Clone, PartialEq, Eq)]
struct Registers([u8; REGISTERS]);

impl fmt::Debug for Registers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "about {}", self.estimate())
    }
}

impl Registers {
    #[inline]
    fn add(&mut self, hash: u64) {
        let register = &mut self.0[(hash >> 56) as usize];
        let zeros = (hash << 8 | 0x80).leading_zeros() as u8 + 1;
        *register = zeros.max(*register);
    }

    fn estimate(&self) -> u64 {
        let count = REGISTERS as f64;
        let sum: f64 = self.0.iter().map(|register| (-f64::from(*register)).exp2()).sum();
        let raw = 0.7213 / (1.0 + 1.079 / count) * count * count / sum;
        let empty = self.0.iter().filter(|register| **register == 0).count();
        let estimate =
            if raw <= 2.5 * count && empty > 0 { count * (count / empty as f64).ln() } else { raw };
        estimate.round() as u64
    }
}

/// One letter a register; they are 57 at most.
const LETTERS: &[u8; 64] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";

#[derive(Serialize)]
enum Written<'a> {
    #[serde(rename = "v")]
    Few(Vec<(&'a str, u64)>),
    #[serde(rename = "m")]
    Many(String, Vec<(u64, &'a str)>),
}

#[derive(Deserialize)]
enum Read {
    #[serde(rename = "v")]
    Few(Vec<(Box<str>, u64)>),
    #[serde(rename = "m")]
    Many(String, Vec<(u64, Box<str>)>),
}

impl Serialize for Distinct {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Few(_) => Written::Few(self.values().unwrap_or_default()),
            Self::Many(many) => {
                let letter = |register: &u8| char::from(LETTERS[usize::from(register & 63)]);
                let examples = many.examples.iter().map(|(hash, text)| (*hash, &**text));
                Written::Many(many.registers.0.iter().map(letter).collect(), examples.collect())
            }
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Distinct {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Read::deserialize(deserializer)? {
            Read::Few(values) if values.len() <= MAX_VALUES => Self::Few(values),
            Read::Few(_) => return Err(D::Error::custom("too many distinct values")),
            Read::Many(letters, mut examples) => {
                let mut registers = [0; REGISTERS];
                if letters.len() != REGISTERS {
                    return Err(D::Error::custom("a wrong number of registers"));
                }
                for (register, letter) in registers.iter_mut().zip(letters.bytes()) {
                    let value = LETTERS.iter().position(|known| *known == letter);
                    *register = value.ok_or_else(|| D::Error::custom("no register"))? as u8;
                }
                examples.sort();
                examples.dedup_by_key(|(hash, _)| *hash);
                examples.truncate(EXAMPLES);
                Self::Many(Box::new(Many { registers: Registers(registers), examples }))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl IntoIterator<Item = String>) -> Distinct {
        let mut distinct = Distinct::default();
        for value in values {
            distinct.add(&value, HashKey::default());
        }
        distinct
    }

    #[test]
    fn few_are_counted_and_many_estimated() {
        let few = of(["a", "b", "a"].map(String::from));
        assert_eq!(few.values(), Some(vec![("a", 2), ("b", 1)]));
        for count in [33_u64, 100, 500, 1_000, 10_000, 100_000] {
            let many = of((0..count).map(|n| format!("value-{n}")));
            assert_eq!((many.values(), many.examples().len()), (None, 3));
            let error = many.count().abs_diff(count) as f64 / count as f64;
            assert!(error < 0.2, "{count}: {}", many.count());
        }
    }

    #[test]
    fn long_values_are_many_and_their_examples_cut() {
        let long = of(["é".repeat(70)]);
        assert_eq!((long.values(), long.count()), (None, 1));
        assert_eq!(long.examples()[0].chars().count(), MAX_LENGTH / 2 + 1);
    }
}
