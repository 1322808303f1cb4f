//! Walk through two schemas side by side that reports where and how they differ.
//!
//! The walk compares the facts about the values at one place and continues with the places inside.
//! Several alternatives are compared as one: a statement about a side is true for each of its
//! alternatives. A proof for a place limits the severity of every change there and inside. A
//! difference that is neither proven safe nor explained by a change is illustrated by an example
//! value, or reported for the place as a whole.

use std::collections::HashMap;

use crate::change::{ChangeKind, ChangeList, Class, Classes};
use crate::claim::{Step, Trail};
use crate::fuel::Fuel;
use crate::keyword::Kind;
use crate::piece::Fact;
use crate::prover::{Key, Prover, key_of};
use crate::sentence::{article, listed, subject};
use crate::statement::Statement;

/// Most steps of the whole walk.
const WALK_STEPS: usize = 60_000;

/// Most steps of one question.
const QUESTION_STEPS: usize = 12_000;

/// Values at a place: one list of facts for each alternative.
pub(crate) type Ways<'a> = Vec<Vec<Fact<'a>>>;

/// Identifier of the values at a place.
type WaysKey = Vec<Key>;

/// State of the walk and the changes found.
pub(crate) struct Walk<'a> {
    /// Prover that answers questions.
    pub(crate) prover: Prover<'a>,
    /// Changes found so far.
    pub(crate) found: ChangeList,
    /// Pairs of places already compared, with the highest severity found there.
    met: HashMap<(WaysKey, WaysKey), Classes>,
    fuel: Fuel,
}

/// A place in both schemas.
#[derive(Clone, Copy)]
pub(crate) struct Spot<'p> {
    /// Path of the place.
    pub(crate) path: &'p str,
    /// Steps to the place.
    pub(crate) trail: Option<&'p Trail<'p>>,
    /// Other types of values at the place, if only values of one type are compared.
    pub(crate) beside: Beside,
    /// Highest severity that a change here can have.
    pub(crate) cap: Classes,
}

/// Types of values beside those that a sentence is about.
#[derive(Clone, Copy)]
pub(crate) enum Beside {
    /// All values at the place have the type.
    Nothing,
    /// Values of the type, or null.
    Null,
    /// There are other types than this one.
    Others(Kind),
}

impl<'p> Spot<'p> {
    /// Returns a place inside.
    pub(crate) fn inside(self, path: &'p str, trail: &'p Trail<'p>) -> Self {
        Self { path, trail: Some(trail), beside: Beside::Nothing, cap: self.cap }
    }

    /// Returns the trail of a step from here.
    pub(crate) fn step(self, step: Step<'p>) -> Trail<'p> {
        Trail { outer: self.trail, step }
    }

    /// Returns the conditions under which statements about the place apply.
    fn conditions(self) -> String {
        let mut words = Vec::new();
        let mut next = self.trail;
        while let Some(trail) = next {
            match trail.step {
                Step::Where { path, values, .. } => {
                    words.push(format!("where `{path}` is {}, ", listed(values.iter().copied())));
                }
                Step::Matching(pattern) => words.push(format!("where the name matches {pattern:?}, ")),
                Step::Items(start) if start > 0 => words.push(format!("after the first {start} items, ")),
                Step::Field(_) | Step::Position(_) | Step::Items(_) | Step::Others(_) => {}
            }
            next = trail.outer;
        }
        words.reverse();
        words.concat()
    }

    /// Returns the subject of a sentence that is about values of one type only.
    fn alone(self) -> String {
        let it = subject(self.path);
        match self.beside {
            Beside::Nothing => it,
            Beside::Null => format!("{it}, if not null,"),
            Beside::Others(kind) => format!("{it}, if {},", article(kind.name())),
        }
    }
}

impl<'a> Walk<'a> {
    /// Creates a walk.
    pub(crate) fn new(prover: Prover<'a>, with_claims: bool) -> Self {
        let found = ChangeList::new(with_claims);
        Self { prover, found, met: HashMap::new(), fuel: Fuel::new(WALK_STEPS) }
    }

    /// Compares the old values with the new ones. Returns the highest severity.
    pub(crate) fn pair(&mut self, spot: Spot<'_>, old: &[Vec<Fact<'a>>], new: &[Vec<Fact<'a>>]) -> Classes {
        let cap = spot.cap;
        let key = (ways_key(old), ways_key(new));
        if cap == Classes::NONE || key.0 == key.1 {
            return Classes::NONE;
        }
        if let Some(known) = self.met.get(&key) {
            return known.capped(cap);
        }
        if !self.fuel.enter() {
            let reason = if self.is_spent() { "is too complex to compare" } else { "is too deep to compare" };
            return self.note(spot, ChangeKind::Other, Classes::UNSURE, &Statement::Unknown(reason));
        }
        let worst = self.unproven(spot, key, old, new);
        self.fuel.leave();
        worst
    }

