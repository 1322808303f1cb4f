//! Retention removes calls by its policy, in rounds. What was learned from them stays, also after a
//! rebuild.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use crate::common::{Counter, Random, ids, open};
use schemascope_model::{CallId, CallRecord, IdSource, Origin, Outcome, Timestamp, ToolId};
use schemascope_store::{Entry, Fold, MAX_GROUP_ENTRIES, Policy, Progress, Writer};
use serde_json::value::RawValue;

const TOOLS: [&str; 3] = ["a__x", "b__y", "c__z"];

fn call(source: &IdSource, random: &mut Random, at: u64, bytes: u64) -> Entry {
    let body: String = (0..random.below(bytes)).map(|_| char::from(b'a' + random.below(26) as u8)).collect();
    let outcome = if random.below(9) == 0 { Outcome::Error } else { Outcome::Ok };
    let tool = TOOLS[random.below(3) as usize].parse().unwrap();
    let at = Timestamp::from_millis(at);
    Entry::Call(CallRecord {
        result: Some(RawValue::from_string(format!("\"{body}\"")).unwrap()),
        ..CallRecord::new(source.at(at), at, tool, outcome, Origin::Proxy)
    })
}

fn append(writer: &mut Writer, counter: &mut Counter, calls: &[Entry]) {
    for group in calls.chunks(MAX_GROUP_ENTRIES) {
        writer.append(group).unwrap();
        group.iter().for_each(|entry| counter.apply(entry).unwrap());
    }
}

/// Appends one call in each of some milliseconds.
fn fill(writer: &mut Writer, counter: &mut Counter, times: Range<u64>, bytes: u64) {
    let (source, mut random) = (IdSource::new(1, 0), Random(times.start));
    let calls: Vec<Entry> = times.map(|at| call(&source, &mut random, at, bytes)).collect();
    append(writer, counter, &calls);
}

/// Runs rounds until nothing is left to do.
fn retain(writer: &mut Writer, counter: &Counter, policy: &Policy, now: Timestamp) -> Progress {
    let mut sum = Progress::default();
    for _ in 0..10_000 {
        let round = writer.retain(policy, now, || counter.states()).unwrap();
        assert!(round.calls_removed <= 2_000);
        sum.calls_removed += round.calls_removed;
        sum.segments_removed += round.segments_removed;
        sum.bytes_freed += round.bytes_freed;
        sum.segment_begun |= round.segment_begun;
        if !round.more {
            return sum;
        }
    }
    panic!("retention does not come to an end");
}

fn id(entry: &Entry) -> CallId {
    let Entry::Call(call) = entry else { panic!("a call") };
    call.id
}

fn drop_index(dir: &Path) {
    fs::remove_dir_all(dir.join("index")).unwrap();
}

fn segments(dir: &Path) -> usize {
    fs::read_dir(dir.join("journal")).unwrap().count()
}

/// Random appends, policies, kills and rebuilds: the states are those of all calls ever made, the
/// policy decides which calls are stored, and a rebuild changes neither.
#[test]
fn states_outlive_their_calls() {
    let mut unlinked = 0;
    for seed in 0..8 {
        let dir = tempfile::tempdir().unwrap();
        let mut random = Random(seed);
        let source = IdSource::new(1, 0);
        let (mut writer, mut reader, _, mut counter) = open(dir.path());
        let mut kept: Vec<CallId> = Vec::new();
        let mut now = 1_000_000;
        for _ in 0..40 {
            match random.below(8) {
                0..4 => {
                    let mut calls = Vec::new();
                    for _ in 0..random.below(30) {
                        now += random.below(1_000);
                        // From time to time a trace of earlier calls arrives, or the clock is set
                        // back.
                        let at = if random.below(10) == 0 { now - random.below(60_000) } else { now };
                        calls.push(call(&source, &mut random, at, 400));
                    }
                    append(&mut writer, &mut counter, &calls);
                    kept.extend(calls.iter().map(id));
                    kept.sort_unstable();
                }
                4 => {
                    let age = 1_000 + random.below(20_000);
                    let policy = Policy { age: Some(Duration::from_millis(age)), ..Policy::default() };
                    let done = retain(&mut writer, &counter, &policy, Timestamp::from_millis(now));
                    unlinked += done.segments_removed;
                    kept.retain(|id| id.time() >= Timestamp::from_millis(now - age));
                }
                5 => {
                    let count = random.below(100);
                    let policy = Policy { count: Some(count), ..Policy::default() };
                    let done = retain(&mut writer, &counter, &policy, Timestamp::from_millis(now));
                    unlinked += done.segments_removed;
                    kept.drain(..kept.len().saturating_sub(count as usize));
                }
                6 => {
                    writer.save_states(&counter.states()).unwrap();
                    drop((writer, reader));
                    let restored;
                    (writer, reader, _, restored) = open(dir.path());
                    assert_eq!(restored, counter, "seed {seed}");
                }
                _ => {
                    drop((writer, reader));
                    drop_index(dir.path());
                    let restored;
                    (writer, reader, _, restored) = open(dir.path());
                    assert_eq!(restored, counter, "seed {seed}");
                }
            }
            assert_eq!(ids(&reader), kept, "seed {seed}");
        }
        drop((writer, reader));
        drop_index(dir.path());
        let (_writer, reader, _, restored) = open(dir.path());
        assert_eq!((restored, ids(&reader)), (counter, kept), "seed {seed}");
    }
    assert!(unlinked > 20, "{unlinked} segments went");
}

