//! Verification that journal, index, states and audit log agree. Repairs nothing.
//!
//! The journal is read from its beginning into a fold, and each call is compared with the index.
//! Then the index's own states, brought up to the same end, are compared with those of the fold.
//! The audit log is read to its end, and the fold applies its entries.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use schemascope_journal::{Damage, Entry as Frame, Found, Position, Reader, Torn};
use schemascope_model::{CallId, ToolId};

use crate::audit::{FOLDER, INTERVIEWS};
use crate::entry::{CALL, Entry};
use crate::index::{Comparison, Index};
use crate::lock::Lock;
use crate::marks::{Mark, RemovedCalls};
use crate::open::open_existing;
use crate::{Error, States};

/// Most differences of one kind listed individually.
const MAX_NAMED: usize = 10;
/// Number of entries between two progress reports.
const PROGRESS_INTERVAL: u64 = 1_000;

/// Findings of one kind: the first few, and their number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings<T> {
    /// First few findings.
    pub first: Vec<T>,
    /// Number of findings.
    pub count: u64,
}

impl<T> Default for Findings<T> {
    fn default() -> Self {
        Self { first: Vec::new(), count: 0 }
    }
}

impl<T> Findings<T> {
    fn add(&mut self, one: T) {
        self.count += 1;
        if self.first.len() < MAX_NAMED {
            self.first.push(one);
        }
    }
}

/// Result of a verification.
#[derive(Debug, Default)]
pub struct Report {
    /// Calls in the journal that should be in the index.
    pub calls: u64,
    /// Calls in the journal that retention has removed.
    pub gone: u64,
    /// Entries not yet in the index. The next start adds them.
    pub behind: u64,
    /// Tools whose states were compared.
    pub tools: u64,
    /// Unfinished write at the journal's end. It contains nothing acknowledged.
    pub torn: Option<Torn>,
    /// Places in the journal that cannot be read.
    pub damaged: Findings<Damage>,
    /// Calls missing from the index.
    pub missing: Findings<(CallId, Position)>,
    /// Calls that differ between index and journal.
    pub different: Findings<(CallId, Position)>,
    /// Calls in the index that are missing from a list.
    pub unlisted: Findings<(CallId, Position)>,
    /// Calls in the index that are not in the journal.
    pub unknown: Findings<CallId>,
    /// Tools whose state in the index differs from the one the journal gives.
    pub states: Findings<ToolId>,
    /// Reason why the comparison with the index could not be finished.
    pub unusable: Option<String>,
    /// Result for the audit log.
    pub audit: AuditCheck,
    /// Result for the log of interviews.
    pub interviews: AuditCheck,
}

/// Result of verifying the audit log.
#[derive(Debug, Default)]
pub struct AuditCheck {
    /// Number of entries read.
    pub entries: u64,
    /// Unfinished write at its end, which does not count as a decision.
    pub torn: Option<Torn>,
    /// Places that cannot be read.
    pub damaged: Findings<Damage>,
    /// Reasons why entries contradict earlier ones.
    pub refused: Findings<String>,
}

impl AuditCheck {
    /// Reads the log of a data directory into `fold`. Repairs nothing.
    pub(crate) fn of(dir: &Path, fold: &mut dyn States) -> Result<Self, Error> {
        Self::read(dir, FOLDER, |entry| fold.decision(entry))
    }

    /// Reads the log of interviews of a data directory. Repairs nothing.
    fn of_interviews(dir: &Path) -> Result<Self, Error> {
        Self::read(dir, INTERVIEWS, |entry| match serde_json::from_slice::<serde::de::IgnoredAny>(entry) {
            Ok(_) => Ok(()),
            Err(error) => Err(error.to_string()),
        })
    }

