//! Tests with damaged files, full and read-only disks, killed and competing processes: nothing
//! acknowledged is lost.
#![allow(clippy::print_stdout, reason = "children tell their parent how far they are")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::{Counter, Random, copy, fill, ids, open};
use schemascope_model::{CallId, CallRecord, IdSource, Outcome, Timestamp};
use schemascope_store::{CallQuery, Fold, Policy, Rewrite, rebuild, redact, verify};

/// Environment variables that give a child process its task and folder.
const TASK: &str = "SCHEMASCOPE_TEST_TASK";
const DIR: &str = "SCHEMASCOPE_TEST_DIR";

fn filled(dir: &Path, calls: usize) -> Counter {
    let (mut writer, _, _, mut counter) = open(dir);
    let source = IdSource::new(1, 0);
    fill(&mut writer, &mut counter, &source, calls);
    writer.save_states(&counter.states()).unwrap();
    fill(&mut writer, &mut counter, &source, calls);
    writer.close().unwrap();
    counter
}

/// Returns the files of a folder in a copy of the store.
fn files(dir: &Path, folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir.join(folder)).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    files
}

/// With one byte flipped anywhere in the index, answers stay correct, at once or after the next
/// start.
#[test]
fn flipped_byte_in_index_loses_nothing() {
    let pristine = tempfile::tempdir().unwrap();
    let counter = filled(pristine.path(), 40);
    fs::remove_file(pristine.path().join("ballast")).unwrap();
    let mut random = Random(11);
    for file in files(pristine.path(), "index") {
        for _ in 0..12 {
            let dir = tempfile::tempdir().unwrap();
            copy(pristine.path(), dir.path());
            let at = flip(&dir.path().join("index").join(file.file_name().unwrap()), &mut random);
            let (writer, reader, _, restored) = open(dir.path());
            assert_eq!(restored, counter, "{} at {at}", file.display());
            let page = reader.calls(&CallQuery { limit: 1_000, ..CallQuery::default() });
            let right = page.is_ok_and(|page| {
                page.calls.len() == 80 && page.calls.iter().all(|call| !call.bodies_left_out)
            });
            drop((writer, reader));
            if !right {
                let (_writer, reader, _, restored) = open(dir.path());
                assert_eq!(
                    (restored, ids(&reader).len()),
                    (counter.clone(), 80),
                    "{} at {at}",
                    file.display()
                );
            }
        }
    }
}

/// With one byte flipped anywhere in the journal, the index keeps every call except the bodies of a
/// large one, and a replay loses at most one record and reports it.
#[test]
fn flipped_byte_in_journal_loses_at_most_one_record() {
    let pristine = tempfile::tempdir().unwrap();
    filled(pristine.path(), 40);
    fs::remove_file(pristine.path().join("ballast")).unwrap();
    let mut random = Random(12);
    for round in 0..24 {
        let dir = tempfile::tempdir().unwrap();
        copy(pristine.path(), dir.path());
        let at = flip(&dir.path().join("journal/00000001.journal"), &mut random);
        if round % 2 == 0 {
            fs::remove_dir_all(dir.path().join("index")).unwrap();
            let (_writer, reader, recovery, _) = open(dir.path());
            let found = ids(&reader).len() as u64;
            assert!(
                found + recovery.damaged_count >= 80 && recovery.damaged_count <= 1,
                "flip at {at}: {found}, {recovery:?}"
            );
        } else {
            let (_writer, reader, recovery, restored) = open(dir.path());
            let page = reader.calls(&CallQuery { limit: 1_000, ..CallQuery::default() }).unwrap();
            let bare = page.calls.iter().filter(|call| call.bodies_left_out).count();
            assert!(page.calls.len() == 80 && bare <= 1, "flip at {at}: {recovery:?}");
            let counted: u64 = restored.0.values().sum();
            assert!(counted <= 80 && counted + recovery.damaged_count >= 80, "flip at {at}: {recovery:?}");
        }
    }
}

fn flip(file: &Path, random: &mut Random) -> usize {
    let mut bytes = fs::read(file).unwrap();
    let at = random.below(bytes.len() as u64) as usize;
    bytes[at] ^= 1 << random.below(8);
    fs::write(file, bytes).unwrap();
    at
}