/// A limit in bytes removes the oldest segments until the store fits. The journal does not grow
/// beyond it.
#[test]
fn byte_limit_bounds_the_disk_use() {
    let dir = tempfile::tempdir().unwrap();
    let (mut writer, reader, _, mut counter) = open(dir.path());
    let policy = Policy { bytes: Some(8 << 20), ..Policy::default() };
    let mut removed = 0;
    for at in (0..6_000).step_by(200) {
        fill(&mut writer, &mut counter, at..at + 200, 4_000);
        removed += retain(&mut writer, &counter, &policy, Timestamp::from_millis(at + 200)).calls_removed;
    }
    let stored = ids(&reader);
    assert!(
        removed > 0 && stored.len() as u64 + removed == 6_000,
        "{removed} of 6,000, {} left",
        stored.len()
    );
    assert_eq!(stored.last().map(|id| id.time()), Some(Timestamp::from_millis(5_999)));
    let size = |folder: &str| -> u64 {
        fs::read_dir(dir.path().join(folder))
            .unwrap()
            .map(|file| file.unwrap().metadata().unwrap().len())
            .sum()
    };
    assert!(size("journal") <= 8 << 20, "{}", size("journal"));
    drop((writer, reader));
    drop_index(dir.path());
    let (_writer, reader, _, restored) = open(dir.path());
    assert_eq!((restored, ids(&reader)), (counter, stored));
}

/// Regression: a segment from before the limit held all calls, and all of them were removed.
#[test]
fn byte_limit_keeps_the_newest_calls_of_a_store_that_had_none() {
    let dir = tempfile::tempdir().unwrap();
    let (mut writer, reader, _, mut counter) = open(dir.path());
    fill(&mut writer, &mut counter, 0..3_000, 4_000);
    let policy = Policy { bytes: Some(8 << 20), ..Policy::default() };
    retain(&mut writer, &counter, &policy, Timestamp::from_millis(3_000));
    assert_eq!(ids(&reader).len(), 3_000);
    for at in (3_000..6_000).step_by(100) {
        fill(&mut writer, &mut counter, at..at + 100, 4_000);
        retain(&mut writer, &counter, &policy, Timestamp::from_millis(at + 100));
        assert!(ids(&reader).len() > 500, "{} are left at {at}", ids(&reader).len());
    }
    assert!(ids(&reader).len() < 2_500);
    assert_eq!(ids(&reader).last().map(|id| id.time()), Some(Timestamp::from_millis(5_999)));
}

/// A store whose segments have no complete snapshot gets one before any segment is deleted.
#[test]
fn segments_are_deleted_only_after_a_complete_snapshot() {
    let dir = tempfile::tempdir().unwrap();
    let (mut writer, reader, _, mut counter) = open(dir.path());
    fill(&mut writer, &mut counter, 0..50, 400);
    let policy = Policy { age: Some(Duration::from_secs(1)), ..Policy::default() };
    let later = Timestamp::from_millis(10_000);
    let first = writer.retain(&policy, later, || counter.states()).unwrap();
    assert_eq!((first.calls_removed, first.segments_removed, segments(dir.path())), (50, 0, 2));
    // After a kill here, the snapshot is found again.
    drop((writer, reader));
    let (mut writer, reader, ..) = open(dir.path());
    let rest = retain(&mut writer, &counter, &policy, later);
    assert_eq!((rest.segments_removed, segments(dir.path())), (1, 1));
    assert!(rest.bytes_freed > 0 && ids(&reader).is_empty());
    // A store at rest stays as it is.
    assert_eq!(retain(&mut writer, &counter, &policy, later), Progress::default());
    drop((writer, reader));
    drop_index(dir.path());
    assert_eq!(open(dir.path()).3, counter);
}

/// A fold that cannot read the states of a snapshot. It would start empty although the calls are
/// gone.
struct Unable;

impl Fold for Unable {
    fn load(&mut self, _: ToolId, _: &[u8]) -> Result<(), String> {
        Err("format 9".into())
    }

    fn clear(&mut self) {}

    fn apply(&mut self, entry: &Entry) -> Result<(), String> {
        if let Entry::State { .. } = entry { Err("format 9".into()) } else { Ok(()) }
    }
}

#[test]
fn unreadable_states_without_their_calls_fail_the_open() {
    let dir = tempfile::tempdir().unwrap();
    let (mut writer, reader, _, mut counter) = open(dir.path());
    fill(&mut writer, &mut counter, 0..50, 400);
    let policy = Policy { age: Some(Duration::from_secs(1)), ..Policy::default() };
    let done = retain(&mut writer, &counter, &policy, Timestamp::from_millis(10_000));
    assert_eq!(done.segments_removed, 1);
    writer.save_states(&counter.states()).unwrap();
    writer.close().unwrap();
    drop(reader);
    let error = schemascope_store::open(dir.path(), &mut Unable, Timestamp::from_millis(1)).unwrap_err();
    assert!(error.to_string().contains("format 9") && error.to_string().contains("removed"), "{error}");
    assert_eq!(open(dir.path()).3, counter);
}

/// Rounds are bounded, and calls are appended between them.
#[test]
fn appends_continue_between_rounds() {
    let dir = tempfile::tempdir().unwrap();
    let (mut writer, reader, _, mut counter) = open(dir.path());
    fill(&mut writer, &mut counter, 0..5_000, 400);
    let policy = Policy { count: Some(10), ..Policy::default() };
    let mut removed = Vec::new();
    for at in 6_000.. {
        let round = writer.retain(&policy, Timestamp::from_millis(5_000), || counter.states()).unwrap();
        removed.push(round.calls_removed);
        if !round.more {
            break;
        }
        fill(&mut writer, &mut counter, at..at + 1, 400);
    }
    assert_eq!(removed[..2], [2_000, 2_000]);
    assert_eq!(ids(&reader).len(), 10);
}
