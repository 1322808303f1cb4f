//! Judging a version by the stored results that came after it was created, beside the schemas it competes with.
//!
//! The rule that makes a verdict of it is in `registry`.

use std::ops::ControlFlow;
use std::sync::Arc;

use schemascope_compare::{Comparison, compare};
use schemascope_judge::Judge;
use schemascope_model::{ToolId, VersionOrigin};
use schemascope_registry::versions::{
    Decided, KnownDrift, Obstacle, Refused, ToolVersions, Trial, Version, obstacles,
};
use schemascope_registry::{Tool, Unlearned};
use schemascope_store::{Error, Reader};
use serde_json::Value;

use super::observations::Observations;
use super::summary::possible_failures;

/// Bytes of results that are enough to judge a version by. Long results that do not fit take some 50 ms a megabyte.
const ENOUGH_BYTES: usize = 8 << 20;

/// A version with the schemas it competes with.
pub(crate) struct Contest {
    versions: ToolVersions,
    pub(crate) version: Arc<Version>,
    /// The effective schema with its version number, which a declared schema lacks.
    pub(crate) effective: Option<(Option<u32>, Arc<Value>)>,
    /// The newest older version, unless it is effective.
    pub(crate) previous: Option<Arc<Version>>,
    /// Results that do not count.
    pub(crate) unlearned: Unlearned,
    /// Results whose text may be a failure.
    undecided: u64,
}

/// Results since the creation of a version, and how they fit.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Trials {
    pub(crate) of: Trial,
    pub(crate) effective: Trial,
    pub(crate) previous: Trial,
    /// Results that could not be checked.
    pub(crate) not_judged: u64,
    /// Whether there are more results than were checked.
    pub(crate) limited: bool,
}

/// The judgement of a version.
pub(crate) struct Verdict {
    pub(crate) trials: Trials,
    /// Comparison of the effective schema with the version; `None` without an effective schema.
    pub(crate) comparison: Option<Comparison>,
    /// Reasons against promoting the version; none if it is ready.
    pub(crate) obstacles: Vec<Obstacle>,
}

impl Contest {
    /// A version of a tool with the schemas it competes with.
    pub(crate) fn of(versions: ToolVersions, number: u32, tool: &Tool) -> Result<Self, Refused> {
        let version = Arc::clone(versions.version(number)?);
        let in_force = versions.in_force().map(|in_force| Arc::clone(in_force.version()));
        let is_older = |older: &&Arc<Version>| {
            older.number < number && in_force.as_ref().is_none_or(|active| active.number != older.number)
        };
        let previous = versions.versions().rev().find(is_older).cloned();
        let declared = || {
            let declared = tool.declaration.as_ref()?.output_schema()?;
            Some((None, Arc::clone(&declared.schema)))
        };
        let effective = match &in_force {
            Some(active) => Some((Some(active.number), Arc::clone(&active.schema))),
            None => declared(),
        };
        let undecided = possible_failures(tool, Some(&versions)).map(|(_, found)| found.results).sum();
        let unlearned = Unlearned::of(tool);
        Ok(Self { versions, version, effective, previous, unlearned, undecided })
    }

    /// Drifts that are not over and that the version contains.
    pub(crate) fn drifts(&self) -> impl Iterator<Item = &KnownDrift> {
        self.versions.drifts().contained_in(&self.version)
    }

    /// What was decided when the version was judged.
    pub(crate) fn decided(&self) -> &Decided {
        self.versions.decided()
    }

    /// Whether a pin keeps another version effective.
    pub(crate) fn is_pinned(&self) -> bool {
        self.versions.decided().pinned.is_some()
    }

    /// Judges the version by at most `last` results. Reads from disk.
    pub(crate) fn judge(
        &self,
        reader: &Reader,
        id: &ToolId,
        last: u64,
        promote_after: u64,
    ) -> Result<Verdict, Error> {
        // Fewer would never be enough.
        let trials = self.trials(reader, id, last.max(promote_after), promote_after)?;
        let comparison = self.effective.as_ref().map(|(_, schema)| compare(schema, &self.version.schema));
        let readers = comparison.as_ref().map(|found| (found.output, found.changes.as_slice()));
        let drifts = self.versions.drifts();
        let obstacles = obstacles(&self.version, drifts, readers, trials.of, self.undecided, promote_after);
        Ok(Verdict { trials, comparison, obstacles })
    }

    /// Tries at most `last` results: fewer, but at least `least`, where they are long.
    fn trials(&self, reader: &Reader, id: &ToolId, last: u64, least: u64) -> Result<Trials, Error> {
        let of = Judge::new(&self.version.schema);
        let effective = self.effective.as_ref().map(|(_, schema)| Judge::new(schema));
        let previous = self.previous.as_ref().map(|version| Judge::new(&version.schema));
        let mut trials = Trials::default();
        // It is written a moment after the results it was learned from.
        let learned =
            self.version.evidence.last_observed.filter(|_| self.version.origin == VersionOrigin::Inferred);
        let since = Some(learned.unwrap_or(self.version.created));
        let mut bytes = 0;
        let found = Observations::since(reader, id, &self.unlearned, since, last, |_, observation| {
            let fits = |judge: &Judge| observation.fits(|json| judge.fits_stored(json));
            match fits(&of) {
                Some(fits) => trials.of.add(fits),
                None => trials.not_judged += 1,
            }
            if let Some(fits) = effective.as_ref().and_then(fits) {
                trials.effective.add(fits);
            }
            if let Some(fits) = previous.as_ref().and_then(fits) {
                trials.previous.add(fits);
            }
            bytes += observation.json.len();
            if trials.of.count() >= least && bytes >= ENOUGH_BYTES {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        trials.not_judged += found.without_bodies;
        trials.limited = found.count == last || found.limited;
        Ok(trials)
    }
}
