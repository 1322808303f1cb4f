//! How observations fit given schemas.
//!
//! A schema is known by its digest; declared, candidate and effective ones are counted alike, each beside the
//! shape, so that judging one schema does not depend on what else was known. Owns: the counts, and how many
//! schemas have some. Refuses to know: schemas, and who judges.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Schemas counted: the lowest digests, so that it is the same ones whatever the order. A tool that declares
/// more than that is no longer judged by all.
const MAX_SCHEMAS: usize = 256;

/// Counts by schema digest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fits(BTreeMap<Box<str>, FitCount>);

/// How many observations fit a schema.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FitCount {
    /// Those that do.
    pub fits: u64,
    /// Those that do not.
    pub violates: u64,
}

impl Fits {
    /// Counts how one observation fit the schema with this digest.
    pub fn add(&mut self, digest: &str, fits: bool) {
        let one = FitCount { fits: u64::from(fits), violates: u64::from(!fits) };
        self.add_count(digest.into(), one);
    }

    /// Adds counts of the schema with this digest.
    pub fn add_counts(&mut self, digest: &str, fits: u64, violates: u64) {
        self.add_count(digest.into(), FitCount { fits, violates });
    }

    /// Adds another's counts. Commutative and associative, exactly.
    pub fn merge(&mut self, theirs: &Self) {
        for (digest, count) in &theirs.0 {
            self.add_count(digest.clone(), *count);
        }
    }

    /// How observations fit the schema with this digest, as far as it was judged.
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
