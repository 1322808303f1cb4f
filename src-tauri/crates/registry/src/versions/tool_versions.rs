//! The versions of one tool: how an entry changes them, which are kept, and which decisions an actor may take.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use schemascope_model::{ActorKind, CallId, Quality, VersionOrigin, VersionState};

use crate::schema::digest;
use crate::versions::{AuditEntry, AuditEvent, Cut, Decided, Draft, Drifts, Form, Pin, Refused, Version};

/// Versions kept of a tool: what decisions rest on, the newest one, then the newer ones.
const MAX_VERSIONS: usize = 50;
/// What they may take, in bytes of JSON, with the same order.
const MAX_BYTES: usize = 4 << 20;
/// Decisions that can be undone, one after the other.
const MAX_UNDO: usize = 50;
/// Schemas remembered that no policy touches.
const MAX_HANDS_OFF: usize = 200;

/// The versions of one tool, and what was decided about them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolVersions {
    versions: BTreeMap<u32, Arc<Version>>,
    /// The number cut last.
    latest: u32,
    decided: Decided,
    /// Decisions with what stood before each, and the schemas that no policy touched, the latest last.
    undo: Vec<(CallId, Decided, VecDeque<Box<str>>)>,
    /// Digests of what persons rejected or took back, the latest last.
    hands_off: VecDeque<Box<str>>,
    suspended: bool,
    drifts: Drifts,
}

/// A decision to take. Omitted parts have their obvious value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Promotes a version, or the candidate.
    Promote(Option<u32>),
    /// Pins a version, or the one in effect.
    Pin {
        /// Which.
        version: Option<u32>,
        /// Whether results that break it become errors.
        enforced: bool,
    },
    /// Takes the pin away.
    Unpin,
    /// Rejects a version, or the candidate.
    Reject(Option<u32>),
    /// Takes back the version in effect, for an earlier promoted version, or the one before.
    Rollback(Option<u32>),
    /// Undoes the latest decision that is not undone.
    Undo,
}

/// A version in effect, and how.
#[derive(Debug, Clone)]
pub enum InForce {
    /// Promoted.
    Promoted(Arc<Version>),
    /// Pinned.
    Pinned(Arc<Version>),
    /// Pinned, and results that break it become errors.
    Enforced(Arc<Version>),
}

impl InForce {
    /// The version.
    pub fn version(&self) -> &Arc<Version> {
        match self {
            Self::Promoted(version) | Self::Pinned(version) | Self::Enforced(version) => version,
        }
    }
}

impl ToolVersions {
    /// Those kept, oldest first.
    pub fn versions(&self) -> impl DoubleEndedIterator<Item = &Arc<Version>> {
        self.versions.values()
    }

    /// Versions that were cut and are not kept any more.
    pub fn dropped(&self) -> u32 {
        self.latest - u32::try_from(self.versions.len()).unwrap_or(self.latest)
    }

    /// The version cut last.
    pub fn newest(&self) -> Option<&Arc<Version>> {
        self.versions.get(&self.latest)
    }

    /// The number of the next cut.
    pub fn next(&self) -> u32 {
        self.latest + 1
    }

    /// The version in effect after undoing the latest decision; none if there is nothing to undo.
    pub fn after_undo(&self) -> Option<Option<u32>> {
        self.undo.last().map(|(_, before, _)| before.in_force())
    }

    /// The version in effect after unpinning; none if nothing is pinned.
    pub fn after_unpin(&self) -> Option<Option<u32>> {
        self.decided.pinned.map(|_| self.decided.promoted)
    }

    /// What a rollback that does not say where would go back to: the version promoted before, or no version. None
    /// when there is nothing to take back, or when it has to be said.
    pub fn rollback(&self) -> Option<Option<u32>> {
        self.decided.previous().ok()
    }

    /// One of them.
    pub fn version(&self, number: u32) -> Result<&Arc<Version>, Refused> {
        self.versions.get(&number).ok_or_else(|| match self.latest {
            0 => Refused::NoVersions,
            _ => Refused::NoSuchVersion { version: number, kept: self.kept(), dropped: self.dropped() },
        })
    }