    fn read(
        dir: &Path,
        folder: &str,
        mut apply: impl FnMut(&[u8]) -> Result<(), String>,
    ) -> Result<Self, Error> {
        let (read, torn) = crate::audit::inspect(dir, folder)?;
        let mut check = Self { entries: read.entries.len() as u64, torn, ..Self::default() };
        read.damaged.into_iter().for_each(|damage| check.damaged.add(damage));
        for entry in &read.entries {
            if let Err(reason) = apply(entry) {
                check.refused.add(reason);
            }
        }
        Ok(check)
    }
}

impl Report {
    /// Returns whether everything agrees. An unfinished write and entries not yet indexed are
    /// normal: the next start handles both.
    pub fn is_sound(&self) -> bool {
        let calls = [self.missing.count, self.different.count, self.unlisted.count, self.unknown.count];
        let logs = [&self.audit, &self.interviews];
        let audit: u64 = logs.iter().map(|log| log.damaged.count + log.refused.count).sum();
        let differences = calls.iter().sum::<u64>() + self.damaged.count + self.states.count + audit;
        differences == 0 && self.unusable.is_none()
    }
}

/// Compares everything in `dir`. `fold` must be empty and receives the progress. No other process
/// may have the store open.
pub fn verify(dir: &Path, fold: &mut dyn States) -> Result<Report, Error> {
    let _lock = Lock::take(dir)?;
    let journal = dir.join("journal");
    let (end, tail) = schemascope_journal::tail(&journal)?;
    let gone = RemovedCalls::read(&journal)?;
    let mut report = Report {
        torn: tail.torn,
        audit: AuditCheck::of(dir, &mut *fold)?,
        interviews: AuditCheck::of_interviews(dir)?,
        ..Report::default()
    };
    let index = open_existing(&dir.join("index"))?.map_err(|reason| report.unusable = Some(reason)).ok();
    let mut check = Check { journal: &journal, end, gone, index, report };
    check.calls(fold)?;
    check.guarded(Check::rows);
    let replayed = digests(fold);
    fold.clear();
    check.states(fold, &replayed)?;
    Ok(check.report)
}

struct Check<'a> {
    journal: &'a Path,
    end: Position,
    gone: RemovedCalls,
    index: Option<Index>,
    report: Report,
}

