//! Entries of the audit log for changes of how tools are shown. Changes of output schemas are decisions of their own.

use std::collections::BTreeSet;

use schemascope_model::ToolId;
use schemascope_overrides::{EntryChange, WILDCARD};
use schemascope_registry::versions::{Actor, AuditEvent, MAX_REASON};

use super::OverrideFile;
use crate::knowledge::decisions::Proposal;

impl OverrideFile {
    /// Writes changes to the audit log, each for its tool; a change for all tools once for each server.
    pub(super) fn audit_changes(&self, changed: &[EntryChange]) {
        if changed.is_empty() {
            return;
        }
        let servers: BTreeSet<String> = self.drafter.server_names().collect();
        for one in changed {
            let (about, level) = match &one.server {
                Some(server) => (BTreeSet::from([server.to_string()]), String::new()),
                None => (servers.clone(), format!(" (master.tools.{})", one.tool)),
            };
            let tool = if one.server.is_none() { WILDCARD } else { &one.tool };
            let mut reason = format!("{} in {}{level}", one.fields.join(", "), super::FILE);
            if reason.len() > MAX_REASON {
                reason = one.fields.join(", ");
            }
            for tool in about.iter().filter_map(|server| ToolId::new(server, tool).ok()) {
                let (actor, reason) = (Actor::file(), Some(reason.clone().into()));
                let known = self.drafter.known(&tool);
                let proposal = Proposal { tool, actor, reason, known };
                if let Err(error) = self.decisions.write(proposal, |_| Ok(AuditEvent::Override {})) {
                    tracing::warn!(%error, "a change of overrides could not be written to the audit log");
                }
            }
        }
    }
}
