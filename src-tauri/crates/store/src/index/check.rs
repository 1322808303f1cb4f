//! Comparing the index with what the journal says it should hold.
//!
//! Owns: what a call's rows should be. Refuses to know: what is done about a difference.

use schemascope_journal::Position;
use schemascope_model::CallRecord;

use super::{BY_TOOL, CALLS, FAILED, FAILED_BY_TOOL, Index, Stored, WHOLE, decode, key, lookups};
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

/// Numbers of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rows {
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
        for row in lookups(call) {
            if !self.db()?.contains_key(row)? {
                return Ok(Row::NotFound);
            }
        }
        Ok(if same { Row::Same } else { Row::Different })
    }

    /// How many calls, and how many rows they are found by, there really are.
    pub(crate) fn rows(&self) -> Result<Rows, Error> {
        let count = |kind: u8| {
            let rows = self.db()?.scan_prefix([kind]).keys();
            rows.map(|row| row.map(|_| 1)).sum::<sled::Result<u64>>()
        };
        let by_tool = count(BY_TOOL)?;
        Ok(Rows {
            calls: count(CALLS)?,
            by_tool,
            failed: count(FAILED)?,
            failed_by_tool: count(FAILED_BY_TOOL)?,
        })
    }
}
