//! When a version may be promoted: the rule, and the reasons against a version that does not keep it.
//!
//! A version is judged by results that came after it was created, because it fits those it was learned from anyway.

use std::fmt;

use schemascope_compare::{Change, Class};
use schemascope_model::VersionOrigin;

use crate::versions::{Drifts, KnownDrift, Version};

/// Largest share of later results that may violate a version that is ready, in percent.
const MAX_VIOLATING_PERCENT: u64 = 5;

/// Results that came after a version was created, judged by one schema.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Trial {
    /// Results that fit.
    pub fits: u64,
    /// Results that do not fit.
    pub violates: u64,
}

/// A reason why a version is not ready to be promoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    /// Readers of the effective schema lose something.
    BreaksReaders {
        /// The first loss in words.
        first: Option<String>,
        /// Number of changes that break readers.
        count: usize,
    },
    /// It is not proven that readers of the effective schema lose nothing.
    MayBreakReaders,
    /// The version was learned from results of a drift that is not over, and that no one acknowledged.
    ContainsDrift {
        /// Number of the drift.
        drift: u64,
        /// The change in words.
        sentence: String,
    },
    /// Texts that may be failures were learned as results, and no one decided about them.
    UndecidedTexts(u64),
    /// Too few results came since the version was created.
    FewResults {
        /// Results that came.
        came: u64,
        /// Results that are needed.
        needed: u64,
    },
    /// Too many of the later results do not fit.
    ResultsViolate(Trial),
}

impl Trial {
    /// Number of results that were judged.
    pub fn count(&self) -> u64 {
        self.fits + self.violates
    }

    /// Counts a result.
    pub fn add(&mut self, fits: bool) {
        if fits {
            self.fits += 1;
        } else {
            self.violates += 1;
        }
    }
}

impl Drifts {
    /// Drifts that are not over and that a version contains: it was learned from results since the change. A schema
    /// from a file or from another installation was not learned from them.
    pub fn contained_in(&self, version: &Version) -> impl Iterator<Item = &KnownDrift> {
        let is_learned = version.origin == VersionOrigin::Inferred;
        self.open().filter(move |drift| is_learned && drift.began_before(version))
    }
}

/// Reasons against promoting a version, the most severe first; none if it is ready.
///
/// `readers` is the comparison with the effective schema from the side of readers: its class and its changes; `None`
/// if there is no effective schema, so that readers have nothing to lose. `undecided` is the number of results whose text
/// may be a failure.
pub fn obstacles(
    version: &Version,
    drifts: &Drifts,
    readers: Option<(Class, &[Change])>,
    trial: Trial,
    undecided: u64,
    promote_after: u64,
) -> Vec<Obstacle> {
    let mut found = Vec::new();
    match readers {
        Some((Class::Breaking, changes)) => {
            let mut breaking = changes.iter().filter(|change| change.output == Class::Breaking);
            let count = breaking.clone().count();
            let first = breaking.next().map(|change| change.sentence.clone());
            found.push(Obstacle::BreaksReaders { first, count });
        }
        Some((Class::Risky, _)) => found.push(Obstacle::MayBreakReaders),
        Some((Class::Safe, _)) | None => {}
    }
    found.extend(drifts.contained_in(version).filter(|drift| drift.acknowledged.is_none()).map(|drift| {
        let event = &drift.event;
        Obstacle::ContainsDrift { drift: event.id, sentence: event.change.sentence(&event.path) }
    }));
    // A schema from a file or from another installation was not learned from them.
    if undecided > 0 && version.origin == VersionOrigin::Inferred {
        found.push(Obstacle::UndecidedTexts(undecided));
    }
    if trial.violates.saturating_mul(100) > trial.count().saturating_mul(MAX_VIOLATING_PERCENT) {
        found.push(Obstacle::ResultsViolate(trial));
    }
    if trial.count() < promote_after {
        found.push(Obstacle::FewResults { came: trial.count(), needed: promote_after });
    }
    found
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BreaksReaders { first: None, .. } => f.write_str("breaks readers of the effective schema"),
            Self::BreaksReaders { first: Some(first), count: 0 | 1 } => write!(f, "breaks readers: {first}"),
            Self::BreaksReaders { first: Some(first), count } => {
                write!(f, "breaks readers in {count} places: {first}, …")
            }
            Self::MayBreakReaders => f.write_str("may break readers of the effective schema"),
            Self::ContainsDrift { drift, sentence } => {
                write!(f, "contains drift {drift}, not acknowledged: {sentence}")
            }
            Self::UndecidedTexts(1) => f.write_str("1 result may be a failure; decide about its text first"),
            Self::UndecidedTexts(count) => {
                write!(f, "{count} results may be failures; decide about their texts first")
            }
            Self::FewResults { came: 0, needed } => {
                write!(f, "no stored result since it was created; {needed} are needed")
            }
            Self::FewResults { came: 1, needed } => {
                write!(f, "1 stored result since it was created; {needed} are needed")
            }
            Self::FewResults { came, needed } => {
                write!(f, "{came} stored results since it was created; {needed} are needed")
            }
            Self::ResultsViolate(trial) => {
                write!(
                    f,
                    "{} of {} results since it was created do not match it",
                    trial.violates,
                    trial.count()
                )
            }
        }
    }
}
