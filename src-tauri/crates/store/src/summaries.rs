//! Summaries of segments, read without decompressing them.
//!
//! Reading a segment's heads takes tens of milliseconds, so a round reads only a few, and summaries
//! of closed segments are cached.

use std::collections::BTreeMap;
use std::path::Path;

use schemascope_journal::heads;
use schemascope_model::CallId;

use crate::Error;
use crate::entry::CALL;
use crate::marks::SnapshotFinder;

/// Most segments read in a round.
const READS_PER_ROUND: u32 = 4;

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Summary {
    pub(crate) calls: u64,
    pub(crate) oldest: Option<CallId>,
    pub(crate) newest: Option<CallId>,
    pub(crate) whole_snapshot: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Summaries {
    known: BTreeMap<u64, Summary>,
    reads_left: u32,
    exhausted: bool,
}

impl Summaries {
    pub(crate) fn begin_round(&mut self) {
        (self.reads_left, self.exhausted) = (READS_PER_ROUND, false);
    }

    /// Returns whether this round skipped a segment because it had read enough.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    pub(crate) fn forget(&mut self, number: u64) {
        self.known.remove(&number);
    }

    /// Returns the summary of a closed segment, or `None` if this round has read enough.
    pub(crate) fn of(&mut self, journal: &Path, number: u64) -> Result<Option<Summary>, Error> {
        if let Some(known) = self.known.get(&number) {
            return Ok(Some(*known));
        }
        let read = self.read(journal, number)?;
        if let Some(read) = read {
            self.known.insert(number, read);
        }
        Ok(read)
    }

    /// Like [`Summaries::of`], for a segment that may still grow.
    pub(crate) fn read(&mut self, journal: &Path, number: u64) -> Result<Option<Summary>, Error> {
        if self.reads_left == 0 {
            self.exhausted = true;
            return Ok(None);
        }
        self.reads_left -= 1;
        let (mut summary, mut snapshot) = (Summary::default(), SnapshotFinder::default());
        heads(journal, number, |head| {
            snapshot.visit(head);
            if let Some(head) = head.filter(|head| head.kind == CALL) {
                let id = CallId::from_bytes(head.id);
                summary.calls += 1;
                summary.oldest = Some(summary.oldest.map_or(id, |oldest| oldest.min(id)));
                summary.newest = summary.newest.max(Some(id));
            }
        })?;
        summary.whole_snapshot = snapshot.is_whole();
        Ok(Some(summary))
    }

    /// Returns the newest segment that begins with a complete snapshot, as far as this round can
    /// read.
    pub(crate) fn newest_snapshot(&mut self, journal: &Path, current: u64) -> Result<Option<u64>, Error> {
        for segment in schemascope_journal::segments(journal)?.iter().rev() {
            let summary = if segment.number == current {
                self.read(journal, current)?
            } else {
                self.of(journal, segment.number)?
            };
            match summary {
                Some(summary) if summary.whole_snapshot => return Ok(Some(segment.number)),
                Some(_) => {}
                None => return Ok(None),
            }
        }
        Ok(None)
    }
}

/// Returns the ids of the calls in a segment.
pub(crate) fn call_ids(journal: &Path, number: u64) -> Result<Vec<CallId>, Error> {
    let mut ids = Vec::new();
    heads(journal, number, |head| {
        ids.extend(head.filter(|head| head.kind == CALL).map(|head| CallId::from_bytes(head.id)));
    })?;
    Ok(ids)
}
