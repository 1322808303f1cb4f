//! Listing and acknowledging drift.

use std::cmp::Reverse;
use std::sync::Arc;

use schemascope_api::{AcknowledgeDrift, AcknowledgedRow, ApiError, DriftRow, Edge, ListDrift, ResolvedRow};
use schemascope_model::{Ending, ToolId};
use schemascope_registry::Registry;
use schemascope_registry::versions::{AuditEvent, KnownDrift, Resolution, Resolved};

use super::{Handle, internal};
use crate::engine::Engine;
use crate::knowledge::decisions::known;
use crate::knowledge::edge_graph::EdgeGraph;

handlers![ListDrift, AcknowledgeDrift];

impl Handle<ListDrift> for Engine {
    async fn handle(&self, command: ListDrift) -> Result<Vec<DriftRow>, ApiError> {
        let one = match &command.tool_id {
            Some(written) => Some(self.known_tool(written).await?.0),
            None => {
                self.settled().await?;
                None
            }
        };
        let all = self.knowledge.decisions.drifts(one.as_ref());
        let can_break = all.iter().any(|(_, drifts)| drifts.all().any(can_break));
        let edges = self.usual_edges(can_break).await?;
        let is_wanted = |drift: &&KnownDrift| command.all || drift.resolved.is_none();
        let wanted =
            all.iter().flat_map(|(id, drifts)| drifts.all().filter(is_wanted).map(move |one| (id, one)));
        let mut rows: Vec<DriftRow> = wanted.map(|(id, drift)| self.drift_row(id, drift, &edges)).collect();
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
        super::decide::needs_reason(&proposal, command.no_reason || command.undo)?;
        let event = if command.undo {
            AuditEvent::Unacknowledge { drift }
        } else {
            AuditEvent::Acknowledge { drift }
        };
        let decisions = Arc::clone(&self.knowledge.decisions);
        // The disk syncs.
        let writing = move || decisions.write(proposal, |_| Ok(event));
        let written = tokio::task::spawn_blocking(writing).await.map_err(internal)?;
        written.map_err(|error| super::decide::not_written(&id, error))?;
        self.services.drafter.announce(&id, false);
        let versions = self.knowledge.decisions.tool(&id);
        let known = versions.drifts().get(drift).map_err(|refused| super::refused(&id, &refused))?;
        Ok(self.drift_row(&id, known, &self.usual_edges(can_break(known)).await?))
    }
}

/// Whether a drift goes on that can break edges.
pub(super) fn can_break(drift: &KnownDrift) -> bool {
    drift.resolved.is_none() && EdgeGraph::may_break(&drift.event)
}

impl Engine {
    /// A drift with those of the edges that it breaks.
    pub(super) fn drift_row(&self, id: &ToolId, drift: &KnownDrift, edges: &[Edge]) -> DriftRow {
        let row = row(id, drift, &self.registry());
        let breaks = match drift.resolved {
            None => EdgeGraph::broken_by(edges, id, &drift.event),
            Some(_) => Vec::new(),
        };
        DriftRow { breaks, ..row }
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
        breaks: Vec::new(),
    }
}

fn resolved(resolved: &Resolved) -> ResolvedRow {
    let (how, version, sentence) = match resolved.how {
        Resolution::Ended(Ending::Returned) => {
            ("returned", None, "results are again as they were".to_owned())
        }
        Resolution::Ended(Ending::LearnedAgain) => {
            ("learned_again", None, "only results since the change are learned from".to_owned())
        }
        Resolution::Ended(Ending::OtherSchema) => {
            ("other_schema", None, "another schema came into effect".to_owned())
        }
        Resolution::TakenIn(version, _) => {
            ("taken_in", Some(version), format!("version {version} takes it in"))
        }
        Resolution::Withdrawn => ("withdrawn", None, "its schema is no longer in effect".to_owned()),
    };
    ResolvedRow { at: resolved.at, how: how.to_owned(), version, sentence }
}
