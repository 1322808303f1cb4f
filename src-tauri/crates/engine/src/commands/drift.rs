//! Drift: listing it, and that somebody has seen it.

use std::cmp::Reverse;
use std::sync::Arc;

use schemascope_api::{AcknowledgeDrift, AcknowledgedRow, ApiError, DriftRow, ListDrift, ResolvedRow};
use schemascope_model::{Ending, ToolId};
use schemascope_registry::Registry;
use schemascope_registry::versions::{AuditEvent, Drifts, KnownDrift, Resolution, Resolved};

use super::{Handle, internal};
use crate::decisions::known;
use crate::engine::Engine;

impl Handle<ListDrift> for Engine {
    async fn handle(&self, command: ListDrift) -> Result<Vec<DriftRow>, ApiError> {
        let one = match &command.tool_id {
            Some(written) => Some(self.known_tool(written).await?.0),
            None => {
                self.settled().await?;
                None
            }
        };
        let all = self.decisions.drifts(one.as_ref());
        let registry = self.registry();
        let mut rows: Vec<DriftRow> = all
            .iter()
            .flat_map(|(id, drifts)| drifts.all().map(|drift| row(id, drift, &registry)))
            .filter(|row| command.all || row.resolved.is_none())
            .collect();
        rows.sort_by_key(|row| (row.resolved.is_some(), row.acknowledged.is_some(), Reverse(row.told)));
        Ok(rows)
    }
}

impl Handle<AcknowledgeDrift> for Engine {
    async fn handle(&self, command: AcknowledgeDrift) -> Result<DriftRow, ApiError> {
        let (id, tool) = self.known_tool(&command.tool_id).await?;
        let drift = command.drift;
        let (reason, person) = (command.reason.as_deref(), command.person.as_deref());
        let proposal = self.proposal(&id, reason, person, Some(known(&tool)));
        let decisions = Arc::clone(&self.decisions);
        // The disk syncs.
        let writing = move || decisions.write(proposal, |_| Ok(AuditEvent::Acknowledge { drift }));
        let written = tokio::task::spawn_blocking(writing).await.map_err(internal)?;
        written.map_err(|error| super::decide::not_written(&id, error))?;
        self.cutter.tell(&id, false);
        let versions = self.decisions.tool(&id);
        let known = versions.drifts().get(drift).map_err(|refused| super::refused(&id, &refused))?;
        Ok(row(&id, known, &self.registry()))
    }
}

fn row(id: &ToolId, drift: &KnownDrift, registry: &Registry) -> DriftRow {
    let event = &drift.event;
    let followed = registry.tool(id).and_then(|tool| tool.drift.open().find(|one| one.key() == event.key()));
    DriftRow {
        tool_id: id.to_string(),
        drift: event.id,
        path: event.path.clone(),
        change: event.change.clone(),
        sentence: event.change.sentence(&event.path),
        before: event.before,
        after: followed.map_or(event.after, |followed| followed.after),
        since: event.since,
        began: event.began,
        told: drift.told,
        examples: event.examples.clone(),
        acknowledged: drift.acknowledged.as_ref().map(|acknowledged| AcknowledgedRow {
            at: acknowledged.at,
            actor: acknowledged.by.kind,
            name: acknowledged.by.name.as_deref().map(str::to_owned),
            reason: acknowledged.reason.as_deref().map(str::to_owned),
        }),
        resolved: drift.resolved.as_ref().map(resolved),
    }
}

fn resolved(resolved: &Resolved) -> ResolvedRow {
    let (how, version, sentence) = match resolved.how {
        Resolution::Ended(Ending::Returned) => {
            ("returned", None, "results are again as they were".to_owned())
        }
        Resolution::Ended(Ending::OtherSchema) => {
            ("other_schema", None, "another schema came into effect".to_owned())
        }
        Resolution::TakenIn(version, _) => {
            ("taken_in", Some(version), format!("version {version} takes it in"))
        }
    };
    ResolvedRow { at: resolved.at, how: how.to_owned(), version, sentence }
}

/// Drifts that go on, and those of them nobody acknowledged.
pub(crate) fn marks(drifts: &Drifts) -> (u32, u32) {
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    (count(drifts.open().count()), count(drifts.waiting().count()))
}
