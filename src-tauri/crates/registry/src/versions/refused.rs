//! Errors of decisions, each with what the user can do instead.

use schemascope_model::{CallId, Timestamp};

/// Versions named in a refusal: the newest ones.
const NAMED: usize = 12;

/// A decision that makes no sense as things are. Nothing changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The tool has none at all.
    #[error(
        "it has no version yet; the first is created once its inferred schema stayed the same for a few results"
    )]
    NoVersions,
    /// There is none of this number.
    #[error("there is no version {version}; there are: {}{}", list(kept), gone(*dropped))]
    NoSuchVersion {
        /// The number.
        version: u32,
        /// Those there are.
        kept: Vec<u32>,
        /// How many old ones are not kept any more.
        dropped: u32,
    },
    /// No version was named, and none waits for a decision.
    #[error("no candidate waits for a decision; name a version: {}", list(kept))]
    NoCandidate {
        /// Those there are.
        kept: Vec<u32>,
    },
    /// No version was named, and two wait for a decision.
    #[error(
        "version {learned}, which was learned here, and version {elsewhere} wait for a decision; name one"
    )]
    SeveralCandidates {
        /// The one that was learned here.
        learned: u32,
        /// The one from elsewhere.
        elsewhere: u32,
    },
    /// It is promoted already.
    #[error("version {0} is promoted already")]
    IsPromoted(u32),
    /// It is pinned so already.
    #[error("version {0} is pinned so already")]
    IsPinned(u32),
    /// There is no pin to take away.
    #[error("no version is pinned")]
    NotPinned,
    /// A pin without a version, and no version in effect.
    #[error("no version is in effect; name the one to pin: {}", list(kept))]
    NothingToPin {
        /// Those there are.
        kept: Vec<u32>,
    },
    /// It was rejected before.
    #[error("version {0} is rejected already")]
    IsRejected(u32),
    /// A rejected version cannot be pinned.
    #[error("version {0} was rejected; promote it first if it is wanted after all")]
    WasRejected(u32),
    /// A version in effect cannot be rejected.
    #[error("version {0} is in effect; roll it back first")]
    InForce(u32),
    /// There is nothing to roll back.
    #[error("no version is in effect, so there is nothing to roll back")]
    NothingInForce,
    /// One version is pinned, another promoted: which is meant?
    #[error(
        "version {pinned} is pinned while version {promoted} is promoted; unpin it, or say where to go with --to N"
    )]
    PinnedBefore {
        /// The pinned one.
        pinned: u32,
        /// The promoted one.
        promoted: u32,
    },
    /// It is the version in effect.
    #[error("version {0} is in effect; there is nothing to roll back to it")]
    IsInForce(u32),
    /// It was never promoted.
    #[error("version {version} was not promoted before; promote it instead{}", earlier_ones(earlier))]
    NeverPromoted {
        /// The number.
        version: u32,
        /// Those that were.
        earlier: Vec<u32>,
    },
    /// There is no decision to undo.
    #[error("there is no decision to undo")]
    NothingToUndo,
    /// Only the latest decision can be undone.
    #[error("only the latest decision can be undone, which is {latest}")]
    NotTheLatest {
        /// It.
        latest: CallId,
    },
    /// The version that was in effect before is not kept any more.
    #[error("version {0} was in effect before and is not kept any more")]
    GoneSince(u32),
    /// A policy must not touch it.
    #[error("version {0} was rejected or taken back by a person; no policy brings it back")]
    HandsOff(u32),
    /// Cuts are numbered one after the other.
    #[error("version {version} was created where {next} was expected")]
    NotNext {
        /// The number.
        version: u32,
        /// What was expected.
        next: u32,
    },
    /// The schema of a cut cannot be read.
    #[error("the schema of version {version} cannot be read: {reason}")]
    Unreadable {
        /// The number.
        version: u32,
        /// What is wrong.
        reason: String,
    },
    /// There is no drift of this number.
    #[error("there is no drift {number}; {}", open_ones(open))]
    NoSuchDrift {
        /// The number.
        number: u64,
        /// Those that go on.
        open: Vec<u64>,
    },
    /// It is over, so there is nothing to acknowledge.
    #[error("drift {0} is over")]
    DriftIsOver(u64),
    /// It is acknowledged already.
    #[error("drift {0} is acknowledged already")]
    IsAcknowledged(u64),
    /// There is no acknowledgement to take back.
    #[error("drift {0} is not acknowledged")]
    NotAcknowledged(u64),
    /// A drift is reported once.
    #[error("drift {0} was reported before")]
    ToldBefore(u64),
    /// A beginning of texts is short, and not nothing.
    #[error("a text's beginning has 1 to {max} bytes; this one has {0}", max = crate::failing_texts::MAX_BEGINNING)]
    NoBeginning(usize),
    /// A tool has a bounded number of them.
    #[error("{max} beginnings of texts are judged so already; a shorter one can stand for several", max = crate::failing_texts::MAX_RULES)]
    ManyTexts,
    /// It is decided already.
    #[error("{}", match .0 {
        Some(since) => format!("only results since {since} are learned from already"),
        None => "all results are learned from already".to_owned(),
    })]
    IsLearnedSince(Option<Timestamp>),
    /// It is decided already.
    #[error("texts that begin with {starts:?} count as {} already", if *.fails { "failures" } else { "results" })]
    IsJudged {
        /// How they begin.
        starts: Box<str>,
        /// Whether they count as failures.
        fails: bool,
    },
    /// Reasons are short.
    #[error("a reason has {max} bytes at most; this one has {0}", max = super::MAX_REASON)]
    LongReason(usize),
}

fn list(versions: &[u32]) -> String {
    let first = versions.len().saturating_sub(NAMED);
    let named: Vec<String> = versions[first..].iter().map(u32::to_string).collect();
    let before = if first > 0 { "…, " } else { "" };
    format!("{before}{}", named.join(", "))
}

fn gone(dropped: u32) -> String {
    if dropped == 0 { String::new() } else { format!(" ({dropped} older ones are not kept any more)") }
}

fn earlier_ones(earlier: &[u32]) -> String {
    if earlier.is_empty() { String::new() } else { format!("; those that were: {}", list(earlier)) }
}

fn open_ones(open: &[u64]) -> String {
    let named: Vec<String> = open.iter().map(u64::to_string).collect();
    if named.is_empty() { "none is open".into() } else { format!("open drifts: {}", named.join(", ")) }
}
