//! Decides when a schema has settled enough to become a version.
//!
//! The form of a tool's schema (its digest) is compared where points of its history are taken. These depend on the
//! number of observations alone, so the same calls draft the same versions, live, replayed or from a trace. Only a draft
//! that a kill interrupted is made again later.

use schemascope_model::{Evidence, Quality, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::history::History;
use crate::schema::digest;
use crate::tool::Tool;
use crate::versions::{Drafts, evidence};

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
    drafted: Option<Drafted>,
}

/// What was drafted last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Drafted {
    digest: Box<str>,
    quality: Quality,
}

/// A schema that is to become a version.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// Its digest.
    pub digest: Box<str>,
    /// JSON Schema 2020-12.
    pub schema: Value,
    /// What was known then; without examples.
    pub evidence: Evidence,
}

impl Form {
    /// Identifies the schema; empty before the first observation.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Whether a schema of this digest was drafted last.
    pub fn was_drafted(&self, digest: &str) -> bool {
        self.drafted.as_ref().is_some_and(|drafted| *drafted.digest == *digest)
    }

    /// The same, of which nothing was drafted.
    pub(crate) fn undrafted(&self) -> Self {
        Self { drafted: None, ..self.clone() }
    }

    fn held(&self) -> u64 {
        self.looked - self.since
    }

    fn look(&mut self, observations: u64, digest: Box<str>) {
        if *self.digest != *digest {
            (self.digest, self.since) = (digest, observations);
        }
        self.looked = observations;
    }

    /// Whether it is another one than was drafted last, and has held for `hold` observations or comes with a
    /// higher quality.
    fn is_due(&self, quality: Quality, hold: u64) -> bool {
        match &self.drafted {
            None => quality >= Quality::Medium || self.held() >= hold.min(FIRST_HOLD),
            Some(drafted) if drafted.digest == self.digest => false,
            Some(drafted) => self.held() >= hold || quality > drafted.quality,
        }
    }
}

impl Tool {
    /// Notes what an observation changed, and drafts a version, where that is noted at all.
    pub(crate) fn note(&mut self, at: Timestamp) {
        let observations = self.shape.observations();
        if !History::notes(observations) {
            return;
        }
        self.note_observations(at);
        if self.carriers.text_form().is_some() {
            // That a tool returns text is no schema.
            return;
        }
        let schema = self.inferred_schema();
        self.form.look(observations, digest(&schema));
        self.drafts.looked = true;
        let quality = self.inferred_quality();
        let digest = self.form.digest.clone();
        if self.form.is_due(quality, self.drafts.hold) {
            self.form.drafted = Some(Drafted { digest: digest.clone(), quality });
            let draft = Draft { digest, schema, evidence: evidence(self) };
            self.drafts.add(draft);
        } else if let Some(drafted) = self.form.drafted.as_mut().filter(|drafted| drafted.digest == digest) {
            // What is drafted already has become more certain.
            drafted.quality = drafted.quality.max(quality);
        }
    }

    /// Drafts the schema as it is now if enough is known, without waiting until it holds: someone asked for it.
    pub(crate) fn draft_now(&mut self) {
        let quality = self.inferred_quality();
        if quality < Quality::Medium || self.carriers.text_form().is_some() {
            return;
        }
        let digest = digest(&self.inferred_schema());
        self.form.look(self.shape.observations(), digest.clone());
        self.form.drafted = Some(Drafted { digest, quality });
    }

    /// The same tool, whose schema becomes a version when it was the same for so many observations.
    pub(crate) fn holding(self, hold: u64) -> Self {
        Self { drafts: Drafts::holding(hold), ..self }
    }

    /// From now on its schema becomes a version when it was the same for so many observations.
    pub(crate) fn hold(&mut self, hold: u64) {
        self.drafts.hold = hold;
    }

    /// What was drafted last, once more, as long as the schema is still that: a kill may have come between the draft and
    /// its version. If `moved_on` and no draft waits, the schema as it is now takes its place.
    pub(crate) fn redraft(&mut self, moved_on: bool) -> Option<Draft> {
        let moved_on = moved_on && !self.drafts.is_waiting() && self.carriers.text_form().is_none();
        let drafted = self.form.drafted.as_ref()?;
        if drafted.digest != self.form.digest && !moved_on {
            return None;
        }
        let quality = drafted.quality.max(self.inferred_quality());
        let schema = self.inferred_schema();
        let digest = digest(&schema);
        if digest != self.form.digest && !moved_on {
            return None;
        }
        self.form.look(self.shape.observations(), digest.clone());
        self.form.drafted = Some(Drafted { digest: digest.clone(), quality });
        Some(Draft { digest, schema, evidence: evidence(self) })
    }
}
