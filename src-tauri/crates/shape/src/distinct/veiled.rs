//! Small sets of values of which only keyed hashes are known.
//!
//! They count and merge like the values themselves and become an estimate at the same point. For
//! that they keep the length of each value and its place in the estimate.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::few::{COST, Few, MAX_BYTES, MAX_LENGTH, MAX_VALUES, written_length};
use super::many::{MAX_ZEROS, place};
use crate::rank::HashKey;

/// Values by their tokens.
#[derive(Debug, Clone, Default)]
pub(super) struct Veiled {
    values: BTreeMap<u64, HashedEntry>,
    /// Bytes used by the values, counted as in a set of known values.
    taken: usize,
}

#[derive(Debug, Clone, Copy)]
struct HashedEntry {
    count: u64,
    length: u8,
    /// Register and smallest value in the estimate of many values.
    place: (u8, u8),
}

/// Token, count, bytes, and register and value in the estimate.
#[derive(Serialize, Deserialize)]
pub(super) struct Written(Box<str>, u64, u8, u8, u8);

impl Veiled {
    pub(super) fn of(few: &Few, key: HashKey) -> Self {
        let mut veiled = Self::default();
        for (value, count) in few.iter() {
            let length = written_length(value) as u8;
            veiled.add(key.token(value), HashedEntry { count, length, place: place(key.hash(value)) });
        }
        veiled
    }

    /// Adds a value. Returns whether there was room.
    fn add(&mut self, token: u64, value: HashedEntry) -> bool {
        if let Some(known) = self.values.get_mut(&token) {
            known.count += value.count;
            return true;
        }
        let taken = self.taken + COST + usize::from(value.length);
        if self.values.len() == MAX_VALUES || taken > MAX_BYTES {
            return false;
        }
        self.taken = taken;
        self.values.insert(token, value);
        true
    }

    /// Adds the counts of another. Returns whether there was room. If not, the set is too large,
    /// and its content must be discarded.
    pub(super) fn merge(&mut self, theirs: &Self) -> bool {
        theirs.values.iter().all(|(token, value)| self.add(*token, *value))
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    pub(super) fn counts(&self) -> impl Iterator<Item = u64> {
        self.values.values().map(|known| known.count)
    }

    pub(super) fn places(&self) -> impl Iterator<Item = (u8, u8)> {
        self.values.values().map(|known| known.place)
    }

    pub(super) fn written(&self) -> Vec<Written> {
        let written = |(token, known): (&u64, &HashedEntry)| {
            let (register, zeros) = known.place;
            Written(format!("{token:016x}").into(), known.count, known.length, register, zeros)
        };
        self.values.iter().map(written).collect()
    }

    /// Reads the written form. Returns the reason if it is invalid.
    pub(super) fn read(written: Vec<Written>) -> Result<Self, &'static str> {
        let mut veiled = Self::default();
        for Written(token, count, length, register, zeros) in written {
            let token = u64::from_str_radix(&token, 16).map_err(|_| "an invalid hash")?;
            if usize::from(length) > MAX_LENGTH || zeros > MAX_ZEROS {
                return Err("an impossible hash of a value");
            }
            let known = HashedEntry { count, length, place: (register, zeros) };
            if veiled.values.contains_key(&token) || !veiled.add(token, known) {
                return Err("too many hashes, or a duplicate");
            }
        }
        Ok(veiled)
    }
}
