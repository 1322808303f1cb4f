//! The walk through two schemas side by side, to say where and how they differ.
//!
//! The walk compares what holds of the values at one place, and goes on to the places inside. What is proven
//! at a place caps what may be said of it and of all that is inside; what is neither proven nor explained by
//! a change is looked for with examples, and reported for the place as a whole.
//!
//! Owns: that order, what was visited already, and the work that may still be done. Refuses to know: what is
//! compared for each kind of value.

use std::collections::HashMap;

use super::change::{Class, Classes, Found, What};
use super::fuel::Fuel;
use super::piece::{Fact, Piece};
use super::prover::{Key, Prover, key_of};
use super::sentence::{shown, subject};

/// Steps for the whole walk.
const WALK_STEPS: usize = 60_000;

/// Steps for one question.
const QUESTION_STEPS: usize = 12_000;

/// The walk, and what it found.
pub(super) struct Walk<'a> {
    /// Who answers questions.
    pub(super) prover: Prover<'a>,
    /// What was found.
    pub(super) found: Found,
    /// Pairs of places that were compared, with the worst that was found there.
    met: HashMap<(Key, Key), Classes>,
    fuel: Fuel,
}

/// A place in both schemas.
#[derive(Clone, Copy)]
pub(super) struct Spot<'p> {
    /// Where it is.
    pub(super) path: &'p str,
    /// What is known of it: no change here is worse.
    pub(super) cap: Classes,
}

impl<'a> Walk<'a> {
    /// A walk that has not begun.
    pub(super) fn new(prover: Prover<'a>) -> Self {
        Self { prover, found: Found::new(), met: HashMap::new(), fuel: Fuel::new(WALK_STEPS) }
    }

    /// Compares what held with what holds now; the worst that was found.
    pub(super) fn pair(&mut self, spot: Spot<'_>, old: &[Fact<'a>], new: &[Fact<'a>]) -> Classes {
        let cap = spot.cap;
        let key = (key_of(old), key_of(new));
        if cap == Classes::NONE || key.0 == key.1 {
            return Classes::NONE;
        }
        if let Some(known) = self.met.get(&key) {
            return known.capped(cap);
        }
        if !self.fuel.enter() {
            let reason = if self.fuel.is_spent() { "too complex" } else { "too deep" };
            return self
                .note(spot, What::Other, Classes::UNSURE, |it| format!("{it} is {reason} to compare"));
        }
        let worst = self.unproven(spot, key, old, new);
        self.fuel.leave();
        worst
    }

    /// Compares what cannot be proven to be safe.
    fn unproven(&mut self, spot: Spot<'_>, key: (Key, Key), old: &[Fact<'a>], new: &[Fact<'a>]) -> Classes {
        let mut cap = spot.cap;
        if cap.output > Class::Safe && self.ask(|prover| prover.facts_within(new, old)) {
            cap.output = Class::Safe;
        }
        if cap.input > Class::Safe && self.ask(|prover| prover.facts_within(old, new)) {
            cap.input = Class::Safe;
        }
        if cap == Classes::NONE {
            return Classes::NONE;
        }
        self.met.insert(key.clone(), Classes::NONE);
        let spot = Spot { cap, ..spot };
        let mut worst = self.inside(spot, old, new);
        worst = worst.worst(self.unexplained(spot, old, new, worst));
        self.met.insert(key, worst);
        worst
    }

    fn inside(&mut self, spot: Spot<'_>, old: &[Fact<'a>], new: &[Fact<'a>]) -> Classes {
        let (before, after) = self.ask(|prover| (prover.pieces(old), prover.pieces(new)));
        self.kinds(spot, (&before, old), (&after, new))
    }

    /// What no change explained: an example, or at least a warning.
    fn unexplained(&mut self, spot: Spot<'_>, old: &[Fact<'a>], new: &[Fact<'a>], worst: Classes) -> Classes {
        let mut sum = Classes::NONE;
        if spot.cap.output == Class::Breaking && worst.output < Class::Breaking {
            let example = self.ask(|prover| prover.example(new, old));
            if let Some(example) = example {
                let classes = Classes { output: Class::Breaking, input: Class::Safe };
                let words = |it: String| format!("{it} can now be {}, which it could not", shown(&example));
                sum = sum.worst(self.note(spot, What::Other, classes, words));
            }
        }
        if spot.cap.input == Class::Breaking && worst.input < Class::Breaking {
            let example = self.ask(|prover| prover.example(old, new));
            if let Some(example) = example {
                let classes = Classes { output: Class::Safe, input: Class::Breaking };
                let words = |it: String| format!("{it} can no longer be {}", shown(&example));
                sum = sum.worst(self.note(spot, What::Other, classes, words));
            }
        }
        let worst = worst.worst(sum);
        let open =
            |class: Class, cap: Class| if class == Class::Safe { cap.min(Class::Risky) } else { Class::Safe };
        let classes =
            Classes { output: open(worst.output, spot.cap.output), input: open(worst.input, spot.cap.input) };
        if classes != Classes::NONE {
            let words = |it| format!("{it} is described differently, and what that means is not certain");
            sum = sum.worst(self.note(spot, What::Other, classes, words));
        }
        sum
    }

    /// Reports a change; how bad it is.
    pub(super) fn note(
        &mut self,
        spot: Spot<'_>,
        what: What,
        classes: Classes,
        words: impl FnOnce(String) -> String,
    ) -> Classes {
        let certain = classes == Classes::NONE;
        let classes = classes.capped(spot.cap);
        if classes == Classes::NONE && !certain {
            // It only looks like that: what is proven says otherwise.
            return classes;
        }
        self.found.add(spot.path, what, classes, words(subject(spot.path)));
        classes
    }

    /// Asks the prover something, for a part of the work that is left.
    pub(super) fn ask<T>(&mut self, question: impl FnOnce(&mut Prover<'a>) -> T) -> T {
        let given = self.fuel.left().min(QUESTION_STEPS);
        self.prover.fuel = Fuel::new(given);
        let answer = question(&mut self.prover);
        self.fuel.spend(given - self.prover.fuel.left() + 1);
        answer
    }

    /// What may be said of something that was not proven: nothing for sure, if there was no time to.
    pub(super) fn unless_spent(&self, classes: Classes) -> Classes {
        let spent = self.fuel.is_spent() || self.prover.fuel.is_spent();
        if spent { classes.capped(Classes::UNSURE) } else { classes }
    }

    /// Whether all of one piece lies in another.
    pub(super) fn piece_within(&mut self, sub: &Piece<'a>, sup: &Piece<'a>) -> bool {
        self.ask(|prover| {
            sup.applied.iter().all(|schema| prover.fits(sub, *schema))
                && sup.nots.iter().all(|schema| prover.is_apart(sub, *schema))
        })
    }
}
