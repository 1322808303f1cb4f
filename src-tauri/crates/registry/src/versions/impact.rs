//! Counts how many stored observations would have conformed to a schema, up to a limit.

use std::collections::BTreeMap;

use schemascope_judge::Conformance;
use schemascope_model::{CallId, ImpactedCall, RuleCount, Timestamp, Violation};

/// Kinds of violation counted one by one.
const MAX_RULES: usize = 100;
/// Calls named, in all and of each kind.
const MAX_CALLS: usize = 50;
const MAX_CALLS_OF_RULE: usize = 3;

/// What a schema made of observations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Impact {
    /// Observations judged.
    pub judged: u64,
    /// Those that do not fit.
    pub violating: u64,
    /// Observations that could not be validated.
    pub unknown: u64,
    /// The first ones that were given, 50 at most.
    pub calls: Vec<ImpactedCall>,
    rules: BTreeMap<Violation, (u64, Vec<CallId>)>,
    /// Violations of further kinds.
    pub other_rules: u64,
}

impl Impact {
    /// Counts one observation.
    pub fn add(&mut self, id: CallId, at: Timestamp, stored: Conformance) {
        let violations = match stored {
            Conformance::Unknown => {
                self.unknown += 1;
                return;
            }
            Conformance::Fits => {
                self.judged += 1;
                return;
            }
            Conformance::Violates(violations) => violations,
        };
        self.judged += 1;
        self.violating += 1;
        if let Some(first) = violations.first().filter(|_| self.calls.len() < MAX_CALLS) {
            self.calls.push(ImpactedCall { id, at, violation: first.clone() });
        }
        let mut breaks_others = false;
        for violation in violations {
            if self.rules.len() >= MAX_RULES && !self.rules.contains_key(&violation) {
                breaks_others = true;
                continue;
            }
            let (count, calls) = self.rules.entry(violation).or_default();
            *count += 1;
            if calls.len() < MAX_CALLS_OF_RULE {
                calls.push(id);
            }
        }
        self.other_rules += u64::from(breaks_others);
    }

    /// Rules that were broken, the most frequent first.
    pub fn rules(&self) -> Vec<RuleCount> {
        let mut rules: Vec<RuleCount> = self
            .rules
            .iter()
            .map(|(violation, (count, calls))| RuleCount {
                violation: violation.clone(),
                count: *count,
                calls: calls.clone(),
            })
            .collect();
        rules.sort_by_key(|rule| std::cmp::Reverse(rule.count));
        rules
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_violation_are_counted_and_bounded() {
        let mut impact = Impact::default();
        let id = CallId::from_bytes([0; 16]);
        for n in 0..200 {
            let violation = Violation { path: format!("f{}", n % 150), rule: "type".into() };
            impact.add(id, Timestamp::from_millis(n), Conformance::Violates(vec![violation]));
        }
        impact.add(id, Timestamp::from_millis(0), Conformance::Fits);
        impact.add(id, Timestamp::from_millis(0), Conformance::Unknown);
        assert_eq!((impact.judged, impact.violating, impact.other_rules), (201, 200, 50));
        assert_eq!(impact.unknown, 1);
        assert_eq!((impact.calls.len(), impact.rules().len(), impact.rules()[0].count), (50, 100, 2));
    }
}
