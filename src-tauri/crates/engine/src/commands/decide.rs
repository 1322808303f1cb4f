//! Decisions, and their audit log.

use std::collections::HashSet;
use std::sync::Arc;

use schemascope_api::{ApiError, AuditPage, AuditRow, Decide, Decided, Decision, ErrorKind, ListAudit};
use schemascope_model::{ActorKind, CallId, Quality, ToolId};
use schemascope_overrides::WILDCARD;
use schemascope_registry::versions::{Actor, AuditEntry, AuditEvent, Refused, ToolVersions, Wish};

use super::{Handle, internal};
use crate::engine::Engine;
use crate::knowledge::decisions::{NotWritten, Proposal, Written, known};
use crate::knowledge::summary::in_force_row;
use crate::user::system_user;

handlers![Decide, ListAudit];

/// Entries in one reply at most.
const MAX_ENTRIES: usize = 1_000;
/// Longest name of a person in bytes.
const MAX_PERSON: usize = 100;

impl Handle<Decide> for Engine {
    async fn handle(&self, command: Decide) -> Result<Decided, ApiError> {
        let (id, tool) = self.known_tool(&command.tool_id).await?;
        let (reason, person) = (command.reason.as_deref(), command.person.as_deref());
        let proposal = self.proposal(&id, reason, person, Some(known(&tool)));
        let decision = command.decision;
        needs_reason(&proposal, command.no_reason || matches!(decision, Decision::Undo { .. }))?;
        let decisions = Arc::clone(&self.knowledge.decisions);
        // The disk syncs.
        let overrides = Arc::clone(&self.services.overrides);
        let writing = move || {
            let written = decisions.write(proposal, |versions| event(versions, decision))?;
            // Once answered, the caller finds the decision in the file.
            overrides.reconcile();
            Ok(written)
        };
        let written = tokio::task::spawn_blocking(writing).await.map_err(internal)?;
        let written: Written = written.map_err(|error| not_written(&id, error))?;
        let mut warnings = self.services.overrides.warnings();
        warnings.extend(self.apply_learning(&id).await);
        let is_adapted = self.adapts();
        let list_changed = is_adapted && written.changes_clients();
        self.services.drafter.announce(&id, list_changed);
        Ok(decided(written, list_changed, warnings))
    }
}

impl Engine {
    /// A decision by the user, without secrets.
    pub(super) fn proposal(
        &self,
        tool: &ToolId,
        reason: Option<&str>,
        person: Option<&str>,
        known: Option<(u64, Quality)>,
    ) -> Proposal {
        let redactor = self.files.redaction.now();
        let given = |text: Option<&str>| {
            let text = text.map(str::trim).filter(|text| !text.is_empty())?;
            Some(redactor.text(text).into_owned())
        };
        let person = given(person).map(|name| name.chars().take(MAX_PERSON).collect::<String>());
        let actor = Actor::person(person.or_else(system_user).map(Into::into));
        Proposal { tool: tool.clone(), actor, reason: given(reason).map(Into::into), known }
    }
}

pub(super) fn decided(written: Written, list_changed: bool, warnings: Vec<String>) -> Decided {
    Decided {
        before: written.before.as_ref().map(in_force_row),
        after: written.after.as_ref().map(in_force_row),
        list_changed,
        warnings,
        entry: audit_row(written.entry, &HashSet::new()),
    }
}

/// Rejects a proposal without a reason, unless it may lack one.
pub(super) fn needs_reason(proposal: &Proposal, may_lack: bool) -> Result<(), ApiError> {
    if may_lack || proposal.reason.is_some() {
        return Ok(());
    }
    let message = "a decision needs a reason; give one, or leave it out on purpose with `no_reason` (in the \
         terminal, --no-reason)";
    Err(ApiError::new(ErrorKind::Invalid, message))
}

pub(super) fn not_written(tool: &ToolId, error: NotWritten) -> ApiError {
    match error {
        NotWritten::Refused(refused) => super::refused(tool, &refused),
        NotWritten::Store(_) => ApiError::new(ErrorKind::Unavailable, error.to_string()),
        NotWritten::Form(_) => internal(error),
    }
}

