//! Writing: journal first, then index. The recorder decides when to write.

use std::borrow::Cow;
use std::path::Path;

use schemascope_journal::{Compressor, Journal, Position, Record};
use schemascope_model::{CallId, ToolId};

use crate::ballast::Ballast;
use crate::index::{Index, MAX_OPERATIONS};
use crate::lock::Lock;
use crate::open::{RESERVED_BYTES, make_files_private};
use crate::retain::Retention;
use crate::{Entry, Error, Packed};

/// Most entries in one group: two index operations for each plus the checkpoint fit in one batch of
/// sled.
pub const MAX_GROUP_ENTRIES: usize = (MAX_OPERATIONS - 1) / 2;

/// Number of entries after which sled is reopened, which then takes a tenth of a second; and the
/// number on closing.
const REOPEN_AFTER: usize = 50_000;
const REOPEN_ON_CLOSE_AFTER: usize = 5_000;

/// The only writer of the store.
#[derive(Debug)]
pub struct Writer {
    pub(crate) journal: Journal,
    pub(crate) index: Index,
    compressor: Compressor,
    index_behind: bool,
    /// Entries added to the index since sled was opened.
    since_opened: usize,
    /// Bytes journaled since the last snapshot.
    pub(crate) since_snapshot: u64,
    pub(crate) snapshot_size: u64,
    /// Last segment that this writer began with a complete snapshot.
    pub(crate) snapshot_segment: Option<u64>,
    /// Number of calls in the current segment, as far as known.
    pub(crate) segment_calls: u64,
    /// Oldest call in the current segment, once retention has read it.
    pub(crate) segment_oldest: Option<CallId>,
    pub(crate) retention: Retention,
    ballast: Ballast,
    _lock: Lock,
}

impl Writer {
    /// Folder of the journal.
    pub fn journal_dir(&self) -> &Path {
        self.journal.dir()
    }

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

    /// Appends up to [`MAX_GROUP_ENTRIES`] entries as one group. On return they are on disk, unless the error
    /// is the journal's. An error of the index is returned once. The index is not written again
    /// after that, so that its checkpoint stays valid and the next start catches up.
    pub fn append(&mut self, entries: &[Entry]) -> Result<(), Error> {
        self.append_each(entries.iter().map(|entry| (entry, None)))
    }

    /// Appends packed entries in the same way.
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
        self.reopen_if_due()
    }

    /// Reopens the index if many entries were added since it was opened.
    fn reopen_if_due(&mut self) -> Result<(), Error> {
        if self.index_behind || self.since_opened < REOPEN_AFTER {
            return Ok(());
        }
        self.since_opened = 0;
        self.index.reopen().or_else(|error| {
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

    /// Lets entries take half of the space that is reserved on the disk from now on: the last ones before a close.
    pub fn use_reserve(&mut self) {
        self.journal.set_reserve(RESERVED_BYTES / 2);
    }

    /// Returns whether the index failed and is not written until the next start.
    pub fn is_index_behind(&self) -> bool {
        self.index_behind
    }

    /// Returns the position after everything appended so far.
    pub fn end(&self) -> Position {
        self.journal.end()
    }

    /// Saves tool states that include every entry appended so far.
    pub fn save_states(&mut self, states: &[(ToolId, Vec<u8>)]) -> Result<(), Error> {
        let end = self.journal.end();
        self.index_unless_behind(|index, compressor| index.save_states(compressor, states, end))
    }

    /// Flushes the index, so that the next start need not catch up. On a full disk the ballast file
    /// is deleted to make room.
    pub fn close(self) -> Result<(), Error> {
        let flush = || self.index.guarded(|| Ok(self.index.flush()?));
        flush().or_else(|error| if self.ballast.drop_if_full() { flush() } else { Err(error) })?;
        if !self.index_behind && self.since_opened >= REOPEN_ON_CLOSE_AFTER {
            // Only affects the speed of the next start.
            self.index
                .reopen()
                .unwrap_or_else(|error| tracing::debug!(%error, "could not reopen the index on close"));
        }
        make_files_private(self.index.path());
        Ok(())
    }
}
