//! Decisions, and the log of them.

use std::collections::HashSet;
use std::sync::Arc;

use schemascope_api::{ApiError, AuditPage, AuditRow, Decide, Decided, Decision, ErrorKind, ListAudit};
use schemascope_model::{ActorKind, CallId, Quality, ToolId};
use schemascope_overrides::WILDCARD;
use schemascope_registry::versions::{Actor, AuditEntry, AuditEvent, Wish};

use super::{Handle, internal, tools};
use crate::decisions::{NotWritten, Proposal, Written, known};
use crate::engine::Engine;
use crate::views;

/// Entries in one reply at most.
const MAX_ENTRIES: usize = 1_000;
/// Longest name of a person in bytes.
const MAX_PERSON: usize = 100;

impl Handle<Decide> for Engine {
    async fn handle(&self, command: Decide) -> Result<Decided, ApiError> {
        let (id, tool) = self.known_tool(&command.tool_id).await?;
        let (reason, person) = (command.reason.as_deref(), command.person.as_deref());
        let proposal = self.proposal(&id, reason, person, Some(known(&tool)));
        let wish = wish(command.decision);
        let decisions = Arc::clone(&self.decisions);
        // The disk syncs.
        let overrides = Arc::clone(&self.overrides);
        let writing = move || {
            let written = decisions.write(proposal, |versions| versions.resolve(wish))?;
            // Whoever is answered finds it in the file.
            overrides.look();
            Ok(written)
        };
        let written = tokio::task::spawn_blocking(writing).await.map_err(internal)?;
        let written: Written = written.map_err(|error| not_written(&id, error))?;
        let list_changed = written.changes_clients();
        self.cutter.tell(&id, list_changed);
        Ok(Decided {
            before: written.before.as_ref().map(views::in_force_row),
            after: written.after.as_ref().map(views::in_force_row),
            list_changed,
            warnings: self.overrides.warnings(),
            entry: audit_row(written.entry, &HashSet::new()),
        })
    }
}

impl Engine {
    /// What a person wants written, without secrets.
    pub(super) fn proposal(
        &self,
        tool: &ToolId,
        reason: Option<&str>,
        person: Option<&str>,
        known: Option<(u64, Quality)>,
    ) -> Proposal {
        let redactor = self.redaction.now();
        let given = |text: Option<&str>| {
            let text = text.map(str::trim).filter(|text| !text.is_empty())?;
            Some(redactor.text(text).into_owned())
        };
        let person = given(person).map(|name| name.chars().take(MAX_PERSON).collect::<String>());
        let actor = Actor::person(person.map(Into::into));
        Proposal { tool: tool.clone(), actor, reason: given(reason).map(Into::into), known }
    }
}

pub(super) fn not_written(tool: &ToolId, error: NotWritten) -> ApiError {
    match error {
        NotWritten::Refused(refused) => super::refused(tool, &refused),
        NotWritten::Store(_) => ApiError::new(ErrorKind::Unavailable, error.to_string()),
        NotWritten::Form(_) => internal(error),
    }
}

fn wish(decision: Decision) -> Wish {
    match decision {
        Decision::Promote { version } => Wish::Promote(version),
        Decision::Pin { version, enforced } => Wish::Pin { version, enforced },
        Decision::Unpin {} => Wish::Unpin,
        Decision::Reject { version } => Wish::Reject(version),
        Decision::Rollback { to } => Wish::Rollback(to),
        Decision::Undo {} => Wish::Undo,
    }
}

impl Handle<ListAudit> for Engine {
    async fn handle(&self, command: ListAudit) -> Result<AuditPage, ApiError> {
        let tool = match &command.tool_id {
            Some(written) => {
                if !self.has_versions(written) {
                    tools::find(&self.registry(), written)?;
                }
                Some(written.parse().map_err(internal)?)
            }
            None => None,
        };
        self.recorder.settle().await;
        let (cutter, turns) = (Arc::clone(&self.cutter), Arc::clone(&self.turns));
        let decisions = Arc::clone(&self.decisions);
        let reading = move || {
            cutter.look();
            turns.write();
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
        Ok(AuditPage { entries, next, not_noted: self.turns.not_noted() })
    }
}

/// Whether an entry is about a tool, or about all of its server's.
fn is_about(entry: &ToolId, tool: &ToolId) -> bool {
    entry == tool || (entry.server() == tool.server() && entry.tool() == WILDCARD)
}

fn undoes(event: &AuditEvent) -> Option<CallId> {
    match event {
        AuditEvent::Undo { of } => Some(*of),
        _ => None,
    }
}

fn audit_row(entry: AuditEntry, undone: &HashSet<CallId>) -> AuditRow {
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
        undone: undone.contains(&entry.id),
        reason: entry.reason.map(Into::into),
        observation_count: entry.observation_count,
        quality: entry.quality,
    }
}
