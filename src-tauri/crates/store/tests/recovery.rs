//! Every acknowledged call is found again, whatever happened to the index or the process.

use std::fs;

use crate::common::{Counter, all, call, fill, open};
use schemascope_model::{IdSource, Outcome, Timestamp, ToolId};
use schemascope_store::{CallQuery, Entry, Fold, IndexRecovery};
use serde_json::value::RawValue;

/// A data directory that was closed in order after some calls, and what they count.
fn closed_after(calls: usize) -> (tempfile::TempDir, Counter) {
    let dir = tempfile::tempdir().unwrap();
    let (mut writer, _, _, mut counter) = open(dir.path());
    fill(&mut writer, &mut counter, &IdSource::new(1, 0), calls);
    writer.save_states(&counter.states()).unwrap();
    writer.close().unwrap();
    (dir, counter)
}

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
    // A list of several tools is merged, newest first, from any starting point.
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

/// After a kill at any point (dropped without closing), replay applies every entry exactly once,
/// whether states were saved before, between or never.
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
fn deleted_index_is_rebuilt() {
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

/// A journal that lost its end gets it back from the index, with what was learned from it.
#[test]
fn truncated_journal_is_restored_from_the_index() {
    for (kept, saved) in [(0.0, true), (0.3, true), (0.9, true), (0.5, false)] {
        let dir = tempfile::tempdir().unwrap();
        let ids = IdSource::new(1, 0);
        let (mut writer, reader, _, mut counter) = open(dir.path());
        fill(&mut writer, &mut counter, &ids, 100);
        if saved {
            writer.save_states(&counter.states()).unwrap();
        }
        let before = crate::common::ids(&reader);
        writer.close().unwrap();
        drop(reader);
        let segment = dir.path().join("journal").join("00000001.journal");
        let file = fs::OpenOptions::new().write(true).open(&segment).unwrap();
        let length = file.metadata().unwrap().len();
        file.set_len((length as f64 * kept) as u64).unwrap();
        let (mut writer, reader, recovery, mut restored) = open(dir.path());
        let salvaged = recovery.salvaged.unwrap();
        assert!(salvaged.calls > 0, "{kept}: {salvaged:?}");
        assert_eq!(salvaged.states, if saved { 2 } else { 0 });
        assert!(matches!(recovery.index, IndexRecovery::Replaced { .. }));
        assert_eq!(restored, counter, "{kept}");
        assert_eq!(crate::common::ids(&reader), before, "{kept}");
        // Bodies that only the journal had are lost, and that is noted.
        let calls = reader.calls(&CallQuery { limit: 1_000, ..CallQuery::default() }).unwrap().calls;
        let lost = calls.iter().filter(|call| call.result.is_none()).count() as u64;
        assert_eq!(lost, salvaged.without_bodies);
        assert!(calls.iter().all(|call| call.result.is_some() != call.bodies_left_out));
        // From now on nothing is special.
        fill(&mut writer, &mut restored, &ids, 20);
        writer.close().unwrap();
        drop(reader);
        let report = schemascope_store::verify(dir.path(), &mut Counter::default()).unwrap();
        assert!(report.is_sound(), "{report:?}");
        let (_writer, reader, recovery, again) = open(dir.path());
        assert_eq!((again, recovery.salvaged, recovery.index), (restored, None, IndexRecovery::Intact));
        assert_eq!(crate::common::ids(&reader).len(), 120);
    }
}

/// Regression: a rebuild dropped calls from the index because the journal was damaged where it had them.
#[test]
fn rebuild_restores_calls_of_damaged_places_from_the_index() {
    let dir = tempfile::tempdir().unwrap();
    let ids = IdSource::new(1, 0);
    let (mut writer, reader, _, mut counter) = open(dir.path());
    fill(&mut writer, &mut counter, &ids, 100);
    writer.save_states(&counter.states()).unwrap();
    let before = crate::common::ids(&reader);
    writer.close().unwrap();
    drop(reader);
    let segment = dir.path().join("journal").join("00000001.journal");
    let mut bytes = fs::read(&segment).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 20].iter_mut().for_each(|byte| *byte ^= 0xFF);
    fs::write(&segment, bytes).unwrap();
    let rebuilt = schemascope_store::rebuild(dir.path(), &mut Counter::default()).unwrap();
    assert!(rebuilt.salvaged.is_some_and(|salvaged| salvaged.calls > 0), "{rebuilt:?}");
    let report = schemascope_store::verify(dir.path(), &mut Counter::default()).unwrap();
    assert_eq!((report.unknown.count, report.missing.count), (0, 0), "{report:?}");
    assert!(report.damaged.count > 0);
    let (_writer, reader, _, restored) = open(dir.path());
    assert_eq!((crate::common::ids(&reader), restored), (before, counter));
}

