//! Peculiarities of documents on which readers disagree.

use serde::{Deserialize, Serialize};

/// Written length from which a string counts as peculiar, in bytes.
pub(super) const LONG_STRING: usize = 1 << 20;

/// Most digits of a number that certainly fits in a float.
pub(super) const FLOAT_DIGITS: usize = 300;

/// Counts of peculiarities on which readers disagree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Oddities {
    /// Strings with a lone surrogate.
    pub(crate) surrogates: u64,
    /// Numbers too large for a float.
    pub(crate) out_of_range: u64,
    /// Strings of a megabyte or more.
    pub(crate) long_strings: u64,
}

impl Oddities {
    /// Adds the counts of another.
    pub(crate) fn add(&mut self, theirs: &Self) {
        self.surrogates += theirs.surrogates;
        self.out_of_range += theirs.out_of_range;
        self.long_strings += theirs.long_strings;
    }

    /// Counts a number if it is too large for a float.
    #[cold]
    pub(super) fn note_number(&mut self, number: &str) {
        self.out_of_range += u64::from(number.parse::<f64>().is_ok_and(f64::is_infinite));
    }
}
