//! Things that were asked for recently, and the result each of them had.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::scan::Kind;
use super::sketch::Sketch;

/// Paths of all things together, and how many things at least and at most.
const ROOM: usize = 10_240;
const LEAST: usize = 16;
const MOST: usize = 96;

/// A value that more than one in so many things have is common.
const COMMON: usize = 4;

/// Something asked for, known by all arguments of the call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Thing {
    pub(super) digest: u64,
    pub(super) sketch: Sketch,
    /// By path, the kind; the bit [`TURNED`] where it is so by a change seen.
    pub(super) kinds: Vec<u8>,
    /// How often it was looked at, as far as it matters.
    pub(super) looks: u8,
}

/// It was something else when it was looked at before, and that was usual.
pub(super) const TURNED: u8 = 8;

/// How many things were looked at more than once, and how many often.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Watched {
    again: u32,
    often: u32,
    /// Pairs of calls with the same arguments where these leave open what is asked for, and those of them
    /// whose values were alike.
    pairs: u16,
    alike: u16,
    /// Observations, and those of the thing that was looked at just before.
    seen: u16,
    same: u16,
}

/// Things that are few.
const FEW: usize = 8;
/// Observations from which on it is known whether they are.
const STEADY: u32 = 32;

/// Looks that are often.
const OFTEN: u8 = 8;
const VERY_OFTEN: u8 = 100;
/// Things that were looked at often, from which on it is known whether things change while they are.
const ENOUGH: u32 = 4;

impl Watched {
    /// Notes a thing looked at so often, maybe twice in a row.
    pub(super) fn note(&mut self, looks: u8, same: bool) {
        self.seen += 1;
        self.same += u16::from(same);
        if self.seen >= 512 {
            self.seen /= 2;
            self.same /= 2;
        }
        self.again = self.again.saturating_add(u32::from(looks == 2));
        self.often = self.often.saturating_add(u32::from(looks == OFTEN));
    }

    /// Whether the tool returns one of a few things, again and again in no order: then a repeat tells as much as
    /// anything can. Where one thing is asked for many times in a row and others between, it does not.
    pub(super) fn is_steady(self, recent: &Recent) -> bool {
        let things = &recent.0;
        if things.len() > FEW || u32::from(self.seen) < STEADY {
            return false;
        }
        let looks = || things.iter().map(|thing| u64::from(thing.looks));
        let (all, squares): (u64, u64) = (looks().sum(), looks().map(|looks| looks * looks).sum());
        let once = looks().filter(|looks| *looks == 1).count() as u64;
        // Twice in a row as often as by chance.
        let (seen, same) = (u64::from(self.seen), u64::from(self.same));
        let mixed = 4 * same * all * all <= 5 * squares * seen + all * all * seen / 4;
        mixed && 32 * once <= all
    }

    /// Notes whether two results of the same arguments were alike.
    pub(super) fn compare(&mut self, alike: bool) {
        self.pairs += 1;
        self.alike += u16::from(alike);
        if self.pairs >= 512 {
            self.pairs /= 2;
            self.alike /= 2;
        }
    }

    /// Whether results are always alike, so that their values do not tell things apart.
    pub(super) fn indistinct(self) -> bool {
        self.pairs >= 100 && 20 * u32::from(self.alike) >= 19 * u32::from(self.pairs)
    }

    /// How many repeats may count as evidence that things do not change while they are looked at: all, once
    /// it is known of several things, or this one was looked at very often; else one of each thing.
    pub(super) fn trust(self, looks: u8, identity: bool) -> u32 {
        let all = identity && self.often > ENOUGH || looks >= VERY_OFTEN;
        if all { u32::MAX } else { self.again.max(u32::from(looks / 2)) }
    }
}

/// The latest last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Recent(pub(super) VecDeque<Thing>);

impl Thing {
    /// What it had at a path, and whether by a change.
    pub(super) fn at(&self, node: u32) -> (Kind, bool) {
        let code = self.kinds.get(node as usize).copied().unwrap_or_default();
        (Kind::of(code & 7).unwrap_or(Kind::Nowhere), code & TURNED != 0)
    }
}

impl Recent {
    /// The latest of these arguments.
    pub(super) fn latest(&self, digest: u64) -> Option<&Thing> {
        self.0.iter().rev().find(|thing| thing.digest == digest)
    }

    /// Takes it out, if it is remembered. Where the arguments leave open what is asked for, its values tell.
    /// Whether it was the latest of all, too.
    pub(super) fn take(&mut self, digest: u64, sketch: &Sketch, identity: bool) -> Option<(Thing, bool)> {
        let common = std::cell::OnceCell::new();
        let is_it = |thing: &Thing| {
            thing.digest == digest
                && (identity
                    || thing.sketch.is_like(sketch) && {
                        let common: &Vec<u32> = common.get_or_init(|| self.common(digest));
                        sketch.is_like_in(&thing.sketch, |hash| common.binary_search(&hash).is_ok())
                    })
        };
        let at = self.0.iter().rposition(is_it)?;
        let latest = at + 1 == self.0.len();
        self.0.remove(at).map(|thing| (thing, latest))
    }

    /// Values that a quarter of the things with these arguments have: a state, a plan. They do not tell things apart.
    /// In order.
    fn common(&self, digest: u64) -> Vec<u32> {
        let things = || self.0.iter().filter(|thing| thing.digest == digest);
        let mut all: Vec<u32> = things().flat_map(|thing| thing.sketch.hashes()).collect();
        all.sort_unstable();
        let least = (things().count() / COMMON).max(COMMON - 1);
        let runs = all.chunk_by(|one, other| one == other).filter(|run| run.len() > least);
        runs.map(|run| run[0]).collect()
    }

    pub(super) fn put(&mut self, mut thing: Thing) {
        if thing.looks == u8::MAX {
            // Their proportion matters.
            self.0.iter_mut().chain([&mut thing]).for_each(|thing| thing.looks = thing.looks.div_ceil(2));
        }
        let room = (ROOM / thing.kinds.len().max(1)).clamp(LEAST, MOST);
        while self.0.len() >= room {
            self.0.pop_front();
        }
        self.0.push_back(thing);
    }

    pub(super) fn is_valid(&self) -> bool {
        self.0.len() <= MOST && self.0.iter().all(|thing| thing.sketch.is_valid())
    }
}
