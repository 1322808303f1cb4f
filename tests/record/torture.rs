//! A short run of `cargo xtask torture`: nothing acknowledged is lost. Kills of calls and decisions, and damage of the
//! journal, are tested with their subjects.

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
fn kills_lose_nothing_acknowledged() {
    after(&[Fault::KillOpening, Fault::KillWorking], 1);
}

#[test]
fn damage_loses_at_most_its_record_and_is_reported() {
    after(&[Fault::FlippedDecisions, Fault::FlippedIndex], 2);
}

/// Disks that are full or read only need the right to mount; the long form does them where it has it.
#[test]
fn file_size_limit_loses_nothing_acknowledged() {
    after(&[Fault::SmallFiles], 3);
}

#[test]
fn several_processes_have_one_owner() {
    after(&[Fault::SeveralProcesses], 4);
}
