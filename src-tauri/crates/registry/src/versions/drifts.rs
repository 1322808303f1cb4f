//! A tool's drifts as the audit log reports them: reported, acknowledged, over.
//!
//! The drifts found in calls ([`Drift`](crate::drift::Drift)) and the drifts reported ([`Drifts`]) are two folds.
//! [`due`] returns what the second lacks, so that a kill between them loses nothing and nothing is reported twice.

use std::collections::VecDeque;

use schemascope_model::{Change, Ending, Evidence, Timestamp, VersionOrigin};

use crate::drift::{DriftEvent, Key};
use crate::tool::Tool;
use crate::versions::{Actor, AuditEntry, AuditEvent, Refused, ToolVersions, Version};

/// Drifts kept of a tool: those that go on before others, the newest ones.
const MAX_DRIFTS: usize = 64;
/// Drifts of a tool told in an hour; one that turns to and fro does not fill the log, which is kept for ever.
const AN_HOUR: usize = 20;
const HOUR: u64 = 3_600_000;

/// Drifts of a tool that were reported, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Drifts {
    kept: VecDeque<KnownDrift>,
    /// The number told last.
    latest: u64,
}

/// One drift that was reported.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownDrift {
    /// It; its id is its number, and its beginning counts the tool's observations.
    pub event: DriftEvent,
    /// When it was reported.
    pub told: Timestamp,
    /// Who has acknowledged it.
    pub acknowledged: Option<Acknowledged>,
    /// How it ended; none while it goes on.
    pub resolved: Option<Resolved>,
}

/// The acknowledgement of a drift.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acknowledged {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub by: Actor,
    /// What they say of it.
    pub reason: Option<Box<str>>,
}

/// How a drift ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resolved {
    /// When that was noted.
    pub at: Timestamp,
    /// How.
    pub how: Resolution,
}

/// What ended a drift.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution {
    /// What the tool's results said.
    Ended(Ending),
    /// This version came into force. It was cut after the change, which it thereby takes in.
    TakenIn(u32, schemascope_model::CallId),
    /// The version whose rule was broken is no longer in effect, and no other version is.
    Withdrawn,
}

impl Drifts {
    /// All that are kept, oldest first.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = &KnownDrift> {
        self.kept.iter()
    }

    /// Those that go on, oldest first.
    pub fn open(&self) -> impl DoubleEndedIterator<Item = &KnownDrift> {
        self.kept.iter().filter(|drift| drift.resolved.is_none())
    }

    /// Drifts that go on and are not acknowledged.
    pub fn waiting(&self) -> impl Iterator<Item = &KnownDrift> {
        self.open().filter(|drift| drift.acknowledged.is_none())
    }

    /// One of them.
    pub fn get(&self, number: u64) -> Result<&KnownDrift, Refused> {
        let found = self.kept.iter().find(|drift| drift.event.id == number);
        found.ok_or_else(|| self.no_such(number))
    }

    fn no_such(&self, number: u64) -> Refused {
        Refused::NoSuchDrift { number, open: self.open().map(|drift| drift.event.id).collect() }
    }

    fn knows(&self, key: Key<'_>) -> bool {
        self.kept.iter().any(|drift| drift.event.key() == key)
    }

    pub(super) fn raise(&mut self, event: &DriftEvent, entry: &AuditEntry) -> Result<(), Refused> {
        if event.id != self.latest + 1 || self.knows(event.key()) {
            return Err(Refused::ToldBefore(event.id));
        }
        // Its end was not reported.
        let how = Resolution::Ended(Ending::Returned);
        for before in self.kept.iter_mut().filter(|before| before.event.path == event.path) {
            before.end(Resolved { at: entry.at, how });
        }
        if self.kept.len() == MAX_DRIFTS {
            let over = self.kept.iter().position(|drift| drift.resolved.is_some());
            self.kept.remove(over.unwrap_or(0));
        }
        self.latest = event.id;
        let event = event.clone();
        self.kept.push_back(KnownDrift { event, told: entry.at, acknowledged: None, resolved: None });
        Ok(())
    }

    /// One that goes on.
    fn open_mut(&mut self, number: u64) -> Result<&mut KnownDrift, Refused> {
        let at = self.kept.iter().position(|drift| drift.event.id == number);
        match at.and_then(|at| self.kept.get_mut(at)) {
            Some(drift) if drift.resolved.is_none() => Ok(drift),
            Some(_) => Err(Refused::DriftIsOver(number)),
            None => Err(Refused::NoSuchDrift { number, open: Vec::new() }),
        }
    }

    pub(super) fn acknowledge(&mut self, number: u64, entry: &AuditEntry) -> Result<(), Refused> {
        self.get(number)?;
        let drift = self.open_mut(number)?;
        if drift.acknowledged.is_some() {
            return Err(Refused::IsAcknowledged(number));
        }
        let AuditEntry { at, actor, reason, .. } = entry;
        drift.acknowledged = Some(Acknowledged { at: *at, by: actor.clone(), reason: reason.clone() });
        Ok(())
    }

    pub(super) fn unacknowledge(&mut self, number: u64) -> Result<(), Refused> {
        self.get(number)?;
        let taken = self.open_mut(number)?.acknowledged.take();
        taken.map(drop).ok_or(Refused::NotAcknowledged(number))
    }

    pub(super) fn end(&mut self, number: u64, ending: Ending, at: Timestamp) -> Result<(), Refused> {
        self.get(number)?;
        let drift = self.kept.iter_mut().find(|drift| drift.event.id == number);
        let ended = drift.is_some_and(|drift| drift.end(Resolved { at, how: Resolution::Ended(ending) }));
        if ended { Ok(()) } else { Err(Refused::DriftIsOver(number)) }
    }

    /// No version is in effect any more, so that there are no rules to break. Results may no longer be compared with a
    /// schema, and then they say nothing about the end of these drifts.
    pub(super) fn withdraw(&mut self, at: Timestamp) {
        let broken_rules = self.kept.iter_mut().filter(|drift| drift.event.change == Change::Violated);
        for drift in broken_rules {
            drift.resolved.get_or_insert(Resolved { at, how: Resolution::Withdrawn });
        }
    }

    /// A version is in effect again. If it is the same one, its rules are still broken; the end under another one is
    /// found in results.
    pub(super) fn reinstate(&mut self) {
        for drift in &mut self.kept {
            drift.resolved.take_if(|resolved| resolved.how == Resolution::Withdrawn);
        }
    }

    /// A version became effective: what had changed in the results that it was learned from is as it should be. One
    /// from elsewhere was learned from other results.
    pub(super) fn take_in(&mut self, version: &Version, entry: &AuditEntry) {
        if version.origin != VersionOrigin::Inferred {
            return;
        }
        let how = Resolution::TakenIn(version.number, entry.id);
        for drift in self.kept.iter_mut().filter(|drift| drift.began_before(version)) {
            drift.resolved.get_or_insert(Resolved { at: entry.at, how });
        }
    }

    /// Other results are learned from again, and changes that were taken for usual are changes.
    pub(super) fn reopen_learned(&mut self) {
        let how = Resolution::Ended(Ending::LearnedAgain);
        for drift in &mut self.kept {
            drift.resolved.take_if(|resolved| resolved.how == how);
        }
    }

    /// A decision was undone, and what it ended goes on.
    pub(super) fn reopen(&mut self, decision: schemascope_model::CallId) {
        let by_it =
            |resolved: &Resolved| matches!(resolved.how, Resolution::TakenIn(_, by) if by == decision);
        for drift in &mut self.kept {
            drift.resolved.take_if(|resolved| by_it(resolved));
        }
    }
}

