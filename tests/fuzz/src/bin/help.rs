//! The target `help`.
#![no_main]
#![allow(unsafe_code, reason = "libFuzzer calls functions by their C names")]
#![allow(clippy::panic, reason = "that is how libFuzzer hears of a finding")]

use libfuzzer_sys::fuzz_target;
use schemascope_fuzz::{checks, counts};

fuzz_target!(|bytes: &[u8]| match checks::help(bytes) {
    Ok(tried) => counts::count(tried),
    Err(reason) => panic!("{reason}"),
});
