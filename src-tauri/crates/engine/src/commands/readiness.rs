//! Listing candidates with their readiness.

use schemascope_api::{
    ApiError, CandidateRow, ChangeClass, Edge, FitRow, ListCandidates, Readiness, RivalRow,
};
use schemascope_model::ToolId;
use schemascope_registry::Tool;
use schemascope_registry::versions::{ToolVersions, Trial};

use super::drift::can_break;
use super::versions::class;
use super::{Handle, internal};
use crate::engine::Engine;
use crate::knowledge::readiness::{Contest, Trials, Verdict};

handlers![ListCandidates];

/// Results since its creation by which each candidate of the list is judged.
const LAST: u64 = 200;

impl Handle<ListCandidates> for Engine {
    async fn handle(&self, _: ListCandidates) -> Result<Vec<CandidateRow>, ApiError> {
        self.settled().await?;
        let contests: Vec<(ToolId, Contest, bool)> = {
            let registry = self.registry();
            let candidate = |(id, tool): (&ToolId, &Tool)| {
                let versions = self.knowledge.decisions.tool(id);
                let number = versions.candidate()?;
                let qualifies = versions.to_promote(&tool.form, || tool.inferred_quality()) == Some(number);
                Some((ToolId::clone(id), Contest::of(versions, number, tool).ok()?, qualifies))
            };
            registry.tools().iter().filter_map(candidate).collect()
        };
        let (reader, promote_after) = (self.records.reader.clone(), self.files.settings.now().promote_after);
        let is_adapted = self.adapts();
        // Only one search through calls runs at a time.
        let _turn = self.searching.lock().await;
        let judging = move || {
            let judge = |(id, contest, qualifies): (ToolId, Contest, bool)| {
                let verdict = contest.judge(&reader, &id, LAST, promote_after).map_err(internal)?;
                Ok((id, contest, verdict, qualifies))
            };
            contests.into_iter().map(judge).collect::<Result<Vec<_>, ApiError>>()
        };
        let judged = tokio::task::spawn_blocking(judging).await.map_err(internal)??;
        let can_break = judged.iter().any(|(_, contest, ..)| contest.drifts().any(can_break));
        let edges = self.usual_edges(can_break).await?;
        Ok(judged
            .into_iter()
            .map(|(id, contest, verdict, qualifies)| CandidateRow {
                automatic: qualifies && verdict.obstacles.is_empty(),
                tool_id: id.to_string(),
                version: contest.version.number,
                effective_version: contest.effective.as_ref().and_then(|(version, _)| *version),
                list_changed: is_adapted && !contest.is_pinned(),
                readiness: self.readiness(&id, &contest, &verdict, promote_after, &edges),
            })
            .collect())
    }
}

impl Engine {
    /// Readiness of a tool's candidate; `None` without one.
    pub(super) async fn candidate_readiness(
        &self,
        id: &ToolId,
        versions: &ToolVersions,
        tool: &Tool,
    ) -> Result<Option<Readiness>, ApiError> {
        let Some(number) = versions.candidate() else { return Ok(None) };
        let contest = Contest::of(versions.clone(), number, tool);
        let contest = contest.map_err(|refused| super::refused(id, &refused))?;
        let promote_after = self.files.settings.now().promote_after;
        let (reader, of) = (self.records.reader.clone(), id.clone());
        let judging =
            move || contest.judge(&reader, &of, LAST, promote_after).map(|verdict| (contest, verdict));
        let (contest, verdict) =
            tokio::task::spawn_blocking(judging).await.map_err(internal)?.map_err(internal)?;
        let can_break = contest.drifts().any(can_break);
        let edges = self.usual_edges(can_break).await?;
        Ok(Some(self.readiness(id, &contest, &verdict, promote_after, &edges)))
    }

    /// The judgement of a version for fronts, with the edges that its drifts break.
    pub(super) fn readiness(
        &self,
        id: &ToolId,
        contest: &Contest,
        verdict: &Verdict,
        promote_after: u64,
        edges: &[Edge],
    ) -> Readiness {
        let Verdict { trials, comparison, obstacles } = verdict;
        let Trials { of, effective, previous, not_judged, limited } = *trials;
        let rival = |version, trial| RivalRow { version, fits: fits(trial) };
        let breaking = |change: &&schemascope_compare::Change| class(change.output) == ChangeClass::Breaking;
        let losses = comparison.iter().flat_map(|found| &found.changes).filter(breaking).count();
        Readiness {
            ready: obstacles.is_empty(),
            reasons: obstacles.iter().map(ToString::to_string).collect(),
            created: contest.version.created,
            since: fits(of),
            needed: promote_after,
            not_judged,
            limited,
            effective: contest
                .effective
                .as_ref()
                .filter(|(version, _)| *version != Some(contest.version.number))
                .map(|(version, _)| rival(*version, effective)),
            previous: contest.previous.as_ref().map(|version| rival(Some(version.number), previous)),
            drifts: contest.drifts().map(|known| self.drift_row(id, known, edges)).collect(),
            readers: comparison.as_ref().map(|found| class(found.output)),
            losses: losses as u64,
        }
    }
}

fn fits(trial: Trial) -> FitRow {
    FitRow { fits: trial.fits, violates: trial.violates }
}
