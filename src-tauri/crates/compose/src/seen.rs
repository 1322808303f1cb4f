//! Counts of the evidence of one pair of fields, or of two tools, and of one input.

use std::collections::{BTreeMap, BTreeSet};

use schemascope_model::How;
use serde::{Deserialize, Serialize};

/// Number of different values up to which they are counted exactly.
pub(crate) const EXACT_VALUES: usize = 64;
/// A sketch of different values: the smallest of their keyed hashes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Distinct(BTreeSet<u32>);

impl Distinct {
    pub(crate) fn add(&mut self, hash: u32) {
        self.0.insert(hash);
        if self.0.len() > EXACT_VALUES {
            self.0.pop_last();
        }
    }

    /// Returns the number of different values: exact up to 63, estimated beyond.
    pub fn count(&self) -> u64 {
        match self.0.last() {
            Some(last) if self.0.len() == EXACT_VALUES => {
                (EXACT_VALUES as u64 - 1) * (1 << 32) / u64::from(*last).max(1)
            }
            _ => self.0.len() as u64,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for hash in &other.0 {
            self.add(*hash);
        }
    }
}

/// Evidence of one pair of fields, or of two tools.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Successful later calls that took at least one value.
    pub flows: u64,
    /// Flows whose value is one that many fields have by accident.
    pub weak: u64,
    /// Credit for the flows, in sixtieths: less than `60 × flows` where others gave the value too.
    pub credit: u64,
    /// Sessions with a flow.
    pub sessions: u64,
    /// Time of the last flow, in milliseconds.
    pub last_at: u64,
    /// Different values.
    pub values: Distinct,
    /// Flows by form.
    pub how: BTreeMap<How, u64>,
}

impl Seen {
    pub(crate) fn merge(&mut self, other: &Self) {
        self.flows += other.flows;
        self.weak += other.weak;
        self.credit += other.credit;
        self.sessions += other.sessions;
        self.last_at = self.last_at.max(other.last_at);
        self.values.merge(&other.values);
        for (how, count) in &other.how {
            *self.how.entry(*how).or_default() += count;
        }
    }

    /// Returns the form that most flows had.
    pub fn main_form(&self) -> Option<How> {
        self.how.iter().max_by_key(|(how, count)| (**count, std::cmp::Reverse(**how))).map(|(how, _)| *how)
    }
}

/// What one input has taken, and from where.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// Successful calls that had the input.
    pub calls: u64,
    /// Those of them that came after a result of a tool.
    pub after: BTreeMap<Box<str>, u64>,
    /// Evidence by the tool and the path that gave the value.
    pub from: BTreeMap<Box<str>, BTreeMap<Box<str>, Seen>>,
}
