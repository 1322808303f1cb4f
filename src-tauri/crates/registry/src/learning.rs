//! What users decided about how a tool learns: which texts are failures, and since when results are learned from.

use schemascope_model::Timestamp;
use schemascope_shape::{Arguments, Fits, Shape};
use serde::{Deserialize, Serialize};

use crate::recurring::RecurringKeys;
use crate::tool::Tool;
use crate::versions::Form;

/// Rules of one tool's learning.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LearningRules {
    /// Beginnings of texts that count as failures, in order.
    pub failing: Box<[Box<str>]>,
    /// Time from which results are learned from; `None` for all results.
    pub since: Option<Timestamp>,
}

/// The time from which results are learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LearnedSince {
    since: Timestamp,
    /// Whether what earlier results taught was removed. Until then they are learned from, so that the tool's history
    /// stays complete.
    begun: bool,
}

impl Tool {
    /// Returns the rules by which the tool learns.
    pub fn learning_rules(&self) -> LearningRules {
        LearningRules { failing: self.failing_texts.beginnings(), since: self.learned_since() }
    }

    /// Returns the time from which results are learned from, if not all are.
    pub fn learned_since(&self) -> Option<Timestamp> {
        self.learned_since.map(|from| from.since)
    }

    /// From now on the tool learns by these rules.
    pub(crate) fn set_learning_rules(&mut self, rules: &LearningRules) {
        for counts in self.machines.apart.values_mut() {
            counts.set_own_rules(rules);
        }
        self.set_own_rules(rules);
    }

    fn set_own_rules(&mut self, LearningRules { failing, since }: &LearningRules) {
        self.failing_texts.set_rules(failing);
        if self.learned_since() != *since {
            self.learned_since = since.map(|since| LearnedSince { since, begun: false });
        }
    }

    /// Returns whether a result of this time is learned from. The first one since the time that was decided removes
    /// what earlier results taught.
    pub(crate) fn learns(&mut self, at: Timestamp) -> bool {
        let Some(from) = self.learned_since else { return true };
        if at < from.since {
            return !from.begun;
        }
        self.begin_learning();
        true
    }

    /// Takes what another state of the tool has learned since the time that was decided. This one counts more calls, and
    /// has learned from all of them.
    pub(crate) fn take_learned(&mut self, other: &Self) {
        for (machine, counts) in &mut self.machines.apart {
            let learned = other.machines.apart.get(machine);
            learned.into_iter().for_each(|learned| counts.take_own_learned(learned));
        }
        self.take_own_learned(other);
        self.history.points.clone_from(&other.history.points);
        self.drift = other.drift.clone();
    }

    fn take_own_learned(&mut self, other: &Self) {
        self.learned_since = other.learned_since;
        self.shape = other.shape.clone();
        self.arguments = other.arguments.clone();
        self.fits = other.fits.clone();
        self.carriers = other.carriers;
        self.recurring = other.recurring.clone();
        self.sends_items = other.sends_items;
        self.form = other.form.clone();
        self.last_observed = other.last_observed;
    }

    /// Ends learning from results before the time that was decided: all calls before it were counted.
    pub(crate) fn settle_learning(&mut self) {
        if self.learned_since.is_none() {
            return;
        }
        self.machines.apart.values_mut().for_each(Self::begin_learning);
        self.begin_learning();
        self.accept_drift();
        self.draft_now();
    }

    /// Takes changes that began by the time that was decided for usual, also where they are certain only later.
    pub(crate) fn accept_drift(&mut self) {
        if let Some(LearnedSince { since, begun: true }) = self.learned_since {
            self.drifted |= self.drift.accept_since(since);
        }
    }

    fn begin_learning(&mut self) {
        let Some(from) = self.learned_since.as_mut().filter(|from| !from.begun) else { return };
        from.begun = true;
        self.shape = Shape::with_key(self.shape.key());
        self.arguments = Arguments::with_key(self.shape.key());
        self.fits = Fits::default();
        self.carriers = schemascope_model::Carriers::default();
        self.recurring = RecurringKeys::default();
        self.sends_items = false;
        self.form = Form::default();
        self.history.points.clear();
        self.last_observed = None;
    }
}
