//! Outputs that may feed an input by their names and types, found by the words they have in common.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::model::{self, Model};
use crate::tool::Known;

/// Number of candidates that are kept for one input, besides those with evidence.
const MAX_CANDIDATES: usize = 32;
/// Number of outputs that are looked at for one input.
const MAX_LOOKED_AT: usize = 64;
/// Number of inputs whose candidates are kept. Those of more are computed each time.
const MAX_KEPT: usize = 65_536;

/// Number of words without an output that are kept.
const MAX_EMPTY: usize = 65_536;

/// An output of a tool. Equal tools have equal places in the order, whenever they were added.
#[derive(Debug, Clone)]
struct Spot {
    known: Arc<Known>,
    place: u32,
}

impl Ord for Spot {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_tool = || {
            if Arc::ptr_eq(&self.known, &other.known) {
                return Ordering::Equal;
            }
            self.known.hash.cmp(&other.known.hash).then_with(|| self.known.id.cmp(&other.known.id))
        };
        by_tool().then_with(|| self.place.cmp(&other.place))
    }
}
impl PartialOrd for Spot {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Spot {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Spot {}

/// Outputs that have a word.
#[derive(Debug, Clone, Default)]
struct Postings {
    spots: BTreeSet<Spot>,
    /// The change after which they are as they are.
    changed: u64,
}

/// An output that may feed an input.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    /// What names and types say, as the sum of the model.
    pub(crate) logit: f64,
    pub(crate) from: Arc<Known>,
    /// Number of the output.
    pub(crate) place: u32,
}

#[derive(Debug, Clone)]
struct Kept {
    changed: u64,
    best: Arc<[Candidate]>,
}

/// All outputs by their words, and the best for each input as far as they were asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Candidates {
    outputs: HashMap<u64, Postings>,
    kept: HashMap<(Arc<str>, u32), Kept>,
    /// Number of words that no output has any more.
    empty: usize,
    changes: u64,
}

fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl Candidates {
    /// Adds the outputs of a tool.
    pub(crate) fn add(&mut self, known: &Arc<Known>) {
        self.change(known, BTreeSet::insert);
    }

    /// Removes the outputs of a tool.
    pub(crate) fn remove(&mut self, known: &Arc<Known>) {
        self.change(known, |spots, spot| spots.remove(&spot));
        for at in 0..known.inputs.len() {
            self.kept.remove(&(known.id.clone(), number(at)));
        }
    }

    fn change(&mut self, known: &Arc<Known>, change: impl Fn(&mut BTreeSet<Spot>, Spot) -> bool) {
        self.changes += 1;
        for (at, output) in known.outputs.iter().enumerate() {
            for word in &output.words {
                let was_empty = self.outputs.get(word).is_some_and(|known| known.spots.is_empty());
                let postings = self.outputs.entry(*word).or_default();
                postings.changed = self.changes;
                change(&mut postings.spots, Spot { known: known.clone(), place: number(at) });
                match (was_empty, postings.spots.is_empty()) {
                    (false, true) => self.empty += 1,
                    (true, false) => self.empty = self.empty.saturating_sub(1),
                    _ => {}
                }
            }
        }
        if self.empty > MAX_EMPTY {
            // Without them, outdated candidates look like current ones.
            self.outputs.retain(|_, postings| !postings.spots.is_empty());
            self.kept.clear();
            self.empty = 0;
        }
    }

    /// Returns the outputs that suit an input best.
    pub(crate) fn of(&mut self, to: &Known, input: usize, model: &Model) -> Arc<[Candidate]> {
        let Some(place) = to.inputs.get(input) else { return Arc::default() };
        let mut postings: Vec<&Postings> =
            place.words.iter().filter_map(|word| self.outputs.get(word)).collect();
        let changed = postings.iter().map(|found| found.changed).max().unwrap_or(0);
        let key = (to.id.clone(), number(input));
        if let Some(kept) = self.kept.get(&key).filter(|kept| kept.changed == changed) {
            return kept.best.clone();
        }
        // Rare words first: what only a hub has in common with the input may be left out.
        postings.sort_by_key(|found| found.spots.len());
        let mut spots: Vec<&Spot> = Vec::with_capacity(MAX_LOOKED_AT);
        for found in postings {
            spots.extend(found.spots.iter().take(MAX_LOOKED_AT - spots.len()));
        }
        spots.sort_unstable();
        spots.dedup();
        let mut best: Vec<(f64, &Spot)> = spots
            .into_iter()
            .filter_map(|spot| {
                let output = spot.known.outputs.get(spot.place as usize)?;
                if !model::is_possible(output, place) {
                    return None;
                }
                let measures = model::names(&spot.known, output, to, place);
                Some((model::sum(&model.names, &measures), spot))
            })
            .collect();
        best.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        let best: Arc<[Candidate]> = best
            .into_iter()
            .take(MAX_CANDIDATES)
            .map(|(logit, spot)| Candidate { logit, from: spot.known.clone(), place: spot.place })
            .collect();
        if self.kept.len() < MAX_KEPT || self.kept.contains_key(&key) {
            self.kept.insert(key, Kept { changed, best: best.clone() });
        }
        best
    }
}
