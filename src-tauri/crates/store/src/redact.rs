//! Changing what is stored already: calls, declarations and states, record by record.
//!
//! All indexes go first, since they hold the same values and positions that will not hold. Then segment
//! after segment is written anew and replaces the old one; then the index is built. A kill in between
//! leaves a store that opens, with some segments changed and some not. Owns: that order. Refuses to
//! know: what is changed.

use std::path::Path;

use schemascope_journal::{Change, Journal};
use schemascope_model::{CallRecord, ToolId};

use crate::entry::{Entry, Unreadable};
use crate::lock::Lock;
use crate::maintain::{Rebuilt, rebuild_locked, remove_indexes};
use crate::marks::Mark;
use crate::{Declared, Error, States};

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
    /// Told after each segment how many of how many are done.
    fn progress(&mut self, _done: u64, _total: u64) {}
}

/// What changed.
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
    let journal = dir.join("journal");
    drop(Journal::open(&journal)?);
    let segments = schemascope_journal::segments(&journal)?;
    let mut redacted = Redacted::default();
    for (done, segment) in (1..).zip(&segments) {
        let mut change = |kind, payload: &[u8]| change(rewrite, kind, payload);
        let Some(rewritten) = schemascope_journal::rewrite(&journal, segment.number, &mut change)? else {
            return Err(Error::Malformed(format!(
                "{} segment {}: a newer Schemascope wrote this data",
                journal.display(),
                segment.number
            )));
        };
        redacted.records += rewritten.records;
        redacted.changed += rewritten.changed;
        redacted.unreadable += rewritten.damaged + rewritten.dropped;
        rewrite.progress(done, segments.len() as u64);
    }
    redacted.index = rebuild_locked(dir, fold)?;
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
