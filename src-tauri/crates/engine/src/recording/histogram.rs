//! A distribution of times in constant memory.
//!
//! Buckets grow by a factor of 2^(1/4), so a quantile is an upper bound within 19 %. Threads add to it without a lock,
//! which `hdrhistogram` cannot do.

use std::sync::atomic::{AtomicU64, Ordering};

use schemascope_api::Latency;

/// Up to 2^(160/4) microseconds: twelve days.
const BUCKETS: usize = 160;

#[derive(Debug)]
pub(crate) struct Histogram {
    buckets: [AtomicU64; BUCKETS],
    max: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { buckets: std::array::from_fn(|_| AtomicU64::new(0)), max: AtomicU64::new(0) }
    }
}

impl Histogram {
    pub(crate) fn add(&self, micros: u64) {
        let bucket = ((micros.max(1) as f64).log2() * 4.0).ceil() as usize;
        self.buckets[bucket.min(BUCKETS - 1)].fetch_add(1, Ordering::Relaxed);
        self.max.fetch_max(micros, Ordering::Relaxed);
    }

    pub(crate) fn summary(&self) -> Latency {
        let counts: Vec<u64> = self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed)).collect();
        let count: u64 = counts.iter().sum();
        let max_us = self.max.load(Ordering::Relaxed);
        let quantile = |share: f64| {
            let rank = (count as f64 * share).ceil() as u64;
            let mut seen = 0;
            let bucket = counts.iter().position(|bucket| {
                seen += bucket;
                seen >= rank.max(1)
            });
            bucket.map_or(0, |bucket| (2f64.powf(bucket as f64 / 4.0).ceil() as u64).min(max_us))
        };
        Latency { count, p50_us: quantile(0.5), p95_us: quantile(0.95), p99_us: quantile(0.99), max_us }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_upper_bounds_within_a_fifth() {
        let histogram = Histogram::default();
        assert_eq!(histogram.summary(), Latency::default());
        (1..=1_000).for_each(|micros| histogram.add(micros));
        let Latency { count, p50_us, p99_us, max_us, .. } = histogram.summary();
        assert_eq!((count, max_us), (1_000, 1_000));
        assert!((500..=595).contains(&p50_us), "{p50_us}");
        assert!((990..=1_000).contains(&p99_us), "{p99_us}");
    }
}