    /// Compares values that are not proven to be compatible.
    fn unproven(
        &mut self,
        spot: Spot<'_>,
        key: (WaysKey, WaysKey),
        old: &[Vec<Fact<'a>>],
        new: &[Vec<Fact<'a>>],
    ) -> Classes {
        let mut cap = spot.cap;
        if cap.output > Class::Safe && self.ask(|prover| prover.ways_within(new, old)) {
            cap.output = Class::Safe;
        }
        if cap.input > Class::Safe && self.ask(|prover| prover.ways_within(old, new)) {
            cap.input = Class::Safe;
        }
        if cap == Classes::NONE {
            return Classes::NONE;
        }
        self.met.insert(key.clone(), Classes::NONE);
        let spot = Spot { cap, ..spot };
        let (before, after) = self.ask(|prover| (prover.all_pieces(old), prover.all_pieces(new)));
        let mut worst = self.kinds(spot, (&before, old), (&after, new));
        worst = worst.worst(self.unexplained(spot, old, new, worst));
        self.met.insert(key, worst);
        worst
    }

    /// Reports a difference that no change explains, with an example if there is one.
    fn unexplained(
        &mut self,
        spot: Spot<'_>,
        old: &[Vec<Fact<'a>>],
        new: &[Vec<Fact<'a>>],
        worst: Classes,
    ) -> Classes {
        let mut sum = Classes::NONE;
        if spot.cap.output == Class::Breaking && worst.output < Class::Breaking {
            let example = self.ask(|prover| prover.example(new, old));
            if let Some(example) = example {
                let classes = Classes { output: Class::Breaking, input: Class::Safe };
                let what = Statement::Allows(&example);
                sum = sum.worst(self.note(spot, ChangeKind::Other, classes, &what));
            }
        }
        if spot.cap.input == Class::Breaking && worst.input < Class::Breaking {
            let example = self.ask(|prover| prover.example(old, new));
            if let Some(example) = example {
                let classes = Classes { output: Class::Safe, input: Class::Breaking };
                let what = Statement::Rejects(&example);
                sum = sum.worst(self.note(spot, ChangeKind::Other, classes, &what));
            }
        }
        let worst = worst.worst(sum);
        let open =
            |class: Class, cap: Class| if class == Class::Safe { cap.min(Class::Risky) } else { Class::Safe };
        let classes =
            Classes { output: open(worst.output, spot.cap.output), input: open(worst.input, spot.cap.input) };
        if classes != Classes::NONE {
            let what = Statement::Unknown("is described differently; the effect of the change is uncertain");
            sum = sum.worst(self.note(spot, ChangeKind::Other, classes, &what));
        }
        sum
    }

    /// Reports a change. Returns its severity.
    pub(crate) fn note(
        &mut self,
        spot: Spot<'_>,
        what: ChangeKind,
        classes: Classes,
        said: &Statement<'_>,
    ) -> Classes {
        let certain = classes == Classes::NONE;
        let classes = classes.capped(spot.cap);
        if classes == Classes::NONE && !certain {
            // The change only appears to matter: a proof shows that it does not.
            return classes;
        }
        let sentence =
            || format!("{}{}", spot.conditions(), said.sentence(&subject(spot.path), &spot.alone()));
        let claims = || {
            let outer = spot.trail.and_then(|trail| trail.outer);
            let trail = if said.is_about_field() { outer } else { spot.trail };
            said.claims().into_iter().map(|claim| claim.lifted(trail)).collect()
        };
        self.found.add((spot.path, what), classes, sentence, claims);
        classes
    }

    /// Asks the prover a question, with part of the remaining work.
    pub(crate) fn ask<T>(&mut self, question: impl FnOnce(&mut Prover<'a>) -> T) -> T {
        let given = self.fuel.left().min(QUESTION_STEPS);
        self.prover.fuel = Fuel::new(given);
        let answer = question(&mut self.prover);
        self.fuel.spend(given - self.prover.fuel.left() + 1);
        answer
    }

    /// Returns whether no work remains.
    pub(crate) fn is_spent(&self) -> bool {
        self.fuel.is_spent()
    }

    /// Lowers a severity to "unknown" if the proof failed for lack of steps.
    pub(crate) fn unless_spent(&self, classes: Classes) -> Classes {
        let spent = self.fuel.is_spent() || self.prover.fuel.is_spent();
        if spent { classes.capped(Classes::UNSURE) } else { classes }
    }
}

fn ways_key(ways: &[Vec<Fact<'_>>]) -> WaysKey {
    let mut key: WaysKey = ways.iter().map(|facts| key_of(facts)).collect();
    key.sort_unstable();
    key.dedup();
    key
}
