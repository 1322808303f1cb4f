//! Comparison of the index with the calls in the journal.

use schemascope_journal::Position;
use schemascope_model::CallRecord;

use super::{CALLS, Index, List, Stored, WHOLE, decode, key};
use crate::{Error, entry};

/// Result of comparing a call's rows with the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Same,
    Different,
    Missing,
    /// The call is stored, but missing from a list.
    Unlisted,
}

/// Number of stored calls and of entries in the lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) calls: u64,
    pub(crate) by_tool: u64,
    pub(crate) failed: u64,
    pub(crate) failed_by_tool: u64,
}

impl Index {
    /// Compares the rows of a call with the journal's entry for it.
    pub(crate) fn compare(
        &self,
        call: &CallRecord,
        at: Position,
        compressed: &[u8],
    ) -> Result<Comparison, Error> {
        let Some(stored) = self.db()?.get(key(CALLS, &[&call.id.to_bytes()]))? else {
            return Ok(Comparison::Missing);
        };
        let same = stored.split_first() == Some((&WHOLE, compressed)) || {
            let (kept, expected) = match decode(&stored)? {
                Stored::Whole(kept) => (kept, call.clone()),
                Stored::Reference(kept, to) if to == at => (kept, call.without_bodies()),
                Stored::Reference(..) => return Ok(Comparison::Different),
            };
            entry::encode_call(&kept) == entry::encode_call(&expected)
        };
        for list in List::with(call) {
            if !self.is_listed(list, call.id)? {
                return Ok(Comparison::Unlisted);
            }
        }
        Ok(if same { Comparison::Same } else { Comparison::Different })
    }

    /// Counts the rows that really exist.
    pub(crate) fn counts(&self) -> Result<Counts, Error> {
        let rows = self.db()?.scan_prefix([CALLS]).keys();
        let calls = rows.map(|row| row.map(|_| 1)).sum::<sled::Result<u64>>()?;
        let [by_tool, failed, failed_by_tool] = self.count_listed()?;
        Ok(Counts { calls, by_tool, failed, failed_by_tool })
    }
}
