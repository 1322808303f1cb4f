//! What readers disagree on.
//!
//! Owns: counts of it. Refuses to know: where in a document it was.

use serde::{Deserialize, Serialize};

/// Strings from this length on, as written, are odd.
pub(super) const LONG_STRING: usize = 1 << 20;

/// Digits a number may have without being beyond every float.
pub(super) const FLOAT_DIGITS: usize = 300;

/// How often there was something that readers disagree on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Oddities {
    /// Strings with half of a surrogate pair.
    pub(crate) surrogates: u64,
    /// Numbers beyond every float.
    pub(crate) out_of_range: u64,
    /// Strings of a megabyte and more.
    pub(crate) long_strings: u64,
}

impl Oddities {
    /// Adds another's counts.
    pub(crate) fn add(&mut self, theirs: &Self) {
        self.surrogates += theirs.surrogates;
        self.out_of_range += theirs.out_of_range;
        self.long_strings += theirs.long_strings;
    }

    /// Notes a number that may be beyond every float.
    #[cold]
    pub(super) fn note_number(&mut self, number: &str) {
        self.out_of_range += u64::from(number.parse::<f64>().is_ok_and(f64::is_infinite));
    }
}
