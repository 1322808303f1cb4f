//! Tests of the store as other crates see it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod common;
mod faults;
mod formats;
mod maintenance;
mod recovery;
mod retention;
