//! Drift reports: each confirmed change is written to the audit log once.
//!
//! Reported after versions are created, so that a version that takes a change in comes first. A report that could not
//! be written is tried again. Which reports are due is decided in `registry`.

use schemascope_model::{Timestamp, ToolId};
use schemascope_registry::Registry;
use schemascope_registry::versions::{Actor, AuditEvent, due};

use super::decisions::{NotWritten, Proposal, known};
use super::version_drafter::VersionDrafter;

impl VersionDrafter {
    /// Reports all drift that is due. Blocks.
    pub(super) fn report_drift(&self) {
        for id in self.with_registry(Registry::take_drifted) {
            let reported = self.report_drift_of(&id);
            if let Err(error) = &reported {
                tracing::error!(tool = %id, %error, "drift could not be reported");
            }
            if !matches!(reported, Ok(true)) {
                self.with_registry(|registry| registry.keep_drifted(&id));
            }
        }
    }

    /// Reports a tool's drift. Returns whether all of it was reported.
    fn report_drift_of(&self, id: &ToolId) -> Result<bool, NotWritten> {
        let versions = self.decisions.tool(id);
        let now = Timestamp::now();
        let look = |registry: &mut Registry| {
            let tool = registry.tool(id)?;
            Some((due(tool, &versions, now), known(tool)))
        };
        let Some(((events, more), known)) = self.with_registry(look) else { return Ok(true) };
        for event in events {
            let reason = match &event {
                AuditEvent::Drift(drift) => Some(drift.change.sentence(&drift.path)),
                _ => None,
            };
            if let Some(sentence) = &reason {
                tracing::warn!(tool = %id, "drift: {sentence}");
            }
            let proposal = Proposal {
                tool: id.clone(),
                actor: Actor::policy(),
                reason: reason.map(Into::into),
                known: Some(known),
            };
            self.decisions.write(proposal, |_| Ok(event))?;
            self.announce(id, false);
        }
        Ok(!more)
    }
}
