//! Every acknowledged call is there again, whatever happened to the index or the process.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use std::fs;

use common::{Counter, all, call, fill, open};
use schemascope_model::{IdSource, Outcome, Timestamp, ToolId};
use schemascope_store::{CallQuery, Entry, Fold, IndexRecovery};
use serde_json::value::RawValue;

#[test]
fn calls_come_back_whole_filtered_and_paged() {
    let dir = tempfile::tempdir().unwrap();
    let ids = IdSource::new(1, 0);
    let (mut writer, reader, _, mut counter) = open(dir.path());
    fill(&mut writer, &mut counter, &ids, 100);
    let page = |tool: Option<&str>, failures, before, limit| {
        let query = CallQuery {
            tool: tool.map(|tool| tool.parse().unwrap()),
            failures,
            before,
            limit,
            ..CallQuery::default()
        };
        reader.calls(&query).unwrap().calls
    };
    let newest = page(None, false, None, 60);
    let older = page(None, false, newest.last().map(|call| call.id), 60);
    assert_eq!((newest.len(), older.len()), (60, 40));
    assert!(newest.iter().chain(&older).is_sorted_by(|a, b| a.id > b.id));
    assert!(newest.iter().all(|call| call.result.as_ref().unwrap().get().contains("\"n\": 1.10")));
    assert_eq!(newest.iter().filter(|call| call.result.as_ref().unwrap().get().len() > 20_000).count(), 6);
    assert_eq!(page(Some("a__x"), false, None, 100).len(), 50);
    assert_eq!(page(Some("a__x"), true, None, 100).len(), 10);
    assert_eq!(page(Some("c__z"), false, None, 100).len(), 0);
    // Lists of several tools are one, newest first, from wherever.
    let among = |tools: &[&str], failures, before| {
        let among = tools.iter().map(|tool| tool.parse().unwrap()).collect();
        let query = CallQuery { among, failures, before, limit: 60, ..CallQuery::default() };
        reader.calls(&query).unwrap().calls.iter().map(|call| call.id).collect::<Vec<_>>()
    };
    let ids = |calls: &[schemascope_model::CallRecord]| calls.iter().map(|call| call.id).collect::<Vec<_>>();
    assert_eq!(among(&["b__y", "c__z", "a__x"], false, None), ids(&newest));
    assert_eq!(among(&["a__x", "b__y"], false, newest.last().map(|call| call.id)), ids(&older));
    assert_eq!(among(&["b__y"], false, None), ids(&page(Some("b__y"), false, None, 60)));
    assert_eq!(among(&["a__x", "b__y"], true, None), ids(&page(None, true, None, 60)));
}

/// Killed at any point (dropped without closing): replay applies every entry exactly once, whether
/// states were saved before, between or never.
#[test]
fn states_and_calls_survive_without_closing() {
    for saved_after in [None, Some(0), Some(40), Some(80)] {
        let dir = tempfile::tempdir().unwrap();
        let ids = IdSource::new(1, 0);
        let (mut writer, reader, _, mut counter) = open(dir.path());
        for part in 0..3 {
            if saved_after == Some(part * 40) {
                writer.save_states(&counter.states()).unwrap();
            }
            fill(&mut writer, &mut counter, &ids, 40);
        }
        let before = all(&reader);
        drop((writer, reader));
        let (_writer, reader, recovery, restored) = open(dir.path());
        assert_eq!(restored, counter, "saved after {saved_after:?}");
        assert_eq!(all(&reader), before);
        assert_eq!(recovery.index, IndexRecovery::Intact);
    }
}

#[test]
fn a_deleted_index_only_costs_a_rebuild() {
    let dir = tempfile::tempdir().unwrap();
    let ids = IdSource::new(1, 0);
    let (mut writer, reader, _, mut counter) = open(dir.path());
    fill(&mut writer, &mut counter, &ids, 200);
    writer.save_states(&counter.states()).unwrap();
    let before = all(&reader);
    writer.close().unwrap();
    drop(reader);
    fs::remove_dir_all(dir.path().join("index")).unwrap();
    let (_writer, reader, recovery, restored) = open(dir.path());
    assert_eq!((all(&reader), restored), (before, counter));
    assert_eq!(recovery.index, IndexRecovery::Built);
}

/// Damage in the index's files: sled cuts its log there and the journal catches up, or it is met while
/// reading and the next start rebuilds. Nothing is lost either way, and nothing wrong is answered.
#[test]
fn a_damaged_index_answers_right_or_is_rebuilt() {
    let dir = tempfile::tempdir().unwrap();
    let ids = IdSource::new(1, 0);
    let (mut writer, reader, _, mut counter) = open(dir.path());
    fill(&mut writer, &mut counter, &ids, 100);
    writer.save_states(&counter.states()).unwrap();
    let before = all(&reader);
    writer.close().unwrap();
    drop(reader);
    let file = dir.path().join("index").join("db");
    let pristine = fs::read(&file).unwrap();
    for at in (0..pristine.len()).step_by(pristine.len() / 20) {
        let mut damaged = pristine.clone();
        damaged[at..(at + 64).min(pristine.len())].fill(0xA5);
        fs::remove_dir_all(dir.path().join("index")).unwrap();
        fs::create_dir(dir.path().join("index")).unwrap();
        fs::write(&file, &damaged).unwrap();
        let (writer, reader, _, restored) = open(dir.path());
        assert_eq!(restored, counter, "damage at {at}");
        match reader.calls(&CallQuery { limit: 10_000, ..CallQuery::default() }) {
            Ok(_) => assert_eq!(all(&reader), before, "damage at {at}"),
            Err(_) => {
                drop((writer, reader));
                let (_writer, reader, recovery, restored) = open(dir.path());
                assert!(matches!(recovery.index, IndexRecovery::Replaced { .. }), "damage at {at}");
                assert_eq!((all(&reader), restored), (before.clone(), counter.clone()), "damage at {at}");
            }
        }
    }
}

