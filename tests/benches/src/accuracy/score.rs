//! Scores: how many valid and damaged instances a schema accepts, and the precision and recall that follow.

use std::collections::BTreeMap;

use jsonschema::Validator;
use serde_json::Value;

use crate::mutate::Kind;

/// Counts; fractions where one valid instance stands against several damaged ones.
#[derive(Debug, Clone, Default)]
pub struct Score {
    /// Valid instances.
    pub valid: f64,
    /// Valid ones that were accepted.
    pub accepted: f64,
    /// Damaged ones that were accepted, of as many as there are valid ones.
    pub wrong: f64,
    /// Damaged and accepted by kind, and damaged.
    pub kinds: [(f64, f64); Kind::ALL.len()],
    /// Valid instances that were rejected, by the first keyword that did.
    pub keywords: BTreeMap<String, u32>,
}

impl Score {
    /// Judges held-out instances. The damaged ones weigh as much as the valid ones together.
    pub fn of(schema: &Validator, valid: &[Value], damaged: &[(Kind, Value)]) -> Self {
        let mut score = Self { valid: valid.len() as f64, ..Self::default() };
        score.accepted = valid.iter().filter(|instance| schema.is_valid(instance)).count() as f64;
        for error in valid.iter().filter_map(|instance| schema.iter_errors(instance).next()) {
            *score.keywords.entry(error.kind().keyword().to_owned()).or_default() += 1;
        }
        let weight = valid.len() as f64 / damaged.len().max(1) as f64;
        for (kind, instance) in damaged {
            let accepted = if schema.is_valid(instance) { weight } else { 0.0 };
            score.wrong += accepted;
            let (wrong, all) = &mut score.kinds[*kind as usize];
            *wrong += accepted;
            *all += weight;
        }
        score
    }

    /// Adds another score.
    pub fn add(&mut self, other: &Self) {
        self.valid += other.valid;
        self.accepted += other.accepted;
        self.wrong += other.wrong;
        for (keyword, count) in &other.keywords {
            *self.keywords.entry(keyword.clone()).or_default() += count;
        }
        for (own, other) in self.kinds.iter_mut().zip(&other.kinds) {
            own.0 += other.0;
            own.1 += other.1;
        }
    }

    /// Of what was accepted, how much was valid.
    pub fn precision(&self) -> f64 {
        share(self.accepted, self.accepted + self.wrong)
    }

    /// Of what was valid, how much was accepted.
    pub fn recall(&self) -> f64 {
        share(self.accepted, self.valid)
    }

    /// The harmonic mean of both.
    pub fn f1(&self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        share(2.0 * precision * recall, precision + recall)
    }
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
