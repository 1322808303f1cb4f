//! Lists of calls: the calls of a tool, the failed calls, and the failed calls of a tool.
//!
//! A row holds calls of one list that were written together and lie at most [`ROW_SPAN`] apart. Its
//! key is the list and the newest of their ids; its value is the other ids, newest first. sled
//! keeps tables for every few rows in memory, so one row per call would take more memory than
//! everything else about stored calls. Rows may overlap because calls are not written in the order
//! of their ids.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use schemascope_model::{CallId, CallRecord, ToolId};

use super::{Index, key, rows};
use crate::Error;

const BY_TOOL: u8 = b't';
const FAILED: u8 = b'f';
const FAILED_BY_TOOL: u8 = b'g';
/// Most lists a call is in.
pub(super) const LISTS: usize = 3;

/// Largest distance between calls of one row. Calls that are written together were mostly made
/// together.
const ROW_SPAN: u128 = 128 << MILLISECOND_SHIFT;
/// Bits of an id below its milliseconds.
const MILLISECOND_SHIFT: u32 = 80;

/// Prefix of the keys of a list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct List(Vec<u8>);

impl List {
    /// Returns the list for one tool or all tools, failed calls only or all calls. All calls of all
    /// tools need no list.
    pub(crate) fn of(tool: Option<&ToolId>, failures: bool) -> Option<Self> {
        match (tool, failures) {
            (None, false) => None,
            (None, true) => Some(Self(vec![FAILED])),
            (Some(tool), failures) => {
                let kind = if failures { FAILED_BY_TOOL } else { BY_TOOL };
                Some(Self(key(kind, &[tool.to_string().as_bytes(), &[0]])))
            }
        }
    }

    /// Returns the lists a call is in.
    pub(super) fn with(call: &CallRecord) -> impl Iterator<Item = Self> {
        let failed = call.outcome.is_failure();
        let of_tool = [false, true].into_iter().filter(move |failures| failed || !failures);
        let of_tool = of_tool.filter_map(|failures| Self::of(Some(&call.tool_id), failures));
        of_tool.chain(Self::of(None, failed))
    }

    /// Returns the key of the row whose newest call is `newest`.
    pub(super) fn key(&self, newest: CallId) -> Vec<u8> {
        [self.0.as_slice(), &newest.to_bytes()].concat()
    }

    /// Returns the calls of a row, newest first; `None` if the row belongs to another list, of a
    /// tool whose name continues after a NUL.
    fn read(&self, key: &[u8], value: &[u8]) -> Result<Option<Vec<CallId>>, Error> {
        let Some(newest) = key.get(self.0.len()..).and_then(|id| id.try_into().ok()) else { return Ok(None) };
        let (others, rest) = value.as_chunks::<16>();
        if !rest.is_empty() {
            return Err(Error::Malformed("a list of calls is truncated".into()));
        }
        let others = others.iter().map(|id| CallId::from_bytes(*id));
        Ok(Some(std::iter::once(CallId::from_bytes(newest)).chain(others).collect()))
    }
}

/// Calls to add to lists in one batch.
#[derive(Debug, Default)]
pub(super) struct NewRows(BTreeMap<List, Vec<CallId>>);

impl NewRows {
    /// Adds a call to its lists and returns their number.
    pub(super) fn add(&mut self, call: &CallRecord) -> usize {
        List::with(call).map(|list| self.0.entry(list).or_default().push(call.id)).count()
    }

    /// Writes rows for the added calls, at most one for each call and list, and empties itself.
    pub(super) fn write(&mut self, batch: &mut sled::Batch) {
        for (list, mut ids) in std::mem::take(&mut self.0) {
            ids.sort_unstable_by(|a, b| b.cmp(a));
            ids.dedup();
            write(&list, &ids, batch);
        }
    }
}