/// The event that a decision amounts to.
fn event(versions: &ToolVersions, decision: Decision) -> Result<AuditEvent, Refused> {
    let wish = match decision {
        Decision::Promote { version } => Wish::Promote(version),
        Decision::Pin { version, enforced } => Wish::Pin { version, enforced },
        Decision::Unpin {} => Wish::Unpin,
        Decision::Reject { version } => Wish::Reject(version),
        Decision::Rollback { to } => Wish::Rollback(to),
        Decision::Undo { entry: None } => Wish::Undo,
        // Rejected if it is not the latest.
        Decision::Undo { entry: Some(of) } => return Ok(AuditEvent::Undo { of }),
    };
    versions.resolve(wish)
}

impl Handle<ListAudit> for Engine {
    async fn handle(&self, command: ListAudit) -> Result<AuditPage, ApiError> {
        let tool = match &command.tool_id {
            Some(written) => Some(self.find_with_versions(written)?),
            None => None,
        };
        self.records.recorder.settle().await;
        let (drafter, suspensions) =
            (Arc::clone(&self.services.drafter), Arc::clone(&self.knowledge.suspensions));
        let decisions = Arc::clone(&self.knowledge.decisions);
        let reading = move || {
            drafter.update();
            suspensions.write();
            decisions.entries()
        };
        let mut entries = tokio::task::spawn_blocking(reading).await.map_err(internal)?.map_err(internal)?;
        let undone: HashSet<CallId> = entries.iter().filter_map(|entry| undoes(&entry.event)).collect();
        entries.retain(|entry| {
            tool.as_ref().is_none_or(|tool| is_about(&entry.tool_id, tool))
                && (!command.people || entry.actor.kind != ActorKind::Policy)
                && command.before.is_none_or(|before| entry.id < before)
        });
        let limit = command.limit.min(MAX_ENTRIES);
        let more = entries.len() > limit;
        let rows = entries.into_iter().rev().take(limit).map(|entry| audit_row(entry, &undone));
        let entries: Vec<AuditRow> = rows.collect();
        let next = entries.last().filter(|_| more).map(|last| last.id);
        Ok(AuditPage { entries, next, not_noted: self.knowledge.suspensions.not_written() })
    }
}

/// Whether an entry is about a tool, or about all tools of its server.
fn is_about(entry: &ToolId, tool: &ToolId) -> bool {
    entry == tool || (entry.server() == tool.server() && entry.tool() == WILDCARD)
}

pub(super) fn undoes(event: &AuditEvent) -> Option<CallId> {
    match event {
        AuditEvent::Undo { of } => Some(*of),
        _ => None,
    }
}

fn audit_row(entry: AuditEntry, undone: &HashSet<CallId>) -> AuditRow {
    let deleted = match &entry.event {
        AuditEvent::DeleteInterview { project_id, conversation_id: None } => Some(project_id.to_string()),
        AuditEvent::DeleteInterview { project_id, conversation_id: Some(conversation) } => {
            Some(format!("{conversation} of {project_id}"))
        }
        _ => None,
    };
    let starts = match &entry.event {
        AuditEvent::FailingText { starts, .. } => Some(starts.to_string()),
        _ => None,
    };
    let learned_since = match &entry.event {
        AuditEvent::LearnSince { since } => *since,
        _ => None,
    };
    AuditRow {
        id: entry.id,
        at: entry.at,
        tool_id: entry.tool_id.to_string(),
        actor: entry.actor.kind,
        name: entry.actor.name.map(Into::into),
        event: entry.event.name().to_owned(),
        version: entry.event.version(),
        drift: entry.event.drift(),
        enforced: matches!(entry.event, AuditEvent::Pin { enforced: true, .. }),
        undoes: undoes(&entry.event),
        starts,
        learned_since,
        undone: undone.contains(&entry.id),
        reason: entry.reason.map(Into::into).or(deleted),
        observation_count: entry.observation_count,
        quality: entry.quality,
    }
}
