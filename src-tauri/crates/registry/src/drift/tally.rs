//! Counts the kinds of values at a path within one argument class, and computes how surprising the next one is, in
//! whole numbers.
//!
//! Repeated calls for the same thing are no new evidence. So a *fresh* observation, of something not just asked for,
//! is judged by how often fresh ones were like it, and by whether such ones come in runs; a *repeat* is judged by how
//! often the thing changed between two looks at it. Counts are halved when they are full, so that old observations
//! lose weight and slow change is no drift.

use super::scan::Kind;

/// Kinds kept of one path; the rarest make room.
const SLOTS: usize = 3;
/// Fresh observations, or repeats, below which nothing is surprising.
const BASELINE: u32 = 4;
/// Sixteenths of a bit.
pub(super) type Bits = i32;

/// Counts of one kind at one path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Slot {
    /// Its code; 0 for none.
    pub(super) kind: u8,
    /// Fresh observations, and how many of them followed one of the same kind.
    pub(super) fresh: u8,
    pub(super) runs: u8,
    /// The longest run of fresh ones, which shrinks over time.
    pub(super) longest: u8,
    /// Repeats after this kind, and how many of them stayed so.
    pub(super) repeats: u8,
    pub(super) stays: u8,
    /// The same of those that came to this kind by changing.
    pub(super) turned: u8,
    pub(super) stays_turned: u8,
}

/// Counts at one path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) slots: [Slot; SLOTS],
    /// The kind of the latest fresh observation.
    pub(super) last: u8,
    /// How many were of it since one was not.
    pub(super) run: u8,
}

/// Whether there are paths where rare kinds come in runs (of fresh observations; after a change seen): what
/// is assumed of those where none was seen yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Sticky {
    /// The longest such run of fresh ones.
    pub(super) fresh: u8,
    pub(super) turned: bool,
}

/// Pairs from which on a path's own runs are known.
const KNOWN: u8 = 8;

/// How likely a kind stays, as numerator and denominator: as often as it did, with four more pairs of which
/// half stay, or nearly all where that happens in this tool.
fn stays(stays: u8, pairs: u8) -> (u64, u64) {
    (10 * u64::from(stays) + 14, 10 * (u64::from(pairs) + 4))
}

/// How observations follow one another.
#[derive(Debug, Clone, Copy)]
pub(super) enum Flow {
    /// Each is of a thing that is known by its name.
    Things,
    /// Whatever comes may come in runs. Of unknown kinds such runs are usual; so many like it came just before, of
    /// whatever class.
    Sequence { sticky: u8, streak: u8 },
}

impl Flow {
    fn streak(self) -> u8 {
        match self {
            Self::Things => 0,
            Self::Sequence { streak, .. } => streak,
        }
    }
}

impl Tally {
    /// Counts of what never was there.
    pub(super) fn missing(fresh: u8, repeats: u8) -> Self {
        let mut tally = Self::default();
        if fresh > 0 || repeats > 0 {
            let kind = Kind::Absent.code();
            let runs = fresh.saturating_sub(1);
            tally.slots[0] = Slot { kind, fresh, runs, repeats, stays: repeats, ..Slot::default() };
            tally.last = kind;
        }
        tally
    }

    pub(super) fn is_empty(&self) -> bool {
        self.slots[0].kind == 0
    }

    pub(super) fn used(&self) -> usize {
        self.slots.iter().filter(|slot| slot.kind != 0).count()
    }

    pub(super) fn slot(&self, kind: Kind) -> Slot {
        self.slots.iter().find(|slot| slot.kind == kind.code()).copied().unwrap_or_default()
    }

    /// Fresh observations.
    pub(super) fn fresh(&self) -> u32 {
        self.slots.iter().map(|slot| u32::from(slot.fresh)).sum()
    }

    fn weight(slot: &Slot) -> u32 {
        u32::from(slot.fresh) + u32::from(slot.repeats)
    }

    pub(super) fn weights(&self) -> impl Iterator<Item = (u8, u32)> {
        self.slots.iter().filter(|slot| slot.kind != 0).map(|slot| (slot.kind, Self::weight(slot)))
    }

    /// What mostly stood there.
    pub(super) fn usual(&self) -> Kind {
        let most = self.weights().max_by_key(|(kind, weight)| (*weight, std::cmp::Reverse(*kind)));
        most.and_then(|(kind, _)| Kind::of(kind)).unwrap_or(Kind::Absent)
    }

    /// Whether less than half of all were like this.
    pub(super) fn is_rare(&self, kind: Kind) -> bool {
        let all: u32 = self.slots.iter().map(Self::weight).sum();
        2 * Self::weight(&self.slot(kind)) < all
    }

    /// Which of its rare kinds come in runs.
    pub(super) fn sticky(&self) -> Sticky {
        let all: u32 = self.slots.iter().map(Self::weight).sum();
        let rare = self.slots.iter().filter(|slot| 2 * Self::weight(slot) < all);
        let runs = |stays: u8, pairs: u8| pairs >= KNOWN && 4 * u16::from(stays) >= 3 * u16::from(pairs);
        rare.fold(Sticky::default(), |sticky, slot| Sticky {
            fresh: sticky.fresh.max(if runs(slot.runs, slot.fresh) { slot.longest } else { 0 }),
            turned: sticky.turned || runs(slot.stays_turned, slot.turned),
        })
    }

