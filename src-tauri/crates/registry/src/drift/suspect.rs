//! Suspected drift: evidence of a change that adds up over observations.
//!
//! For each path, the likelihood of recent observations if the path has changed, divided by their likelihood if it
//! has not, is kept in bits and restarted when it falls to nothing: Page's CUSUM (1954), or the e-detector of Shin,
//! Ramdas and Rinaldo (2022). Under continuous watching, the chance that such a product ever reaches `c` within `n`
//! observations of an unchanged path is at most `n / c`; dividing by the number of paths (Bonferroni) bounds it for
//! the tool.

use schemascope_model::{CallId, Share, Timestamp};
use serde::{Deserialize, Serialize};

use super::scan::Kind;
use super::tally::{Bits, log2};

/// Paths under suspicion; the least suspicious make room.
pub(super) const MAX_SUSPECTS: usize = 32;
/// Example calls kept.
pub(super) const MAX_EXAMPLES: usize = 3;
/// Observations over which, at a chance of [`ALARMS`], nothing is to be reported by mistake.
const HORIZON: u64 = 1_000;
/// One in so many by the bound, which is far from reached: minima of observations and of things stand beside it.
const ALARMS: u64 = 10;
/// Observations there must be at least, whatever they say: what is over sooner was a passing thing.
const HITS: u32 = 13;
/// What speaks against: if changed, 3 % are still as before.
const CONTRARY: Bits = -75;

/// A broken schema is reported sooner than a change that no schema excludes. The evidence that is needed for it,
/// how many times at least, and what speaks against: if changed, half of all results keep it.
const BROKEN: Bits = 12 * 16;
const TIMES: u32 = 5;
const KEPT: Bits = -16;

/// A path that may have changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Suspect {
    pub(super) node: u32,
    /// What stands there now; its code.
    pub(super) kind: u8,
    /// What stood there mostly.
    pub(super) usual: u8,
    pub(super) bits: Bits,
    /// How many were as usual before, exactly.
    #[serde(default)]
    pub(super) before: Share,
    /// Observations of that kind since, and all.
    pub(super) hits: u32,
    pub(super) seen: u32,
    /// Observations of that kind since the latest that was not.
    pub(super) streak: u8,
    /// The most there were.
    pub(super) longest: u8,
    pub(super) since: Timestamp,
    pub(super) began: u64,
    pub(super) examples: Vec<CallId>,
    /// What first showed it, where arguments name single things, and whether something else did too: one thing
    /// may have changed without its tool.
    pub(super) thing: Option<u64>,
    pub(super) is_wide: bool,
    /// It is a rule of the effective schema that is broken.
    pub(super) is_rule: bool,
    /// Not counted yet, since they would make the change look usual: fresh ones, those in a run, those that
    /// stayed after a change.
    pub(super) held: [u8; 3],
}

/// The evidence there must be.
pub(super) fn threshold(paths: usize) -> Bits {
    log2(HORIZON * ALARMS * paths.max(8) as u64)
}

impl Suspect {
    pub(super) fn new(node: u32, [kind, usual]: [Kind; 2], since: Timestamp, began: u64) -> Self {
        Self {
            node,
            kind: kind.code(),
            usual: usual.code(),
            before: Share::default(),
            bits: 0,
            hits: 0,
            seen: 0,
            streak: 0,
            longest: 0,
            since,
            began,
            examples: Vec::new(),
            thing: None,
            is_wide: false,
            is_rule: false,
            held: [0; 3],
        }
    }

    pub(super) fn supported(&mut self, bits: Bits, call: CallId, thing: Option<u64>) {
        self.is_wide |= thing.is_none() || self.hits > 0 && thing != self.thing;
        self.thing = self.thing.or(thing);
        self.bits = self.bits.saturating_add(bits.max(0));
        self.hits = self.hits.saturating_add(1);
        self.streak = self.streak.saturating_add(1);
        self.longest = self.longest.max(self.streak);
        self.seen = self.seen.saturating_add(1);
        if self.examples.len() < MAX_EXAMPLES {
            self.examples.push(call);
        }
    }

    /// How many observations in a row were of a kind.
    pub(super) fn streak(&self, kind: Kind) -> u8 {
        if self.kind == kind.code() { self.streak } else { 0 }
    }

    /// How many fresh observations of a kind are not counted yet.
    pub(super) fn waiting(&self, kind: Kind) -> u8 {
        if self.kind == kind.code() { self.held[0] } else { 0 }
    }

    /// Whether it is certain, given the evidence there must be.
    pub(super) fn is_certain(&self, enough: Bits) -> bool {
        if self.is_rule {
            return self.bits >= BROKEN && self.hits >= TIMES;
        }
        self.bits >= enough && self.is_wide && self.hits >= HITS
    }

    /// False if nothing is left of it. That a field is missing does not tell what it is when it is there.
    pub(super) fn contradicted(&mut self, kind: Kind, is_rule: bool) -> bool {
        let missing = Kind::Absent.code();
        if kind.code() == missing && self.usual != missing {
            return true;
        }
        self.seen = self.seen.saturating_add(1);
        self.streak = 0;
        self.bits += if is_rule { KEPT } else { CONTRARY };
        self.bits > 0
    }
}
