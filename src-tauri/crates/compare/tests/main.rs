//! Tests of comparisons as other crates see them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod curated;
mod laws;
