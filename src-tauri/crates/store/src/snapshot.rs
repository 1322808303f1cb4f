//! Snapshots: the states of all tools at the beginning of a segment, which make earlier segments
//! unnecessary for knowing them.
//!
//! A snapshot is written in groups of bounded size and ended by a mark. Only with the mark does it
//! replace earlier segments. A snapshot left unfinished by a kill is harmless, because each state
//! in it is correct at its position.

use schemascope_model::ToolId;

use crate::marks::Mark;
use crate::{Entry, Error, MAX_GROUP_ENTRIES, Writer};

/// A new snapshot is due when this many times the size of the last one has been journaled since.
pub(crate) const SNAPSHOT_SHARE: u64 = 4;
/// Bytes of states in one group, unless a single state is larger.
const GROUP_BYTES: usize = 4 << 20;

impl Writer {
    /// Begins a new segment if the current one is full. `states` returns the states of all tools,
    /// lazily if it can. The new segment begins with them unless the last snapshot is recent.
    pub fn roll<I>(&mut self, states: impl FnOnce() -> I) -> Result<(), Error>
    where
        I: IntoIterator<Item = (ToolId, Vec<u8>)>,
    {
        if !self.journal.is_segment_full() {
            return Ok(());
        }
        if self.since_snapshot < self.snapshot_size * SNAPSHOT_SHARE {
            return self.begin_segment();
        }
        self.begin_with_snapshot(states())
    }

    /// Begins a new segment with the states of all tools.
    pub(crate) fn begin_with_snapshot(
        &mut self,
        states: impl IntoIterator<Item = (ToolId, Vec<u8>)>,
    ) -> Result<(), Error> {
        self.begin_segment()?;
        let segment = self.journal.end().segment;
        let before = self.journal.end().offset;
        let (mut group, mut bytes, mut count) = (Vec::new(), 0, 0);
        for (tool, state) in states {
            bytes += state.len();
            count += 1;
            group.push(Entry::State { tool, state });
            if group.len() == MAX_GROUP_ENTRIES || bytes >= GROUP_BYTES {
                self.append(&group)?;
                group.clear();
                bytes = 0;
            }
        }
        if !group.is_empty() {
            self.append(&group)?;
        }
        self.mark(Mark::Snapshot(count))?;
        self.snapshot_segment = Some(segment);
        self.snapshot_size = self.journal.end().offset - before;
        self.since_snapshot = 0;
        Ok(())
    }

    fn begin_segment(&mut self) -> Result<(), Error> {
        self.journal.begin_segment()?;
        (self.segment_calls, self.segment_oldest) = (0, None);
        Ok(())
    }

    /// Writes a mark to the journal, also on a full disk: removing calls frees space. The index stores nothing for the
    /// mark, but its checkpoint moves past it.
    pub(crate) fn mark(&mut self, mark: Mark) -> Result<(), Error> {
        self.journal.append_within_reserve(&[mark.record()])?;
        let end = self.journal.end();
        self.index_unless_behind(|index, compressor| Ok(index.apply(compressor, std::iter::empty(), end)?))
    }
}