    /// What was decided.
    pub fn decided(&self) -> &Decided {
        &self.decided
    }

    /// Whether the schema in effect is not advertised for now. A pinned one always is.
    pub fn is_suspended(&self) -> bool {
        self.suspended && self.decided.pinned.is_none()
    }

    /// Reported drifts of the tool.
    pub fn drifts(&self) -> &Drifts {
        &self.drifts
    }

    /// The version in effect, and how.
    pub fn in_force(&self) -> Option<InForce> {
        let version = Arc::clone(self.versions.get(&self.decided.in_force()?)?);
        Some(match self.decided.pinned {
            Some(Pin { enforced: true, .. }) => InForce::Enforced(version),
            Some(_) => InForce::Pinned(version),
            None => InForce::Promoted(version),
        })
    }

    /// What was decided about a version.
    pub fn state(&self, number: u32) -> VersionState {
        let decided = &self.decided;
        if decided.promoted == Some(number) {
            VersionState::Promoted
        } else if decided.rejected.contains(&number) {
            VersionState::Rejected
        } else if self.candidates().any(|candidate| candidate == number) {
            VersionState::Candidate
        } else {
            VersionState::Superseded
        }
    }

    /// Whether it was rolled back.
    pub fn is_rolled_back(&self, number: u32) -> bool {
        self.decided.rolled_back.contains(&number)
    }

    /// The newest version that waits for a decision.
    pub fn candidate(&self) -> Option<u32> {
        self.candidates().next()
    }

    /// The versions that wait for a decision, newest first: the newest one, and the newest one that was learned here if that
    /// is another one, unless a later one is effective. A schema from elsewhere that was turned down leaves the one before
    /// it waiting. Versions that were learned from other results than was decided do not wait.
    pub fn candidates(&self) -> impl Iterator<Item = u32> {
        let since = self.decided.learned_since();
        let is_learned = move |version: &Version| {
            version.origin == VersionOrigin::Inferred && version.evidence.learned_since == since
        };
        let may_wait = |version: &&Arc<Version>| match version.origin {
            VersionOrigin::Inferred => is_learned(version),
            _ => !self.is_turned_down(version.number),
        };
        let newest = self.versions().rev().find(may_wait).map(|version| version.number);
        let later = self.decided.promoted.max(self.decided.in_force());
        let learned = self.versions().rev().find(|version| is_learned(version)).map(|version| version.number);
        let learned = learned.filter(|learned| later < Some(*learned));
        let both = newest.into_iter().chain(learned.filter(|learned| newest != Some(*learned)));
        both.filter(|number| !self.is_decided(*number))
    }

    fn is_turned_down(&self, number: u32) -> bool {
        self.decided.rejected.contains(&number) || self.decided.rolled_back.contains(&number)
    }

    fn is_decided(&self, number: u32) -> bool {
        self.decided.needs(number) || self.is_turned_down(number)
    }

    /// Whether a draft is to be cut: it is new, and not what a person rejected. What was cut from the same
    /// observations before, and is drafted again by a replay, is not.
    pub fn wants(&self, draft: &Draft) -> bool {
        let rejected = |version: &Arc<Version>| {
            version.digest == draft.digest && self.decided.rejected.contains(&version.number)
        };
        let is_inferred = |version: &&Arc<Version>| version.origin == VersionOrigin::Inferred;
        let is_new = self.newest().is_none_or(|newest| newest.digest != draft.digest)
            && self.versions().rev().find(is_inferred).is_none_or(|inferred| {
                let (before, now) = (&inferred.evidence, &draft.evidence);
                // Counts begin again where another part of the results is learned from.
                let is_later = before.learned_since != now.learned_since
                    || before.observation_count < now.observation_count;
                inferred.digest != draft.digest && is_later
            });
        is_new && !self.versions.values().any(rejected)
    }

