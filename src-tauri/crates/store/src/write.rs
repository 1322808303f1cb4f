//! The writing end: journal first, then index.
//!
//! Owns: that order. Refuses to know: when to write; the recorder decides that.

use std::borrow::Cow;

use schemascope_journal::{Compressor, Journal, Position, Record};
use schemascope_model::{CallId, ToolId};

use crate::ballast::Ballast;
use crate::index::{Index, MAX_OPERATIONS};
use crate::lock::Lock;
use crate::retain::Retention;
use crate::{Entry, Error, Packed};

/// Entries in one group at most: two index operations each and the checkpoint are what sled takes in one batch.
pub const GROUP: usize = (MAX_OPERATIONS - 1) / 2;

/// Entries given to the index after which sled is opened anew, which takes a tenth of a second then; and the same
/// when it is closed.
const RENEW: usize = 50_000;
const RENEW_AT_END: usize = 5_000;

/// Appends to the store. There is one.
#[derive(Debug)]
pub struct Writer {
    pub(crate) journal: Journal,
    pub(crate) index: Index,
    compressor: Compressor,
    index_behind: bool,
    /// Entries given to the index since sled was opened.
    since_opened: usize,
    /// Bytes journaled behind the last snapshot.
    pub(crate) since_snapshot: u64,
    pub(crate) snapshot_size: u64,
    /// The segment this writer began with a whole snapshot last.
    pub(crate) snapshot_segment: Option<u64>,
    /// Calls in the current segment, as far as is known.
    pub(crate) segment_calls: u64,
    /// The oldest call in the current segment, once retention has looked.
    pub(crate) segment_oldest: Option<CallId>,
    pub(crate) retention: Retention,
    ballast: Ballast,
    _lock: Lock,
}

impl Writer {
    pub(crate) fn new(
        journal: Journal,
        index: Index,
        compressor: Compressor,
        ballast: Ballast,
        lock: Lock,
    ) -> Self {
        Self {
            journal,
            index,
            compressor,
            index_behind: false,
            since_opened: 0,
            since_snapshot: 0,
            snapshot_size: 0,
            snapshot_segment: None,
            segment_calls: 0,
            segment_oldest: None,
            retention: Retention::default(),
            ballast,
            _lock: lock,
        }
    }

    /// Appends up to [`GROUP`] entries as one group. When this returns they are on disk, unless the
    /// error is the journal's. An error of the index is returned once; from then on it is left
    /// alone, so that its checkpoint stays true and the next start catches up.
    pub fn append(&mut self, entries: &[Entry]) -> Result<(), Error> {
        self.append_each(entries.iter().map(|entry| (entry, None)))
    }

    /// The same for entries that were packed.
    pub fn append_packed(&mut self, entries: &[Packed]) -> Result<(), Error> {
        self.append_each(entries.iter().map(|packed| (&packed.entry, packed.bytes.as_deref())))
    }

    fn append_each<'a>(
        &mut self,
        entries: impl Iterator<Item = (&'a Entry, Option<&'a [u8]>)>,
    ) -> Result<(), Error> {
        let compressor = &mut self.compressor;
        let mut pack = |(entry, bytes): (&'a Entry, Option<&'a [u8]>)| match bytes {
            Some(bytes) => Ok((entry, Cow::Borrowed(bytes))),
            None => compressor.compress(&entry.encode()).map(|bytes| (entry, Cow::Owned(bytes))),
        };
        let entries = entries.map(&mut pack).collect::<Result<Vec<_>, _>>();
        let entries = entries.map_err(|source| Error::Io { path: self.journal.dir().to_owned(), source })?;
        let records: Vec<Record<'_>> = entries
            .iter()
            .map(|(entry, payload)| Record { kind: entry.kind(), id: entry.frame_id(), payload })
            .collect();
        let places = self.journal.append_compressed(&records)?;
        let is_call = |entry: &&(&Entry, Cow<'_, [u8]>)| matches!(entry.0, Entry::Call(_));
        self.segment_calls += entries.iter().filter(is_call).count() as u64;
        self.since_snapshot += entries.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
        let indexed = entries.iter().zip(places).map(|((entry, bytes), at)| (*entry, at, &**bytes));
        let end = self.journal.end();
        self.index_unless_behind(|index, compressor| Ok(index.apply(compressor, indexed, end)?))?;
        self.since_opened += entries.len();
        self.renew_if_due()
    }

    /// Opens the index anew if it was given many entries since.
    fn renew_if_due(&mut self) -> Result<(), Error> {
        if self.index_behind || self.since_opened < RENEW {
            return Ok(());
        }
        self.since_opened = 0;
        self.index.renew().or_else(|error| {
            self.index_behind = self.index.is_closed();
            if self.index_behind { Err(error) } else { Ok(()) }
        })
    }

    pub(crate) fn index_unless_behind(
        &mut self,
        write: impl FnOnce(&Index, &mut Compressor) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if self.index_behind {
            return Ok(());
        }
        let written = self.index.guarded(|| write(&self.index, &mut self.compressor));
        self.index_behind = written.is_err();
        written
    }

    /// Whether the index was given up until the next start.
    pub fn is_index_behind(&self) -> bool {
        self.index_behind
    }

    /// Everything appended so far lies before this position.
    pub fn end(&self) -> Position {
        self.journal.end()
    }

    /// Saves tool states that include every entry appended so far.
    pub fn save_states(&mut self, states: &[(ToolId, Vec<u8>)]) -> Result<(), Error> {
        let end = self.journal.end();
        self.index_unless_behind(|index, compressor| index.save_states(compressor, states, end))
    }

    /// Flushes the index, so that the next start has nothing to catch up. On a full disk the ballast
    /// is given up for it.
    pub fn close(self) -> Result<(), Error> {
        let flush = || self.index.guarded(|| Ok(self.index.flush()?));
        flush().or_else(|error| if self.ballast.drop_if_full() { flush() } else { Err(error) })?;
        if !self.index_behind && self.since_opened >= RENEW_AT_END {
            // Only for the speed of the next start.
            self.index.renew().unwrap_or_else(|error| tracing::debug!(%error, "not opened anew at the end"));
        }
        Ok(())
    }
}
