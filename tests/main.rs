//! End-to-end tests: the real binaries, started as a user starts them.
//!
//! One program, so that it links once. A module is a subject: `cargo xtask test SUBJECT` runs one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod dashboard;
mod decide;
mod proxy;
mod record;
mod schemas;
mod share;
mod terminal;
#[cfg(target_os = "linux")]
mod window;
mod wrappers;