/// A kill while salvaged segments move into the journal: the next start goes on.
#[test]
fn interrupted_salvage_is_continued() {
    let (dir, counter) = closed_after(40);
    // All of the journal was salvaged and nothing of it has moved yet.
    let journal = dir.path().join("journal");
    fs::rename(&journal, dir.path().join("index.salvage")).unwrap();
    fs::create_dir(dir.path().join("index.salvage-new")).unwrap();
    let (_writer, reader, _, restored) = open(dir.path());
    assert_eq!((restored, crate::common::ids(&reader).len()), (counter, 40));
    assert!(!dir.path().join("index.salvage").exists());
}

#[test]
fn rebuild_restores_what_the_journal_lost() {
    let (dir, counter) = closed_after(40);
    let segment = dir.path().join("journal").join("00000001.journal");
    fs::OpenOptions::new().write(true).open(&segment).unwrap().set_len(2_000).unwrap();
    let rebuilt = schemascope_store::rebuild(dir.path(), &mut Counter::default()).unwrap();
    assert!(rebuilt.salvaged.unwrap().calls > 0);
    let (_writer, reader, _, restored) = open(dir.path());
    assert_eq!((restored, crate::common::ids(&reader).len()), (counter, 40));
}

/// Damage in the index's files: either sled truncates its log there and the journal catches up, or
/// the damage is found while reading and the next start rebuilds. In both cases nothing is lost and
/// no wrong answer is given.
#[test]
fn damaged_index_answers_correctly_or_is_rebuilt() {
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

/// Damage found while reading is recorded in a file, and the next start rebuilds. Only the last damaged index is kept,
/// for a week.
#[test]
fn recorded_damage_leads_to_a_rebuild() {
    let dir = tempfile::tempdir().unwrap();
    let ids = IdSource::new(1, 0);
    let (mut writer, reader, _, mut counter) = open(dir.path());
    fill(&mut writer, &mut counter, &ids, 50);
    writer.save_states(&counter.states()).unwrap();
    writer.close().unwrap();
    drop(reader);
    fs::write(dir.path().join("index.damaged"), []).unwrap();
    fs::create_dir_all(dir.path().join("index.bad-0/db")).unwrap();
    let (writer, reader, recovery, restored) = open(dir.path());
    let IndexRecovery::Replaced { moved_to, .. } = recovery.index else { panic!("{recovery:?}") };
    assert!(moved_to.join("db").exists());
    assert_eq!((all(&reader).len(), restored), (50, counter));
    drop((writer, reader));
    assert_eq!(open(dir.path()).2.index, IndexRecovery::Intact);
    assert!(moved_to.exists() && !dir.path().join("index.bad-0").exists());
    let later = Timestamp::from_millis(8 * 24 * 3_600_000);
    drop(schemascope_store::open(dir.path(), &mut Counter::default(), later).unwrap());
    assert!(!moved_to.exists());
}

/// A snapshot at the head of a segment replaces the state learned from earlier entries and equals
/// it.
#[test]
fn snapshot_replaces_the_segments_before_it() {
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

/// States in the form of another version are learned again from the calls, whether they are in the
/// index or in a snapshot.
#[test]
fn unreadable_states_are_learned_again_from_calls() {
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
fn full_segment_is_followed_by_one_with_a_snapshot() {
    let dir = tempfile::tempdir().unwrap();
    let ids = IdSource::new(1, 0);
    let (mut writer, reader, _, mut counter) = open(dir.path());
    // Noise that does not compress. Each record is compressed separately, so the same noise serves
    // for all.
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
    // The first segment is not needed for the states.
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
fn second_opener_gets_a_locked_error() {
    let dir = tempfile::tempdir().unwrap();
    let _open = open(dir.path());
    let error =
        schemascope_store::open(dir.path(), &mut Counter::default(), Timestamp::from_millis(2)).unwrap_err();
    assert!(error.to_string().contains("in use by another process"), "{error}");
}
