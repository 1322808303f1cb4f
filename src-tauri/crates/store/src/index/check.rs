//! Comparing the index with what the journal says it should hold.
//!
//! Owns: what a call's rows should be. Refuses to know: what is done about a difference.

use schemascope_journal::Position;
use schemascope_model::CallRecord;

use super::{CALLS, Index, List, Stored, WHOLE, decode, key};
use crate::{Error, entry};

/// What the index has for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Row {
    Same,
    Different,
    Missing,
    /// It is there, but lists do not show it.
    NotFound,
}

/// How many calls there are, and how many are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) calls: u64,
    pub(crate) by_tool: u64,
    pub(crate) failed: u64,
    pub(crate) failed_by_tool: u64,
}

impl Index {
    /// What the index has for a call of the journal.
    pub(crate) fn compare(&self, call: &CallRecord, at: Position, compressed: &[u8]) -> Result<Row, Error> {
        let Some(stored) = self.db()?.get(key(CALLS, &[&call.id.to_bytes()]))? else {
            return Ok(Row::Missing);
        };
        let same = stored.split_first() == Some((&WHOLE, compressed)) || {
            let (kept, expected) = match decode(&stored)? {
                Stored::Whole(kept) => (kept, call.clone()),
                Stored::Reference(kept, to) if to == at => (kept, call.without_bodies()),
                Stored::Reference(..) => return Ok(Row::Different),
            };
            entry::encode_call(&kept) == entry::encode_call(&expected)
        };
        for list in List::with(call) {
            if !self.is_listed(list, call.id)? {
                return Ok(Row::NotFound);
            }
        }
        Ok(if same { Row::Same } else { Row::Different })
    }

    /// Counts what there really is.
    pub(crate) fn counts(&self) -> Result<Counts, Error> {
        let rows = self.db()?.scan_prefix([CALLS]).keys();
        let calls = rows.map(|row| row.map(|_| 1)).sum::<sled::Result<u64>>()?;
        let [by_tool, failed, failed_by_tool] = self.count_listed()?;
        Ok(Counts { calls, by_tool, failed, failed_by_tool })
    }
}
