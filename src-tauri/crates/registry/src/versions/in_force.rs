//! The decisions about a tool's versions that are in effect, and how each further decision changes them.
//!
//! It is a value of its own, apart from the versions, so that undoing a decision restores the previous value.

use std::collections::BTreeSet;

use schemascope_model::Timestamp;

use crate::failing_texts::{MAX_BEGINNING, MAX_RULES};
use crate::learning::LearningRules;
use crate::versions::Refused;

/// Earlier promotions that can be returned to.
const MAX_EARLIER: usize = 16;

/// What was decided.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decided {
    /// The version promoted last.
    pub promoted: Option<u32>,
    /// The version that stays in effect whatever is promoted later.
    pub pinned: Option<Pin>,
    /// Promoted before, the latest last.
    pub(super) earlier: Vec<u32>,
    pub(super) rejected: BTreeSet<u32>,
    pub(super) rolled_back: BTreeSet<u32>,
    failing: BTreeSet<Box<str>>,
    not_failing: BTreeSet<Box<str>>,
    learned_since: Option<Timestamp>,
}

/// A pin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pin {
    /// The version.
    pub version: u32,
    /// Whether results that break it become errors.
    pub enforced: bool,
}

impl Decided {
    /// The version in effect: pinned before promoted.
    pub fn in_force(&self) -> Option<u32> {
        self.pinned.map(|pin| pin.version).or(self.promoted)
    }

    /// Whether a version is what a decision rests on, so that it must be kept.
    pub(super) fn needs(&self, version: u32) -> bool {
        self.in_force() == Some(version) || self.promoted == Some(version) || self.earlier.contains(&version)
    }

    /// The rules by which the tool learns.
    pub fn learning_rules(&self) -> LearningRules {
        LearningRules { failing: self.failing.iter().cloned().collect(), since: self.learned_since }
    }

    /// The time since which results are learned from, if not all are.
    pub fn learned_since(&self) -> Option<Timestamp> {
        self.learned_since
    }

    /// Whether the user decided that texts which begin so are results.
    pub fn are_results(&self, starts: &str) -> bool {
        self.not_failing.contains(starts)
    }

    pub(super) fn judge_text(&mut self, starts: &str, fails: bool) -> Result<(), Refused> {
        if starts.is_empty() || starts.len() > MAX_BEGINNING {
            return Err(Refused::NoBeginning(starts.len()));
        }
        let (to, from) = match fails {
            true => (&mut self.failing, &mut self.not_failing),
            false => (&mut self.not_failing, &mut self.failing),
        };
        if to.len() == MAX_RULES {
            return Err(Refused::ManyTexts);
        }
        from.remove(starts);
        if to.insert(starts.into()) {
            Ok(())
        } else {
            Err(Refused::IsJudged { starts: starts.into(), fails })
        }
    }

    pub(super) fn learn_since(&mut self, since: Option<Timestamp>) -> Result<(), Refused> {
        if self.learned_since == since {
            return Err(Refused::IsLearnedSince(since));
        }
        self.learned_since = since;
        Ok(())
    }

    pub(super) fn promote(&mut self, version: u32) -> Result<(), Refused> {
        if self.promoted == Some(version) {
            return Err(Refused::IsPromoted(version));
        }
        self.rejected.remove(&version);
        self.rolled_back.remove(&version);
        self.earlier.retain(|earlier| *earlier != version);
        self.earlier.extend(self.promoted.replace(version));
        let beyond = self.earlier.len().saturating_sub(MAX_EARLIER);
        self.earlier.drain(..beyond);
        Ok(())
    }

    pub(super) fn pin(&mut self, pin: Pin) -> Result<(), Refused> {
        if self.pinned == Some(pin) {
            return Err(Refused::IsPinned(pin.version));
        }
        if self.rejected.contains(&pin.version) {
            return Err(Refused::WasRejected(pin.version));
        }
        self.rolled_back.remove(&pin.version);
        self.pinned = Some(pin);
        Ok(())
    }

    pub(super) fn unpin(&mut self) -> Result<(), Refused> {
        self.pinned.take().map(drop).ok_or(Refused::NotPinned)
    }

    pub(super) fn reject(&mut self, version: u32) -> Result<(), Refused> {
        if self.in_force() == Some(version) || self.promoted == Some(version) {
            return Err(Refused::InForce(version));
        }
        self.earlier.retain(|earlier| *earlier != version);
        if self.rejected.insert(version) { Ok(()) } else { Err(Refused::IsRejected(version)) }
    }

    /// Where a rollback leads that does not say where.
    pub(super) fn previous(&self) -> Result<Option<u32>, Refused> {
        match (self.pinned, self.promoted) {
            (None, None) => Err(Refused::NothingInForce),
            (Some(pin), Some(promoted)) if pin.version != promoted => {
                Err(Refused::PinnedBefore { pinned: pin.version, promoted })
            }
            (Some(_), None) => Ok(None),
            _ => Ok(self.earlier.last().copied()),
        }
    }

    pub(super) fn roll_back(&mut self, to: Option<u32>) -> Result<(), Refused> {
        let leaving = self.in_force().ok_or(Refused::NothingInForce)?;
        if let Some(to) = to {
            if leaving == to {
                return Err(Refused::IsInForce(to));
            }
            if self.promoted != Some(to) {
                let at = self.earlier.iter().position(|earlier| *earlier == to);
                let never = || Refused::NeverPromoted { version: to, earlier: self.earlier.clone() };
                self.earlier.truncate(at.ok_or_else(never)?);
                self.rolled_back.extend(self.promoted);
            }
        } else {
            self.earlier.clear();
            self.rolled_back.extend(self.promoted);
        }
        self.rolled_back.insert(leaving);
        (self.promoted, self.pinned) = (to, None);
        Ok(())
    }
}
