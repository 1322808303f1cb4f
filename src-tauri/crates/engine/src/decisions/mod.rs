//! Decisions about schemas: the audit log on disk, its fold in memory, and what the call path sees of it.
//!
//! One lock, so that decisions of several fronts have one order: an entry is checked, written, and takes effect,
//! before the next one is looked at. What is on disk was decided, what is not was not. Owns: that order. Refuses
//! to know: rules (see `registry`), fronts, and who is told.

mod cutting;
mod drifting;
mod observations;
mod turns;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use schemascope_api::InForceRow;
use schemascope_model::{IdSource, Quality, Timestamp, ToolId};
use schemascope_proxy::{Effective, Schema};
use schemascope_registry::Tool;
use schemascope_registry::versions::{
    Actor, AuditEntry, AuditEvent, Drifts, InForce, Ledger, Refused, ToolVersions, Version, untold,
};
use schemascope_store::AuditLog;
use tokio::sync::Notify;

use crate::commands::marks;
use crate::effective::EffectiveSchemas;
use crate::views;

pub(crate) use cutting::Cutter;
pub(crate) use observations::Observations;
pub(crate) use turns::Turns;

/// The audit log with its fold.
pub(crate) struct Decisions {
    books: Mutex<Books>,
    effective: Arc<EffectiveSchemas>,
    ids: IdSource,
    /// Told when another version is in force, or none.
    pub(crate) turned: Arc<Notify>,
}

struct Books {
    log: AuditLog,
    ledger: Ledger,
    latest: Timestamp,
}

/// What stands out among a tool's versions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Numbers {
    pub(crate) in_force: Option<InForceRow>,
    pub(crate) candidate: Option<u32>,
    /// Drifts that go on, and those of them nobody acknowledged.
    pub(crate) drift: (u32, u32),
    /// Drifts that were found and are not told.
    pub(crate) untold: u64,
}

/// Something to be written.
pub(crate) struct Proposal {
    pub(crate) tool: ToolId,
    pub(crate) actor: Actor,
    pub(crate) reason: Option<Box<str>>,
    /// Observations and quality of the tool at the time, where it is known.
    pub(crate) known: Option<(u64, Quality)>,
}

