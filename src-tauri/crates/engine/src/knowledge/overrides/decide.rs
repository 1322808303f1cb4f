//! Decisions that follow from the file: an entry becomes a version and a decision by "file".

use schemascope_judge::Judge;
use schemascope_model::VersionOrigin;
use schemascope_overrides::{Decision, Problem};
use schemascope_registry::digest;
use schemascope_registry::versions::{Actor, AuditEvent, Refused};
use serde_json::Value;

use super::OverrideFile;
use crate::knowledge::decisions::{NotWritten, Proposal};

impl OverrideFile {
    /// Makes a schema effective, or none. The error is a sentence.
    pub(super) fn decide(&self, decision: Decision) -> Result<(), String> {
        let Decision { tool, schema } = decision;
        let decided = match schema {
            Some(schema) if !Judge::new(&schema).is_usable() => {
                return Err(Problem::Schema(tool.to_string()).to_string());
            }
            Some(schema) => self.promote(&tool, &schema),
            None => self.write_entry(&tool, AuditEvent::Rollback { to: None }),
        };
        match decided {
            Ok(()) | Err(NotWritten::Refused(Refused::NothingInForce)) => Ok(()),
            Err(error) => Err(format!("{tool}: {error}")),
        }
    }

    /// Promotes the version that has a schema, or a new one. A pin moves to it.
    fn promote(&self, tool: &schemascope_model::ToolId, schema: &Value) -> Result<(), NotWritten> {
        let digest = digest(schema);
        let versions = self.decisions.tool(tool);
        let known = versions.versions().rev().find(|version| version.digest == digest);
        let version = match known {
            Some(known) => known.number,
            None => self.drafter.create_from(tool, schema, VersionOrigin::File, Actor::file())?,
        };
        let is_rejected = versions.state(version) == schemascope_model::VersionState::Rejected;
        let pin = versions.decided().pinned;
        if pin.is_none() || is_rejected {
            self.write_entry(tool, AuditEvent::Promote { version })?;
        }
        match pin {
            Some(pin) => self.write_entry(tool, AuditEvent::Pin { version, enforced: pin.enforced }),
            None => Ok(()),
        }
    }

    fn write_entry(&self, tool: &schemascope_model::ToolId, event: AuditEvent) -> Result<(), NotWritten> {
        let known = self.drafter.known(tool);
        let proposal = Proposal { tool: tool.clone(), actor: Actor::file(), reason: None, known };
        let written = self.decisions.write(proposal, |_| Ok(event))?;
        self.drafter.announce(tool, written.changes_clients());
        Ok(())
    }
}
