//! How many observations had which kind at each path, exactly: what reports of drift say was before.
//!
//! The judgement itself uses the halved counts by class of [`tally`](super::tally). While a drift is open its paths are
//! not counted, and counting starts again when what they have is taken for what they should have.

use schemascope_model::{Share, TypeName};
use serde::{Deserialize, Serialize};

use super::paths::{Paths, Step};
use super::scan::{KINDS, Kind};
use super::strata::Strata;

/// Numbers of observations by path and kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Vec<u32>>", into = "Vec<Vec<u32>>")]
pub(super) struct Counted(Vec<[u32; KINDS]>);

impl Counted {
    /// The numbers that a state without them comes closest to.
    pub(super) fn of(strata: &Strata) -> Self {
        let mut counted = Self::default();
        for (node, tally) in strata.list.iter().flat_map(|one| one.tallies.iter().enumerate()) {
            for (kind, weight) in tally.weights() {
                counted.at(node as u32)[usize::from(kind)] += weight;
            }
        }
        counted
    }

    pub(super) fn is_valid(&self, paths: usize) -> bool {
        self.0.len() <= paths
    }

    fn at(&mut self, node: u32) -> &mut [u32; KINDS] {
        let node = node as usize;
        if self.0.len() <= node {
            self.0.resize(node + 1, [0; KINDS]);
        }
        &mut self.0[node]
    }

    /// Begins to count at paths that are new in this observation: so far they were missing from their objects, or
    /// kept as rules.
    pub(super) fn begin(&mut self, paths: &Paths, kept: u32) {
        for node in self.0.len()..paths.len() {
            let node = node as u32;
            let missing = match paths.step(node) {
                Step::Field(_) => self.at(paths.parent(node))[usize::from(Kind::Is(TypeName::Object).code())],
                Step::Rule(_) => kept,
                _ => 0,
            };
            self.at(node)[usize::from(Kind::Absent.code())] = missing;
        }
    }

    pub(super) fn add(&mut self, node: u32, kind: Kind) {
        let count = &mut self.at(node)[usize::from(kind.code())];
        *count = count.saturating_add(1);
    }

    /// How many were of a kind.
    pub(super) fn share(&self, node: u32, kind: Kind) -> Share {
        let counts = self.0.get(node as usize).copied().unwrap_or_default();
        let of = counts.iter().fold(0_u32, |of, count| of.saturating_add(*count));
        Share { count: counts[usize::from(kind.code())], of }
    }

    /// From now on only these count.
    pub(super) fn set(&mut self, node: u32, kind: Kind, share: Share) {
        *self.at(node) = [0; KINDS];
        self.at(node)[usize::from(kind.code())] = share.count;
        // Whatever the others were.
        self.at(node)[0] = share.of.saturating_sub(share.count);
    }

    pub(super) fn clear(&mut self, node: u32) {
        *self.at(node) = [0; KINDS];
    }
}

impl From<Vec<Vec<u32>>> for Counted {
    fn from(lists: Vec<Vec<u32>>) -> Self {
        let array = |list: Vec<u32>| {
            let mut counts = [0; KINDS];
            counts.iter_mut().zip(list).for_each(|(count, written)| *count = written);
            counts
        };
        Self(lists.into_iter().map(array).collect())
    }
}

impl From<Counted> for Vec<Vec<u32>> {
    /// Without the zeros at the end.
    fn from(counted: Counted) -> Self {
        let list = |counts: [u32; KINDS]| {
            let length = counts.iter().rposition(|count| *count != 0).map_or(0, |last| last + 1);
            counts.into_iter().take(length).collect()
        };
        counted.0.into_iter().map(list).collect()
    }
}