/// What was written, and what is in force before and after.
pub(crate) struct Written {
    pub(crate) entry: AuditEntry,
    pub(crate) before: Option<InForce>,
    pub(crate) after: Option<InForce>,
}

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotWritten {
    /// It makes no sense as things are.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The disk refused; nothing was decided.
    #[error("nothing was decided, because the audit log cannot be written: {0}")]
    Store(#[from] schemascope_store::Error),
    /// An entry has no JSON form.
    #[error("an entry cannot be written: {0}")]
    Form(#[from] serde_json::Error),
}

impl Decisions {
    /// Opens the log of a data directory and puts its fold in force. What could not be read is told in
    /// sentences.
    pub(crate) fn open(
        data: &Path,
        ids: IdSource,
        effective: Arc<EffectiveSchemas>,
    ) -> Result<(Self, Vec<String>), schemascope_store::Error> {
        let (log, read, torn) = AuditLog::open(data)?;
        let (mut ledger, mut latest, mut notes) = (Ledger::default(), Timestamp::from_millis(0), Vec::new());
        if let Some(torn) = torn {
            notes.push(format!(
                "{} bytes of an unfinished decision were cut from the end of the audit log; it was not taken",
                torn.bytes
            ));
        }
        notes.extend(read.damaged.iter().map(|damage| {
            format!(
                "the audit log is damaged at offset {} of segment {} ({}); the decision there is lost, the rest is not",
                damage.at.offset, damage.at.segment, damage.reason
            )
        }));
        for payload in read.entries {
            let read = serde_json::from_slice::<AuditEntry>(&payload).map_err(|error| error.to_string());
            let entry = match read {
                Ok(entry) => entry,
                Err(reason) => {
                    notes.push(format!("an entry of the audit log is left out: {reason}"));
                    continue;
                }
            };
            latest = latest.max(entry.at);
            if let Err(refused) = ledger.apply(&entry) {
                // Only where something it rests on was damaged.
                notes.push(format!("{} of {} is left out: {refused}", entry.event.name(), entry.tool_id));
            }
        }
        for (tool, versions) in ledger.tools() {
            effective.decide(tool, versions.in_force().as_ref().map(in_effect));
        }
        let turned = Arc::new(Notify::new());
        Ok((Self { books: Mutex::new(Books { log, ledger, latest }), effective, ids, turned }, notes))
    }

    /// What is known of a tool's versions.
    pub(crate) fn tool(&self, tool: &ToolId) -> ToolVersions {
        self.books().ledger.tool(tool).cloned().unwrap_or_default()
    }

    /// All tools a version is in force of, and which.
    pub(crate) fn in_force(&self) -> BTreeMap<ToolId, InForce> {
        let books = self.books();
        let tools = books.ledger.tools().iter();
        tools.filter_map(|(tool, versions)| Some((tool.clone(), versions.in_force()?))).collect()
    }

    /// The version in force, and the number of the one that waits for a decision.
    pub(crate) fn numbers(&self, id: &ToolId, tool: &Tool) -> Numbers {
        let books = self.books();
        let versions = books.ledger.tool(id);
        Numbers {
            in_force: versions.and_then(ToolVersions::in_force).as_ref().map(views::in_force_row),
            candidate: versions.and_then(ToolVersions::candidate),
            drift: versions.map_or((0, 0), |versions| marks(versions.drifts())),
            untold: versions
                .map_or_else(|| untold(tool, &Drifts::default()), |versions| untold(tool, versions.drifts())),
        }
    }

    /// What was told of drift, of one tool or of all.
    pub(crate) fn drifts(&self, of: Option<&ToolId>) -> Vec<(ToolId, Drifts)> {
        let books = self.books();
        let wanted = books.ledger.tools().iter().filter(|(tool, _)| of.is_none_or(|of| of == *tool));
        wanted.map(|(tool, versions)| (tool.clone(), versions.drifts().clone())).collect()
    }

    /// Writes what `event` makes of what is known of the tool; when this returns it is on disk and in force.
    /// Blocks while the disk syncs.
    pub(crate) fn write(
        &self,
        proposal: Proposal,
        event: impl FnOnce(&ToolVersions) -> Result<AuditEvent, Refused>,
    ) -> Result<Written, NotWritten> {
        let Proposal { tool, actor, reason, known } = proposal;
        let mut books = self.books();
        let nothing = ToolVersions::default();
        let versions = books.ledger.tool(&tool).unwrap_or(&nothing);
        let before = versions.in_force();
        let event = event(versions)?;
        // A clock that goes back does not turn the log around, and no moment has two decisions: ids of one moment
        // have an order only among those of one run.
        let at = Timestamp::now().max(Timestamp::from_millis(books.latest.as_millis().saturating_add(1)));
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
        books.ledger.check(&entry)?;
        books.log.append(entry.id, &serde_json::to_vec(&entry)?)?;
        books.latest = at;
        books.ledger.apply(&entry)?;
        let after = books.ledger.tool(&entry.tool_id).and_then(ToolVersions::in_force);
        self.effective.decide(&entry.tool_id, after.as_ref().map(in_effect));
        let number = |in_force: &Option<InForce>| in_force.as_ref().map(|one| one.version().number);
        if number(&before) != number(&after) {
            self.turned.notify_one();
        }
        let (name, tool) = (entry.event.name(), &entry.tool_id);
        tracing::info!(decision = name, %tool, version = entry.event.version(), actor = %entry.actor, "decided");
        Ok(Written { entry, before, after })
    }

    /// All entries, oldest first. Those that cannot be read are left out; the start has told of them.
    pub(crate) fn entries(&self) -> Result<Vec<AuditEntry>, schemascope_store::Error> {
        let read = self.books().log.read()?;
        Ok(read.entries.iter().filter_map(|payload| serde_json::from_slice(payload).ok()).collect())
    }

    /// What was known of a tool's versions at a time.
    pub(crate) fn tool_at(
        &self,
        tool: &ToolId,
        at: Timestamp,
    ) -> Result<ToolVersions, schemascope_store::Error> {
        let mut ledger = Ledger::default();
        for entry in self.entries()?.iter().filter(|entry| entry.tool_id == *tool && entry.at <= at) {
            // As at the start.
            let _ = ledger.apply(entry);
        }
        Ok(ledger.tool(tool).cloned().unwrap_or_default())
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Written {
    /// Whether clients are told something else of the tool than before.
    pub(crate) fn changes_clients(&self) -> bool {
        let form = |in_force: &Option<InForce>| {
            let in_force = in_force.as_ref()?;
            let pin = (matches!(in_force, InForce::Enforced(_)), matches!(in_force, InForce::Pinned(_)));
            Some((in_force.version().digest.clone(), pin))
        };
        form(&self.before) != form(&self.after)
    }
}

/// What the call path holds true by a version in force.
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
    Schema { digest: (*version.digest).into(), schema: Arc::clone(&version.schema) }
}

/// What an entry says of a tool at its time.
pub(crate) fn known(tool: &Tool) -> (u64, Quality) {
    (tool.shape.observations(), tool.inferred_quality())
}

#[cfg(test)]
mod tests {
    use schemascope_model::{Evidence, VersionOrigin};
    use schemascope_registry::versions::{Cut, Wish};
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::*;

    fn opened(data: &Path) -> (Decisions, Arc<EffectiveSchemas>, Vec<String>) {
        let effective = Arc::new(EffectiveSchemas::default());
        let (decisions, notes) = Decisions::open(data, IdSource::new(1, 0), Arc::clone(&effective)).unwrap();
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
    fn what_was_decided_is_in_force_at_once_and_after_a_start() {
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
            decisions.entries().unwrap().try_into().expect("what is refused is not written");
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

    /// One damaged entry costs that decision, and what rests on it is left out and told.
    #[test]
    fn damage_is_told() {
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