/// Writes rows for calls given newest first.
fn write(list: &List, ids: &[CallId], batch: &mut sled::Batch) {
    let mut rest = ids;
    while let Some((newest, others)) = rest.split_first() {
        let near = others.iter().take_while(|id| number(*newest) - number(**id) <= ROW_SPAN).count();
        let (row, further) = others.split_at(near);
        batch.insert(list.key(*newest), row.iter().flat_map(|id| id.to_bytes()).collect::<Vec<_>>());
        rest = further;
    }
}

fn number(id: CallId) -> u128 {
    u128::from_be_bytes(id.to_bytes())
}

fn id(number: u128) -> CallId {
    CallId::from_bytes(number.to_be_bytes())
}

impl Index {
    /// Returns the rows of a list that can hold calls from `oldest` to `newest`, by key.
    fn list(
        &self,
        list: List,
        oldest: CallId,
        newest: CallId,
    ) -> impl DoubleEndedIterator<Item = Result<Vec<CallId>, Error>> + use<> {
        // The end is exclusive, so it is one byte longer than the last key included.
        let end = [list.key(id(number(newest).saturating_add(ROW_SPAN))), vec![0]].concat();
        let start = list.key(oldest);
        rows(self.db().map(|db| db.range(start..end))).filter_map(move |row| match row {
            Ok((key, value)) => list.read(&key, &value).transpose(),
            Err(error) => Some(Err(error.into())),
        })
    }

    /// Returns calls of a list that are older than `before`, newest first.
    pub(super) fn listed_before(
        &self,
        list: List,
        before: Option<CallId>,
    ) -> impl Iterator<Item = Result<CallId, Error>> + use<> {
        let newest = id(before.map_or(u128::MAX, |before| number(before).saturating_sub(1)));
        let mut rows = self.list(list, id(0), newest).rev().peekable();
        let mut waiting = BinaryHeap::new();
        let mut last = None;
        std::iter::from_fn(move || {
            loop {
                // The remaining rows hold nothing newer than the key of the next.
                let next = rows.peek().map(|row| row.as_ref().map(|ids| ids.first().copied()));
                let is_next = match (waiting.peek(), next) {
                    (None, None) => return None,
                    (Some(_), None) => true,
                    (Some(id), Some(Ok(key))) => key.is_none_or(|key| *id >= key),
                    (None, Some(Ok(_))) | (_, Some(Err(_))) => false,
                };
                if !is_next {
                    match rows.next()? {
                        Ok(ids) => waiting.extend(ids.into_iter().filter(|id| *id <= newest)),
                        Err(error) => return Some(Err(error)),
                    }
                } else if let Some(id) = waiting.pop().filter(|id| last != Some(*id)) {
                    last = Some(id);
                    return Some(Ok(id));
                }
            }
        })
    }

    /// Returns whether a list contains a call.
    pub(super) fn is_listed(&self, list: List, id: CallId) -> Result<bool, Error> {
        for row in self.list(list, id, id) {
            if row?.contains(&id) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Removes calls from a list, with at most two operations for each.
    pub(super) fn unlist(
        &self,
        list: &List,
        mut gone: BTreeSet<CallId>,
        batch: &mut sled::Batch,
    ) -> Result<(), Error> {
        let (Some(oldest), Some(newest)) = (gone.first().copied(), gone.last().copied()) else {
            return Ok(());
        };
        for row in self.list(list.clone(), oldest, newest) {
            let row = row?;
            let Some(key) = row.first() else { continue };
            let kept: Vec<CallId> = row.iter().copied().filter(|id| !gone.remove(id)).collect();
            if kept.len() < row.len() {
                batch.remove(list.key(*key));
                write(list, &kept, batch);
            }
            if gone.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// Counts the entries of all lists of a kind: by tool, failed, and failed by tool.
    pub(super) fn count_listed(&self) -> Result<[u64; LISTS], Error> {
        let count = |kind: u8| {
            let rows = self.db()?.scan_prefix([kind]);
            rows.map(|row| row.map(|(_, others)| 1 + others.len() as u64 / 16)).sum::<sled::Result<u64>>()
        };
        Ok([count(BY_TOOL)?, count(FAILED)?, count(FAILED_BY_TOOL)?])
    }
}

#[cfg(test)]
mod tests;
