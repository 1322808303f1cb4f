//! Counts of observations that fit given schemas.
//!
//! A schema is identified by its digest. Declared, candidate and effective schemas are counted in
//! the same way, separately from the shape, so that the counts for one schema do not depend on
//! which others were known.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Most schemas counted: those with the lowest digests, so that the choice does not depend on
/// order. Further schemas of a tool are not counted.
const MAX_SCHEMAS: usize = 256;

/// Counts by schema digest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fits(BTreeMap<Box<str>, FitCount>);

/// Number of observations that fit a schema, and that do not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FitCount {
    /// Observations that fit.
    pub fits: u64,
    /// Observations that violate the schema.
    pub violates: u64,
}

/// Observations from which on a schema is judged by them.
const MANY: u64 = 20;

impl FitCount {
    /// Whether less than 95 % of the observations fit, of which there are many.
    pub fn is_broken(self) -> bool {
        let judged = self.fits.saturating_add(self.violates);
        judged >= MANY && self.violates.saturating_mul(20) > judged
    }
}

impl Fits {
    /// Counts whether one observation fits the schema with this digest.
    pub fn add(&mut self, digest: &str, fits: bool) {
        let one = FitCount { fits: u64::from(fits), violates: u64::from(!fits) };
        self.add_count(digest.into(), one);
    }

    /// Adds counts for the schema with this digest.
    pub fn add_counts(&mut self, digest: &str, fits: u64, violates: u64) {
        self.add_count(digest.into(), FitCount { fits, violates });
    }

    /// Adds the counts of another. Commutative and associative, exactly.
    pub fn merge(&mut self, theirs: &Self) {
        for (digest, count) in &theirs.0 {
            self.add_count(digest.clone(), *count);
        }
    }

    /// Returns the counts for the schema with this digest, as far as observations were checked.
    pub fn of(&self, digest: &str) -> FitCount {
        self.0.get(digest).copied().unwrap_or_default()
    }

    fn add_count(&mut self, digest: Box<str>, count: FitCount) {
        let mine = self.0.entry(digest).or_default();
        mine.fits = mine.fits.saturating_add(count.fits);
        mine.violates = mine.violates.saturating_add(count.violates);
        if self.0.len() > MAX_SCHEMAS {
            self.0.pop_last();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of<'j>(judged: impl IntoIterator<Item = &'j (u16, bool)>) -> Fits {
        let mut fits = Fits::default();
        judged.into_iter().for_each(|(schema, fit)| fits.add(&format!("{schema:04x}"), *fit));
        fits
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same_counts(
            judged in prop::collection::vec((0u16..600, any::<bool>()), 0..2_000),
            at in any::<prop::sample::Index>(),
        ) {
            let at = at.index(judged.len() + 1);
            let (mut left, right) = (of(&judged[..at]), of(&judged[at..]));
            let mut other_way = right.clone();
            other_way.merge(&left);
            left.merge(&right);
            prop_assert_eq!(&left, &of(&judged));
            prop_assert_eq!(left, other_way);
        }
    }
}
