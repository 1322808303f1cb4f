//! Snapshots: all tools' states at the beginning of a segment, so that earlier segments are not
//! needed to know them.
//!
//! Written in groups bounded in bytes and ended by a mark; only then does it stand for what is before
//! it. One that a kill left unfinished does no harm: each state in it is true where it stands. Owns:
//! when and how one is written. Refuses to know: when segments are removed.

use schemascope_model::ToolId;

use crate::marks::Mark;
use crate::{Entry, Error, GROUP, Writer};

/// A snapshot is written again when this many times its size has been journaled behind it.
pub(crate) const SHARE: u64 = 4;
/// Bytes of states in one group, unless one state is larger.
const GROUP_BYTES: usize = 4 << 20;

impl Writer {
    /// Begins a new segment if the current one is full. `states` gives all tools' states, one at a
    /// time if it is lazy; the new segment begins with them unless a recent snapshot is near.
    pub fn roll<I>(&mut self, states: impl FnOnce() -> I) -> Result<(), Error>
    where
        I: IntoIterator<Item = (ToolId, Vec<u8>)>,
    {
        if !self.journal.is_segment_full() {
            return Ok(());
        }
        if self.since_snapshot < self.snapshot_size * SHARE {
            return self.begin_segment();
        }
        self.begin_with_snapshot(states())
    }

    /// Begins a new segment with all tools' states.
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
            if group.len() == GROUP || bytes >= GROUP_BYTES {
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

    /// Notes something in the journal. The index has nothing to do with it, but its checkpoint passes.
    pub(crate) fn mark(&mut self, mark: Mark) -> Result<(), Error> {
        self.journal.append(&[mark.record()])?;
        let end = self.journal.end();
        self.index_unless_behind(|index, compressor| Ok(index.apply(compressor, std::iter::empty(), end)?))
    }
}
