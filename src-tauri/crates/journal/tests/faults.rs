//! Appended records are read back, whatever happens to the files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use schemascope_journal::{
    Change, Damage, Entry, Found, Journal, Position, Reader, Record, heads, read_at, rewrite, segments,
};

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

/// Writes three groups of three distinct records. Returns all payloads and positions.
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
fn records_are_read_in_order_and_by_position() {
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
fn reader_continues_across_segments() {
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

/// Truncated at any length: complete groups stay, the unfinished one is removed and reported, and
/// writing continues.
#[test]
fn truncation_removes_only_the_unfinished_group() {
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

/// With any byte after the header flipped, at most the record it belongs to is missing, and that is
/// reported.
#[test]
fn flipped_byte_loses_at_most_one_record() {
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

/// A flipped byte in the header of a segment does not affect the frames after it.
#[test]
fn damaged_segment_header_loses_nothing() {
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
fn unknown_format_is_rejected_with_its_path() {
    let dir = tempfile::tempdir().unwrap();
    let mut header = [0u8; 64];
    header[..8].copy_from_slice(b"SSCOPEWJ");
    header[8] = 9;
    fs::write(segment(dir.path()), header).unwrap();
    let error = Journal::open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("00000001.journal") && error.contains("format 9"), "{error}");
}

proptest! {
    /// Arbitrary bytes in place of a segment give an error or damage, never a crash or an invented
    /// record.
    #[test]
    fn arbitrary_segment_bytes_never_give_records(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
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

/// With less free space than the reserve nothing is written. Writing continues once there is
/// enough.
#[test]
fn append_fails_below_the_reserve_and_resumes_above_it() {
    let dir = tempfile::tempdir().unwrap();
    let (mut journal, _) = Journal::open(dir.path()).unwrap();
    append(&mut journal, &[b"before".to_vec()]);
    let end = journal.end();
    journal.set_reserve(u64::MAX);
    let record = Record { kind: 1, id: [7; 16], payload: b"refused" };
    let error = journal.append(&[record]).unwrap_err().to_string();
    assert!(error.contains("are free"), "{error}");
    assert!(journal.begin_segment().is_err() && journal.end() == end);
    journal.append_within_reserve(&[Record { payload: b"mark", ..record }]).unwrap();
    journal.append(&[record]).unwrap_err();
    journal.set_reserve(0);
    append(&mut journal, &[b"after".to_vec()]);
    assert_eq!(read(dir.path()).0, [b"before".to_vec(), b"mark".to_vec(), b"after".to_vec()]);
}

/// Rewriting keeps, changes and removes records. Positions change; ids and order stay.
#[test]
fn rewrite_keeps_changes_and_drops_records() {
    let dir = tempfile::tempdir().unwrap();
    let (payloads, _) = filled(dir.path());
    let mut change = |_, payload: &[u8]| match payload {
        b"record 0-0 " => Change::Drop,
        payload if payload.starts_with(b"record 1") => Change::Replace(b"changed".to_vec()),
        _ => Change::Keep,
    };
    let rewritten = rewrite(dir.path(), 1, &mut change).unwrap().unwrap();
    assert_eq!((rewritten.records, rewritten.changed, rewritten.dropped, rewritten.damaged), (9, 3, 1, 0));
    let mut expect = payloads[1..].to_vec();
    expect[2..5].fill(b"changed".to_vec());
    assert_eq!(read(dir.path()), (expect.clone(), vec![]));
    let before = fs::read(segment(dir.path())).unwrap();
    assert!(rewrite(dir.path(), 1, &mut |_, _| Change::Stop).unwrap().is_none());
    rewrite(dir.path(), 1, &mut |_, _| Change::Keep).unwrap().unwrap();
    assert_eq!(fs::read(segment(dir.path())).unwrap(), before);
    let (mut journal, recovery) = Journal::open(dir.path()).unwrap();
    assert!(recovery.torn.is_none());
    append(&mut journal, &[b"after".to_vec()]);
    expect.push(b"after".to_vec());
    assert_eq!(read(dir.path()).0, expect);
}

#[test]
fn remove_segment_keeps_the_newest() {
    let dir = tempfile::tempdir().unwrap();
    let (mut journal, _) = Journal::open(dir.path()).unwrap();
    append(&mut journal, &[b"one".to_vec()]);
    journal.begin_segment().unwrap();
    append(&mut journal, &[b"two".to_vec()]);
    let mut seen = Vec::new();
    heads(dir.path(), 1, |head| seen.push(head.map(|head| (head.kind, head.id)))).unwrap();
    assert_eq!(seen, [Some((1, [7; 16]))]);
    assert!(journal.remove_segment(1).unwrap() && !journal.remove_segment(2).unwrap());
    assert_eq!(segments(dir.path()).unwrap().len(), 1);
    assert_eq!(read(dir.path()).0, [b"two".to_vec()]);
}

/// A segment larger than the window, with frames across the window's edges, one frame larger than
/// it, and damage in between.
#[test]
fn reader_handles_frames_beyond_the_window_size() {
    let dir = tempfile::tempdir().unwrap();
    let (mut journal, _) = Journal::open(dir.path()).unwrap();
    let mut noise = 1_u64;
    let mut payload = |bytes: usize| -> Vec<u8> {
        let mut next = || {
            noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            noise.to_be_bytes()
        };
        (0..bytes / 8).flat_map(|_| next()).collect()
    };
    let payloads: Vec<Vec<u8>> =
        [1 << 20, 3 << 20, 100, 6 << 20, 1 << 20, 2 << 20, 100].into_iter().map(&mut payload).collect();
    let positions: Vec<Position> =
        payloads.iter().flat_map(|one| append(&mut journal, std::slice::from_ref(one))).collect();
    assert!(read(dir.path()) == (payloads.clone(), vec![]));
    let behind = Reader::new(dir.path(), positions[4]).unwrap();
    assert!(behind.bytes_left() > 3 << 20);
    assert_eq!(behind.count(), 3);
    let mut bytes = fs::read(segment(dir.path())).unwrap();
    bytes[positions[3].offset as usize + (5 << 20)] ^= 1;
    fs::write(segment(dir.path()), &bytes).unwrap();
    let (found, damaged) = read(dir.path());
    let expect: Vec<_> = payloads.iter().filter(|one| one.len() != 6 << 20).cloned().collect();
    assert!(found == expect && damaged.len() == 1 && damaged[0].at == positions[3], "{damaged:?}");
}
