//! What the answers of a pursuit add up to: the fold of what each of them says.
//!
//! Merging follows the data, not the schema. Objects merge by key. Items of lists that have an id, their first key that
//! ends in `-id`, merge with the item of the same id. Other items of lists are united in order: a list has a value as
//! often as the answer that has it most often. For all other values the later one wins, and the two are listed as a
//! conflict until a person settles it. Null, blank text and silence erase nothing; only a retraction does.

mod index;
mod merging;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub(crate) use merging::{INVENTED_KEY, contradictions, tidied};

/// Two answers that say different things of one place. The later one is in the aggregate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Conflict {
    /// Place in the aggregate. Items of lists are named by their ids.
    pub path: String,
    /// The value before.
    pub earlier: Value,
    /// The value since.
    pub later: Value,
    /// The questions whose answers said so, the earlier first.
    pub question_ids: Vec<String>,
    /// Time of the later answer, in milliseconds since 1970.
    pub at: u64,
}

/// One change of an aggregate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    /// What one answer says.
    Merge {
        /// The question.
        question_id: String,
        /// What the answer says, in the form of the Discovery Schema.
        scr: Value,
        /// Time in milliseconds since 1970.
        at: u64,
    },
    /// What was known before the first question.
    Seed {
        /// The values, in the form of the Discovery Schema.
        values: Value,
        /// Time in milliseconds since 1970.
        at: u64,
    },
    /// Places that were retracted.
    Retract {
        /// JSON pointers.
        pointers: Vec<String>,
        /// Time in milliseconds since 1970.
        at: u64,
    },
    /// A conflict that a person settled.
    Settle {
        /// The place.
        path: String,
        /// The value that stays.
        value: Value,
        /// Time in milliseconds since 1970.
        at: u64,
    },
}

/// What the answers of a pursuit add up to.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    /// The aggregate: an object in the form of the Discovery Schema.
    pub value: Value,
    /// Conflicts that are not settled.
    pub conflicts: Vec<Conflict>,
    /// Questions whose answers gave each value, by place.
    pub origins: BTreeMap<String, Vec<String>>,
}

impl Default for Merged {
    fn default() -> Self {
        Self { value: Value::Object(Map::new()), conflicts: Vec::new(), origins: BTreeMap::new() }
    }
}

impl Merged {
    /// Applies a change.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::Merge { question_id, scr, at } => self.merge(question_id, scr, *at),
            Change::Seed { values, at } => self.merge("", values, *at),
            Change::Retract { pointers, .. } => self.retract_all(pointers),
            Change::Settle { path, value, .. } => self.settle(path, value),
        }
    }

    /// Returns the questions whose answers gave the value at a place, or the value that contains it.
    pub fn origin(&self, path: &str) -> &[String] {
        let mut place = path;
        loop {
            if let Some(questions) = self.origins.get(place) {
                return questions;
            }
            match place.rfind('/') {
                Some(at) if at > 0 => place = place.get(..at).unwrap_or_default(),
                _ => return &[],
            }
        }
    }
}

/// Folds changes from the beginning.
pub fn fold(changes: &[Change]) -> Merged {
    let mut merged = Merged::default();
    for change in changes {
        merged.apply(change);
    }
    merged
}

#[cfg(test)]
mod tests;
