//! sled: keys, values, batches.
//!
//! One tree, so that one atomic batch holds data and checkpoint. Keys by first byte: `m` meta, `c` +
//! call id → call, `t` + tool id + NUL + call id → nothing, `s` + tool id → state. Owns: those forms.
//! Refuses to know: where entries come from and in which order.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use schemascope_journal::{Compressor, Position};
use schemascope_model::{CallId, CallRecord, ToolId};

use crate::Error;
use crate::entry::{self, Entry};

/// Format of the index; written on creation, refused when unknown.
pub(crate) const FORMAT: u8 = 1;
/// Compressed records up to this size are kept whole; larger ones point into the journal.
const INLINE: usize = 4 << 10;
/// Operations a batch may have: larger ones cost sled gigabytes.
pub(crate) const MAX_OPERATIONS: usize = 200;

const KEY_FORMAT: &[u8] = b"mformat";
const KEY_CHECKPOINT: &[u8] = b"mcheckpoint";
const KEY_STATES: &[u8] = b"mstates";
pub(crate) const CALLS: u8 = b'c';
pub(crate) const BY_TOOL: u8 = b't';
const STATES: u8 = b's';

const WHOLE: u8 = 1;
const REFERENCE: u8 = 2;

#[derive(Debug, Clone)]
pub(crate) struct Index {
    db: sled::Db,
    /// Exists when damage was met while reading, so that the next start rebuilds.
    marker: PathBuf,
}

/// A stored call: whole, or its bodies in the journal.
pub(crate) enum Stored {
    Whole(CallRecord),
    Reference(CallRecord, Position),
}

pub(crate) fn open(path: &Path) -> sled::Result<Index> {
    let db = sled::Config::new()
        .path(path)
        .cache_capacity(64 << 20)
        .mode(sled::Mode::LowSpace)
        .flush_every_ms(Some(500))
        .open()?;
    Ok(Index { db, marker: marker(path) })
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
        let result = catch_unwind(AssertUnwindSafe(use_sled)).unwrap_or(Err(Error::IndexPanicked));
        if matches!(result, Err(Error::Index(_) | Error::IndexPanicked | Error::Malformed(_))) {
            // If even this fails the damage will be met again.
            let _ = std::fs::write(&self.marker, []);
        }
        result
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.db.is_empty()
    }

    /// The format it was written with, if any was.
    pub(crate) fn format(&self) -> sled::Result<Option<u8>> {
        Ok(self.db.get(KEY_FORMAT)?.and_then(|value| value.first().copied()))
    }

    pub(crate) fn set_format(&self) -> sled::Result<()> {
        self.db.insert(KEY_FORMAT, &[FORMAT]).map(drop)
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
        let value = self.db.get(key)?;
        Ok(value.and_then(|value| value.as_ref().try_into().ok()).map(Position::from_bytes))
    }

    /// Adds the calls among `entries` and moves the checkpoint, atomically.
    pub(crate) fn apply<'a>(
        &self,
        compressor: &mut Compressor,
        entries: impl Iterator<Item = (&'a Entry, Position, &'a [u8])>,
        checkpoint: Position,
    ) -> sled::Result<()> {
        let mut batch = sled::Batch::default();
        for (entry, at, compressed) in entries {
            let Entry::Call(call) = entry else { continue };
            let id = call.id.to_bytes();
            batch.insert(key(CALLS, &[&id]), value(call, at, compressed, compressor));
            batch.insert(key(BY_TOOL, &[call.tool_id.to_string().as_bytes(), &[0], &id]), &[][..]);
        }
        batch.insert(KEY_CHECKPOINT, &checkpoint.to_bytes());
        self.db.apply_batch(batch)
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
            self.db.apply_batch(batch)?;
            if last {
                return Ok(());
            }
        }
    }

    pub(crate) fn states(&self) -> impl Iterator<Item = Result<State, Error>> {
        self.db.scan_prefix([STATES]).map(|item| {
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
        self.db.get(key(CALLS, &[&id.to_bytes()]))?.map(|value| decode(&value)).transpose()
    }

    pub(crate) fn contains(&self, id: CallId) -> Result<bool, Error> {
        Ok(self.db.contains_key(key(CALLS, &[&id.to_bytes()]))?)
    }

    /// Ids of calls before `before`, newest first: of one tool, or of all.
    pub(crate) fn ids_before(
        &self,
        tool: Option<&ToolId>,
        before: Option<CallId>,
    ) -> impl Iterator<Item = Result<CallId, Error>> + use<> {
        let prefix = match tool {
            Some(tool) => key(BY_TOOL, &[tool.to_string().as_bytes(), &[0]]),
            None => vec![CALLS],
        };
        let length = prefix.len();
        let start = prefix.clone();
        let mut end = prefix;
        match before {
            Some(id) => end.extend(id.to_bytes()),
            // Behind every id, for none is all ones and longer.
            None => end.extend([0xFF; 17]),
        }
        self.db.range(start..end).rev().filter_map(move |item| match item {
            // A longer key belongs to a tool whose name goes on behind a NUL.
            Ok((key, _)) => {
                let id: Option<[u8; 16]> = key[length..].try_into().ok();
                id.map(|id| Ok(CallId::from_bytes(id)))
            }
            Err(error) => Some(Err(error.into())),
        })
    }

    pub(crate) fn flush(&self) -> sled::Result<()> {
        self.db.flush().map(drop)
    }
}

fn key(kind: u8, parts: &[&[u8]]) -> Vec<u8> {
    let mut key = vec![kind];
    for part in parts {
        key.extend_from_slice(part);
    }
    key
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
        let payload = zstd::decode_all(bytes).map_err(|_| malformed("a call does not decompress"))?;
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
