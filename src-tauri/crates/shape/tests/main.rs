//! Tests of shapes as other crates see them. Those that count memory are a program of their own.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use proptest::string::{RegexGeneratorStrategy, string_regex};

mod arguments;
mod decisions;
mod emission;
mod incremental;
mod keys;
mod laws;
mod wide;

/// Texts that match a pattern. A pattern by itself is parsed again for every text.
fn text(pattern: &str) -> RegexGeneratorStrategy<String> {
    string_regex(pattern).unwrap()
}
