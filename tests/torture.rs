//! A little of what `cargo xtask torture` does for as long as one likes: nothing acknowledged is lost. Kills of calls
//! and decisions, and damage of the journal, are tested beside what they are about.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use schemascope_test_support::Places;
use schemascope_test_support::torture::{Fault, suffer};

fn after(faults: &[Fault], seed: u64) {
    let scratch = tempfile::tempdir().unwrap();
    let places = Places::beside(env!("CARGO_BIN_EXE_schemascope")).unwrap();
    if let Err(error) = suffer(&places, scratch.path(), faults, seed) {
        panic!("{error:?}");
    }
}

#[test]
fn kills_cost_nothing() {
    after(&[Fault::KillOpening, Fault::KillWorking], 1);
}

#[test]
fn damage_costs_what_it_is_in_and_is_told() {
    after(&[Fault::FlippedDecisions, Fault::FlippedIndex], 2);
}

/// Disks that are full or read only need the right to mount; the long form does them where it has it.
#[test]
fn files_that_cannot_grow_cost_nothing() {
    after(&[Fault::SmallFiles], 3);
}

#[test]
fn several_processes_have_one_owner() {
    after(&[Fault::SeveralProcesses], 4);
}
