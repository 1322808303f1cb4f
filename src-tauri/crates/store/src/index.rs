//! sled: keys, values, batches.
//!
//! One tree, so that one atomic batch holds data and checkpoint. Keys by first byte: `m` meta, `c` +
//! call id → call, `t`, `f` and `g` [`lists`] of calls, `s` + tool id → state. Owns: those forms. Refuses to know:
//! where entries come from and in which order.

mod check;
mod lists;
mod remove;
mod upgrade;

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use schemascope_journal::{Compressor, Decompressor, Position};
use schemascope_model::{CallId, CallRecord, ToolId};

use crate::Error;
use crate::entry::{self, Entry};
pub(crate) use check::Row;
use lists::{Added, LISTS, List};

/// Format of the index; written on creation, refused when unknown.
pub(crate) const FORMAT: u8 = 3;
/// Compressed records up to this size are kept whole; larger ones point into the journal.
const INLINE: usize = 4 << 10;
/// How long a lock that is held is asked for again.
pub(crate) const LOCK_LIMIT: Duration = Duration::from_secs(1);
/// Operations a batch may have: larger ones cost sled gigabytes.
pub(crate) const MAX_OPERATIONS: usize = 200;

const KEY_FORMAT: &[u8] = b"mformat";
const KEY_CHECKPOINT: &[u8] = b"mcheckpoint";
const KEY_STATES: &[u8] = b"mstates";
/// How many calls there are, and the most there ever were.
const KEY_COUNT: &[u8] = b"mcalls";
const CALLS: u8 = b'c';
const STATES: u8 = b's';

const WHOLE: u8 = 1;
const REFERENCE: u8 = 2;

thread_local! {
    /// Its context costs more than reading a row with it.
    static DECOMPRESSOR: RefCell<Decompressor> = RefCell::default();
}

#[derive(Debug, Clone)]
pub(crate) struct Index {
    /// None when it could not be opened anew.
    db: Arc<Mutex<Option<sled::Db>>>,
    /// Read while sled is used, written while it is opened anew.
    gate: Arc<RwLock<()>>,
    path: PathBuf,
    /// Exists when damage was met while reading, so that the next start rebuilds.
    marker: PathBuf,
    count: Arc<AtomicU64>,
    most: Arc<AtomicU64>,
}

/// A stored call: whole, or its bodies in the journal.
pub(crate) enum Stored {
    Whole(CallRecord),
    Reference(CallRecord, Position),
}

/// Opens one, or makes it.
pub(crate) fn open(path: &Path) -> sled::Result<Index> {
    let db = open_sled(path)?;
    let count = db.get(KEY_COUNT)?;
    let count = count.and_then(|value| value.as_ref().try_into().ok()).map_or(0, u128::from_be_bytes);
    let (calls, most) = ((count >> 64) as u64, count as u64);
    Ok(Index {
        db: Arc::new(Mutex::new(Some(db))),
        gate: Arc::default(),
        path: path.to_owned(),
        marker: marker(path),
        count: Arc::new(calls.into()),
        most: Arc::new(most.into()),
    })
}

/// What sled counts for the pages it keeps, in bytes; of small rows they take five times that. Enough for what is
/// written, and lists are read as quickly with 2 as with 8 MB (`cargo xtask bench store`). Soon full, so that memory
/// does not grow for long.
const CACHE: u64 = 3 << 20;

fn open_sled(path: &Path) -> sled::Result<sled::Db> {
    sled::Config::new()
        .path(path)
        .cache_capacity(CACHE)
        .mode(sled::Mode::LowSpace)
        .flush_every_ms(Some(500))
        .open()
}

/// Where damage that was met while reading is noted.
pub(crate) fn marker(index: &Path) -> PathBuf {
    index.with_extension("damaged")
}

/// A state and the position it includes everything before.
pub(crate) struct State {
    pub(crate) tool: ToolId,
    pub(crate) as_of: Position,
    pub(crate) bytes: Vec<u8>,
}