    /// How surprising a fresh observation is after so many like it that are not counted yet.
    pub(super) fn surprise_fresh(&self, kind: Kind, flow: Flow, waiting: u8) -> Bits {
        let all = self.fresh();
        if all < BASELINE {
            return 0;
        }
        let slot = self.slot(kind);
        let marginal = surprise(upper(u32::from(slot.fresh), all, waiting));
        let (run, known) =
            if self.last == kind.code() { (self.run, slot.fresh >= KNOWN) } else { (0, false) };
        let (usual, novel) = match flow {
            // Nothing but a thing's own manner makes it like the one before it.
            Flow::Things => (0, None),
            Flow::Sequence { sticky, streak } => {
                let usual = if slot.fresh >= KNOWN { 0 } else { sticky };
                (usual, (run > 0 || streak > 0).then_some(()))
            }
        };
        let run = run.max(flow.streak());
        if run > 0 && run < slot.longest.max(usual) {
            // Such runs are usual.
            return 0;
        }
        if known || novel.is_some() { marginal.min(surprise(stays(slot.runs, slot.fresh))) } else { marginal }
    }

    /// How surprising it is that a rule is broken, after so many times that are not counted yet, or kept: were it a
    /// change, half of all results would break it.
    pub(super) fn surprise_rule(&self, kind: Kind, waiting: u8) -> Bits {
        let (count, all) = upper(u32::from(self.slot(kind).fresh), self.fresh(), waiting);
        log2(all) - log2(2 * count)
    }

    /// Whether it is known how often a thing that is of a kind stays so.
    pub(super) fn knows_repeats(&self, kind: Kind) -> bool {
        u32::from(self.slot(kind).repeats) >= BASELINE
    }

    /// How surprising it is that a thing that was `before` is another kind now, if so many repeats may count. That a
    /// thing stays as it is says nothing.
    pub(super) fn surprise_repeat(&self, before: Kind, kind: Kind, trust: u32) -> Bits {
        let slot = self.slot(before);
        if before == kind || !self.knows_repeats(before) {
            return 0;
        }
        let turns = u32::from(slot.repeats - slot.stays);
        surprise(upper(turns, u32::from(slot.repeats).min(trust.max(turns)), 0))
    }

    fn slot_mut(&mut self, kind: Kind) -> &mut Slot {
        let code = kind.code();
        let known = self.slots.iter().position(|slot| slot.kind == code || slot.kind == 0);
        let rarest = || (0..SLOTS).min_by_key(|at| Self::weight(&self.slots[*at])).unwrap_or(SLOTS - 1);
        let slot = &mut self.slots[known.unwrap_or_else(rarest)];
        if slot.kind != code {
            *slot = Slot { kind: code, ..Slot::default() };
        }
        slot
    }

    /// Counts fresh observations.
    pub(super) fn add_fresh(&mut self, kind: Kind, count: u8, runs: u8) {
        if self.slot(kind).fresh > u8::MAX - count {
            for slot in &mut self.slots {
                slot.fresh = slot.fresh.div_ceil(2).min(127);
                slot.runs /= 2;
                slot.longest -= slot.longest / 4;
            }
        }
        let slot = self.slot_mut(kind);
        slot.fresh = slot.fresh.saturating_add(count);
        slot.runs = slot.runs.saturating_add(runs).min(slot.fresh);
    }

    /// Notes the kind of the latest fresh observation.
    pub(super) fn follow(&mut self, kind: Kind) {
        if self.last == kind.code() {
            self.run = self.run.saturating_add(1);
            return;
        }
        let run = self.run;
        if let Some(slot) = self.slots.iter_mut().find(|slot| slot.kind == self.last && slot.kind != 0) {
            slot.longest = slot.longest.max(run);
        }
        self.last = kind.code();
        self.run = 1;
    }

    /// Notes a run of a kind over several classes.
    pub(super) fn remember_run(&mut self, kind: Kind, run: u8) {
        if let Some(slot) = self.slots.iter_mut().find(|slot| slot.kind == kind.code()) {
            slot.longest = slot.longest.max(run);
        }
    }

    /// Counts a repeat of what was `before`.
    pub(super) fn add_repeat(&mut self, before: Kind, turned: bool, stays: bool) {
        let slot = self.slot_mut(before);
        if slot.repeats == u8::MAX {
            slot.repeats = slot.repeats.div_ceil(2);
            slot.stays = slot.stays.div_ceil(2);
        }
        slot.repeats += 1;
        slot.stays += u8::from(stays);
        if turned {
            if slot.turned == u8::MAX {
                slot.turned = slot.turned.div_ceil(2);
                slot.stays_turned = slot.stays_turned.div_ceil(2);
            }
            slot.turned += 1;
            slot.stays_turned += u8::from(stays);
        }
    }

