//! Changing what is stored already: calls, declarations, states and decisions, record by record.
//!
//! All indexes go first, since they hold the same values and positions that will not hold. Then segment
//! after segment is written anew and replaces the old one, the audit log's as well; then the index is built. A
//! kill in between leaves a store that opens, with some segments changed and some not. Owns: that order. Refuses
//! to know: what is changed.

use std::path::Path;

use schemascope_journal::{Change, Journal, Rewritten};
use schemascope_model::{CallRecord, ToolId};

use crate::entry::{Entry, Unreadable};
use crate::lock::Lock;
use crate::maintain::{Rebuilt, rebuild_locked, remove_indexes};
use crate::marks::Mark;
use crate::{Declared, Error, States, audit};

/// What is done to stored records.
pub trait Rewrite {
    /// Changes a call. Whether it did.
    fn call(&mut self, call: &mut CallRecord) -> bool;
    /// Changes what a server said of a tool. Whether it did.
    fn declared(&mut self, _declared: &mut Declared) -> bool {
        false
    }
    /// What stands in the place of a tool's state in a snapshot; none leaves it.
    fn state(&mut self, _tool: &ToolId, _state: &[u8]) -> Option<Vec<u8>> {
        None
    }
    /// What stands in the place of an entry of the audit log; none leaves it.
    fn decision(&mut self, _entry: &[u8]) -> Option<Vec<u8>> {
        None
    }
    /// Told after each segment how many of how many are done.
    fn progress(&mut self, _done: u64, _total: u64) {}
}

/// What changed, or would.
#[derive(Debug, Default)]
pub struct Redacted {
    /// Records looked at.
    pub records: u64,
    /// Records that changed.
    pub changed: u64,
    /// Places left out because nobody can tell what is in them.
    pub unreadable: u64,
    /// The index, built anew.
    pub index: Rebuilt,
}

/// Shows every stored record to `rewrite`, writes what changed, and builds the index anew into `fold`,
/// which must know nothing yet. Nobody else may have the store open.
pub fn redact(dir: &Path, rewrite: &mut dyn Rewrite, fold: &mut dyn States) -> Result<Redacted, Error> {
    let _lock = Lock::take(dir)?;
    remove_indexes(dir)?;
    for journal in ["journal", audit::FOLDER].map(|name| dir.join(name)) {
        if journal.is_dir() {
            // Cuts what a kill tore: it is nobody's, but it can be read.
            drop(Journal::open(&journal)?);
        }
    }
    let mut redacted = each(dir, rewrite, schemascope_journal::rewrite)?;
    redacted.index = rebuild_locked(dir, fold)?;
    Ok(redacted)
}

/// What [`redact`] would change. Nothing is.
pub fn rehearse(dir: &Path, rewrite: &mut dyn Rewrite) -> Result<Redacted, Error> {
    let _lock = Lock::take(dir)?;
    each(dir, rewrite, schemascope_journal::rehearse)
}

/// What is done to a segment.
type Work = fn(
    &Path,
    u64,
    &mut dyn FnMut(u8, &[u8]) -> Change,
) -> Result<Option<Rewritten>, schemascope_journal::Error>;

fn each(dir: &Path, rewrite: &mut dyn Rewrite, work: Work) -> Result<Redacted, Error> {
    let (journal, log) = (dir.join("journal"), dir.join(audit::FOLDER));
    let mut segments = Vec::new();
    for folder in [&journal, &log] {
        if folder.is_dir() {
            segments
                .extend(schemascope_journal::segments(folder)?.into_iter().map(|one| (folder, one.number)));
        }
    }
    let mut redacted = Redacted::default();
    for (done, (folder, number)) in (1..).zip(&segments) {
        let is_log = **folder == log;
        let mut change = |kind, payload: &[u8]| match is_log {
            true => audit::change(kind, payload, |entry| rewrite.decision(entry)),
            false => change(rewrite, kind, payload),
        };
        let Some(rewritten) = work(folder, *number, &mut change)? else {
            return Err(Error::Malformed(format!(
                "{} segment {number}: a newer Schemascope wrote this data",
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