impl Index {
    /// Runs a use of sled, which can panic on damaged files. Damage is noted for the next start.
    pub(crate) fn guarded<T>(&self, use_sled: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let _here = self.gate.read().unwrap_or_else(PoisonError::into_inner);
        if self.is_closed() {
            return Err(Error::IndexClosed);
        }
        let result = catch_unwind(AssertUnwindSafe(use_sled)).unwrap_or(Err(Error::IndexPanicked));
        if matches!(result, Err(Error::Index(_) | Error::IndexPanicked | Error::Malformed(_))) {
            // If even this fails the damage will be met again.
            let _ = std::fs::write(&self.marker, []);
        }
        result
    }

    /// Opens sled anew. Where its pages are it writes down only when it is opened, and reads through all that was
    /// written since then: of a million calls that takes seconds, which whoever starts after a kill would wait for.
    /// Nobody else uses it meanwhile. Where that fails it stays closed; the next start says what is wrong with it.
    pub(crate) fn renew(&self) -> Result<(), Error> {
        let _alone = self.gate.write().unwrap_or_else(PoisonError::into_inner);
        let renew = AssertUnwindSafe(|| {
            // On a full disk it stays as it is.
            self.flush()?;
            drop(self.db.lock().unwrap_or_else(PoisonError::into_inner).take());
            let db = open_when_let_go(&self.path)?;
            *self.db.lock().unwrap_or_else(PoisonError::into_inner) = Some(db);
            Ok(())
        });
        catch_unwind(renew).unwrap_or(Err(Error::IndexPanicked))
    }

