//! What is appended is read back, whatever happens to the files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use schemascope_journal::{Damage, Entry, Found, Journal, Position, Reader, Record, read_at};

fn append(journal: &mut Journal, group: &[Vec<u8>]) -> Vec<Position> {
    let records: Vec<_> =
        group.iter().map(|payload| Record { kind: 1, id: [7; 16], payload: payload.as_slice() }).collect();
    journal.append(&records).unwrap().iter().map(|appended| appended.at).collect()
}

fn read(dir: &Path) -> (Vec<Vec<u8>>, Vec<Damage>) {
    let (mut payloads, mut damaged) = (Vec::new(), Vec::new());
    for found in Reader::new(dir, Position::START).unwrap() {
        match found.unwrap() {
            Found::Entry(Entry { payload, .. }) => payloads.push(payload),
            Found::Damage(damage) => damaged.push(damage),
        }
    }
    (payloads, damaged)
}

fn segment(dir: &Path) -> PathBuf {
    dir.join("00000001.journal")
}

/// Three groups of three distinct records, and the positions of all.
fn filled(dir: &Path) -> (Vec<Vec<u8>>, Vec<Position>) {
    let (mut journal, _) = Journal::open(dir).unwrap();
    let (mut payloads, mut positions) = (Vec::new(), Vec::new());
    for group in 0..3 {
        let records: Vec<_> =
            (0..3).map(|n| format!("record {group}-{n} {}", "x".repeat(n * 50)).into_bytes()).collect();
        positions.extend(append(&mut journal, &records));
        payloads.extend(records);
    }
    (payloads, positions)
}

#[test]
fn groups_come_back_in_order_and_at_their_positions() {
    let dir = tempfile::tempdir().unwrap();
    let (payloads, positions) = filled(dir.path());
    assert_eq!(read(dir.path()), (payloads.clone(), vec![]));
    for (payload, at) in payloads.iter().zip(&positions) {
        assert_eq!(&read_at(dir.path(), *at).unwrap().payload, payload);
    }
    let rest = Reader::new(dir.path(), positions[4]).unwrap().count();
    assert_eq!(rest, 5);
}

#[test]
fn segments_follow_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let (mut journal, _) = Journal::open(dir.path()).unwrap();
    append(&mut journal, &[b"one".to_vec()]);
    journal.begin_segment().unwrap();
    append(&mut journal, &[b"two".to_vec()]);
    drop(journal);
    let (journal, _) = Journal::open(dir.path()).unwrap();
    assert_eq!(journal.end().segment, 2);
    assert_eq!(read(dir.path()).0, [b"one".to_vec(), b"two".to_vec()]);
}

/// Cut anywhere: whole groups stay, the torn one goes and is reported, and writing goes on.
#[test]
fn every_torn_length_keeps_the_groups_before_it() {
    let dir = tempfile::tempdir().unwrap();
    let (payloads, positions) = filled(dir.path());
    let bytes = fs::read(segment(dir.path())).unwrap();
    let starts = [positions[0].offset, positions[3].offset, positions[6].offset, bytes.len() as u64];
    for length in 16..bytes.len() {
        fs::write(segment(dir.path()), &bytes[..length]).unwrap();
        let (mut journal, recovery) = Journal::open(dir.path()).unwrap();
        let whole = starts.iter().filter(|start| **start <= length as u64).count() - 1;
        assert_eq!(recovery.torn.is_some(), !starts.contains(&(length as u64)), "cut at {length}");
        append(&mut journal, &[b"after".to_vec()]);
        let mut expect = payloads[..whole * 3].to_vec();
        expect.push(b"after".to_vec());
        assert_eq!(read(dir.path()), (expect, vec![]), "cut at {length}");
    }
}

/// Flip any one byte behind the header: at most the record it belongs to is missing, and said so.
#[test]
fn every_flipped_byte_costs_one_record_at_most() {
    let dir = tempfile::tempdir().unwrap();
    let (payloads, _) = filled(dir.path());
    let bytes = fs::read(segment(dir.path())).unwrap();
    for at in 16..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x40;
        fs::write(segment(dir.path()), &flipped).unwrap();
        let (mut journal, recovery) = Journal::open(dir.path()).unwrap();
        assert_eq!(recovery.torn, None, "flip at {at}");
        append(&mut journal, &[b"after".to_vec()]);
        let (mut found, damaged) = read(dir.path());
        assert_eq!(damaged.len(), 1, "flip at {at}");
        assert_eq!(found.pop().unwrap(), b"after");
        assert!(found.len() >= payloads.len() - 1, "flip at {at}");
        assert!(found.iter().all(|payload| payloads.contains(payload)), "flip at {at}");
    }
}

/// A flipped byte in the header of a segment does not cost the frames behind it.
#[test]
fn a_damaged_segment_header_costs_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (payloads, _) = filled(dir.path());
    let bytes = fs::read(segment(dir.path())).unwrap();
    for at in 0..16 {
        let mut flipped = bytes.clone();
        flipped[at] ^= 0x40;
        fs::write(segment(dir.path()), &flipped).unwrap();
        Journal::open(dir.path()).unwrap();
        assert_eq!(read(dir.path()).0, payloads, "flip at {at}");
    }
}

#[test]
fn an_unknown_format_is_refused_by_path() {
    let dir = tempfile::tempdir().unwrap();
    let mut header = [0u8; 64];
    header[..8].copy_from_slice(b"SSCOPEWJ");
    header[8] = 9;
    fs::write(segment(dir.path()), header).unwrap();
    let error = Journal::open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("00000001.journal") && error.contains("format 9"), "{error}");
}

proptest! {
    /// Foreign bytes in place of a segment: an error or damage, never a crash or a made-up record.
    #[test]
    fn foreign_segments_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path()).unwrap();
        fs::write(segment(dir.path()), &bytes).unwrap();
        if let Ok((mut journal, _)) = Journal::open(dir.path()) {
            append(&mut journal, &[b"after".to_vec()]);
            let (found, _) = read(dir.path());
            prop_assert_eq!(found, vec![b"after".to_vec()]);
        }
    }
}
