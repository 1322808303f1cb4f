//! The writing end: journal first, then index.
//!
//! Owns: that order. Refuses to know: when to write; the recorder decides that.

use schemascope_journal::{Compressor, Journal, Position, Record};
use schemascope_model::ToolId;

use crate::index::{Index, MAX_OPERATIONS};
use crate::{Entry, Error};

/// Entries in one group at most: two index operations each and the checkpoint are what sled takes in one batch.
pub const GROUP: usize = (MAX_OPERATIONS - 1) / 2;

/// A snapshot is written again when this many times its size has been journaled behind it.
const SNAPSHOT_SHARE: u64 = 4;

/// Appends to the store. There is one.
#[derive(Debug)]
pub struct Writer {
    journal: Journal,
    index: Index,
    compressor: Compressor,
    index_behind: bool,
    since_snapshot: u64,
    snapshot_size: u64,
}

impl Writer {
    pub(crate) fn new(journal: Journal, index: Index, compressor: Compressor) -> Self {
        Self { journal, index, compressor, index_behind: false, since_snapshot: 0, snapshot_size: 0 }
    }

    /// Appends up to [`GROUP`] entries as one group. When this returns they are on disk, unless the
    /// error is the journal's. An error of the index is returned once; from then on it is left
    /// alone, so that its checkpoint stays true and the next start catches up.
    pub fn append(&mut self, entries: &[Entry]) -> Result<(), Error> {
        let payloads: Vec<Vec<u8>> = entries.iter().map(Entry::encode).collect();
        let records: Vec<Record<'_>> = entries
            .iter()
            .zip(&payloads)
            .map(|(entry, payload)| Record { kind: entry.kind(), id: entry.frame_id(), payload })
            .collect();
        let appended = self.journal.append(&records)?;
        self.since_snapshot += appended.iter().map(|one| one.compressed.len() as u64).sum::<u64>();
        let indexed =
            entries.iter().zip(&appended).map(|(entry, one)| (entry, one.at, one.compressed.as_slice()));
        let end = self.journal.end();
        self.index_unless_behind(|index, compressor| Ok(index.apply(compressor, indexed, end)?))
    }

    fn index_unless_behind(
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

    /// Begins a new segment if the current one is full. `states` gives all tools' states, which the
    /// new segment begins with unless a recent snapshot is near.
    pub fn roll(&mut self, states: impl FnOnce() -> Vec<(ToolId, Vec<u8>)>) -> Result<(), Error> {
        if !self.journal.is_segment_full() {
            return Ok(());
        }
        self.journal.begin_segment()?;
        if self.since_snapshot < self.snapshot_size * SNAPSHOT_SHARE {
            return Ok(());
        }
        let entries: Vec<Entry> =
            states().into_iter().map(|(tool, state)| Entry::State { tool, state }).collect();
        let before = self.journal.end().offset;
        // One group, so that a snapshot is there whole or not at all.
        self.append(&entries)?;
        self.snapshot_size = self.journal.end().offset - before;
        self.since_snapshot = 0;
        Ok(())
    }

    /// Flushes the index, so that the next start has nothing to catch up.
    pub fn close(self) -> Result<(), Error> {
        self.index.guarded(|| Ok(self.index.flush()?))
    }
}
