//! Regular expressions that are compiled when they are first used.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// A regular expression; none if it is not valid, so that it matches nothing.
pub type Pattern = LazyLock<Option<Regex>>;

/// Declares a pattern.
macro_rules! pattern {
    ($name:ident, $text:literal) => {
        static $name: $crate::patterns::Pattern = std::sync::LazyLock::new(|| regex::Regex::new($text).ok());
    };
}

pub(crate) use pattern;

/// The first match with its groups.
pub fn found<'t>(pattern: &Pattern, text: &'t str) -> Option<Captures<'t>> {
    LazyLock::force(pattern).as_ref()?.captures(text)
}

/// Whether a text has a match.
pub fn is_match(pattern: &Pattern, text: &str) -> bool {
    LazyLock::force(pattern).as_ref().is_some_and(|pattern| pattern.is_match(text))
}
