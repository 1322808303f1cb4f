//! What a version would have made of the latest observations, and what promoting it changes for clients.

use std::sync::Arc;

use schemascope_api::{ApiError, ErrorKind, GetImpact, ImpactReply};
use schemascope_judge::Judge;
use schemascope_model::ToolId;
use schemascope_proxy::{Effective, Schema, advertised};
use schemascope_registry::Tool;
use schemascope_registry::versions::Impact;
use schemascope_store::Reader;
use serde_json::Value;

use super::versions::{comparison, raw};
use super::{Handle, internal};
use crate::decisions::{Observations, in_effect, schema};
use crate::engine::Engine;
use crate::views;

/// Observations looked at unless said otherwise, and at most.
const LAST: u32 = 1_000;
const MAX_LAST: u32 = 20_000;

impl Handle<GetImpact> for Engine {
    async fn handle(&self, command: GetImpact) -> Result<ImpactReply, ApiError> {
        let (id, tool) = self.known_tool(&command.tool_id).await?;
        let last = command.last.unwrap_or(LAST);
        if last > MAX_LAST {
            let message = format!("at most the last {MAX_LAST} observations can be looked at");
            return Err(ApiError::new(ErrorKind::Invalid, message));
        }
        let versions = self.decisions.tool(&id);
        let version = versions.version(command.version).map_err(|refused| super::refused(&id, &refused))?;
        let replayed = {
            let (reader, id, schema) = (self.reader.clone(), id.clone(), Arc::clone(&version.schema));
            // One search through calls at a time.
            let _turn = self.browsing.lock().await;
            tokio::task::spawn_blocking(move || replay(&reader, &id, &schema, u64::from(last))).await
        };
        let (impact, found) = replayed.map_err(internal)??;
        let in_force = versions.in_force();
        let now = match &in_force {
            Some(in_force) => in_effect(in_force),
            None => declared(&tool),
        };
        // A pin keeps what is in force.
        let then = match &in_force {
            Some(_) if versions.decided().pinned.is_some() => now.clone(),
            _ => Effective::Promoted(schema(version)),
        };
        let is_new = versions.decided().promoted != Some(version.number);
        let changes = is_new && versions.decided().pinned.is_none();
        let compared = match now.schema() {
            Some(old) => Some(comparison(Arc::clone(&old.schema), Arc::clone(&version.schema)).await?),
            None => None,
        };
        let told = |effective: &Effective| advertised(effective).map(|schema| raw(&schema)).transpose();
        Ok(ImpactReply {
            tool_id: command.tool_id,
            version: version.number,
            observation_count: impact.judged,
            violating: impact.violating,
            not_judged: found.without_bodies + impact.unknown,
            rules: impact.rules(),
            other_rules: impact.other_rules,
            calls: impact.calls,
            in_force: in_force.as_ref().map(views::in_force_row),
            advertised: told(&now)?,
            advertised_then: told(&then)?,
            list_changed: changes,
            comparison: compared,
        })
    }
}

fn replay(
    reader: &Reader,
    id: &ToolId,
    schema: &Value,
    last: u64,
) -> Result<(Impact, Observations), ApiError> {
    let judge = Judge::new(schema);
    if !judge.is_usable() {
        let message = "the version's schema cannot be used to judge anything";
        return Err(ApiError::new(ErrorKind::Invalid, message));
    }
    let mut impact = Impact::default();
    let found = Observations::latest(reader, id, last, |call, json| {
        impact.add(call.id, call.at, judge.stored(json));
    });
    Ok((impact, found.map_err(internal)?))
}

/// What its upstream declares, as it is known whether or not the upstream runs now.
fn declared(tool: &Tool) -> Effective {
    let declared = tool.declaration.as_ref().and_then(|declaration| declaration.output_schema());
    declared.map_or(Effective::None, |declared| {
        Effective::Declared(Schema {
            digest: (*declared.digest).into(),
            schema: Arc::clone(&declared.schema),
        })
    })
}
