//! How many of a tool's newest calls failed, and since when too many did.

use schemascope_model::Timestamp;
use serde::{Deserialize, Serialize};

/// Newest calls that are looked at.
const NEWEST: u32 = 20;
/// Fewest calls that can make a tool a failing one.
const FEWEST: u32 = 3;

/// Outcomes of the newest calls of one tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecentFailures {
    /// Number of calls that are looked at, up to 20.
    calls: u32,
    /// One bit per call, the newest lowest; set for a failure.
    failed: u32,
    /// Time of the call from which on at least half failed.
    since: Option<Timestamp>,
}

impl RecentFailures {
    /// Takes the next call.
    pub(crate) fn add(&mut self, at: Timestamp, failed: bool) {
        self.calls = (self.calls + 1).min(NEWEST);
        self.failed = (self.failed << 1 | u32::from(failed)) & ((1 << NEWEST) - 1);
        let failing = self.calls >= FEWEST && 2 * self.count() >= self.calls;
        self.since = failing.then(|| self.since.unwrap_or(at));
    }

    /// Returns the number of newest calls, up to 20.
    pub fn calls(&self) -> u32 {
        self.calls
    }

    /// Returns how many of them failed.
    pub fn count(&self) -> u32 {
        self.failed.count_ones()
    }

    /// Returns the time from which on at least half of the newest calls failed; `None` if most succeed.
    pub fn failing_since(&self) -> Option<Timestamp> {
        self.since
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(outcomes: &str) -> RecentFailures {
        let mut recent = RecentFailures::default();
        for (at, outcome) in outcomes.chars().enumerate() {
            recent.add(Timestamp::from_millis(at as u64), outcome == 'x');
        }
        recent
    }

    #[test]
    fn tool_is_failing_when_half_of_the_newest_calls_failed() {
        assert_eq!(of("xx").failing_since(), None);
        assert_eq!(of("xxx").failing_since(), Some(Timestamp::from_millis(2)));
        assert_eq!(of("..xx").failing_since(), Some(Timestamp::from_millis(3)));
        assert_eq!(of("...xx").failing_since(), None);
        let many = of(&format!("{}{}", ".".repeat(100), "x".repeat(10)));
        assert_eq!((many.calls(), many.count()), (20, 10));
        assert_eq!(many.failing_since(), Some(Timestamp::from_millis(109)));
    }

    #[test]
    fn tool_recovers_when_its_calls_succeed() {
        assert_eq!(of(&format!("{}{}", "x".repeat(36), ".".repeat(11))).failing_since(), None);
        let again = of(&format!("{}{}xxxx", "x".repeat(36), ".".repeat(20)));
        assert_eq!(again.failing_since(), None);
        assert_eq!(of(&format!("{}x", ".".repeat(20))).count(), 1);
    }
}
