//! Stores in older formats open. Stores in newer formats are rejected with their path.
//!
//! `data/v1` was written by the program that had index format 1: twelve calls of two tools, some of
//! them failed or too large for the index, a declaration, and a snapshot of states without a mark.
//! `data/v2` is the same store, converted by the program that had format 2.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::{Counter, copy, ids, open};
use schemascope_model::Timestamp;
use schemascope_store::{CallQuery, IndexRecovery, Reader, verify};

fn v1() -> tempfile::TempDir {
    stored("v1")
}

fn stored(name: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name), dir.path());
    dir
}

fn check(reader: &Reader, counter: &Counter) {
    let page = |tool: Option<&str>, failures| {
        let tool = tool.map(|tool| tool.parse().unwrap());
        reader.calls(&CallQuery { tool, failures, limit: 100, ..CallQuery::default() }).unwrap().calls
    };
    assert_eq!(counter.0.values().copied().collect::<Vec<_>>(), [6, 6]);
    let calls = page(None, false);
    assert_eq!((calls.len(), page(Some("a__x"), false).len()), (12, 6));
    assert!(calls.iter().all(|call| !call.bodies_left_out));
    assert_eq!(calls.iter().map(|call| call.result_bytes).max(), Some(9_000));
    assert_eq!(
        (page(None, true).len(), page(Some("a__x"), true).len(), page(Some("b__y"), true).len()),
        (2, 1, 1)
    );
}

/// Opens the index where it was just closed: sled releases its lock a moment later.
fn open_sled(index: &Path) -> sled::Db {
    let began = Instant::now();
    loop {
        match sled::open(index) {
            Err(_) if began.elapsed() < Duration::from_secs(5) => std::thread::yield_now(),
            opened => return opened.unwrap(),
        }
    }
}

#[test]
fn store_of_earlier_format_is_converted() {
    for earlier in ["v1", "v2"] {
        let dir = stored(earlier);
        let (writer, reader, recovery, counter) = open(dir.path());
        assert_eq!(recovery.index, IndexRecovery::Intact, "{earlier}");
        check(&reader, &counter);
        writer.close().unwrap();
        drop(reader);
        let report = verify(dir.path(), &mut Counter::default()).unwrap();
        assert!(report.is_sound() && report.calls == 12, "{report:?}");
        // And again, like any other store.
        let (writer, reader, _, counter) = open(dir.path());
        check(&reader, &counter);
        drop((writer, reader));
        // Programs of the earlier format must not read it as theirs.
        let db = open_sled(&dir.path().join("index"));
        assert_eq!(db.get(b"mformat").unwrap().unwrap(), [3]);
    }
}

#[test]
fn journal_of_format_1_gives_the_same_without_its_index() {
    let dir = v1();
    fs::remove_dir_all(dir.path().join("index")).unwrap();
    let (_writer, reader, _, counter) = open(dir.path());
    check(&reader, &counter);
    assert_eq!(ids(&reader).len(), 12);
}

#[test]
fn store_of_later_format_is_rejected_with_its_path() {
    // The index.
    let dir = v1();
    let index = dir.path().join("index");
    let db = sled::open(&index).unwrap();
    db.insert(b"mformat", &[9]).unwrap();
    db.flush().unwrap();
    drop(db);
    let error = open_error(dir.path());
    assert!(error.contains(index.to_str().unwrap()) && error.contains("format 9"), "{error}");
    assert!(index.join("db").exists());
    // A segment.
    let dir = v1();
    let segment = dir.path().join("journal/00000001.journal");
    let mut header = [0; 64];
    header[..8].copy_from_slice(b"SSCOPEWJ");
    header[8] = 9;
    fs::write(&segment, header).unwrap();
    let error = open_error(dir.path());
    assert!(error.contains(segment.to_str().unwrap()) && error.contains("format 9"), "{error}");
    assert_eq!(fs::read(&segment).unwrap(), header);
    // A record.
    for (kind, payload) in [(1, [9_u8].as_slice()), (77, &[1])] {
        let dir = v1();
        let (mut journal, _) = schemascope_journal::Journal::open(&dir.path().join("journal")).unwrap();
        journal.append(&[schemascope_journal::Record { kind, id: [0; 16], payload }]).unwrap();
        drop(journal);
        let error = open_error(dir.path());
        let named = error.contains(dir.path().join("journal").to_str().unwrap()) && error.contains("newer");
        assert!(named, "{error}");
    }
}

fn open_error(dir: &Path) -> String {
    schemascope_store::open(dir, &mut Counter::default(), Timestamp::from_millis(1)).unwrap_err().to_string()
}