impl Check<'_> {
    /// Uses the index. After a panic or an error it is not used again.
    fn guarded<T>(&mut self, use_index: impl FnOnce(&mut Self, &Index) -> Result<T, Error>) -> Option<T> {
        let index = self.index.clone()?;
        let done = catch_unwind(AssertUnwindSafe(|| use_index(self, &index)));
        match done.unwrap_or(Err(Error::IndexPanicked)) {
            Ok(done) => Some(done),
            Err(error) => {
                self.report.unusable = Some(error.to_string());
                self.index = None;
                None
            }
        }
    }

    /// Visits the acknowledged entries from a position onwards.
    fn each(
        &mut self,
        from: Position,
        mut see: impl FnMut(&mut Self, &Frame, Entry, (u64, u64)),
    ) -> Result<(), Error> {
        let mut reader = Reader::new(self.journal, from)?;
        let total = reader.bytes_left();
        while let Some(found) = reader.next() {
            let frame = match found? {
                Found::Entry(frame) if frame.at >= self.end => break,
                Found::Damage(damage) if damage.at >= self.end => break,
                Found::Entry(frame) => frame,
                Found::Damage(damage) => {
                    self.report.damaged.add(damage);
                    continue;
                }
            };
            if Mark::is_kind(frame.kind) {
                continue;
            }
            match Entry::decode(frame.kind, &frame.payload) {
                Ok(entry) => see(self, &frame, entry, (total.saturating_sub(reader.bytes_left()), total)),
                Err(_) => {
                    let bytes = frame.next.offset - frame.at.offset;
                    let reason = "the record is malformed or was written by a newer version";
                    self.report.damaged.add(Damage { at: frame.at, bytes, reason });
                }
            }
        }
        Ok(())
    }

    fn calls(&mut self, fold: &mut dyn States) -> Result<(), Error> {
        let checkpoint = self.guarded(|_, index| Ok(index.checkpoint()?)).flatten().unwrap_or_default();
        let mut seen = 0;
        self.each(Position::START, |check, frame, entry, (done, total)| {
            // A snapshot that cannot be loaded is not needed here, because the entries it replaces
            // were replayed.
            let _ = fold.apply(&entry);
            seen += 1;
            if seen % PROGRESS_INTERVAL == 0 {
                fold.progress(done, total);
            }
            if frame.at >= checkpoint {
                check.report.behind += 1;
                return;
            }
            let Entry::Call(call) = entry else { return };
            if check.gone.has(call.id, frame.at) {
                check.report.gone += 1;
                return;
            }
            check.report.calls += 1;
            let compare = |_: &mut Self, index: &Index| index.compare(&call, frame.at, &frame.compressed);
            let place = (call.id, frame.at);
            match check.guarded(compare) {
                Some(Comparison::Missing) => check.report.missing.add(place),
                Some(Comparison::Different) => check.report.different.add(place),
                Some(Comparison::Unlisted) => check.report.unlisted.add(place),
                Some(Comparison::Same) | None => {}
            }
        })
    }

    /// Finds rows without a call. Counts are compared first, because reading all ids again is
    /// rarely necessary.
    fn rows(&mut self, index: &Index) -> Result<(), Error> {
        let counts = index.counts()?;
        let known = self.report.calls - self.report.missing.count;
        if counts.calls == known && counts.by_tool == known && counts.failed == counts.failed_by_tool {
            return Ok(());
        }
        let mut ids = Vec::new();
        for segment in schemascope_journal::segments(self.journal)? {
            schemascope_journal::heads(self.journal, segment.number, |head| {
                ids.extend(head.filter(|head| head.kind == CALL).map(|head| head.id));
            })?;
        }
        ids.sort_unstable();
        for id in index.oldest() {
            let id = id?;
            if ids.binary_search(&id.to_bytes()).is_err() {
                self.report.unknown.add(id);
            }
        }
        Ok(())
    }

    /// Compares the index's states, brought up to date, with those of the whole journal.
    fn states(&mut self, fold: &mut dyn States, replayed: &BTreeMap<ToolId, u64>) -> Result<(), Error> {
        let damaged = self.report.damaged.clone();
        let load = |_: &mut Self, index: &Index| {
            let mut as_of = HashMap::new();
            for state in index.states() {
                let state = state?;
                fold.load(state.tool.clone(), &state.bytes).map_err(Error::Malformed)?;
                as_of.insert(state.tool, state.as_of);
            }
            Ok((as_of, index.states_checkpoint()?.unwrap_or(Position::START)))
        };
        let Some((as_of, from)) = self.guarded(load) else { return Ok(()) };
        if fold.is_outdated() {
            // The next start learns them again from the journal.
            return Ok(());
        }
        self.each(from, |_, frame, entry, _| {
            if as_of.get(entry.tool()).is_none_or(|as_of| frame.at >= *as_of) {
                let _ = fold.apply(&entry);
            }
        })?;
        // The second pass finds the same damage again.
        self.report.damaged = damaged;
        let indexed = digests(fold);
        let tools: BTreeSet<&ToolId> = replayed.keys().chain(indexed.keys()).collect();
        self.report.tools = tools.len() as u64;
        for tool in tools {
            if replayed.get(tool) != indexed.get(tool) {
                self.report.states.add(tool.clone());
            }
        }
        Ok(())
    }
}

/// Returns states as digests, so that two sets need not be in memory at once.
fn digests(fold: &dyn States) -> BTreeMap<ToolId, u64> {
    let digest = |tool: ToolId| {
        let mut hasher = DefaultHasher::new();
        fold.compared(&tool).hash(&mut hasher);
        (tool, hasher.finish())
    };
    fold.tools().into_iter().map(digest).collect()
}
