//! What calls say of drift is told: written to the audit log, once.
//!
//! Looked at with versions, behind the recorder and before whoever asks, and written behind them: the version that
//! takes a change in is cut first. Owns: that what could not be written is tried again. Refuses to know: what is due
//! (see `registry`).

use schemascope_model::{Timestamp, ToolId};
use schemascope_registry::Registry;
use schemascope_registry::versions::{Actor, AuditEvent, due};

use crate::decisions::{Cutter, NotWritten, Proposal, known};

impl Cutter {
    /// Tells what is due. Blocks.
    pub(super) fn tell_drift(&self) {
        for id in self.with_registry(Registry::take_drifted) {
            let told = self.tell_drift_of(&id);
            if let Err(error) = &told {
                tracing::error!(tool = %id, %error, "drift could not be noted");
            }
            if !matches!(told, Ok(true)) {
                self.with_registry(|registry| registry.keep_drifted(&id));
            }
        }
    }

    /// Whether all was told.
    fn tell_drift_of(&self, id: &ToolId) -> Result<bool, NotWritten> {
        let versions = self.decisions.tool(id);
        let now = Timestamp::now();
        let look = |registry: &mut Registry| {
            let tool = registry.tool(id)?;
            Some((due(tool, versions.drifts(), now), known(tool)))
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
            self.tell(id, false);
        }
        Ok(!more)
    }
}
