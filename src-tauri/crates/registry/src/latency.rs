//! The distribution of a tool's call durations, as counts that add up in any order.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Bits of a duration after the first that choose its bucket. A bucket is 1/64 of its power of two wide, so its middle
/// is within 0.8 % of every duration in it.
const BITS: u32 = 6;
/// Durations below this have a bucket each.
const EXACT: u64 = 2 << BITS;
/// Longest duration that is distinguished: 2^42 µs, fifty days.
const LONGEST: u64 = 1 << 42;

/// Number of calls by duration in microseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Latencies {
    /// Number of calls by bucket.
    buckets: BTreeMap<u16, u64>,
}

impl Latencies {
    /// Counts a call of this duration, in microseconds.
    pub fn add(&mut self, micros: u64) {
        *self.buckets.entry(bucket(micros)).or_default() += 1;
    }

    /// Adds the counts of another distribution.
    pub fn merge(&mut self, theirs: &Self) {
        for (bucket, count) in &theirs.buckets {
            let mine = self.buckets.entry(*bucket).or_default();
            *mine = mine.saturating_add(*count);
        }
    }

    /// Returns the number of calls.
    pub fn count(&self) -> u64 {
        self.buckets.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Returns the duration, in microseconds, that this share of the calls does not exceed, within 1 %; `None` without
    /// calls. The rank is the nearest one, rounded up.
    pub fn quantile(&self, share: f64) -> Option<u64> {
        let rank = ((self.count() as f64 * share).ceil() as u64).max(1);
        let mut seen: u64 = 0;
        let reached = self.buckets.iter().find(|(_, count)| {
            seen = seen.saturating_add(**count);
            seen >= rank
        });
        reached.or(self.buckets.last_key_value()).map(|(bucket, _)| middle(*bucket))
    }
}

/// Returns the bucket of a duration. Longer durations have higher buckets.
fn bucket(micros: u64) -> u16 {
    let micros = micros.min(LONGEST);
    if micros < EXACT {
        return micros as u16;
    }
    let shift = micros.ilog2() - BITS;
    (u64::from(shift) * (1 << BITS) + (micros >> shift)) as u16
}

/// Returns the middle of a bucket, in microseconds.
fn middle(bucket: u16) -> u64 {
    let bucket = u64::from(bucket);
    if bucket < EXACT {
        return bucket;
    }
    let shift = (bucket >> BITS) - 1;
    let lowest = (bucket - (shift << BITS)) << shift;
    lowest + (1 << shift) / 2
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn quantiles_are_within_one_percent_of_exact(
            mut durations in prop::collection::vec((0..38_u32, 1..2_u64.pow(32)).prop_map(|(shift, n)| (n << 6) >> shift), 1..400),
        ) {
            let mut latencies = Latencies::default();
            durations.iter().for_each(|duration| latencies.add(*duration));
            durations.sort_unstable();
            for share in [0.5, 0.95, 0.99, 1.0] {
                let rank = ((durations.len() as f64 * share).ceil() as usize).max(1);
                let exact = durations[rank - 1] as f64;
                let found = latencies.quantile(share).unwrap() as f64;
                prop_assert!((found - exact).abs() <= exact / 100.0, "{share}: {found} instead of {exact}");
            }
        }

        #[test]
        fn merged_parts_equal_the_whole(durations in prop::collection::vec(any::<u64>(), 0..50), at in 0_usize..50) {
            let of = |durations: &[u64]| {
                let mut latencies = Latencies::default();
                durations.iter().for_each(|duration| latencies.add(*duration));
                latencies
            };
            let (first, second) = durations.split_at(at.min(durations.len()));
            let mut merged = of(second);
            merged.merge(&of(first));
            prop_assert_eq!(&merged, &of(&durations));
            prop_assert_eq!(merged.count(), durations.len() as u64);
            let written = serde_json::to_string(&merged).unwrap();
            prop_assert_eq!(serde_json::from_str::<Latencies>(&written).unwrap(), merged);
        }
    }

    #[test]
    fn no_calls_have_no_quantile() {
        assert_eq!(Latencies::default().quantile(0.5), None);
    }
}
