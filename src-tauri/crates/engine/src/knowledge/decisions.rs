//! Decisions about schemas: the audit log on disk, its fold in memory, and effective schemas for the call path.
//!
//! One lock gives the decisions of several fronts one order: an entry is checked, written, and takes effect before
//! the next one is looked at. A decision counts once it is on disk. The rules are in `registry`.

use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use schemascope_model::{IdSource, Quality, Timestamp, ToolId, VersionOrigin};
use schemascope_proxy::{Effective, Schema};
use schemascope_registry::Tool;
use schemascope_registry::versions::{
    Actor, AuditEntry, AuditEvent, Drifts, Form, InForce, Ledger, Refused, ToolVersions, Version,
};
use schemascope_store::AuditLog;
use tokio::sync::Notify;

use super::effective::EffectiveSchemas;
use super::summary::VersionSummary;

/// The audit log with its fold.
pub(crate) struct Decisions {
    state: Mutex<State>,
    effective: Arc<EffectiveSchemas>,
    ids: Arc<IdSource>,
    /// Notified when a tool's effective version changes.
    pub(crate) version_changed: Arc<Notify>,
}

struct State {
    log: AuditLog,
    ledger: Ledger,
    latest: Timestamp,
}

/// A decision to be written.
pub(crate) struct Proposal {
    pub(crate) tool: ToolId,
    pub(crate) actor: Actor,
    pub(crate) reason: Option<Box<str>>,
    /// Observations and quality of the tool at the time, where it is known.
    pub(crate) known: Option<(u64, Quality)>,
}

/// A decision that was written, and the effective version before and after it.
pub(crate) struct Written {
    pub(crate) entry: AuditEntry,
    pub(crate) before: Option<InForce>,
    pub(crate) after: Option<InForce>,
}

