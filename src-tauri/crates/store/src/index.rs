//! The index in sled: keys, values and batches.
//!
//! One tree, so that one atomic batch holds data and checkpoint. The first byte of a key gives its
//! kind: `m` metadata, `c` + call id → call, `t`, `f` and `g` [`lists`] of calls, `s` + tool id →
//! state. The caller decides which entries are added and in which order.

mod check;
mod lists;
mod remove;
mod upgrade;

use std::cell::RefCell;
use std::fs::OpenOptions;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use schemascope_journal::{Compressor, Decompressor, Position};
use schemascope_model::{CallId, CallRecord, ToolId};

use crate::Error;
use crate::entry::{self, Entry};
pub(crate) use check::Comparison;
use lists::{LISTS, List, NewRows};

/// Format of the index. Written on creation; an index of an unknown format is rejected.
pub(crate) const FORMAT: u8 = 3;
/// Largest compressed record that is stored in the index. Larger ones are a reference into the
/// journal.
const INLINE_BYTES: usize = 4 << 10;
/// Time during which a held lock of sled is requested again.
pub(crate) const SLED_LOCK_TIMEOUT: Duration = Duration::from_secs(1);
/// Most operations in a batch. Larger batches cost sled gigabytes.
pub(crate) const MAX_OPERATIONS: usize = 200;

const KEY_FORMAT: &[u8] = b"mformat";
const KEY_CHECKPOINT: &[u8] = b"mcheckpoint";
const KEY_STATES: &[u8] = b"mstates";
/// Current number of calls, and the highest number ever reached.
const KEY_COUNT: &[u8] = b"mcalls";
const CALLS: u8 = b'c';
const STATES: u8 = b's';

const WHOLE: u8 = 1;
const REFERENCE: u8 = 2;

thread_local! {
    /// Reused because creating a decompression context costs more than reading a row with it.
    static DECOMPRESSOR: RefCell<Decompressor> = RefCell::default();
}

#[derive(Debug, Clone)]
pub(crate) struct Index {
    /// `None` if sled could not be reopened.
    db: Arc<Mutex<Option<sled::Db>>>,
    /// Locked for reading while sled is used, for writing while it is reopened.
    reopening: Arc<RwLock<()>>,
    path: PathBuf,
    /// File that exists when reading found damage, so that the next start rebuilds.
    marker: PathBuf,
    count: Arc<AtomicU64>,
    peak: Arc<AtomicU64>,
}

/// A stored call: complete, or with its bodies in the journal.
pub(crate) enum Stored {
    Whole(CallRecord),
    Reference(CallRecord, Position),
}

/// Opens the index, creating it if necessary.
pub(crate) fn open(path: &Path) -> sled::Result<Index> {
    let db = open_sled(path)?;
    let count = db.get(KEY_COUNT)?;
    let count = count.and_then(|value| value.as_ref().try_into().ok()).map_or(0, u128::from_be_bytes);
    let (calls, peak) = ((count >> 64) as u64, count as u64);
    Ok(Index {
        db: Arc::new(Mutex::new(Some(db))),
        reopening: Arc::default(),
        path: path.to_owned(),
        marker: marker(path),
        count: Arc::new(calls.into()),
        peak: Arc::new(peak.into()),
    })
}

/// Cache size as sled counts it, in bytes; pages of small rows take five times as much memory.
/// Enough for writing, and lists are read as fast with 2 MB as with 8 MB (`cargo xtask bench
/// store`). It fills up early, so memory does not grow for long.
const CACHE_BYTES: u64 = 3 << 20;

fn open_sled(path: &Path) -> sled::Result<sled::Db> {
    sled::Config::new()
        .path(path)
        .cache_capacity(CACHE_BYTES)
        .mode(sled::Mode::LowSpace)
        .flush_every_ms(Some(500))
        .open()
}

/// Returns the path of the file that records damage found while reading.
pub(crate) fn marker(index: &Path) -> PathBuf {
    // Another one while an index is rebuilt: `index.new` must not take away that of `index`.
    let mut name = index.file_name().unwrap_or_default().to_owned();
    name.push(".damaged");
    index.with_file_name(name)
}

/// Creates the file that records damage. A link in its place is not followed.
pub(crate) fn mark_damaged(marker: &Path) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(marker) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// State of a tool, and the position before which it includes all entries.
pub(crate) struct State {
    pub(crate) tool: ToolId,
    pub(crate) as_of: Position,
    pub(crate) bytes: Vec<u8>,
}

