//! The target `calls`.
#![no_main]
#![allow(unsafe_code, reason = "libFuzzer calls functions by their C names")]
#![allow(clippy::panic, reason = "that is how libFuzzer hears of a finding")]

use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target};
use schemascope_fuzz::{checks, counts, seeds::DOCUMENTS};

fuzz_target!(|bytes: &[u8]| match checks::calls(bytes) {
    Ok(tried) => counts::count(tried),
    Err(reason) => panic!("{reason}"),
});
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    DOCUMENTS.mutate(data, size, max_size, seed)
});
fuzz_crossover!(|data1: &[u8], data2: &[u8], out: &mut [u8], seed: u32| {
    DOCUMENTS.cross(data1, data2, out, seed)
});
