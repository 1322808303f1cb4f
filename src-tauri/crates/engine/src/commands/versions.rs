//! Listing and comparing versions and schemas.

use std::sync::Arc;

use schemascope_api::{
    ActiveAfter, ApiError, ChangeClass, ChangeRow, CompareVersions, ComparisonReply, FitRow, GetSchema,
    ListVersions, RawSchema, SchemaChoice, SchemaReply, VersionRow, VersionsReply,
};
use schemascope_compare::{Change, Class, Comparison, compare};
use schemascope_model::ToolId;
use schemascope_registry::Tool;
use schemascope_registry::versions::{ToolVersions, Version};
use schemascope_shape::FitCount;
use serde_json::Value;
use serde_json::value::to_raw_value;

use super::{Handle, internal};
use crate::engine::Engine;
use crate::interviews::describe::describe;
use crate::knowledge::raw_diff;
use crate::knowledge::schema_choice::{Chosen, choose};
use crate::knowledge::summary::in_force_row;

handlers![ListVersions, GetSchema, CompareVersions];

impl Handle<ListVersions> for Engine {
    async fn handle(&self, command: ListVersions) -> Result<VersionsReply, ApiError> {
        let (id, tool) = self.known_tool(&command.tool_id).await?;
        let versions = self.knowledge.decisions.tool(&id);
        let rows = versions.versions().map(|version| row(&versions, version, &tool));
        let candidate = self.candidate_readiness(&id, &versions, &tool).await?;
        let target = |version| ActiveAfter { version };
        Ok(VersionsReply {
            tool_id: id.to_string(),
            in_force: versions.in_force().as_ref().map(in_force_row),
            suspended: versions.is_suspended(),
            dropped: versions.dropped(),
            undo: versions.after_undo().map(target),
            unpin: versions.after_unpin().map(target),
            rollback: versions.rollback().map(target),
            candidate,
            versions: rows.collect::<Result<_, _>>()?,
        })
    }
}

fn row(versions: &ToolVersions, version: &Version, tool: &Tool) -> Result<VersionRow, ApiError> {
    let number = version.number;
    let pin = versions.decided().pinned.filter(|pin| pin.version == number);
    let evidence = version.evidence.clone();
    let FitCount { fits, violates } = tool.fits.of(&version.digest);
    Ok(VersionRow {
        version: number,
        state: versions.state(number),
        pinned: pin.is_some(),
        enforced: pin.is_some_and(|pin| pin.enforced),
        rolled_back: versions.is_rolled_back(number),
        origin: version.origin,
        created: version.created,
        observation_count: evidence.observation_count,
        quality: evidence.quality,
        mean_consistency: evidence.mean_consistency.map(|millionths| f64::from(millionths) / 1e6),
        fits: FitRow { fits, violates },
        schema: raw(&version.schema)?,
        evidence,
    })
}

impl Handle<GetSchema> for Engine {
    async fn handle(&self, command: GetSchema) -> Result<SchemaReply, ApiError> {
        let (id, tool) = self.known_tool(&command.tool_id).await?;
        let found = self.choose(&id, &tool, command.choice)?;
        let mut reply = found.reply(id.to_string(), &tool);
        describe(&mut reply.schema, &self.interviews.descriptions(&reply.tool_id));
        Ok(reply)
    }
}

impl Handle<CompareVersions> for Engine {
    async fn handle(&self, command: CompareVersions) -> Result<ComparisonReply, ApiError> {
        let (id, tool) = self.known_tool(&command.tool_id).await?;
        let old = self.choose(&id, &tool, command.old)?.schema;
        let new = self.choose(&id, &tool, command.new)?.schema;
        comparison(old, new).await
    }
}

/// Differences of two schemas.
async fn comparison(old: Arc<Value>, new: Arc<Value>) -> Result<ComparisonReply, ApiError> {
    // The proofs take a while.
    let comparing = move || comparison_reply(compare(&old, &new), &old, &new);
    tokio::task::spawn_blocking(comparing).await.map_err(internal)?
}

/// A comparison of two schemas with both and their differing lines. Takes a while.
pub(super) fn comparison_reply(
    comparison: Comparison,
    old: &Value,
    new: &Value,
) -> Result<ComparisonReply, ApiError> {
    let (raw_old, raw_new) = (raw(old)?, raw(new)?);
    let lines = raw_diff::lines(old, new);
    let Comparison { changes, output, input } = comparison;
    Ok(ComparisonReply {
        changes: changes.into_iter().map(change_row).collect(),
        output: class(output),
        input: class(input),
        old: raw_old,
        new: raw_new,
        lines,
    })
}

pub(super) fn change_row(change: Change) -> ChangeRow {
    // A variant without fields, which is a string in JSON.
    let what = serde_json::to_value(change.what).ok();
    ChangeRow {
        path: change.path,
        what: what.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned(),
        output: class(change.output),
        input: class(change.input),
        sentence: change.sentence,
    }
}

pub(super) fn class(class: Class) -> ChangeClass {
    match class {
        Class::Safe => ChangeClass::Safe,
        Class::Risky => ChangeClass::Risky,
        Class::Breaking => ChangeClass::Breaking,
    }
}

pub(super) fn raw(schema: &Value) -> Result<RawSchema, ApiError> {
    to_raw_value(schema).map(RawSchema).map_err(internal)
}

impl Engine {
    /// Waits until everything recorded is counted, and creates the versions that are due.
    pub(super) async fn settled(&self) -> Result<(), ApiError> {
        self.records.recorder.settle().await;
        let drafter = Arc::clone(&self.services.drafter);
        tokio::task::spawn_blocking(move || drafter.update()).await.map_err(internal)
    }

    /// A tool by its id or a name for agents, after everything recorded is counted.
    pub(super) async fn known_tool(&self, written: &str) -> Result<(ToolId, Tool), ApiError> {
        self.settled().await?;
        let id = self.find_with_versions(written)?;
        let tool = self.registry().tool(&id).cloned().unwrap_or_default();
        Ok((id, tool))
    }

    /// The same for a tool that may have versions only. Imported ones may exist before anything else is known of it.
    pub(super) fn find_with_versions(&self, written: &str) -> Result<ToolId, ApiError> {
        let has_versions = |id: &ToolId| self.knowledge.decisions.tool(id).newest().is_some();
        self.find(written).or_else(|error| written.parse().ok().filter(has_versions).ok_or(error))
    }

    /// See [`choose`].
    pub(super) fn choose(&self, id: &ToolId, tool: &Tool, choice: SchemaChoice) -> Result<Chosen, ApiError> {
        choose(&self.knowledge.decisions, id, tool, choice)
    }
}