impl Index {
    /// Runs a function that uses sled, which can panic on damaged files. Damage is recorded for the
    /// next start.
    pub(crate) fn guarded<T>(&self, use_sled: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let _here = self.reopening.read().unwrap_or_else(PoisonError::into_inner);
        if self.is_closed() {
            return Err(Error::IndexClosed);
        }
        let result = catch_unwind(AssertUnwindSafe(use_sled)).unwrap_or(Err(Error::IndexPanicked));
        if matches!(result, Err(Error::Index(_) | Error::IndexPanicked | Error::Malformed(_))) {
            // If this write fails as well, the next reader finds the damage again.
            let _ = mark_damaged(&self.marker);
        }
        result
    }

    /// Reopens sled. sled writes the locations of its pages only when it is opened, and the next
    /// start has to read everything written since: seconds after a million calls, which the user
    /// would wait for after a kill. Other uses of sled wait meanwhile. After a failure the index
    /// stays closed, and the next start reports the reason.
    pub(crate) fn reopen(&self) -> Result<(), Error> {
        let _alone = self.reopening.write().unwrap_or_else(PoisonError::into_inner);
        let reopen = AssertUnwindSafe(|| {
            // On a full disk the flush fails and the index stays open.
            self.flush()?;
            drop(self.db.lock().unwrap_or_else(PoisonError::into_inner).take());
            let db = open_when_unlocked(&self.path)?;
            *self.db.lock().unwrap_or_else(PoisonError::into_inner) = Some(db);
            Ok(())
        });
        catch_unwind(reopen).unwrap_or(Err(Error::IndexPanicked))
    }

    /// Returns whether the index could not be reopened.
    pub(crate) fn is_closed(&self) -> bool {
        self.db.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    fn db(&self) -> sled::Result<sled::Db> {
        let db = self.db.lock().unwrap_or_else(PoisonError::into_inner).clone();
        db.ok_or_else(|| sled::Error::Unsupported("closed".into()))
    }

    /// Returns its folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.db().is_ok_and(|db| db.is_empty())
    }

    /// Returns the format the index was written with, if it has one.
    pub(crate) fn format(&self) -> sled::Result<Option<u8>> {
        Ok(self.db()?.get(KEY_FORMAT)?.and_then(|value| value.first().copied()))
    }

    pub(crate) fn set_format(&self) -> sled::Result<()> {
        self.db()?.insert(KEY_FORMAT, &[FORMAT]).map(drop)
    }

    /// Returns the position before which the calls of all entries are in the index.
    pub(crate) fn checkpoint(&self) -> sled::Result<Option<Position>> {
        self.position(KEY_CHECKPOINT)
    }

    /// Returns the position before which the states include all entries that concern them.
    pub(crate) fn states_checkpoint(&self) -> sled::Result<Option<Position>> {
        self.position(KEY_STATES)
    }

    fn position(&self, key: &[u8]) -> sled::Result<Option<Position>> {
        let value = self.db()?.get(key)?;
        Ok(value.and_then(|value| value.as_ref().try_into().ok()).map(Position::from_bytes))
    }

