//! Impact of a version: how the latest observations fit it, and what promoting it changes for clients.

use std::sync::Arc;

use schemascope_api::{
    ApiError, AttributeDiff, ComparisonReply, EdgeDiff, ErrorKind, GetImpact, ImpactReply, SchemaChoice,
};
use schemascope_judge::Judge;
use schemascope_model::{Strategy, ToolId};
use schemascope_proxy::{Effective, Schema, advertised};
use schemascope_registry::Tool;
use schemascope_registry::versions::Impact;
use schemascope_store::Reader;
use serde_json::Value;

use super::versions::{comparison_reply, raw};
use super::{Handle, internal};
use crate::engine::Engine;
use crate::knowledge::decisions::{in_effect, schema};
use crate::knowledge::observations::Observations;
use crate::knowledge::readiness::{Contest, Verdict};
use crate::knowledge::summary::in_force_row;
use crate::wrappers;

handlers![GetImpact];

/// Observations examined by default, and at most.
const LAST: u32 = 1_000;
const MAX_LAST: u32 = 20_000;

impl Handle<GetImpact> for Engine {
    async fn handle(&self, command: GetImpact) -> Result<ImpactReply, ApiError> {
        let (id, tool) = self.known_tool(&command.tool_id).await?;
        let last = command.last.unwrap_or(LAST);
        if last > MAX_LAST {
            let message = format!("at most the last {MAX_LAST} observations can be examined");
            return Err(ApiError::new(ErrorKind::Invalid, message));
        }
        let versions = self.knowledge.decisions.tool(&id);
        let contest = Contest::of(versions.clone(), command.version, &tool);
        let contest = contest.map_err(|refused| super::refused(&id, &refused))?;
        let promote_after = self.files.settings.now().promote_after;
        let judged = {
            let (reader, id) = (self.records.reader.clone(), id.clone());
            // Only one search through calls runs at a time.
            let _turn = self.searching.lock().await;
            let judging = move || judge(&reader, &id, contest, u64::from(last), promote_after);
            tokio::task::spawn_blocking(judging).await
        };
        let Judged { contest, impact, found, verdict, comparison } = judged.map_err(internal)??;
        let version = &contest.version;
        let in_force = versions.in_force();
        let now = match &in_force {
            Some(in_force) => in_effect(in_force),
            None => declared(&tool),
        };
        // A pin keeps the effective version.
        let then = match &in_force {
            Some(_) if contest.is_pinned() => now.clone(),
            _ => Effective::Promoted(schema(version)),
        };
        let is_new = versions.decided().promoted != Some(version.number);
        let edges = match &then {
            Effective::Promoted(new) if is_new => {
                let old = self.choose(&id, &tool, SchemaChoice::Best).map(|chosen| chosen.schema);
                match old {
                    Ok(old) => self.edge_diff(&id, old, Arc::clone(&new.schema)).await?,
                    Err(_) => EdgeDiff::default(),
                }
            }
            _ => EdgeDiff::default(),
        };
        let attributes = match is_new && !contest.is_pinned() {
            true => self.attribute_diff(&id, &tool, Arc::clone(&version.schema)).await?,
            false => AttributeDiff::default(),
        };
        let can_break = contest.drifts().any(super::drift::can_break);
        let threatened = self.usual_edges(can_break).await?;
        // While nothing is adapted, clients get what the server declares.
        let is_adapted = self.adapts();
        let (now, then) = match is_adapted {
            true => (now, then),
            false => (declared(&tool), declared(&tool)),
        };
        let schema_of = |effective: &Effective| advertised(effective).map(|schema| raw(&schema)).transpose();
        Ok(ImpactReply {
            tool_id: command.tool_id,
            version: version.number,
            observation_count: impact.judged,
            violating: impact.violating,
            not_judged: found.without_bodies + impact.unknown,
            rules: impact.rules(),
            other_rules: impact.other_rules,
            calls: impact.calls,
            in_force: in_force.as_ref().map(in_force_row),
            advertised: schema_of(&now)?,
            advertised_then: schema_of(&then)?,
            // A decision also ends a pause.
            list_changed: is_adapted && (is_new && !contest.is_pinned() || versions.is_suspended()),
            edges,
            attributes,
            comparison,
            readiness: self.readiness(&id, &contest, &verdict, promote_after, &threatened),
        })
    }
}

impl Engine {
    /// What a schema in effect would do to the attributes of the tool's wrapper.
    async fn attribute_diff(
        &self,
        id: &ToolId,
        tool: &Tool,
        schema: Arc<Value>,
    ) -> Result<AttributeDiff, ApiError> {
        let now = self.services.wrappers.known.wrapper_tool(id, tool, self.services.wrappers.least_quality());
        let comparing = move || {
            let now = wrappers::tool(now).ok()?;
            let then = schemascope_codegen::Tool {
                strategy: Strategy::Inferred,
                output_schema: Some((*schema).clone()),
                is_text: false,
                ..now.clone()
            };
            Some(schemascope_codegen::attribute_changes(&now, &then))
        };
        let changes = tokio::task::spawn_blocking(comparing).await.map_err(internal)?.unwrap_or_default();
        Ok(AttributeDiff { added: changes.added, removed: changes.removed, retyped: changes.retyped })
    }
}

/// A version judged by its latest observations, and by those since its creation.
struct Judged {
    contest: Contest,
    impact: Impact,
    found: Observations,
    verdict: Verdict,
    comparison: Option<ComparisonReply>,
}

fn judge(
    reader: &Reader,
    id: &ToolId,
    contest: Contest,
    last: u64,
    promote_after: u64,
) -> Result<Judged, ApiError> {
    let (impact, found) = judge_latest(reader, id, &contest, last)?;
    let verdict = contest.judge(reader, id, u64::from(LAST), promote_after).map_err(internal)?;
    let new = &contest.version.schema;
    let compared = contest.effective.as_ref().zip(verdict.comparison.clone());
    let comparison = compared.map(|((_, old), compared)| comparison_reply(compared, old, new)).transpose()?;
    Ok(Judged { contest, impact, found, verdict, comparison })
}

fn judge_latest(
    reader: &Reader,
    id: &ToolId,
    contest: &Contest,
    last: u64,
) -> Result<(Impact, Observations), ApiError> {
    let judge = Judge::new(&contest.version.schema);
    if !judge.is_usable() {
        let message = "the version's schema cannot be used for validation";
        return Err(ApiError::new(ErrorKind::Invalid, message));
    }
    let mut impact = Impact::default();
    let found = Observations::latest(reader, id, &contest.unlearned, last, |call, observation| {
        impact.add(call.id, call.at, observation.check(|json| judge.check_stored(json)).0);
    });
    Ok((impact, found.map_err(internal)?))
}

/// The schema its upstream declared last, whether or not it runs now.
fn declared(tool: &Tool) -> Effective {
    let declared = tool.declaration.as_ref().and_then(|declaration| declaration.output_schema());
    declared.map_or(Effective::None, |declared| {
        Effective::Declared(Schema {
            digest: (*declared.digest).into(),
            schema: Arc::clone(&declared.schema),
            inferred: false,
        })
    })
}
