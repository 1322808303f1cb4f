//! Tests of verification, rebuild and redaction, and of interrupting each of them.

use std::fs;
use std::path::Path;

use crate::common::{Counter, all, call, copy, fill, ids, open};
use schemascope_model::{CallRecord, IdSource, Outcome, ToolId};
use schemascope_store::{CallQuery, Entry, Fold, Report, Rewrite, rebuild, redact, verify};
use serde_json::value::RawValue;

/// Fills a store with this many calls, closes it, and returns its state.
fn filled(dir: &Path, calls: usize) -> Counter {
    let (mut writer, _, _, mut counter) = open(dir);
    let source = IdSource::new(1, 0);
    fill(&mut writer, &mut counter, &source, calls / 2);
    writer.save_states(&counter.states()).unwrap();
    fill(&mut writer, &mut counter, &source, calls - calls / 2);
    writer.close().unwrap();
    counter
}

fn verified(dir: &Path) -> Report {
    verify(dir, &mut Counter::default()).unwrap()
}

#[test]
fn verify_finds_nothing_in_a_sound_store() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path(), 100);
    let report = verified(dir.path());
    assert!(report.is_sound(), "{report:?}");
    assert_eq!((report.calls, report.tools, report.behind), (100, 2, 0));
    // Verification changes nothing.
    assert!(verified(dir.path()).is_sound());
}

/// The report gives the position of a damaged frame. The call in it is complete in the index and
/// unknown to the journal.
#[test]
fn verify_reports_the_position_of_a_damaged_frame() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path(), 100);
    let segment = dir.path().join("journal/00000001.journal");
    let mut bytes = fs::read(&segment).unwrap();
    bytes[16 + 60] ^= 1;
    fs::write(&segment, bytes).unwrap();
    let report = verified(dir.path());
    assert!(!report.is_sound());
    assert_eq!((report.damaged.count, report.damaged.first[0].at.offset), (1, 16));
    assert_eq!((report.calls, report.unknown.count, report.missing.count), (99, 1, 0));
    // Without the call, the journal gives a different state from the saved one.
    assert_eq!(report.states.count, 1);
}

/// An index that belongs to another journal differs in everything.
#[test]
fn verify_detects_the_index_of_another_journal() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    filled(dir.path(), 100);
    let (mut writer, ..) = open(other.path());
    let source = IdSource::new(2, 0);
    (0..100).for_each(|_| writer.append(&[call(&source, "z__z", 10, Outcome::Error)]).unwrap());
    writer.close().unwrap();
    fs::remove_dir_all(dir.path().join("index")).unwrap();
    copy(&other.path().join("index"), &dir.path().join("index"));
    let report = verified(dir.path());
    assert!(report.missing.count > 0 && report.unknown.count == 100, "{report:?}");
    assert_eq!(report.missing.first.len(), 10);
}

#[test]
fn verify_reports_a_missing_index() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path(), 20);
    fs::remove_dir_all(dir.path().join("index")).unwrap();
    let report = verified(dir.path());
    assert!(
        report.unusable.as_ref().is_some_and(|reason| reason.contains("the index does not exist")),
        "{report:?}"
    );
    assert!(!dir.path().join("index").exists());
}

#[test]
fn rebuilt_index_is_complete_and_smaller() {
    let dir = tempfile::tempdir().unwrap();
    let counter = filled(dir.path(), 2_000);
    let (writer, reader, ..) = open(dir.path());
    let before = all(&reader);
    writer.close().unwrap();
    drop(reader);
    let mut rebuilt = Counter::default();
    let done = rebuild(dir.path(), &mut rebuilt).unwrap();
    assert_eq!((rebuilt, done.entries, done.damaged_count), (counter.clone(), 2_000, 0));
    assert!(done.bytes_after < done.bytes_before, "{done:?}");
    assert!(verified(dir.path()).is_sound());
    let (_writer, reader, recovery, restored) = open(dir.path());
    assert_eq!((recovery.replayed, restored, all(&reader)), (0, counter, before));
}

/// Files as a killed rebuild leaves them, step by step: the store opens, and nothing is missing.
#[test]
fn interrupted_rebuild_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let counter = filled(dir.path(), 60);
    let at = |name: &str| dir.path().join(name);
    let steps: [&dyn Fn(); 5] = [
        // While the new index is written.
        &|| {
            copy(&at("index"), &at("index.new"));
            let db = at("index.new").join("db");
            let bytes = fs::read(&db).unwrap();
            fs::write(&db, &bytes[..bytes.len() / 2]).unwrap();
        },
        // Before the swap.
        &|| copy(&at("index"), &at("index.new")),
        // During the swap.
        &|| {
            copy(&at("index"), &at("index.new"));
            fs::rename(at("index"), at("index.old")).unwrap();
        },
        // After the swap.
        &|| copy(&at("index"), &at("index.old")),
        // While the old index is removed.
        &|| fs::create_dir(at("index.old")).unwrap(),
    ];
    for (number, step) in steps.iter().enumerate() {
        step();
        let (writer, reader, recovery, restored) = open(dir.path());
        assert_eq!((ids(&reader).len(), restored), (60, counter.clone()), "step {number}");
        assert_eq!(recovery.replayed, 30, "step {number}");
        assert!(!at("index.new").exists() && !at("index.old").exists());
        writer.close().unwrap();
    }
}

