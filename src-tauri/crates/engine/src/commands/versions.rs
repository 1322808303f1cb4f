//! Versions, and the schemas they hold.

use std::sync::Arc;

use schemascope_api::{
    ApiError, ChangeClass, ChangeRow, CompareVersions, ComparisonReply, ErrorKind, FitRow, GetSchema,
    ListVersions, RawSchema, RollbackRow, SchemaChoice, SchemaReply, VersionRow, VersionsReply,
};
use schemascope_model::{Source, Timestamp, ToolId, VersionState};
use schemascope_registry::Tool;
use schemascope_registry::versions::{ToolVersions, Version};
use schemascope_shape::compare::{Change, Class, Comparison, compare};
use schemascope_shape::{FitCount, Policy};
use serde_json::Value;
use serde_json::value::to_raw_value;

use super::{Handle, internal, tools};
use crate::engine::Engine;
use crate::{raw_diff, views};

impl Handle<ListVersions> for Engine {
    async fn handle(&self, command: ListVersions) -> Result<VersionsReply, ApiError> {
        let (id, tool) = self.known_tool(&command.tool_id).await?;
        let versions = self.decisions.tool(&id);
        let rows = versions.versions().map(|version| row(&versions, version, &tool));
        Ok(VersionsReply {
            tool_id: command.tool_id,
            in_force: versions.in_force().as_ref().map(views::in_force_row),
            suspended: versions.is_suspended(),
            dropped: versions.dropped(),
            undoable: versions.is_undoable(),
            rollback: versions.rollback().map(|to| RollbackRow { to }),
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
        Ok(found.reply(command.tool_id, &tool))
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

/// What changed between two schemas.
pub(super) async fn comparison(old: Arc<Value>, new: Arc<Value>) -> Result<ComparisonReply, ApiError> {
    let (raw_old, raw_new) = (raw(&old)?, raw(&new)?);
    // Proofs take a while.
    let comparing = move || (compare(&old, &new), raw_diff::lines(&old, &new));
    let (compared, lines) = tokio::task::spawn_blocking(comparing).await.map_err(internal)?;
    let Comparison { changes, output, input } = compared;
    Ok(ComparisonReply {
        changes: changes.into_iter().map(change_row).collect(),
        output: class(output),
        input: class(input),
        old: raw_old,
        new: raw_new,
        lines,
    })
}

fn change_row(change: Change) -> ChangeRow {
    // A word without fields, which is a text in JSON.
    let what = serde_json::to_value(change.what).ok();
    ChangeRow {
        path: change.path,
        what: what.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned(),
        output: class(change.output),
        input: class(change.input),
        sentence: change.sentence,
    }
}

fn class(class: Class) -> ChangeClass {
    match class {
        Class::Safe => ChangeClass::Safe,
        Class::Risky => ChangeClass::Risky,
        Class::Breaking => ChangeClass::Breaking,
    }
}

pub(super) fn raw(schema: &Value) -> Result<RawSchema, ApiError> {
    to_raw_value(schema).map(RawSchema).map_err(internal)
}

/// A schema somebody chose.
pub(super) struct Chosen {
    pub(super) schema: Arc<Value>,
    from: From,
}

enum From {
    Declared,
    Inferred,
    Version(Arc<Version>),
}

impl Chosen {
    fn version(version: &Arc<Version>) -> Self {
        Self { schema: Arc::clone(&version.schema), from: From::Version(Arc::clone(version)) }
    }

    fn reply(self, tool_id: String, tool: &Tool) -> SchemaReply {
        let (quality, observation_count) = (tool.standing().quality, tool.shape.observations());
        let (source, version, quality, observation_count) = match self.from {
            From::Declared => (Source::Declared, None, quality, observation_count),
            From::Inferred => (Source::Inferred, None, quality, observation_count),
            From::Version(version) => {
                let evidence = &version.evidence;
                (Source::Inferred, Some(version.number), evidence.quality, evidence.observation_count)
            }
        };
        SchemaReply { tool_id, source, version, quality, observation_count, schema: (*self.schema).clone() }
    }
}

impl Engine {
    /// Waits until everything is counted that was recorded, and the versions that are due for it are cut.
    pub(super) async fn settled(&self) -> Result<(), ApiError> {
        self.recorder.settle().await;
        let cutter = Arc::clone(&self.cutter);
        tokio::task::spawn_blocking(move || cutter.look()).await.map_err(internal)
    }

    /// A tool by its written id, once all about it is settled.
    pub(super) async fn known_tool(&self, written: &str) -> Result<(ToolId, Tool), ApiError> {
        self.settled().await?;
        let found = tools::find(&self.registry(), written).cloned();
        let tool = found
            .or_else(|error| if self.has_versions(written) { Ok(Tool::default()) } else { Err(error) })?;
        let id = written.parse().map_err(internal)?;
        Ok((id, tool))
    }

    /// Whether a tool has versions: imported ones may come before anything else is known of it.
    pub(super) fn has_versions(&self, written: &str) -> bool {
        written.parse().is_ok_and(|id| self.decisions.tool(&id).newest().is_some())
    }

    /// One of a tool's schemas, or an error that says which there are.
    pub(super) fn choose(&self, id: &ToolId, tool: &Tool, choice: SchemaChoice) -> Result<Chosen, ApiError> {
        let missing = |what: &str| ApiError::new(ErrorKind::NotFound, format!("{id} {what}"));
        let declared = || {
            let declared = tool.declaration.as_ref().and_then(|declaration| declaration.output_schema());
            declared.map(|declared| Chosen { schema: Arc::clone(&declared.schema), from: From::Declared })
        };
        let inferred = || {
            let schema = || Arc::new(tool.shape.schema(&Policy::default()));
            (tool.shape.observations() > 0).then(|| Chosen { schema: schema(), from: From::Inferred })
        };
        let effective = || {
            let in_force = self.decisions.tool(id).in_force();
            in_force.map(|in_force| Chosen::version(in_force.version())).or_else(declared)
        };
        match choice {
            SchemaChoice::Best => effective()
                .or_else(inferred)
                .ok_or_else(|| missing("has no schema yet: no successful call has been observed")),
            SchemaChoice::Effective => effective().ok_or_else(|| {
                missing(
                    "has no effective schema: its upstream declares none and none was promoted; the inferred one is --version inferred",
                )
            }),
            SchemaChoice::Inferred => {
                inferred().ok_or_else(|| missing("has no schema yet: no successful call has been observed"))
            }
            SchemaChoice::Declared => declared().ok_or_else(|| {
                missing("declares no output schema; the inferred one is --version inferred")
            }),
            SchemaChoice::Version(number) => {
                let versions = self.decisions.tool(id);
                versions.version(number).map(Chosen::version).map_err(|refused| super::refused(id, &refused))
            }
            SchemaChoice::At(at) => self.schema_at(id, at)?.or_else(|| declared_at(tool, at)).ok_or_else(|| {
                missing(&format!("had no version at {at}, and nothing else is known of that time"))
            }),
        }
    }

    fn schema_at(&self, id: &ToolId, at: Timestamp) -> Result<Option<Chosen>, ApiError> {
        let versions = self.decisions.tool_at(id, at).map_err(internal)?;
        let in_force = versions.in_force();
        let wanted = |version: &&Arc<Version>| versions.state(version.number) != VersionState::Rejected;
        let newest = || versions.versions().rev().find(wanted);
        let version = in_force.as_ref().map(|in_force| in_force.version()).or_else(newest);
        Ok(version.map(Chosen::version))
    }
}

fn declared_at(tool: &Tool, at: Timestamp) -> Option<Chosen> {
    let declaration = tool.declaration.as_ref().filter(|declaration| declaration.at <= at)?;
    let schema = Arc::clone(&declaration.output_schema()?.schema);
    Some(Chosen { schema, from: From::Declared })
}
