//! Few values of which only keyed hashes are known.
//!
//! They are counted and merged as the values themselves would be, and become many when those would: for that a
//! value's length is kept, and what it would set of the estimate. Owns: that. Refuses to know: the values.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::few::{COST, Few, MAX_BYTES, MAX_LENGTH, MAX_VALUES, written_length};
use super::many::{MAX_ZEROS, place};
use crate::rank::HashKey;

/// Values by their tokens.
#[derive(Debug, Clone, Default)]
pub(super) struct Veiled {
    values: BTreeMap<u64, Known>,
    /// Bytes the values take together, counted as for those that are known.
    taken: usize,
}

#[derive(Debug, Clone, Copy)]
struct Known {
    count: u64,
    length: u8,
    /// What it sets in the estimate of many values.
    place: (u8, u8),
}

/// Token, count, bytes, and what it sets in the estimate.
#[derive(Serialize, Deserialize)]
pub(super) struct Written(Box<str>, u64, u8, u8, u8);

impl Veiled {
    pub(super) fn of(few: &Few, key: HashKey) -> Self {
        let mut veiled = Self::default();
        for (value, count) in few.iter() {
            let length = written_length(value) as u8;
            veiled.add(key.token(value), Known { count, length, place: place(key.hash(value)) });
        }
        veiled
    }

    /// Whether there was room for it.
    fn add(&mut self, token: u64, value: Known) -> bool {
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

    /// Adds another's counts; whether there was room. If not they are too many, and what was added is of no use.
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
        let written = |(token, known): (&u64, &Known)| {
            let (register, zeros) = known.place;
            Written(format!("{token:016x}").into(), known.count, known.length, register, zeros)
        };
        self.values.iter().map(written).collect()
    }

    /// Reads the written form back; what is wrong where it is none.
    pub(super) fn read(written: Vec<Written>) -> Result<Self, &'static str> {
        let mut veiled = Self::default();
        for Written(token, count, length, register, zeros) in written {
            let token = u64::from_str_radix(&token, 16).map_err(|_| "a hash that is none")?;
            if usize::from(length) > MAX_LENGTH || zeros > MAX_ZEROS {
                return Err("a hash of a value that cannot be");
            }
            let known = Known { count, length, place: (register, zeros) };
            if veiled.values.contains_key(&token) || !veiled.add(token, known) {
                return Err("too many hashes, or one twice");
            }
        }
        Ok(veiled)
    }
}
