//! What was changed of how tools are shown, for the audit log.
//!
//! Owns: which entries those are. Refuses to know: output schemas, which are decided about.

use std::collections::BTreeSet;

use schemascope_model::ToolId;
use schemascope_overrides::{Changed, WILDCARD};
use schemascope_registry::versions::{Actor, AuditEvent, MAX_REASON};

use super::OverrideFile;
use crate::decisions::Proposal;

impl OverrideFile {
    /// Notes changes, each for its tool; what is for all tools, for each server there is.
    pub(super) fn note_changes(&self, changed: &[Changed]) {
        if changed.is_empty() {
            return;
        }
        let servers: BTreeSet<String> =
            self.cutter.hub.status().into_iter().map(|server| server.name).collect();
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
                let known = self.cutter.known(&tool);
                let proposal = Proposal { tool, actor, reason, known };
                if let Err(error) = self.decisions.write(proposal, |_| Ok(AuditEvent::Override {})) {
                    tracing::warn!(%error, "a change of how a tool is shown could not be noted");
                }
            }
        }
    }
}