    /// The version that the policy `at_high` promotes now: the newest that was learned here, when nothing was decided about
    /// it or a newer one, it is what is still inferred and its quality is high, it was not taken back and nothing is pinned.
    /// What others decided is for a person to decide here.
    /// `quality` takes long to find out, and is asked last.
    pub fn to_promote(&self, form: &Form, quality: impl FnOnce() -> Quality) -> Option<u32> {
        let is_inferred = |version: &&Arc<Version>| version.origin == VersionOrigin::Inferred;
        let candidate = self.versions().rev().find(is_inferred)?;
        let may = !self.is_decided(candidate.number)
            && self.decided.promoted.is_none_or(|promoted| promoted < candidate.number)
            && *candidate.digest == *form.digest()
            && !self.hands_off.contains(&candidate.digest)
            && self.decided.pinned.is_none()
            && quality() == Quality::High;
        may.then_some(candidate.number)
    }

    /// The newest version that was learned here.
    pub fn newest_inferred(&self) -> Option<u32> {
        self.versions().rev().find(|version| version.origin == VersionOrigin::Inferred).map(|one| one.number)
    }

    /// The event a wish comes to, with nothing left open.
    pub fn resolve(&self, wish: Wish) -> Result<AuditEvent, Refused> {
        let candidate = || match self.candidates().collect::<Vec<_>>()[..] {
            [only] => Ok(only),
            [elsewhere, learned, ..] => Err(Refused::SeveralCandidates { learned, elsewhere }),
            [] if self.latest == 0 => Err(Refused::NoVersions),
            [] => Err(Refused::NoCandidate { kept: self.kept() }),
        };
        Ok(match wish {
            Wish::Promote(version) => AuditEvent::Promote { version: version.map_or_else(candidate, Ok)? },
            Wish::Pin { version, enforced } => {
                let nothing = || match self.latest {
                    0 => Refused::NoVersions,
                    _ => Refused::NothingToPin { kept: self.kept() },
                };
                let version = version.or(self.decided.in_force()).ok_or_else(nothing)?;
                AuditEvent::Pin { version, enforced }
            }
            Wish::Unpin => AuditEvent::Unpin {},
            Wish::Reject(version) => AuditEvent::Reject { version: version.map_or_else(candidate, Ok)? },
            Wish::Rollback(Some(to)) => AuditEvent::Rollback { to: Some(to) },
            Wish::Rollback(None) => AuditEvent::Rollback { to: self.decided.previous()? },
            Wish::Undo => {
                AuditEvent::Undo { of: self.undo.last().map(|(of, ..)| *of).ok_or(Refused::NothingToUndo)? }
            }
        })
    }