    /// Adds the counts of a class that is no longer distinguished. Where an argument proved to name single
    /// things, what was counted of one value was of one thing: one fresh look, the rest repeats.
    pub(super) fn merge(&mut self, theirs: &Self, one_thing: bool) {
        let theirs = if one_thing { theirs.as_one_thing() } else { *theirs };
        for slot in theirs.slots.iter().filter(|slot| slot.kind != 0) {
            let Some(kind) = Kind::of(slot.kind) else { continue };
            self.add_fresh(kind, slot.fresh.min(127), slot.runs.min(slot.fresh.min(127)));
            let mine = self.slot_mut(kind);
            mine.longest = mine.longest.max(slot.longest);
            let add = |mine: &mut (u8, u8), theirs: (u8, u8)| {
                let all = u16::from(mine.0) + u16::from(theirs.0);
                let stays = u16::from(mine.1) + u16::from(theirs.1);
                let scale =
                    |count: u16| u8::try_from(if all > 255 { count / 2 } else { count }).unwrap_or(255);
                *mine = (scale(all), scale(stays));
            };
            let mut repeats = (mine.repeats, mine.stays);
            add(&mut repeats, (slot.repeats, slot.stays));
            (mine.repeats, mine.stays) = repeats;
            let mut turned = (mine.turned, mine.stays_turned);
            add(&mut turned, (slot.turned, slot.stays_turned));
            (mine.turned, mine.stays_turned) = turned;
        }
    }

    pub(super) fn as_one_thing(&self) -> Self {
        let mut one = *self;
        for slot in &mut one.slots {
            let rest = slot.fresh.saturating_sub(1);
            slot.repeats = slot.repeats.saturating_add(rest);
            slot.stays = slot.stays.saturating_add(slot.runs.min(rest)).min(slot.repeats);
            slot.fresh = slot.fresh.min(1);
            slot.runs = 0;
            slot.longest = 0;
        }
        one
    }

    /// What was so far is no baseline any more: it is like this now.
    pub(super) fn settle(&mut self, kind: Kind) {
        let known =
            Slot { kind: kind.code(), fresh: 32, runs: 31, repeats: 32, stays: 32, ..Slot::default() };
        *self = Self { slots: [known, Slot::default(), Slot::default()], last: kind.code(), run: 32 };
    }
}

/// A share's upper estimate, by about one standard deviation over that of Laplace's rule of succession, which counts
/// those that wait to be counted too: the product over several is then the chance of so many in whatever order, and few
/// observations do not make many of another kind a wonder.
fn upper(count: u32, all: u32, waiting: u8) -> (u64, u64) {
    let waiting = u32::from(waiting);
    (u64::from(count + 1 + count.isqrt() + waiting), u64::from(all + 2 + waiting))
}

/// By how much a change that makes it 97 % likely explains it better.
fn surprise((count, all): (u64, u64)) -> Bits {
    log2(97 * all) - log2(100 * count)
}

/// Sixteenths of the binary logarithm, rounded down: by repeated squaring, so that it is the same on every
/// machine. The logarithm of 0 is taken as that of 1.
pub(super) fn log2(number: u64) -> Bits {
    let number = number.max(1);
    let whole = number.ilog2();
    // The mantissa in [1, 2), as 31 bits behind the point.
    let mut mantissa = if whole > 31 { number >> (whole - 31) } else { number << (31 - whole) };
    let mut bits = 0;
    for _ in 0..4 {
        mantissa = (mantissa * mantissa) >> 31;
        bits *= 2;
        if mantissa >> 32 != 0 {
            mantissa >>= 1;
            bits += 1;
        }
    }
    16 * whole as Bits + bits
}

#[cfg(test)]
mod tests {
    use schemascope_model::TypeName;

    use super::*;

    #[test]
    fn logarithms_are_right() {
        for (number, bits) in
            [(1, 0), (2, 16), (3, 25), (1_000, 159), (1 << 40, 640), ((1 << 40) + (1 << 39), 649)]
        {
            assert_eq!(log2(number), bits, "{number}");
        }
    }

    #[test]
    fn what_never_was_is_surprising_and_what_comes_in_runs_is_not() {
        let mut tally = Tally::default();
        for _ in 0..100 {
            tally.add_fresh(Kind::Is(TypeName::String), 1, 1);
        }
        tally.last = Kind::Is(TypeName::String).code();
        let flow = Flow::Sequence { sticky: 0, streak: 0 };
        assert!(tally.surprise_fresh(Kind::Absent, flow, 0) > 6 * 16);
        assert!(tally.surprise_fresh(Kind::Is(TypeName::String), flow, 0) <= 0);
        tally.last = Kind::Absent.code();
        tally.run = 1;
        assert!(tally.surprise_fresh(Kind::Absent, flow, 0) <= 32);
        assert_eq!(tally.surprise_fresh(Kind::Absent, Flow::Sequence { sticky: 20, streak: 0 }, 0), 0);
    }
}
