//! Compares one observation with the counts at each path, adds up the evidence, and counts the observation.

use super::paths::ROOT;
use super::recent::{TURNED, Thing};
use super::scan::Kind;
use super::suspect::{MAX_SUSPECTS, Suspect};
use super::tally::{Bits, Flow, Tally};
use super::{Drift, Sighting, Step};

/// Observations that kept a rule, as good as seen when a schema comes into effect later: it was chosen because it fits.
const TRUST: u8 = 32;
/// Observations held back at most; a suspicion that neither grows nor falls becomes the usual.
const MAX_HELD: u8 = 96;

/// One path in one observation.
struct Look {
    node: u32,
    kind: Kind,
    /// What the same thing had when it was looked at before, and whether it had it by a change.
    before: Option<(Kind, bool)>,
    is_rule: bool,
    /// How many repeats may count.
    trust: u32,
    /// What was asked for, if the arguments name single things.
    thing: Option<u64>,
}

impl Drift {
    /// Judges and counts every path; what is to be remembered of the thing.
    pub(super) fn judge(
        &mut self,
        sighting: &Sighting<'_>,
        (mut at, thing): (usize, Option<u64>),
        kinds: &[Kind],
        before: Option<&Thing>,
    ) -> Vec<u8> {
        let mut remembered = vec![0; kinds.len()];
        let trust = self.watched.trust(before.map_or(0, |thing| thing.looks), thing.is_some());
        for (node, kind) in kinds.iter().copied().enumerate() {
            if kind == Kind::Nowhere {
                // What it had when there was a place for it still stands.
                remembered[node] =
                    before.and_then(|thing| thing.kinds.get(node)).copied().unwrap_or_default();
                continue;
            }
            let is_rule = matches!(self.paths.step(node as u32), Step::Rule(_));
            // A broken rule is drift, whatever the arguments are.
            let before = before
                .filter(|_| !is_rule)
                .map(|thing| thing.at(node as u32))
                .filter(|(kind, _)| *kind != Kind::Nowhere);
            let look = Look { node: node as u32, kind, before, trust, thing, is_rule };
            let turned = self.look(sighting, &mut at, &look);
            if !self.open.iter().any(|open| open.concerns(node as u32)) {
                self.counted.add(node as u32, kind);
            }
            remembered[node] = kind.code() | if turned { TURNED } else { 0 };
        }
        remembered
    }

    /// Whether the thing has it by a change seen.
    fn look(&mut self, sighting: &Sighting<'_>, at: &mut usize, look: &Look) -> bool {
        let mut tally = self.strata.list[*at].tally(look.node);
        // How often things change while they are looked at is not known yet: a changed one counts like
        // any other.
        let is_known = |(before, _): &(Kind, bool)| *before == look.kind || tally.knows_repeats(*before);
        let look = &Look { before: look.before.filter(is_known), ..*look };
        let Look { node, kind, before, trust, thing, is_rule } = *look;
        if tally.is_empty() {
            if kind == Kind::Absent {
                // Never there in this class: not even a zero is written.
                return false;
            }
            tally = self.seeded(*at, node, before.is_none());
        }
        let suspected = self.suspects.binary_search_by_key(&node, |suspect| suspect.node);
        let waiting = suspected.map_or(0, |place| self.suspects[place].waiting(kind));
        let gain = match before {
            None if is_rule => tally.surprise_rule(kind, waiting),
            None if thing.is_some() && !self.steady => tally.surprise_fresh(kind, Flow::Things, waiting),
            None => {
                let streak = suspected.map_or(0, |place| self.suspects[place].streak(kind));
                tally.surprise_fresh(kind, Flow::Sequence { sticky: self.sticky.fresh, streak }, waiting)
            }
            Some((before, _)) => tally.surprise_repeat(before, kind, trust),
        };
        let rare = tally.is_rare(kind);
        let turned = before.is_some_and(|(before, turned)| if before == kind { turned } else { rare });
        if let Some(open) = self.open.iter_mut().find(|open| open.concerns(node)) {
            open.track(node, kind);
            return turned;
        }
        let mut held = false;
        match suspected {
            Ok(place) if self.suspects[place].kind == kind.code() => {
                let suspect = &mut self.suspects[place];
                suspect.supported(gain, sighting.call, thing);
                held = suspect.held.iter().all(|held| *held < MAX_HELD);
                if held {
                    let stays = tally.last == kind.code();
                    match before {
                        None => {
                            suspect.held[0] += 1;
                            suspect.held[1] += u8::from(stays);
                        }
                        Some((_, true)) => suspect.held[2] += 1,
                        Some(_) => held = false,
                    }
                } else {
                    self.dissolve(at, place);
                }
            }
            Ok(place) => {
                if !self.suspects[place].contradicted(kind, is_rule) {
                    self.dissolve(at, place);
                }
            }
            Err(place) if gain > 0 && rare => {
                held = self.suspect(place, look, tally.usual(), gain, sighting) && before.is_none();
                if held {
                    let place = self.suspects.binary_search_by_key(&node, |suspect| suspect.node);
                    place.into_iter().for_each(|place| self.suspects[place].held[0] = 1);
                }
            }
            Err(_) => {}
        }
        self.count(at, look, tally, held);
        turned
    }