    /// Whether it could not be opened anew.
    pub(crate) fn is_closed(&self) -> bool {
        self.db.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    fn db(&self) -> sled::Result<sled::Db> {
        let db = self.db.lock().unwrap_or_else(PoisonError::into_inner).clone();
        db.ok_or_else(|| sled::Error::Unsupported("closed".into()))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.db().is_ok_and(|db| db.is_empty())
    }

    /// The format it was written with, if any was.
    pub(crate) fn format(&self) -> sled::Result<Option<u8>> {
        Ok(self.db()?.get(KEY_FORMAT)?.and_then(|value| value.first().copied()))
    }

    pub(crate) fn set_format(&self) -> sled::Result<()> {
        self.db()?.insert(KEY_FORMAT, &[FORMAT]).map(drop)
    }

    /// Calls of all entries before this position are in the index.
    pub(crate) fn checkpoint(&self) -> sled::Result<Option<Position>> {
        self.position(KEY_CHECKPOINT)
    }

    /// Every state includes all entries before this position that concern it.
    pub(crate) fn states_checkpoint(&self) -> sled::Result<Option<Position>> {
        self.position(KEY_STATES)
    }

    fn position(&self, key: &[u8]) -> sled::Result<Option<Position>> {
        let value = self.db()?.get(key)?;
        Ok(value.and_then(|value| value.as_ref().try_into().ok()).map(Position::from_bytes))
    }

    /// How many calls there are.
    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Adds the calls among `entries` and moves the checkpoint, atomically: all at once, or where that
    /// were too many operations, up to some entry and then on.
    pub(crate) fn apply<'a>(
        &self,
        compressor: &mut Compressor,
        entries: impl Iterator<Item = (&'a Entry, Position, &'a [u8])>,
        checkpoint: Position,
    ) -> sled::Result<()> {
        let (mut batch, mut lists) = (sled::Batch::default(), Added::default());
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

    /// Applies a batch that makes the number of calls change by `added`.
    fn commit(&self, mut batch: sled::Batch, added: i64, checkpoint: Option<Position>) -> sled::Result<()> {
        let count = self.count().saturating_add_signed(added);
        let most = self.most.load(Ordering::Relaxed).max(count);
        if added != 0 {
            batch.insert(KEY_COUNT, &count_value(count, most));
        }
        if let Some(checkpoint) = checkpoint {
            batch.insert(KEY_CHECKPOINT, &checkpoint.to_bytes());
        }
        self.db()?.apply_batch(batch)?;
        self.count.store(count, Ordering::Relaxed);
        self.most.store(most, Ordering::Relaxed);
        Ok(())
    }

    /// Saves states that include everything before `as_of`. The states' checkpoint moves with the
    /// last batch; a kill in between leaves some states newer than it, which `as_of` tells.
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

    /// Ids of calls before `before`, newest first: of one tool, or of all; those that failed, or all.
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

    /// Ids of calls, oldest first.
    pub(crate) fn oldest(&self) -> impl Iterator<Item = Result<CallId, Error>> + use<> {
        rows(self.db().map(|db| db.scan_prefix([CALLS]).keys())).map(call_id)
    }

    pub(crate) fn flush(&self) -> sled::Result<()> {
        self.db()?.flush().map(drop)
    }
}

/// Rows, or why there are none.
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

/// Opens sled at a path it was just closed at: it lets go of its lock a moment later.
fn open_when_let_go(path: &Path) -> sled::Result<sled::Db> {
    let began = Instant::now();
    loop {
        match open_sled(path) {
            Err(error) if is_locked(&error) && began.elapsed() < LOCK_LIMIT => {
                std::thread::sleep(Duration::from_millis(5));
            }
            opened => return opened,
        }
    }
}

/// Whether somebody has it open.
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

fn count_value(count: u64, most: u64) -> [u8; 16] {
    (u128::from(count) << 64 | u128::from(most)).to_be_bytes()
}

/// The call whose key this is.
fn call_id(key: sled::Result<sled::IVec>) -> Result<CallId, Error> {
    let key = key?;
    let id = key.get(1..).and_then(|id| id.try_into().ok());
    id.map(CallId::from_bytes).ok_or_else(|| Error::Malformed("the key of a call".into()))
}

fn value(call: &CallRecord, at: Position, compressed: &[u8], compressor: &mut Compressor) -> Vec<u8> {
    if compressed.len() <= INLINE {
        return [&[WHOLE], compressed].concat();
    }
    // Compressing to memory does not fail; an empty tail would be read as a malformed value.
    let head = compressor.compress(&entry::encode_call(&call.without_bodies())).unwrap_or_default();
    [&[REFERENCE], at.to_bytes().as_slice(), &head].concat()
}

fn decode(value: &[u8]) -> Result<Stored, Error> {
    let malformed = |reason: &str| Error::Malformed(reason.to_owned());
    let record = |bytes: &[u8]| {
        let decompressed = DECOMPRESSOR.with_borrow_mut(|decompressor| decompressor.decompress(bytes));
        let payload = decompressed.map_err(|_| malformed("a call does not decompress"))?;
        entry::decode_call(&payload).map_err(|error| malformed(&error.reason()))
    };
    match value.split_first() {
        Some((&WHOLE, rest)) => Ok(Stored::Whole(record(rest)?)),
        Some((&REFERENCE, rest)) => {
            let (at, rest) =
                rest.split_first_chunk::<16>().ok_or_else(|| malformed("a call is cut short"))?;
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
    fn who_reads_notices_nothing_when_it_is_opened_anew() {
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
                index.renew().unwrap();
                put(n).unwrap();
            }
            renewed.store(true, Ordering::Relaxed);
        });
        drop((index, reader));
        let again = open_when_let_go(&dir.path().join("index")).unwrap();
        assert_eq!(again.scan_prefix([CALLS]).count(), 110);
    }

    #[test]
    fn one_that_cannot_be_opened_anew_says_so_and_is_not_taken_for_damaged() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("index");
        let index = open(&path).unwrap();
        let elsewhere = dir.path().join("elsewhere");
        // sled makes what is missing anew, so something else has to stand there.
        drop(index.db.lock().unwrap().take());
        std::fs::rename(&path, &elsewhere).unwrap();
        std::fs::write(&path, []).unwrap();
        assert!(index.renew().is_err());
        assert!(matches!(index.guarded(|| Ok(index.flush()?)), Err(Error::IndexClosed)));
        assert!(!marker(&path).exists());
    }
}
