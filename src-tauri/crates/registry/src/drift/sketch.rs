//! Estimates whether two documents describe the same thing, from the smallest hashes of their values.
//!
//! The part that two sketches share estimates how many values the documents share (bottom-k, Broder 1997). No value
//! can be recovered from a sketch.

use serde::{Deserialize, Serialize};

/// Hashes kept.
const SIZE: usize = 16;

/// The smallest hashes of a document's values, ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sketch(Vec<u32>);

impl Sketch {
    pub(super) fn add(&mut self, hash: u64) {
        let hash = (hash >> 32) as u32;
        if self.0.len() == SIZE && self.0.last().is_some_and(|last| hash >= *last) {
            return;
        }
        if let Err(at) = self.0.binary_search(&hash) {
            self.0.insert(at, hash);
            self.0.truncate(SIZE);
        }
    }

    /// Whether half of the values are shared. Documents without values are not alike.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let (mine, theirs) = (self.0.len(), other.0.len());
        let shared = self.0.iter().filter(|hash| other.0.binary_search(hash).is_ok()).count();
        mine.min(theirs) > 0 && 2 * shared >= mine.min(theirs)
    }

    /// Whether half of the values that are not `common` are shared. Documents without such values are alike only if they
    /// are the same.
    pub(super) fn is_like_in(&self, other: &Self, common: impl Fn(u32) -> bool) -> bool {
        let rare = |sketch: &Self| sketch.0.iter().copied().filter(|hash| !common(*hash)).collect::<Vec<_>>();
        let (mine, theirs) = (rare(self), rare(other));
        let shared = mine.iter().filter(|hash| theirs.binary_search(hash).is_ok()).count();
        let least = mine.len().min(theirs.len());
        self == other || least > 0 && 2 * shared >= least
    }

    /// The hashes.
    pub(super) fn hashes(&self) -> impl Iterator<Item = u32> {
        self.0.iter().copied()
    }

    pub(super) fn is_valid(&self) -> bool {
        self.0.len() <= SIZE && self.0.is_sorted()
    }
}
