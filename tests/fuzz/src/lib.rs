//! Shared parts of the fuzz targets: how bytes become an input, what must hold for it, how it is mutated, and the
//! first inputs.
//!
//! Each target is a program run by libFuzzer, which keeps inputs that reach new code and mutates them further. `cargo
//! xtask fuzz` decides how long, and handles findings.

pub mod checks;
pub mod counts;
pub mod input;
pub mod mutate;
pub mod random;
pub mod seeds;
