//! Secrets that must be found, and look-alikes that must stay.

mod benign;
mod secrets;

use crate::{Redactor, Rules, Trust};

/// A redactor without rules and configured values.
pub(crate) fn redactor() -> &'static Redactor {
    static PLAIN: std::sync::LazyLock<Redactor> =
        std::sync::LazyLock::new(|| Redactor::new(&Rules::default(), []).unwrap());
    &PLAIN
}

pub(crate) fn redact(json: &str, trust: Trust) -> Option<(String, u64)> {
    redactor().redact(json, trust)
}

/// Random numbers that are the same in every run (SplitMix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(crate) fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }

    /// A text of `length` characters out of `of`.
    pub(crate) fn text(&mut self, of: &str, length: usize) -> String {
        (0..length).map(|_| char::from(of.as_bytes()[self.below(of.len())])).collect()
    }
}

pub(crate) const ALNUM: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
pub(crate) const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
pub(crate) const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
pub(crate) const HEX: &str = "0123456789abcdef";
pub(crate) const DIGITS: &str = "0123456789";
pub(crate) const BASE64: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/";
pub(crate) const URL64: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
