//! Deciding since when a tool's results are learned from.

use std::sync::Arc;

use schemascope_api::{ApiError, Decided, ErrorKind, LearnFrom, Relearn};
use schemascope_model::{Timestamp, ToolId};
use schemascope_registry::versions::{AuditEvent, Refused, ToolVersions};

use super::decide::{decided, needs_reason, not_written};
use super::{Handle, internal};
use crate::engine::Engine;
use crate::knowledge::decisions::{Proposal, known};

handlers![Relearn];

impl Handle<Relearn> for Engine {
    async fn handle(&self, command: Relearn) -> Result<Decided, ApiError> {
        let (id, tool) = self.known_tool(&command.tool_id).await?;
        let now = Timestamp::now();
        if let LearnFrom::Time(since) = command.from
            && since > now
        {
            let message =
                format!("{since} is in the future; results can be learned from since a time up to now");
            return Err(ApiError::new(ErrorKind::Invalid, message));
        }
        let (reason, person) = (command.reason.as_deref(), command.person.as_deref());
        let proposal = self.proposal(&id, reason, person, Some(known(&tool)));
        needs_reason(&proposal, command.no_reason)?;
        self.decide_learning(&id, proposal, move |versions| event(versions, command.from, now)).await
    }
}

fn event(versions: &ToolVersions, from: LearnFrom, now: Timestamp) -> Result<AuditEvent, Refused> {
    let since = match from {
        LearnFrom::All => None,
        LearnFrom::Now => Some(now),
        LearnFrom::Time(since) => Some(since),
        LearnFrom::Drift(drift) => Some(versions.drifts().get(drift)?.event.since),
    };
    Ok(AuditEvent::LearnSince { since })
}

impl Engine {
    /// Writes a decision about how a tool learns, and returns once it is in effect.
    pub(super) async fn decide_learning(
        &self,
        id: &ToolId,
        proposal: Proposal,
        event: impl FnOnce(&ToolVersions) -> Result<AuditEvent, Refused> + Send + 'static,
    ) -> Result<Decided, ApiError> {
        let decisions = Arc::clone(&self.knowledge.decisions);
        // The disk syncs.
        let writing = move || decisions.write(proposal, event);
        let written = tokio::task::spawn_blocking(writing).await.map_err(internal)?;
        let written = written.map_err(|error| not_written(id, error))?;
        let warnings = self.apply_learning(id).await;
        self.services.drafter.announce(id, false);
        Ok(decided(written, false, warnings))
    }

    /// Learns from the results of a tool as was decided. Returns why stored ones are not, if so.
    pub(super) async fn apply_learning(&self, id: &ToolId) -> Vec<String> {
        let applied = self.services.learning.apply(id).await;
        let warning = applied.err().map(|error| {
            format!(
                "stored results of {id} are not learned from again yet ({error}); the next start tries it again"
            )
        });
        warning.into_iter().collect()
    }
}