/// Removes what a test planted.
struct Forget;

impl Rewrite for Forget {
    fn call(&mut self, call: &mut CallRecord) -> bool {
        let Some(result) = call.result.as_ref().filter(|result| result.get().contains("hunter2")) else {
            return false;
        };
        let redacted = result.get().replace("hunter2", "[...]");
        call.result = Some(RawValue::from_string(redacted).unwrap());
        true
    }

    fn state(&mut self, _: &ToolId, state: &[u8]) -> Option<Vec<u8>> {
        Some(state.to_vec())
    }
}

fn with_secrets(dir: &Path) -> Counter {
    let mut counter = filled(dir, 40);
    let (mut writer, ..) = open(dir);
    let source = IdSource::new(3, 0);
    for size in [10, 20_000] {
        let Entry::Call(mut secret) = call(&source, "a__x", size, Outcome::Ok) else { panic!("a call") };
        let text = secret.result.unwrap().get().replace("1.10", "\"hunter2\"");
        secret.result = Some(RawValue::from_string(text).unwrap());
        let secret = Entry::Call(secret);
        writer.append(std::slice::from_ref(&secret)).unwrap();
        counter.apply(&secret).unwrap();
    }
    writer.save_states(&counter.states()).unwrap();
    writer.close().unwrap();
    copy(&dir.join("index"), &dir.join("index.bad-9999999999999"));
    counter
}

fn holds_secrets(dir: &Path) -> bool {
    let (writer, reader, ..) = open(dir);
    let calls = reader.calls(&CallQuery { limit: 1_000, ..CallQuery::default() }).unwrap().calls;
    assert_eq!(calls.len(), 42);
    assert!(calls.iter().all(|call| !call.bodies_left_out && call.result.is_some()));
    writer.close().unwrap();
    calls.iter().any(|call| call.result.as_ref().unwrap().get().contains("hunter2"))
}

#[test]
fn redact_removes_secrets_from_all_stored_data() {
    let dir = tempfile::tempdir().unwrap();
    let counter = with_secrets(dir.path());
    assert!(holds_secrets(dir.path()));
    let mut rebuilt = Counter::default();
    let redacted = redact(dir.path(), &mut Forget, &mut rebuilt).unwrap();
    assert_eq!((redacted.records, redacted.changed, redacted.unreadable), (42, 2, 0));
    assert_eq!(rebuilt, counter);
    assert!(!holds_secrets(dir.path()));
    assert!(!dir.path().join("index.bad-9999999999999").exists());
    assert!(verified(dir.path()).is_sound());
}

/// An unreadable record might hold a secret, so it is removed. Its call comes back from the index, and is redacted.
#[test]
fn redact_removes_unreadable_records() {
    let dir = tempfile::tempdir().unwrap();
    with_secrets(dir.path());
    let segment = dir.path().join("journal/00000001.journal");
    let mut bytes = fs::read(&segment).unwrap();
    bytes[16 + 60] ^= 1;
    fs::write(&segment, bytes).unwrap();
    let redacted = redact(dir.path(), &mut Forget, &mut Counter::default()).unwrap();
    // With the call and the states of two tools from the index.
    assert_eq!((redacted.records, redacted.unreadable), (44, 1));
    assert_eq!(verified(dir.path()).damaged.count, 0);
    assert!(!holds_secrets(dir.path()));
}

/// After a kill between or within segments, the store opens, and a second redaction completes the
/// work.
#[test]
fn interrupted_redaction_leaves_a_usable_store() {
    let dir = tempfile::tempdir().unwrap();
    let counter = with_secrets(dir.path());
    fs::remove_dir_all(dir.path().join("index")).unwrap();
    let unfinished = dir.path().join("journal/00000001.rewriting");
    fs::write(&unfinished, b"half").unwrap();
    assert!(holds_secrets(dir.path()));
    assert!(!unfinished.exists());
    let mut rebuilt = Counter::default();
    redact(dir.path(), &mut Forget, &mut rebuilt).unwrap();
    assert_eq!(rebuilt, counter);
    assert!(!holds_secrets(dir.path()));
}

#[test]
fn maintenance_is_rejected_while_the_store_is_in_use() {
    let dir = tempfile::tempdir().unwrap();
    let _open = open(dir.path());
    let mut fold = Counter::default();
    let errors = [
        verify(dir.path(), &mut fold).unwrap_err(),
        rebuild(dir.path(), &mut fold).unwrap_err(),
        redact(dir.path(), &mut Forget, &mut fold).unwrap_err(),
    ];
    for error in errors {
        assert!(error.to_string().contains("in use by another process"), "{error}");
    }
}