/// Damage met while reading is noted in a file; the next start rebuilds.
#[test]
fn noted_damage_leads_to_a_rebuild() {
    let dir = tempfile::tempdir().unwrap();
    let ids = IdSource::new(1, 0);
    let (mut writer, reader, _, mut counter) = open(dir.path());
    fill(&mut writer, &mut counter, &ids, 50);
    writer.save_states(&counter.states()).unwrap();
    writer.close().unwrap();
    drop(reader);
    fs::write(dir.path().join("index.damaged"), []).unwrap();
    let (writer, reader, recovery, restored) = open(dir.path());
    let IndexRecovery::Replaced { moved_to, .. } = recovery.index else { panic!("{recovery:?}") };
    assert!(moved_to.join("db").exists());
    assert_eq!((all(&reader).len(), restored), (50, counter));
    drop((writer, reader));
    assert_eq!(open(dir.path()).2.index, IndexRecovery::Intact);
}

/// A snapshot at the head of a segment replaces what earlier entries gave, and equals it.
#[test]
fn a_snapshot_stands_for_the_segments_before_it() {
    let dir = tempfile::tempdir().unwrap();
    let ids = IdSource::new(1, 0);
    let (mut writer, reader, _, mut counter) = open(dir.path());
    fill(&mut writer, &mut counter, &ids, 20);
    let states = counter.states();
    let snapshot: Vec<Entry> = states.into_iter().map(|(tool, state)| Entry::State { tool, state }).collect();
    writer.append(&snapshot).unwrap();
    fill(&mut writer, &mut counter, &ids, 20);
    writer.close().unwrap();
    drop(reader);
    fs::remove_dir_all(dir.path().join("index")).unwrap();
    assert_eq!(open(dir.path()).3, counter);
}

/// States in another version's form are counted anew from the calls, be they in the index or in a snapshot.
#[test]
fn states_that_are_read_no_more_are_counted_anew() {
    let dir = tempfile::tempdir().unwrap();
    let ids = IdSource::new(1, 0);
    let (mut writer, reader, _, mut counter) = open(dir.path());
    fill(&mut writer, &mut counter, &ids, 20);
    let old: Vec<(ToolId, Vec<u8>)> =
        counter.states().into_iter().map(|(tool, _)| (tool, b"another form".to_vec())).collect();
    let snapshot = old.iter().map(|(tool, state)| Entry::State { tool: tool.clone(), state: state.clone() });
    writer.append(&snapshot.collect::<Vec<Entry>>()).unwrap();
    fill(&mut writer, &mut counter, &ids, 20);
    writer.save_states(&old).unwrap();
    let before = all(&reader);
    writer.close().unwrap();
    drop(reader);
    let (mut writer, reader, recovery, restored) = open(dir.path());
    assert!(matches!(recovery.index, IndexRecovery::Replaced { .. }), "{recovery:?}");
    assert_eq!((all(&reader), &restored), (before, &counter));
    writer.save_states(&counter.states()).unwrap();
    writer.close().unwrap();
    drop(reader);
    let (_writer, _, recovery, restored) = open(dir.path());
    assert_eq!((recovery.index, restored), (IndexRecovery::Intact, counter));
}

/// A full segment is followed by one that begins with a snapshot.
#[test]
fn full_segments_roll_and_begin_with_a_snapshot() {
    let dir = tempfile::tempdir().unwrap();
    let ids = IdSource::new(1, 0);
    let (mut writer, reader, _, mut counter) = open(dir.path());
    // Noise that does not compress; each record is compressed by itself, so the same serves for all.
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from(b'0' + (state >> 58) as u8)
    };
    let noise = (0..4 << 20).map(|_| next()).collect::<String>().replace('\\', "x");
    let segments = || fs::read_dir(dir.path().join("journal")).unwrap().count();
    while segments() < 2 {
        let Entry::Call(mut call) = call(&ids, "a__x", 10, Outcome::Ok) else { panic!("a call") };
        call.result = Some(RawValue::from_string(format!("\"{noise}\"")).unwrap());
        let entry = Entry::Call(call);
        writer.append(std::slice::from_ref(&entry)).unwrap();
        counter.apply(&entry).unwrap();
        writer.roll(|| counter.states()).unwrap();
    }
    fill(&mut writer, &mut counter, &ids, 20);
    let before = all(&reader).len();
    writer.close().unwrap();
    drop(reader);
    // The first segment is not needed to know what the states are.
    fs::remove_dir_all(dir.path().join("index")).unwrap();
    let (writer, reader, _, restored) = open(dir.path());
    assert_eq!((all(&reader).len(), &restored), (before, &counter));
    drop((writer, reader));
    fs::remove_dir_all(dir.path().join("index")).unwrap();
    fs::remove_file(dir.path().join("journal/00000001.journal")).unwrap();
    let (_writer, reader, _, restored) = open(dir.path());
    assert_eq!(restored, counter);
    assert_eq!(all(&reader).len(), 20);
}

#[test]
fn a_second_opener_is_told_so() {
    let dir = tempfile::tempdir().unwrap();
    let _open = open(dir.path());
    let error =
        schemascope_store::open(dir.path(), &mut Counter::default(), Timestamp::from_millis(2)).unwrap_err();
    assert!(error.to_string().contains("open in another process"), "{error}");
}