/// After the journal was shortened, the index has calls that it lost. They return to it.
#[test]
fn index_ahead_of_its_journal_restores_it() {
    let pristine = tempfile::tempdir().unwrap();
    filled(pristine.path(), 40);
    fs::remove_file(pristine.path().join("ballast")).unwrap();
    let mut random = Random(13);
    for _ in 0..12 {
        let dir = tempfile::tempdir().unwrap();
        copy(pristine.path(), dir.path());
        let segment = dir.path().join("journal/00000001.journal");
        let bytes = fs::read(&segment).unwrap();
        let cut = random.below(bytes.len() as u64) as usize;
        fs::write(&segment, &bytes[..cut]).unwrap();
        let (writer, reader, _, restored) = open(dir.path());
        assert_eq!((ids(&reader).len(), restored.0.values().sum::<u64>()), (80, 80), "cut at {cut}");
        writer.close().unwrap();
        drop(reader);
        assert!(verify(dir.path(), &mut Counter::default()).unwrap().is_sound(), "cut at {cut}");
    }
}

/// Ids are ordered by time. A clock that is set back changes the order and nothing else.
#[test]
fn clock_set_back_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (mut writer, reader, _, mut counter) = open(dir.path());
    for (start, at) in [(0, 9_000), (100, 1_000), (200, 5_000)] {
        let source = IdSource::new(1, start);
        for _ in 0..10 {
            let at = Timestamp::from_millis(at);
            let call = CallRecord::new(
                source.live(at),
                at,
                "a__x".parse().unwrap(),
                Outcome::Ok,
                schemascope_model::Origin::Proxy,
            );
            let entry = schemascope_store::Entry::Call(call);
            writer.append(std::slice::from_ref(&entry)).unwrap();
            counter.apply(&entry).unwrap();
        }
    }
    let policy = Policy { age: Some(Duration::from_secs(6)), ..Policy::default() };
    while writer.retain(&policy, Timestamp::from_millis(9_000), || counter.states()).unwrap().more {}
    assert_eq!(ids(&reader).len(), 20);
    // The clock is right again: nothing is old.
    while writer.retain(&policy, Timestamp::from_millis(2_000), || counter.states()).unwrap().more {}
    let before = ids(&reader);
    drop((writer, reader));
    fs::remove_dir_all(dir.path().join("index")).unwrap();
    let (_writer, reader, _, restored) = open(dir.path());
    assert_eq!((before.len(), restored, ids(&reader)), (20, counter, before));
}

/// The error names the path that cannot be written. Not even root can write to `/proc/self`.
#[test]
fn unwritable_folder_is_named_in_the_error() {
    let error =
        schemascope_store::open(Path::new("/proc/self"), &mut Counter::default(), Timestamp::from_millis(1));
    assert!(error.unwrap_err().to_string().starts_with("/proc/self/"));
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("journal"), b"a file").unwrap();
    let error =
        schemascope_store::open(dir.path(), &mut Counter::default(), Timestamp::from_millis(1)).unwrap_err();
    assert!(error.to_string().contains("journal"), "{error}");
}

#[test]
fn second_process_is_rejected_until_the_first_exits() {
    let dir = tempfile::tempdir().unwrap();
    let mut holder = child("hold", dir.path(), None);
    wait_for(&mut holder);
    let error =
        schemascope_store::open(dir.path(), &mut Counter::default(), Timestamp::from_millis(1)).unwrap_err();
    assert!(error.to_string().contains("in use by another process"), "{error}");
    holder.kill().unwrap();
    holder.wait().unwrap();
    let (_writer, reader, ..) = open(dir.path());
    assert_eq!(ids(&reader).len(), 40);
}

/// A disk that rejects writes for a while. A limit on the file size stands in for it.
#[test]
fn full_disk_rejects_writes_and_keeps_acknowledged_ones() {
    let dir = tempfile::tempdir().unwrap();
    let output = child("append", dir.path(), Some(512)).wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("refused"), "{text}");
    let acknowledged = acknowledged(&text);
    assert!(!acknowledged.is_empty());
    let (mut writer, reader, _, mut counter) = open(dir.path());
    let stored = ids(&reader);
    assert!(acknowledged.iter().all(|id| stored.contains(id)));
    assert_eq!(counter.0.values().sum::<u64>(), stored.len() as u64);
    fill(&mut writer, &mut counter, &IdSource::new(9, 0), 8);
    assert_eq!(ids(&reader).len(), stored.len() + 8);
}