impl KnownDrift {
    /// Whether the last result that a version was learned from came after the change.
    pub(super) fn began_before(&self, version: &Version) -> bool {
        let Evidence { observation_count, last_observed, .. } = &version.evidence;
        // Counts begin again when other results are learned from.
        match last_observed {
            Some(last) => self.event.since <= *last,
            None => self.event.began <= *observation_count,
        }
    }

    /// Ends it, unless it has ended. One that was withdrawn has not: its version may come back. Returns whether it did.
    fn end(&mut self, resolved: Resolved) -> bool {
        let goes_on = self.resolved.is_none_or(|before| before.how == Resolution::Withdrawn);
        if goes_on {
            self.resolved = Some(resolved);
        }
        goes_on
    }
}

/// Returns what is to be reported of a tool's drift, and whether more has to wait.
pub fn due(tool: &Tool, versions: &ToolVersions, now: Timestamp) -> (Vec<AuditEvent>, bool) {
    let known = versions.drifts();
    // Until the tool is learned again as was decided, it says what was decided before.
    let is_settled = tool.learned_since() == versions.decided().learned_since();
    let ending = |drift: &KnownDrift| {
        let ending = tool.drift.ending(drift.event.key());
        let ending = ending.filter(|ending| is_settled || *ending != Ending::LearnedAgain)?;
        Some(AuditEvent::Resolve { drift: drift.event.id, ending })
    };
    let mut due: Vec<AuditEvent> = known.open().filter_map(ending).collect();
    let lately = |drift: &&KnownDrift| now.as_millis().saturating_sub(drift.told.as_millis()) < HOUR;
    let room = AN_HOUR.saturating_sub(known.all().filter(lately).count());
    let new: Vec<&DriftEvent> = tool.drift.open().filter(|event| !known.knows(event.key())).collect();
    due.extend((known.latest + 1..).zip(new.iter().take(room)).map(|(id, event)| {
        let began = tool.observations_at(event);
        AuditEvent::Drift(Box::new(DriftEvent { id, began, ..(*event).clone() }))
    }));
    (due, new.len() > room)
}

/// Drifts that were found and are not told yet: those there was no room for within the hour, and those beyond what is
/// followed at a time.
pub fn untold(tool: &Tool, known: &Drifts) -> u64 {
    let new = tool.drift.open().filter(|event| !known.knows(event.key())).count() as u64;
    new + tool.drift.not_told()
}
