//! What must go and what must stay, over all kinds and carriers.

mod benign;
mod secrets;

use super::{Redactor, Rules, Trust};

/// A redactor without rules and known values.
pub(super) fn redactor() -> &'static Redactor {
    static PLAIN: std::sync::LazyLock<Redactor> =
        std::sync::LazyLock::new(|| Redactor::new(&Rules::default(), []).unwrap());
    &PLAIN
}

pub(super) fn redact(json: &str, trust: Trust) -> Option<(String, u64)> {
    redactor().redact(json, trust)
}

/// Numbers that look random and are the same every time (SplitMix64).
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(super) fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }

    /// So many characters of these.
    pub(super) fn text(&mut self, of: &str, length: usize) -> String {
        (0..length).map(|_| char::from(of.as_bytes()[self.below(of.len())])).collect()
    }
}

pub(super) const ALNUM: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
pub(super) const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
pub(super) const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
pub(super) const HEX: &str = "0123456789abcdef";
pub(super) const DIGITS: &str = "0123456789";
pub(super) const BASE64: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/";
pub(super) const URL64: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