    /// Returns the number of calls.
    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Adds the calls among `entries` and moves the checkpoint, atomically: in one batch, or in
    /// several when one would have too many operations. Each batch then moves the checkpoint as far
    /// as it got.
    pub(crate) fn apply<'a>(
        &self,
        compressor: &mut Compressor,
        entries: impl Iterator<Item = (&'a Entry, Position, &'a [u8])>,
        checkpoint: Position,
    ) -> sled::Result<()> {
        let (mut batch, mut lists) = (sled::Batch::default(), NewRows::default());
        let (mut operations, mut added) = (0, 0);
        for (entry, at, compressed) in entries {
            let Entry::Call(call) = entry else { continue };
            if operations + 1 + LISTS + 2 > MAX_OPERATIONS {
                lists.write(&mut batch);
                self.commit(std::mem::take(&mut batch), added, Some(at))?;
                (operations, added) = (0, 0);
            }
            batch.insert(key(CALLS, &[&call.id.to_bytes()]), value(call, at, compressed, compressor));
            (operations, added) = (operations + 1 + lists.add(call), added + 1);
        }
        lists.write(&mut batch);
        self.commit(batch, added, Some(checkpoint))
    }

    /// Applies a batch that changes the number of calls by `added`.
    fn commit(&self, mut batch: sled::Batch, added: i64, checkpoint: Option<Position>) -> sled::Result<()> {
        let count = self.count().saturating_add_signed(added);
        let peak = self.peak.load(Ordering::Relaxed).max(count);
        if added != 0 {
            batch.insert(KEY_COUNT, &count_value(count, peak));
        }
        if let Some(checkpoint) = checkpoint {
            batch.insert(KEY_CHECKPOINT, &checkpoint.to_bytes());
        }
        self.db()?.apply_batch(batch)?;
        self.count.store(count, Ordering::Relaxed);
        self.peak.store(peak, Ordering::Relaxed);
        Ok(())
    }

    /// Saves states that include everything before `as_of`. The states' checkpoint moves with the
    /// last batch. A kill in between leaves some states newer than the checkpoint; their `as_of`
    /// shows which.
    pub(crate) fn save_states(
        &self,
        compressor: &mut Compressor,
        states: &[(ToolId, Vec<u8>)],
        as_of: Position,
    ) -> Result<(), Error> {
        let mut chunks = states.chunks(MAX_OPERATIONS - 1).peekable();
        loop {
            let mut batch = sled::Batch::default();
            for (tool, state) in chunks.next().unwrap_or_default() {
                let mut value = as_of.to_bytes().to_vec();
                value
                    .extend(compressor.compress(state).map_err(|error| Error::Malformed(error.to_string()))?);
                batch.insert(key(STATES, &[tool.to_string().as_bytes()]), value);
            }
            let last = chunks.peek().is_none();
            if last {
                batch.insert(KEY_STATES, &as_of.to_bytes());
            }
            self.db()?.apply_batch(batch)?;
            if last {
                return Ok(());
            }
        }
    }

    pub(crate) fn states(&self) -> impl Iterator<Item = Result<State, Error>> {
        rows(self.db().map(|db| db.scan_prefix([STATES]))).map(|item| {
            let (key, value) = item?;
            let malformed = || Error::Malformed(format!("state of {}", String::from_utf8_lossy(&key[1..])));
            let tool = std::str::from_utf8(&key[1..]).ok().and_then(|id| id.parse().ok());
            let (as_of, bytes) = value.split_first_chunk::<16>().ok_or_else(malformed)?;
            Ok(State {
                tool: tool.ok_or_else(malformed)?,
                as_of: Position::from_bytes(*as_of),
                bytes: zstd::decode_all(bytes).map_err(|_| malformed())?,
            })
        })
    }

    pub(crate) fn call(&self, id: CallId) -> Result<Option<Stored>, Error> {
        self.db()?.get(key(CALLS, &[&id.to_bytes()]))?.map(|value| decode(&value)).transpose()
    }

    pub(crate) fn contains(&self, id: CallId) -> Result<bool, Error> {
        Ok(self.db()?.contains_key(key(CALLS, &[&id.to_bytes()]))?)
    }

    /// Returns ids of calls before `before`, newest first: of one tool or of all tools, failed
    /// calls only or all calls.
    pub(crate) fn ids_before(
        &self,
        tool: Option<&ToolId>,
        failures: bool,
        before: Option<CallId>,
    ) -> Box<dyn Iterator<Item = Result<CallId, Error>>> {
        if let Some(list) = List::of(tool, failures) {
            return Box::new(self.listed_before(list, before));
        }
        let start = [CALLS];
        let end = before.map_or_else(|| vec![CALLS + 1], |before| key(CALLS, &[&before.to_bytes()]));
        Box::new(rows(self.db().map(|db| db.range(start.as_slice()..&end).keys())).rev().map(call_id))
    }

    /// Returns ids of calls, oldest first.
    pub(crate) fn oldest(&self) -> impl Iterator<Item = Result<CallId, Error>> + use<> {
        rows(self.db().map(|db| db.scan_prefix([CALLS]).keys())).map(call_id)
    }

    pub(crate) fn flush(&self) -> sled::Result<()> {
        self.db()?.flush().map(drop)
    }
}

/// Returns the rows, or the error as the only row.
fn rows<I, T>(found: sled::Result<I>) -> impl DoubleEndedIterator<Item = sled::Result<T>>
where
    I: DoubleEndedIterator<Item = sled::Result<T>>,
{
    let (rows, error) = match found {
        Ok(rows) => (Some(rows), None),
        Err(error) => (None, Some(Err(error))),
    };
    rows.into_iter().flatten().chain(error)
}

