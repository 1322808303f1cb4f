//! Redaction of stored data: calls, declarations, states and decisions, record by record.
//!
//! All indexes are removed first, because they hold the same values and refer to positions that
//! change. Then each segment of the journal and of the audit log is rewritten and replaced, and
//! finally the index is rebuilt. A kill in between leaves a store that opens, with some segments
//! redacted and others not.

use std::path::Path;

use schemascope_journal::{Change, Journal, Rewritten};
use schemascope_model::{CallRecord, ToolId};

use crate::entry::{Entry, Unreadable};
use crate::lock::Lock;
use crate::maintain::{Rebuilt, rebuild_locked, remove_indexes};
use crate::marks::Mark;
use crate::{Declared, Error, States, audit};

/// Changes to make to stored records.
pub trait Rewrite {
    /// Changes a call. Returns whether it changed.
    fn call(&mut self, call: &mut CallRecord) -> bool;
    /// Changes the declaration of a tool. Returns whether it changed.
    fn declared(&mut self, _declared: &mut Declared) -> bool {
        false
    }
    /// Returns the replacement of a tool's state in a snapshot, or `None` to keep it.
    fn state(&mut self, _tool: &ToolId, _state: &[u8]) -> Option<Vec<u8>> {
        None
    }
    /// Returns the replacement of an entry of the audit log, or `None` to keep it.
    fn decision(&mut self, _entry: &[u8]) -> Option<Vec<u8>> {
        None
    }
    /// Returns the replacement of an entry of the log of interviews, or `None` to keep it.
    fn interview(&mut self, _entry: &[u8]) -> Option<Vec<u8>> {
        None
    }
    /// Receives the number of segments done and the total, after each segment.
    fn progress(&mut self, _done: u64, _total: u64) {}
}

/// Changes made, or that would be made.
#[derive(Debug, Default)]
pub struct Redacted {
    /// Number of records examined.
    pub records: u64,
    /// Number of records changed.
    pub changed: u64,
    /// Number of places removed because they cannot be read and might hold anything.
    pub unreadable: u64,
    /// The rebuilt index.
    pub index: Rebuilt,
}

/// Passes every stored record to `rewrite`, writes the changed records, and rebuilds the index into
/// `fold`, which must be empty. No other process may have the store open.
pub fn redact(dir: &Path, rewrite: &mut dyn Rewrite, fold: &mut dyn States) -> Result<Redacted, Error> {
    let _lock = Lock::take(dir)?;
    if dir.join("journal").is_dir() {
        drop(Journal::open(&dir.join("journal"))?);
        crate::salvage::adopt(dir)?;
        crate::salvage::salvage(dir, crate::salvage::Lost::Anywhere)?;
    }
    remove_indexes(dir)?;
    for journal in ["journal", audit::FOLDER, audit::INTERVIEWS].map(|name| dir.join(name)) {
        if journal.is_dir() {
            // Removes what a kill left unfinished: never acknowledged, but still readable.
            drop(Journal::open(&journal)?);
        }
    }
    let mut redacted = each(dir, rewrite, schemascope_journal::rewrite)?;
    redacted.index = rebuild_locked(dir, fold)?;
    Ok(redacted)
}

/// Returns what [`redact`] would change. Changes nothing.
pub fn rehearse(dir: &Path, rewrite: &mut dyn Rewrite) -> Result<Redacted, Error> {
    let _lock = Lock::take(dir)?;
    each(dir, rewrite, schemascope_journal::rehearse)
}

/// Operation on one segment.
type Work = fn(
    &Path,
    u64,
    &mut dyn FnMut(u8, &[u8]) -> Change,
) -> Result<Option<Rewritten>, schemascope_journal::Error>;

fn each(dir: &Path, rewrite: &mut dyn Rewrite, work: Work) -> Result<Redacted, Error> {
    let (journal, log, interviews) =
        (dir.join("journal"), dir.join(audit::FOLDER), dir.join(audit::INTERVIEWS));
    let mut segments = Vec::new();
    for folder in [&journal, &log, &interviews] {
        if folder.is_dir() {
            segments
                .extend(schemascope_journal::segments(folder)?.into_iter().map(|one| (folder, one.number)));
        }
    }
    let mut redacted = Redacted::default();
    for (done, (folder, number)) in (1..).zip(&segments) {
        let mut change = |kind, payload: &[u8]| {
            if **folder == log {
                audit::change(kind, payload, |entry| rewrite.decision(entry))
            } else if **folder == interviews {
                audit::change(kind, payload, |entry| rewrite.interview(entry))
            } else {
                change(rewrite, kind, payload)
            }
        };
        let Some(rewritten) = work(folder, *number, &mut change)? else {
            return Err(Error::Malformed(format!(
                "cannot redact {} segment {number}: a newer version of Schemascope wrote this data",
                folder.display()
            )));
        };
        redacted.records += rewritten.records;
        redacted.changed += rewritten.changed;
        redacted.unreadable += rewritten.damaged + rewritten.dropped;
        rewrite.progress(done, segments.len() as u64);
    }
    Ok(redacted)
}

fn change(rewrite: &mut dyn Rewrite, kind: u8, payload: &[u8]) -> Change {
    if Mark::is_kind(kind) {
        return Change::Keep;
    }
    let entry = match Entry::decode(kind, payload) {
        Ok(entry) => entry,
        Err(Unreadable::Format(_)) => return Change::Stop,
        Err(Unreadable::Malformed(_)) => return Change::Drop,
    };
    let changed = match entry {
        Entry::Call(mut call) => rewrite.call(&mut call).then_some(Entry::Call(call)),
        Entry::Declared(mut declared) => rewrite.declared(&mut declared).then_some(Entry::Declared(declared)),
        Entry::State { tool, state } => {
            rewrite.state(&tool, &state).map(|state| Entry::State { tool, state })
        }
    };
    changed.map_or(Change::Keep, |entry| Change::Replace(entry.encode()))
}