/// Kills at any moment of opening, appending, retention, rebuilding and redaction.
#[test]
fn kill_loses_nothing_acknowledged() {
    let mut random = Random(14);
    for task in ["append", "rebuild", "redact", "open"] {
        let dir = tempfile::tempdir().unwrap();
        let counter = filled(dir.path(), 100);
        let mut known = 200;
        for round in 0..6 {
            let mut victim = child(task, dir.path(), None);
            if round > 0 {
                wait_for(&mut victim);
            }
            std::thread::sleep(Duration::from_millis(random.below(60)));
            victim.kill().unwrap();
            let text = String::from_utf8(victim.wait_with_output().unwrap().stdout).unwrap();
            let (writer, reader, _, restored) = open(dir.path());
            let stored = ids(&reader);
            assert!(acknowledged(&text).iter().all(|id| stored.contains(id)), "{task} {round}");
            assert!(stored.len() >= known, "{task} {round}: {} of {known}", stored.len());
            assert_eq!(restored.0.values().sum::<u64>(), stored.len() as u64, "{task} {round}");
            known = stored.len();
            writer.close().unwrap();
        }
        if task != "append" {
            assert_eq!(open(dir.path()).3, counter, "{task}");
        }
        let report = verify(dir.path(), &mut Counter::default()).unwrap();
        assert!(report.is_sound(), "{task}: {report:?}");
    }
}

fn acknowledged(text: &str) -> Vec<CallId> {
    text.lines().filter_map(|line| line.strip_prefix("took ")?.parse().ok()).collect()
}

/// Starts this test program for one of the tasks below. `blocks` limits the size of its files, in
/// kilobytes.
fn child(task: &str, dir: &Path, blocks: Option<u32>) -> Child {
    let program = std::env::current_exe().unwrap();
    let mut command = match blocks {
        None => Command::new(program),
        Some(blocks) => {
            let mut shell = Command::new("bash");
            let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
            shell.arg("-c").arg(limited).arg(program);
            shell
        }
    };
    let command =
        command.args(["--exact", "faults::child_process_runs_its_task", "--nocapture", "--test-threads=1"]);
    command.env(TASK, task).env(DIR, dir).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits until the child reports that it is working.
fn wait_for(child: &mut Child) {
    use std::io::Read;
    let stdout = child.stdout.as_mut().unwrap();
    let mut text = Vec::new();
    while !text.ends_with(b"at work\n") {
        let mut byte = [0];
        assert_eq!(stdout.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&text));
        text.push(byte[0]);
    }
}

struct Touch;

impl Rewrite for Touch {
    fn call(&mut self, call: &mut CallRecord) -> bool {
        call.redacted += 1;
        true
    }
}

/// Runs the child's task until it is killed. Does nothing without a task.
#[test]
fn child_process_runs_its_task() {
    let (Ok(task), Ok(dir)) = (std::env::var(TASK), std::env::var(DIR)) else { return };
    let dir = Path::new(&dir);
    match task.as_str() {
        "hold" => {
            let (mut writer, _reader, _, mut counter) = open(dir);
            fill(&mut writer, &mut counter, &IdSource::new(2, 0), 40);
            println!("at work");
            std::thread::sleep(Duration::from_secs(60));
        }
        "append" => appends(dir),
        "open" => loop {
            println!("at work");
            drop(open(dir));
        },
        "rebuild" => loop {
            println!("at work");
            rebuild(dir, &mut Counter::default()).unwrap();
        },
        _ => loop {
            println!("at work");
            redact(dir, &mut Touch, &mut Counter::default()).unwrap();
        },
    }
}

/// Appends until some writes were rejected, and prints which calls were acknowledged.
fn appends(dir: &Path) {
    let (mut writer, _reader, _, mut counter) = open(dir);
    let source = IdSource::new(u64::from(std::process::id()), 0);
    let mut refused = 0;
    println!("at work");
    while refused < 5 {
        let entry = crate::common::call(&source, "a__x", 3_000, Outcome::Ok);
        let schemascope_store::Entry::Call(call) = &entry else { panic!("a call") };
        match writer.append(std::slice::from_ref(&entry)) {
            Err(schemascope_store::Error::Journal(error)) => {
                refused += 1;
                println!("refused: {error}");
            }
            // Only the index failed: the journal has the entry.
            _ => {
                counter.apply(&entry).unwrap();
                println!("took {}", call.id);
            }
        }
    }
    let _ = writer.close();
}
