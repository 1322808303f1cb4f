//! Choosing one of a tool's schemas: declared, inferred, or of a version.

use std::sync::Arc;

use schemascope_api::{ApiError, ErrorKind, SchemaChoice, SchemaReply};
use schemascope_model::{Source, Timestamp, ToolId, VersionState};
use schemascope_registry::Tool;
use schemascope_registry::versions::Version;
use serde_json::Value;

use super::decisions::Decisions;
use crate::errors::{internal, refused};

/// A schema that was chosen.
pub(crate) struct Chosen {
    pub(crate) schema: Arc<Value>,
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

    pub(crate) fn reply(self, tool_id: String, tool: &Tool) -> SchemaReply {
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

/// Returns one of a tool's schemas, or an error that says which there are.
pub(crate) fn choose(
    decisions: &Decisions,
    id: &ToolId,
    tool: &Tool,
    choice: SchemaChoice,
) -> Result<Chosen, ApiError> {
    let missing = |what: &str| ApiError::new(ErrorKind::NotFound, format!("{id} {what}"));
    let declared = || {
        let declared = tool.declaration.as_ref().and_then(|declaration| declaration.output_schema());
        declared.map(|declared| Chosen { schema: Arc::clone(&declared.schema), from: From::Declared })
    };
    let inferred = || {
        let schema = || Arc::new(tool.inferred_schema());
        (tool.shape.observations() > 0).then(|| Chosen { schema: schema(), from: From::Inferred })
    };
    let effective = || {
        let in_force = decisions.tool(id).in_force();
        in_force.map(|in_force| Chosen::version(in_force.version())).or_else(declared)
    };
    match choice {
        SchemaChoice::Best => effective()
            .or_else(inferred)
            .ok_or_else(|| match decisions.tool(id).newest() {
                Some(newest) => missing(&format!(
                    "has no effective schema and no result yet; its newest version is --version {}",
                    newest.number
                )),
                None => missing(&nothing_learned(tool)),
            }),
        SchemaChoice::Effective => effective().ok_or_else(|| {
            missing(
                "has no effective schema: its upstream declares none and none was promoted; the inferred one is --version inferred",
            )
        }),
        SchemaChoice::Inferred => {
            inferred().ok_or_else(|| missing(&nothing_learned(tool)))
        }
        SchemaChoice::Declared => declared()
            .ok_or_else(|| missing("declares no output schema; the inferred one is --version inferred")),
        SchemaChoice::Version(number) => {
            let versions = decisions.tool(id);
            versions.version(number).map(Chosen::version).map_err(|error| refused(id, &error))
        }
        SchemaChoice::At(at) => {
            let found = schema_at(decisions, id, at)?.or_else(|| declared_at(tool, at));
            found.ok_or_else(|| {
                missing(&format!("had no version at {at}, and no declared schema is known of that time"))
            })
        }
    }
}

/// Why nothing was learned of a tool, in words that follow its name.
fn nothing_learned(tool: &Tool) -> String {
    match (tool.carriers.unproven, tool.learned_since()) {
        (0, None) => "has no schema yet: no successful call has been observed".to_owned(),
        (0, Some(since)) => format!("has no schema yet: no successful call since {since} has been observed"),
        (texts, _) => format!(
            "has no schema yet: {texts} results are lines `key: value`, and no set of keys was in ten of them"
        ),
    }
}

fn schema_at(decisions: &Decisions, id: &ToolId, at: Timestamp) -> Result<Option<Chosen>, ApiError> {
    let versions = decisions.tool_at(id, at).map_err(internal)?;
    let in_force = versions.in_force();
    let wanted = |version: &&Arc<Version>| versions.state(version.number) != VersionState::Rejected;
    let newest = || versions.versions().rev().find(wanted);
    let version = in_force.as_ref().map(|in_force| in_force.version()).or_else(newest);
    Ok(version.map(Chosen::version))
}

fn declared_at(tool: &Tool, at: Timestamp) -> Option<Chosen> {
    let declaration = tool.declaration.as_ref().filter(|declaration| declaration.at <= at)?;
    let schema = Arc::clone(&declaration.output_schema()?.schema);
    Some(Chosen { schema, from: From::Declared })
}