    /// Takes an entry, or refuses it and is as before only if the caller keeps a copy.
    pub(super) fn take(&mut self, entry: &AuditEntry) -> Result<(), Refused> {
        let (before, untouched) = (self.decided.clone(), self.hands_off.clone());
        let was_in_force = before.in_force();
        let by_person = entry.actor.kind != ActorKind::Policy;
        match &entry.event {
            AuditEvent::Cut(cut) => return self.cut(cut, entry),
            AuditEvent::Override {} | AuditEvent::CommandLine { .. } => {}
            AuditEvent::DeleteInterview { .. } | AuditEvent::Describe { .. } => {}
            AuditEvent::Suspend {} => self.suspended = true,
            AuditEvent::Restore {} => self.suspended = false,
            AuditEvent::Drift(event) => return self.drifts.raise(event, entry),
            AuditEvent::Acknowledge { drift } => return self.drifts.acknowledge(*drift, entry),
            AuditEvent::Unacknowledge { drift } => return self.drifts.unacknowledge(*drift),
            AuditEvent::Resolve { drift, ending } => return self.drifts.end(*drift, *ending, entry.at),
            AuditEvent::Undo { of } => {
                self.undo(*of)?;
                self.drifts.reopen(*of);
                if self.decided.learned_since() != before.learned_since() {
                    self.drifts.reopen_learned();
                }
            }
            AuditEvent::Promote { version } => {
                let digest = self.version(*version)?.digest.clone();
                if by_person {
                    self.hands_off.retain(|other| *other != digest);
                } else if self.hands_off.contains(&digest) || before.rejected.contains(version) {
                    return Err(Refused::HandsOff(*version));
                }
                self.decided.promote(*version)?;
            }
            AuditEvent::Pin { version, enforced } => {
                self.version(*version)?;
                self.decided.pin(Pin { version: *version, enforced: *enforced })?;
            }
            AuditEvent::Unpin {} => self.decided.unpin()?,
            AuditEvent::Reject { version } => {
                self.version(*version)?;
                self.decided.reject(*version)?;
                self.keep_hands_off(Some(*version));
            }
            AuditEvent::LearnSince { since } => {
                self.decided.learn_since(*since)?;
                // Those that began by then end again.
                self.drifts.reopen_learned();
            }
            AuditEvent::FailingText { starts, fails } => self.decided.judge_text(starts, *fails)?,
            AuditEvent::Rollback { to } => {
                to.map(|to| self.version(to).map(drop)).transpose()?;
                self.decided.roll_back(*to)?;
                self.keep_hands_off(before.in_force());
                self.keep_hands_off(before.promoted.filter(|promoted| Some(*promoted) != *to));
            }
        }
        // Another schema is advertised again.
        self.suspended &= was_in_force == self.decided.in_force();
        if entry.event.is_decision() {
            self.undo.push((entry.id, before, untouched));
            let beyond = self.undo.len().saturating_sub(MAX_UNDO);
            self.undo.drain(..beyond);
        }
        match self.decided.in_force() {
            None if was_in_force.is_some() => self.drifts.withdraw(entry.at),
            Some(version) if was_in_force != Some(version) => {
                self.drifts.reinstate();
                if let Some(version) = self.versions.get(&version) {
                    self.drifts.take_in(version, entry);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn undo(&mut self, of: CallId) -> Result<(), Refused> {
        let (latest, before, untouched) = self.undo.pop().ok_or(Refused::NothingToUndo)?;
        if latest != of {
            return Err(Refused::NotTheLatest { latest });
        }
        let needed = [before.promoted, before.pinned.map(|pin| pin.version)];
        if let Some(gone) = needed.into_iter().flatten().find(|version| !self.versions.contains_key(version))
        {
            return Err(Refused::GoneSince(gone));
        }
        let taken_back = self.decided.in_force().filter(|version| before.in_force() != Some(*version));
        self.decided = before;
        self.decided.earlier.retain(|version| self.versions.contains_key(version));
        self.hands_off = untouched;
        self.keep_hands_off(taken_back);
        Ok(())
    }

    fn keep_hands_off(&mut self, version: Option<u32>) {
        let digest =
            version.and_then(|version| self.versions.get(&version)).map(|version| version.digest.clone());
        let Some(digest) = digest else { return };
        self.hands_off.retain(|other| *other != digest);
        self.hands_off.push_back(digest);
        if self.hands_off.len() > MAX_HANDS_OFF {
            self.hands_off.pop_front();
        }
    }

    fn cut(&mut self, cut: &Cut, entry: &AuditEntry) -> Result<(), Refused> {
        let (version, next) = (cut.version, self.next());
        if version != next {
            return Err(Refused::NotNext { version, next });
        }
        let read = serde_json::from_str(cut.schema.get());
        let unreadable =
            |error: serde_json::Error| Refused::Unreadable { version, reason: error.to_string() };
        let schema = Arc::new(read.map_err(unreadable)?);
        let evidence = serde_json::to_string(&cut.evidence).map_or(0, |json| json.len());
        let cut = Version {
            number: version,
            origin: cut.origin,
            created: entry.at,
            digest: digest(&schema),
            schema,
            evidence: cut.evidence.clone(),
            size: cut.schema.get().len() + evidence,
        };
        self.latest = version;
        self.versions.insert(version, Arc::new(cut));
        self.make_room();
        Ok(())
    }

    /// Lets the oldest versions go that nothing rests on.
    fn make_room(&mut self) {
        let mut bytes: usize = self.versions.values().map(|version| version.size).sum();
        let numbers: Vec<u32> = self.versions.keys().copied().collect();
        for number in numbers {
            if self.versions.len() <= MAX_VERSIONS && bytes <= MAX_BYTES {
                return;
            }
            if number != self.latest && !self.decided.needs(number) {
                bytes -= self.versions.remove(&number).map_or(0, |version| version.size);
            }
        }
    }

    fn kept(&self) -> Vec<u32> {
        self.versions.keys().copied().collect()
    }
}
