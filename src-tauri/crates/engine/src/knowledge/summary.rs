//! Numbers about a tool's versions, as lists show them.

use schemascope_api::InForceRow;
use schemascope_model::{Change, Timestamp};
use schemascope_registry::versions::{Drifts, InForce, ToolVersions, untold};
use schemascope_registry::{Found, Tool};
use schemascope_shape::FitCount;

/// The main facts about a tool's versions.
#[derive(Debug, Clone)]
pub(crate) struct VersionSummary {
    pub(crate) effective: Option<InForceRow>,
    /// The version that waits for a decision.
    pub(crate) candidate: Option<u32>,
    /// Time at which that version was created.
    pub(crate) candidate_since: Option<Timestamp>,
    /// How many results fit the effective version, if many of them do not.
    pub(crate) broken: Option<FitCount>,
    /// Whether the effective schema is not advertised, because results in a row were text that does not fit it.
    pub(crate) suspended: bool,
    /// Number of drifts that are not resolved, and how many of these no one acknowledged.
    pub(crate) drift: (u32, u32),
    /// Number of results that are text and may be failures.
    pub(crate) possible_failures: u64,
    /// Time of the first result that shows the oldest of these.
    pub(crate) drift_since: Option<Timestamp>,
    /// What changed, for the oldest of these.
    pub(crate) drift_text: Option<String>,
    /// Number of drifts that were found and not reported yet.
    pub(crate) unreported: u64,
}

impl VersionSummary {
    pub(crate) fn of(tool: &Tool, versions: Option<&ToolVersions>) -> Self {
        let none = Drifts::default();
        let drifts = versions.map_or(&none, ToolVersions::drifts);
        let candidate = versions.and_then(ToolVersions::candidate);
        let created = |number| versions?.version(number).ok().map(|version| version.created);
        // What changed says more than which rule it breaks.
        let is_rule = |change: &Change| matches!(change, Change::Violated);
        let oldest = drifts.waiting().min_by_key(|drift| (drift.event.since, is_rule(&drift.event.change)));
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let in_force = versions.and_then(ToolVersions::in_force);
        let fit = in_force.as_ref().map(|in_force| tool.fits.of(&in_force.version().digest));
        Self {
            effective: in_force.as_ref().map(in_force_row),
            broken: fit.filter(|fit| fit.is_broken()),
            candidate,
            candidate_since: candidate.and_then(created),
            suspended: versions.is_some_and(ToolVersions::is_suspended),
            drift: (count(drifts.open().count()), count(drifts.waiting().count())),
            possible_failures: possible_failures(tool, versions).map(|(_, found)| found.results).sum(),
            drift_since: oldest.map(|drift| drift.event.since),
            drift_text: oldest.map(|drift| drift.event.change.sentence(&drift.event.path)),
            unreported: untold(tool, drifts),
        }
    }
}

/// Beginnings of texts that may be failures, without those that someone decided about.
pub(crate) fn possible_failures<'a>(
    tool: &'a Tool,
    versions: Option<&ToolVersions>,
) -> impl Iterator<Item = (&'a str, &'a Found)> {
    let is_open = move |starts: &str| versions.is_none_or(|versions| !versions.decided().are_results(starts));
    tool.failing_texts.recurring().filter(move |(starts, _)| is_open(starts))
}

pub(crate) fn in_force_row(in_force: &InForce) -> InForceRow {
    InForceRow {
        version: in_force.version().number,
        pinned: !matches!(in_force, InForce::Promoted(_)),
        enforced: matches!(in_force, InForce::Enforced(_)),
    }
}
