//! The versions of all tools. An entry is applied as a whole or not at all.

use std::collections::BTreeMap;

use schemascope_model::ToolId;

use crate::versions::{AuditEntry, AuditEvent, MAX_REASON, Refused, ToolVersions, Wish};

/// The fold of an audit log.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ledger {
    tools: BTreeMap<ToolId, ToolVersions>,
}

impl Ledger {
    /// What is known of a tool's versions; none when nothing is.
    pub fn tool(&self, id: &ToolId) -> Option<&ToolVersions> {
        self.tools.get(id)
    }

    /// All tools something is known of.
    pub fn tools(&self) -> &BTreeMap<ToolId, ToolVersions> {
        &self.tools
    }

    /// The event a wish comes to.
    pub fn resolve(&self, tool: &ToolId, wish: Wish) -> Result<AuditEvent, Refused> {
        match self.tools.get(tool) {
            Some(tool) => tool.resolve(wish),
            None => ToolVersions::default().resolve(wish),
        }
    }

    /// Whether an entry makes sense as things are.
    pub fn check(&self, entry: &AuditEntry) -> Result<(), Refused> {
        self.after(entry).map(drop)
    }

    /// Takes an entry. One that makes no sense changes nothing.
    pub fn apply(&mut self, entry: &AuditEntry) -> Result<(), Refused> {
        let after = self.after(entry)?;
        self.tools.insert(entry.tool_id.clone(), after);
        Ok(())
    }

    fn after(&self, entry: &AuditEntry) -> Result<ToolVersions, Refused> {
        if let Some(reason) = entry.reason.as_ref().filter(|reason| reason.len() > MAX_REASON) {
            return Err(Refused::LongReason(reason.len()));
        }
        let mut after = self.tools.get(&entry.tool_id).cloned().unwrap_or_default();
        after.take(entry)?;
        Ok(after)
    }
}