    /// The counts of a path this class has none of yet.
    fn seeded(&self, at: usize, node: u32, fresh: bool) -> Tally {
        let stratum = &self.strata.list[at];
        if let Step::Rule(_) = self.paths.step(node) {
            let kept = u8::try_from(stratum.tally(ROOT).fresh()).unwrap_or(u8::MAX);
            return Tally::missing(kept.max(self.schemas.trust(TRUST)), 0);
        }
        let seeded = stratum.seeded(node, &self.paths).slots[0];
        // Its parent has counted this observation already.
        let (less, fewer) = (u8::from(fresh), u8::from(!fresh));
        Tally::missing(seeded.fresh.saturating_sub(less), seeded.repeats.saturating_sub(fewer))
    }

    /// Begins to suspect a path. False if there are too many already.
    fn suspect(
        &mut self,
        place: usize,
        look: &Look,
        usual: Kind,
        gain: Bits,
        sighting: &Sighting<'_>,
    ) -> bool {
        let mut place = place;
        if self.suspects.len() >= MAX_SUSPECTS {
            let least = (0..self.suspects.len()).min_by_key(|at| self.suspects[*at].bits).unwrap_or(0);
            if self.suspects[least].bits >= gain {
                return false;
            }
            self.suspects.remove(least);
            place -= usize::from(least < place);
        }
        let mut suspect = Suspect::new(look.node, [look.kind, usual], sighting.at, self.observations);
        suspect.before = self.counted.share(look.node, usual);
        suspect.is_rule = look.is_rule;
        suspect.supported(gain, sighting.call, look.thing);
        self.suspects.insert(place, suspect);
        true
    }

    /// Counts what was held back of a suspicion that is none.
    fn dissolve(&mut self, at: &mut usize, place: usize) {
        let suspect = self.suspects.remove(place);
        let Some(kind) = Kind::of(suspect.kind) else { return };
        let [fresh, runs, stays] = suspect.held;
        self.strata.remember_run(suspect.node, kind, suspect.longest);
        if fresh > 0 {
            self.strata.update(at, suspect.node, |tally| tally.add_fresh(kind, fresh, runs));
        }
        for _ in 0..stays {
            self.strata.update(at, suspect.node, |tally| tally.add_repeat(kind, true, true));
        }
    }

    /// Counts an observation, unless it is held back.
    fn count(&mut self, at: &mut usize, look: &Look, seeded: Tally, held: bool) {
        let Look { node, kind, before, .. } = *look;
        self.strata.update(at, node, |tally| {
            if tally.is_empty() {
                *tally = seeded;
            }
            match before {
                None => {
                    if !held {
                        tally.add_fresh(kind, 1, u8::from(tally.last == kind.code()));
                    }
                    tally.follow(kind);
                }
                Some((earlier, turned)) if !held => tally.add_repeat(earlier, turned, earlier == kind),
                Some(_) => {}
            }
        });
    }
}
