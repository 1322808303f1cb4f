//! Documents made to break a reader: bounded state, a note where one is promised, never a crash.
//!
//! Each case prints its figures (`-- --nocapture`).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]
#![allow(clippy::print_stdout, reason = "figures are for whoever asks for them")]

#[path = "hostile/judge.rs"]
mod judge;
#[path = "hostile/keys.rs"]
mod keys;
#[path = "hostile/memory.rs"]
mod memory;
#[path = "hostile/nesting.rs"]
mod nesting;
#[path = "hostile/reading.rs"]
mod reading;
#[path = "hostile/states.rs"]
mod states;
#[path = "hostile/values.rs"]
mod values;
