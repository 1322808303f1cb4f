//! Tests of shapes as other crates see them. Those that count memory are a program of their own.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod arguments;
mod decisions;
mod emission;
mod incremental;
mod keys;
mod laws;
mod wide;
