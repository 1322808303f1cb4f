//! When a schema has settled enough to become a version.
//!
//! The form of a tool's schema (its digest) is looked at where points of its history are taken, which depends on
//! the number of observations alone, so that a rebuild finds the same. Owns: how long a form has held. Refuses
//! to know: which versions there are.

use schemascope_model::{Quality, Timestamp};
use schemascope_shape::Policy;
use serde::{Deserialize, Serialize};

use crate::history::History;
use crate::schema::digest;
use crate::tool::Tool;
use crate::versions::ToolVersions;

/// Observations a form must have held for, unless said otherwise, before it becomes a version.
pub const HOLD: u64 = 10;
/// The same for a tool's first version: one that is hardly ever called has something to be judged too.
const FIRST_HOLD: u64 = 3;

/// The form of a tool's inferred schema.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Form {
    digest: Box<str>,
    since: u64,
    looked: u64,
}

impl Form {
    /// Identifies the schema; empty before the first observation.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Observations over which it has been the same.
    pub fn held(&self) -> u64 {
        self.looked - self.since
    }

    /// Whether it was looked at after this many observations.
    pub(crate) fn is_of(&self, observations: u64) -> bool {
        self.looked == observations && observations > 0
    }

    fn look(&mut self, observations: u64, digest: Box<str>) {
        if *self.digest != *digest {
            (self.digest, self.since) = (digest, observations);
        }
        self.looked = observations;
    }
}

impl Tool {
    /// Notes what an observation changed, where that is noted at all.
    pub(crate) fn note(&mut self, at: Timestamp) {
        let observations = self.shape.observations();
        if History::notes(observations) {
            self.note_observations(at);
            self.form.look(observations, digest(&self.shape.schema(&Policy::default())));
        }
    }
}

impl ToolVersions {
    /// Whether a tool's schema, in its present form, is to become a version: it is another one than the newest
    /// version's, and has held for `hold` observations or comes with a higher quality. What a person rejected
    /// does not come again by itself.
    pub fn is_due(&self, form: &Form, quality: Quality, hold: u64) -> bool {
        if form.digest.is_empty() || self.is_rejected(&form.digest) {
            return false;
        }
        match self.newest() {
            None => quality >= Quality::Medium || form.held() >= hold.min(FIRST_HOLD),
            Some(newest) if newest.digest == form.digest => false,
            Some(newest) => form.held() >= hold || quality > newest.evidence.quality,
        }
    }
}
