//! Counts by argument class. Classes that are no longer distinguished are merged.

use schemascope_model::TypeName;

use super::class::{Class, Coarser};
use super::paths::{Paths, Step};
use super::scan::Kind;
use super::tally::{Sticky, Tally};

/// Classes with counts.
pub(super) const MAX_STRATA: usize = 16;
/// Kinds counted, over all paths and classes.
pub(super) const MAX_SLOTS: usize = 1_000;

/// The counts of one class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Stratum {
    pub(super) class: Class,
    /// The latest observation of it.
    pub(super) used: u64,
    /// By path.
    pub(super) tallies: Vec<Tally>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Strata {
    pub(super) list: Vec<Stratum>,
    /// Kinds counted.
    slots: usize,
}

impl Stratum {
    pub(super) fn tally(&self, node: u32) -> Tally {
        self.tallies.get(node as usize).copied().unwrap_or_default()
    }

    /// The counts of a path; where there are none, it was missing whenever its parent was there.
    pub(super) fn seeded(&self, node: u32, paths: &Paths) -> Tally {
        let tally = self.tally(node);
        match paths.step(node) {
            Step::Field(_) if tally.is_empty() => {
                let parent = self.tally(paths.parent(node)).slot(Kind::Is(TypeName::Object));
                Tally::missing(parent.fresh, parent.repeats)
            }
            _ => tally,
        }
    }

    fn slots(&self) -> usize {
        self.tallies.iter().map(Tally::used).sum()
    }
}

impl Strata {
    pub(super) fn new(list: Vec<Stratum>) -> Self {
        let slots = list.iter().map(Stratum::slots).sum();
        Self { list, slots }
    }

    /// The place of a class, if it has one or there is room.
    pub(super) fn enter(&mut self, class: &Class, now: u64) -> Option<usize> {
        let known = self.list.iter().position(|stratum| stratum.class == *class);
        if known.is_none() && self.list.len() >= MAX_STRATA {
            return None;
        }
        let at = known.unwrap_or_else(|| {
            self.list.push(Stratum { class: class.clone(), ..Stratum::default() });
            self.list.len() - 1
        });
        self.list[at].used = now;
        Some(at)
    }

    /// Changes a path's counts, making room by forgetting the class not used for longest.
    pub(super) fn update(&mut self, at: &mut usize, node: u32, change: impl FnOnce(&mut Tally)) {
        while self.slots + 1 > MAX_SLOTS {
            let oldest =
                (0..self.list.len()).filter(|other| other != at).min_by_key(|at| self.list[*at].used);
            let Some(oldest) = oldest else { break };
            self.forget(oldest);
            *at -= usize::from(oldest < *at);
        }
        let tallies = &mut self.list[*at].tallies;
        let known = tallies.get(node as usize).is_some_and(|tally| !tally.is_empty());
        if !known && self.slots + 1 > MAX_SLOTS {
            return;
        }
        if tallies.len() <= node as usize {
            tallies.resize(node as usize + 1, Tally::default());
        }
        let tally = &mut tallies[node as usize];
        let (before, full) = (*tally, self.slots + 2 > MAX_SLOTS);
        change(tally);
        if full && tally.used() > before.used() && known {
            *tally = before;
        }
        self.slots = self.slots + tally.used() - before.used();
    }

    /// Notes that so many observations in a row were of a kind, whatever their class.
    pub(super) fn remember_run(&mut self, node: u32, kind: Kind, run: u8) {
        for tally in self.list.iter_mut().filter_map(|stratum| stratum.tallies.get_mut(node as usize)) {
            tally.remember_run(kind, run);
        }
    }

    /// Whether there are paths where rare kinds come in runs.
    pub(super) fn sticky(&self) -> Sticky {
        let tallies = self.list.iter().flat_map(|stratum| &stratum.tallies);
        tallies.filter(|tally| !tally.is_empty()).fold(Sticky::default(), |known, tally| {
            let Sticky { fresh, turned } = tally.sticky();
            Sticky { fresh: known.fresh.max(fresh), turned: known.turned || turned }
        })
    }

    pub(super) fn forget(&mut self, at: usize) {
        self.slots -= self.list[at].slots();
        self.list.remove(at);
    }

    /// Forgets the class not used for longest.
    pub(super) fn forget_oldest(&mut self) {
        if let Some(oldest) = (0..self.list.len()).min_by_key(|at| self.list[*at].used) {
            self.forget(oldest);
        }
    }

    /// Merges classes that are the same from now on.
    pub(super) fn coarsen(&mut self, coarser: &Coarser, one_thing: bool, paths: &Paths) {
        let mut merged: Vec<Stratum> = Vec::new();
        for mut stratum in std::mem::take(&mut self.list) {
            let part = stratum.class.iter_mut().find(|part| part.0 == coarser.argument);
            let concerned = part.is_some();
            if let Some(part) = part {
                let new = coarser.values.iter().find(|value| value.0 == part.1);
                part.1 = new.map_or(0, |value| value.1);
            }
            let one_thing = one_thing && concerned;
            match merged.iter_mut().find(|known| known.class == stratum.class) {
                Some(known) => known.merge(&stratum, one_thing, paths),
                None => {
                    if one_thing {
                        stratum.tallies.iter_mut().for_each(|tally| *tally = tally.as_one_thing());
                    }
                    merged.push(stratum);
                }
            }
        }
        *self = Self::new(merged);
        self.trim();
    }

    /// Keeps within the bound after a merge: what only one of two classes had counts as missing in the other. Classes not
    /// used for longest go first, then the paths found last.
    fn trim(&mut self) {
        while self.slots > MAX_SLOTS && self.list.len() > 1 {
            self.forget_oldest();
        }
        for tally in self.list.iter_mut().flat_map(|stratum| stratum.tallies.iter_mut().rev()) {
            if self.slots <= MAX_SLOTS {
                break;
            }
            self.slots -= tally.used();
            *tally = Tally::default();
        }
    }
}

impl Stratum {
    fn merge(&mut self, theirs: &Self, one_thing: bool, paths: &Paths) {
        let mine = self.clone();
        self.used = self.used.max(theirs.used);
        let nodes = self.tallies.len().max(theirs.tallies.len());
        self.tallies.resize(nodes, Tally::default());
        for (node, tally) in (0..).zip(&mut self.tallies) {
            if mine.tally(node).is_empty() && theirs.tally(node).is_empty() {
                continue;
            }
            *tally = mine.seeded(node, paths);
            let theirs = theirs.seeded(node, paths);
            if tally.last == 0 {
                tally.last = theirs.last;
            }
            tally.merge(&theirs, one_thing);
        }
    }
}
