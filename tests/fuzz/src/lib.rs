//! What the fuzz targets share: how bytes become an input, what must hold of it, how it is mutated, and the
//! inputs to begin with.
//!
//! Each target is a program of its own, run by libFuzzer: it keeps what reaches new code and mutates that
//! further. Refuses to know: for how long, and what becomes of a finding; `cargo xtask fuzz` does.

pub mod checks;
pub mod counts;
pub mod input;
pub mod mutate;
pub mod random;
pub mod seeds;
