//! Regular expressions that are compiled when they are first used.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// A regular expression; none if it is not valid, so that it matches nothing.
pub type Pattern = LazyLock<Option<Regex>>;

/// Compiles a regular expression. Classes are of ASCII: those of Unicode take three times as long to compile, and their word
/// boundaries are slow on text that is not ASCII.
pub fn compile(text: &str) -> Option<Regex> {
    let classes = [(r"\w", "[0-9A-Za-z_]"), (r"\d", "[0-9]"), (r"\s", r"[\t\n\r ]"), (r"\b", r"(?-u:\b)")];
    let ascii = classes.iter().fold(text.to_owned(), |text, (class, ascii)| text.replace(class, ascii));
    Regex::new(&ascii).ok()
}

/// Declares a pattern.
macro_rules! pattern {
    ($name:ident, $text:literal) => {
        static $name: $crate::patterns::Pattern =
            std::sync::LazyLock::new(|| $crate::patterns::compile($text));
    };
}

pub(crate) use pattern;

/// The first match with its groups. Most texts have none, and only groups take memory.
pub fn found<'t>(pattern: &Pattern, text: &'t str) -> Option<Captures<'t>> {
    let pattern = LazyLock::force(pattern).as_ref()?;
    if pattern.is_match(text) { pattern.captures(text) } else { None }
}

/// The same, but only if the text contains `mark`, as all that matches does: looking for that is much quicker.
pub fn found_near<'t>(pattern: &Pattern, text: &'t str, mark: &str) -> Option<Captures<'t>> {
    if text.contains(mark) { found(pattern, text) } else { None }
}

/// Whether a text has a match.
pub fn is_match(pattern: &Pattern, text: &str) -> bool {
    LazyLock::force(pattern).as_ref().is_some_and(|pattern| pattern.is_match(text))
}