/// Opens sled at a path where it was just closed: sled releases its lock a moment later.
fn open_when_unlocked(path: &Path) -> sled::Result<sled::Db> {
    let began = Instant::now();
    loop {
        match open_sled(path) {
            Err(error) if is_locked(&error) && began.elapsed() < SLED_LOCK_TIMEOUT => {
                std::thread::sleep(Duration::from_millis(5));
            }
            opened => return opened,
        }
    }
}

/// Returns whether the error means that another process has the index open.
pub(crate) fn is_locked(error: &sled::Error) -> bool {
    error.to_string().contains("could not acquire lock")
}

fn key(kind: u8, parts: &[&[u8]]) -> Vec<u8> {
    let mut key = vec![kind];
    for part in parts {
        key.extend_from_slice(part);
    }
    key
}

fn count_value(count: u64, peak: u64) -> [u8; 16] {
    (u128::from(count) << 64 | u128::from(peak)).to_be_bytes()
}

/// Returns the id in the key of a call.
fn call_id(key: sled::Result<sled::IVec>) -> Result<CallId, Error> {
    let key = key?;
    let id = key.get(1..).and_then(|id| id.try_into().ok());
    id.map(CallId::from_bytes).ok_or_else(|| Error::Malformed("a call has an invalid key".into()))
}

fn value(call: &CallRecord, at: Position, compressed: &[u8], compressor: &mut Compressor) -> Vec<u8> {
    if compressed.len() <= INLINE_BYTES {
        return [&[WHOLE], compressed].concat();
    }
    // Compressing to memory does not fail, and an empty tail would be read as a malformed value.
    let head = compressor.compress(&entry::encode_call(&call.without_bodies())).unwrap_or_default();
    [&[REFERENCE], at.to_bytes().as_slice(), &head].concat()
}

fn decode(value: &[u8]) -> Result<Stored, Error> {
    let malformed = |reason: &str| Error::Malformed(reason.to_owned());
    let record = |bytes: &[u8]| {
        let decompressed = DECOMPRESSOR.with_borrow_mut(|decompressor| decompressor.decompress(bytes));
        let payload = decompressed.map_err(|_| malformed("a call cannot be decompressed"))?;
        entry::decode_call(&payload).map_err(|error| malformed(&error.reason()))
    };
    match value.split_first() {
        Some((&WHOLE, rest)) => Ok(Stored::Whole(record(rest)?)),
        Some((&REFERENCE, rest)) => {
            let (at, rest) =
                rest.split_first_chunk::<16>().ok_or_else(|| malformed("a call is truncated"))?;
            Ok(Stored::Reference(record(rest)?, Position::from_bytes(*at)))
        }
        _ => Err(malformed("a call has an unknown format")),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn reopening_the_index_does_not_disturb_readers() {
        let dir = tempfile::tempdir().unwrap();
        let index = open(&dir.path().join("index")).unwrap();
        let (renewed, reader) = (AtomicBool::new(false), index.clone());
        let put = |n: u8| index.guarded(|| Ok(index.db()?.insert([CALLS, n], &[n])?));
        (0..100).for_each(|n| drop(put(n).unwrap()));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !renewed.load(Ordering::Relaxed) {
                    let rows = |reader: &Index| Ok(reader.db()?.scan_prefix([CALLS]).count());
                    assert!(reader.guarded(|| rows(&reader)).unwrap() >= 100);
                }
            });
            for n in 100..110 {
                index.reopen().unwrap();
                put(n).unwrap();
            }
            renewed.store(true, Ordering::Relaxed);
        });
        drop((index, reader));
        let again = open_when_unlocked(&dir.path().join("index")).unwrap();
        assert_eq!(again.scan_prefix([CALLS]).count(), 110);
    }

    #[test]
    fn failed_reopen_closes_the_index_without_marking_it_damaged() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("index");
        let index = open(&path).unwrap();
        let elsewhere = dir.path().join("elsewhere");
        // sled creates a missing folder again, so a file has to take its place.
        drop(index.db.lock().unwrap().take());
        std::fs::rename(&path, &elsewhere).unwrap();
        std::fs::write(&path, []).unwrap();
        assert!(index.reopen().is_err());
        assert!(matches!(index.guarded(|| Ok(index.flush()?)), Err(Error::IndexClosed)));
        assert!(!marker(&path).exists());
    }
}