/// Why a decision was not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotWritten {
    /// The decision does not apply to the tool as it is now.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The disk failed; nothing was decided.
    #[error("nothing was decided, because the audit log cannot be written: {0}")]
    Store(#[from] schemascope_store::Error),
    /// An entry has no JSON form.
    #[error("an entry cannot be written: {0}")]
    Form(#[from] serde_json::Error),
}

impl Decisions {
    /// Opens the log of a data directory and makes its decisions effective. Also returns which entries could not be
    /// read, in sentences.
    pub(crate) fn open(
        data: &Path,
        ids: Arc<IdSource>,
        effective: Arc<EffectiveSchemas>,
    ) -> Result<(Self, Vec<String>), schemascope_store::Error> {
        let (log, read, torn) = AuditLog::open(data)?;
        let (mut ledger, mut latest, mut notes) = (Ledger::default(), Timestamp::from_millis(0), Vec::new());
        if let Some(torn) = torn {
            notes.push(format!(
                "{} bytes of an unfinished decision were removed from the end of the audit log; it was never in effect",
                torn.bytes
            ));
        }
        notes.extend(read.damaged.iter().map(|damage| {
            format!(
                "the audit log is damaged at offset {} of segment {} ({}); the decision there is lost, all others are intact",
                damage.at.offset, damage.at.segment, damage.reason
            )
        }));
        for payload in read.entries {
            let read = serde_json::from_slice::<AuditEntry>(&payload).map_err(|error| error.to_string());
            let entry = match read {
                Ok(entry) => entry,
                Err(reason) => {
                    notes.push(format!("an entry of the audit log is ignored: {reason}"));
                    continue;
                }
            };
            latest = latest.max(entry.at);
            if let Err(refused) = ledger.apply(&entry) {
                // Happens only where an earlier entry was damaged.
                notes.push(format!("{} of {} is ignored: {refused}", entry.event.name(), entry.tool_id));
            }
        }
        for (tool, versions) in ledger.tools() {
            effective.decide(tool, versions.in_force().as_ref().map(in_effect));
            effective.decide_texts(tool, versions.decided().learning_rules().failing);
        }
        let version_changed = Arc::new(Notify::new());
        let state = Mutex::new(State { log, ledger, latest });
        Ok((Self { state, effective, ids, version_changed }, notes))
    }

    /// A tool's versions and the decisions about them.
    pub(crate) fn tool(&self, tool: &ToolId) -> ToolVersions {
        self.state().ledger.tool(tool).cloned().unwrap_or_default()
    }

    /// The newest version of a tool that was learned here.
    pub(crate) fn newest_inferred(&self, tool: &ToolId) -> Option<u32> {
        self.state().ledger.tool(tool)?.newest_inferred()
    }

    /// The version of a tool that the policy `at_high` promotes now.
    pub(crate) fn to_promote(
        &self,
        tool: &ToolId,
        form: &Form,
        quality: impl FnOnce() -> Quality,
    ) -> Option<u32> {
        self.state().ledger.tool(tool)?.to_promote(form, quality)
    }

    /// All tools with an effective version, and which it is.
    pub(crate) fn in_force(&self) -> BTreeMap<ToolId, InForce> {
        let state = self.state();
        let tools = state.ledger.tools().iter();
        tools.filter_map(|(tool, versions)| Some((tool.clone(), versions.in_force()?))).collect()
    }

    /// The main facts about a tool's versions.
    pub(crate) fn summary(&self, id: &ToolId, tool: &Tool) -> VersionSummary {
        VersionSummary::of(tool, self.state().ledger.tool(id))
    }

    /// Reported drift of one tool or of all.
    pub(crate) fn drifts(&self, of: Option<&ToolId>) -> Vec<(ToolId, Drifts)> {
        let state = self.state();
        let wanted = state.ledger.tools().iter().filter(|(tool, _)| of.is_none_or(|of| of == *tool));
        wanted.map(|(tool, versions)| (tool.clone(), versions.drifts().clone())).collect()
    }

    /// Writes the decision that `event` makes of the tool's versions. When this returns it is on disk and in effect.
    /// Blocks while the disk syncs.
    pub(crate) fn write(
        &self,
        proposal: Proposal,
        event: impl FnOnce(&ToolVersions) -> Result<AuditEvent, Refused>,
    ) -> Result<Written, NotWritten> {
        let Proposal { tool, actor, reason, known } = proposal;
        let mut state = self.state();
        let nothing = ToolVersions::default();
        let versions = state.ledger.tool(&tool).unwrap_or(&nothing);
        let before = versions.in_force();
        let event = event(versions)?;
        // Entries stay in order even if the clock goes back, and no two have the same time: ids of one moment are
        // ordered only within one run.
        let at = Timestamp::now().max(Timestamp::from_millis(state.latest.as_millis().saturating_add(1)));
        let (observation_count, quality) = known.unzip();
        let entry = AuditEntry {
            id: self.ids.live(at),
            at,
            tool_id: tool,
            actor,
            reason,
            observation_count,
            quality,
            event,
        };
        state.ledger.check(&entry)?;
        state.log.append(entry.id, &serde_json::to_vec(&entry)?)?;
        state.latest = at;
        state.ledger.apply(&entry)?;
        let after = state.ledger.tool(&entry.tool_id).and_then(ToolVersions::in_force);
        self.effective.decide(&entry.tool_id, after.as_ref().map(in_effect));
        let rules = state.ledger.tool(&entry.tool_id).map(|tool| tool.decided().learning_rules());
        self.effective.decide_texts(&entry.tool_id, rules.unwrap_or_default().failing);
        let number = |in_force: &Option<InForce>| in_force.as_ref().map(|one| one.version().number);
        if number(&before) != number(&after) {
            self.version_changed.notify_one();
        }
        let (name, tool) = (entry.event.name(), &entry.tool_id);
        tracing::info!(decision = name, %tool, version = entry.event.version(), actor = %entry.actor, "decided");
        Ok(Written { entry, before, after })
    }

    /// All entries, oldest first. Entries that cannot be read are left out; they were reported at the start.
    pub(crate) fn entries(&self) -> Result<Vec<AuditEntry>, schemascope_store::Error> {
        let read = self.state().log.read()?;
        Ok(read.entries.iter().filter_map(|payload| serde_json::from_slice(payload).ok()).collect())
    }

    /// A tool's versions and the decisions about them at a time.
    pub(crate) fn tool_at(
        &self,
        tool: &ToolId,
        at: Timestamp,
    ) -> Result<ToolVersions, schemascope_store::Error> {
        let mut ledger = Ledger::default();
        for entry in self.entries()?.iter().filter(|entry| entry.tool_id == *tool && entry.at <= at) {
            // Entries that do not apply are ignored, as at the start.
            let _ = ledger.apply(entry);
        }
        Ok(ledger.tool(tool).cloned().unwrap_or_default())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl Written {
    /// Whether what is advertised to clients changes.
    pub(crate) fn changes_clients(&self) -> bool {
        let form = |in_force: &Option<InForce>| {
            let in_force = in_force.as_ref()?;
            let pin = (matches!(in_force, InForce::Enforced(_)), matches!(in_force, InForce::Pinned(_)));
            Some((in_force.version().digest.clone(), pin))
        };
        form(&self.before) != form(&self.after)
    }
}

/// The effective schema for the call path.
pub(crate) fn in_effect(in_force: &InForce) -> Effective {
    let schema = schema(in_force.version());
    match in_force {
        InForce::Promoted(_) => Effective::Promoted(schema),
        InForce::Pinned(_) => Effective::Pinned(schema),
        InForce::Enforced(_) => Effective::Enforced(schema),
    }
}

/// A version's schema as the call path has it.
pub(crate) fn schema(version: &Version) -> Schema {
    Schema {
        digest: (*version.digest).into(),
        schema: Arc::clone(&version.schema),
        inferred: version.origin == VersionOrigin::Inferred,
    }
}

/// Observations and quality of a tool, as entries note them.
pub(crate) fn known(tool: &Tool) -> (u64, Quality) {
    (tool.shape.observations(), tool.inferred_quality())
}

#[cfg(test)]
mod tests {
    use schemascope_model::Evidence;
    use schemascope_registry::versions::{Cut, Wish};
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::*;

    fn opened(data: &Path) -> (Decisions, Arc<EffectiveSchemas>, Vec<String>) {
        let effective = Arc::new(EffectiveSchemas::default());
        let (decisions, notes) =
            Decisions::open(data, Arc::new(IdSource::new(1, 0)), Arc::clone(&effective)).unwrap();
        (decisions, effective, notes)
    }

    fn proposal() -> Proposal {
        let tool = "s__t".parse().unwrap();
        Proposal { tool, actor: Actor::person(None), reason: None, known: None }
    }

    fn cut(version: u32) -> AuditEvent {
        let evidence = Evidence {
            observation_count: u64::from(version),
            call_count: 1,
            last_observed: None,
            learned_since: None,
            quality: Quality::Low,
            mean_consistency: None,
            fields: Vec::new(),
            fields_left_out: 0,
            examples: Vec::new(),
            counter_examples: Vec::new(),
        };
        let schema = to_raw_value(&json!({"const": version})).unwrap();
        AuditEvent::Cut(Box::new(Cut { version, origin: VersionOrigin::Inferred, schema, evidence }))
    }

    #[test]
    fn decision_takes_effect_at_once_and_after_a_restart() {
        let data = tempfile::tempdir().unwrap();
        let tool: ToolId = "s__t".parse().unwrap();
        let (decisions, effective, notes) = opened(data.path());
        assert!(notes.is_empty());
        decisions.write(proposal(), |_| Ok(cut(1))).unwrap();
        let written = decisions.write(proposal(), |versions| versions.resolve(Wish::Promote(None))).unwrap();
        assert!(written.changes_clients() && written.before.is_none());
        assert!(matches!(effective.of(&tool), Effective::Promoted(_)));
        let refused = decisions.write(proposal(), |versions| versions.resolve(Wish::Unpin));
        assert!(matches!(refused, Err(NotWritten::Refused(Refused::NotPinned))));
        let [first, second] =
            decisions.entries().unwrap().try_into().expect("a rejected decision is not written");
        assert!(first.at < second.at && first.id < second.id);
        let before = decisions.tool(&tool);
        drop(decisions);
        let (decisions, effective, notes) = opened(data.path());
        assert_eq!((decisions.tool(&tool), notes.len()), (before, 0));
        assert!(matches!(effective.of(&tool), Effective::Promoted(_)));
        let first = decisions.entries().unwrap()[0].at;
        let then = decisions.tool_at(&tool, Timestamp::from_millis(first.as_millis() - 1)).unwrap();
        assert!(then.newest().is_none());
    }

    /// A damaged entry costs one decision; decisions that depend on it are ignored and reported.
    #[test]
    fn damaged_entry_is_reported() {
        let data = tempfile::tempdir().unwrap();
        let (decisions, ..) = opened(data.path());
        decisions.write(proposal(), |_| Ok(cut(1))).unwrap();
        decisions.write(proposal(), |_| Ok(AuditEvent::Promote { version: 1 })).unwrap();
        drop(decisions);
        let file = data.path().join("decisions").read_dir().unwrap().next().unwrap().unwrap().path();
        let mut bytes = std::fs::read(&file).unwrap();
        // In the first entry's payload.
        bytes[80] ^= 1;
        std::fs::write(&file, bytes).unwrap();
        let (decisions, effective, notes) = opened(data.path());
        assert!(
            notes[0].contains("is damaged at offset") && notes[1].contains("promote of s__t"),
            "{notes:?}"
        );
        assert!(matches!(effective.of(&"s__t".parse().unwrap()), Effective::None));
        decisions.write(proposal(), |_| Ok(cut(1))).unwrap();
    }
}
