//! Documents made to break a reader: the state stays bounded, a note appears where one is promised,
//! and nothing crashes.
//!
//! Each case prints its figures (`-- --nocapture`).
#![allow(clippy::disallowed_methods, reason = "tests measure time and memory")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]
#![allow(clippy::print_stdout, reason = "figures are printed on request")]

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
