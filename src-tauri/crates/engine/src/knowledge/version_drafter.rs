//! Versions created from schemas that have settled, and promoted where that is switched on.
//!
//! Runs after recording and before versions are read, so that an answer includes everything that was recorded. When
//! a schema has settled is decided in `registry`.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use schemascope_judge::{Conformance, Judge};
use schemascope_model::{Evidence, Example, ImpactedCall, Quality, ToolId, VersionOrigin};
use schemascope_proxy::Hub;
use schemascope_registry::versions::{
    Actor, AuditEvent, Cut, Draft, MAX_EXAMPLE, MAX_EXAMPLES, Refused, ToolVersions, Version, evidence,
};
use schemascope_registry::{Registry, Tool, Unlearned};
use schemascope_store::Reader;
use serde_json::Value;
use serde_json::value::to_raw_value;

use super::Knowledge;
use super::decisions::{Decisions, NotWritten, Proposal, known};
use super::observations::Observations;
use super::readiness::Contest;
use crate::background::{Service, Tasks};
use crate::config::settings::{AutoPromote, LiveSettings};
use crate::recording::Records;
use crate::recording::events::Events;

/// Shortest time between two updates.
const UPDATE_INTERVAL: Duration = Duration::from_millis(500);
/// Observations searched for examples and counterexamples of a version.
const SEARCHED_OBSERVATIONS: u64 = 100;
/// Observations since its creation by which a candidate is judged.
const JUDGED_OBSERVATIONS: u64 = 200;

/// Creates and promotes versions, and reports drift.
pub(crate) struct VersionDrafter {
    registry: Arc<Mutex<Registry>>,
    reader: Reader,
    pub(super) decisions: Arc<Decisions>,
    hub: Arc<Hub>,
    events: Arc<Events>,
    settings: Arc<LiveSettings>,
    /// Held while versions are created, so that readers wait for them.
    updating: Mutex<Policy>,
}

/// Automatic promotion as of the last update.
struct Policy {
    auto_promote: AutoPromote,
    promote_after: u64,
    /// Candidates that were judged and not promoted: the version, and the observations of its tool at the time.
    judged: BTreeMap<ToolId, (u32, u64)>,
}

impl VersionDrafter {
    pub(crate) fn new(
        records: &Records,
        knowledge: &Knowledge,
        hub: &Arc<Hub>,
        settings: &Arc<LiveSettings>,
    ) -> Self {
        Self {
            registry: Arc::clone(&records.registry),
            reader: records.reader.clone(),
            decisions: Arc::clone(&knowledge.decisions),
            hub: Arc::clone(hub),
            events: Arc::clone(&records.events),
            settings: Arc::clone(settings),
            updating: Mutex::new(Policy {
                auto_promote: AutoPromote::Never,
                promote_after: 0,
                judged: BTreeMap::new(),
            }),
        }
    }

    /// Creates the versions that are due, promotes, and reports drift. Blocks.
    pub(crate) fn update(&self) {
        let mut policy = self.updating.lock();
        let take = |registry: &mut Registry| {
            (registry.take_drafts(), registry.take_formed(), registry.take_dropped_drafts())
        };
        let (drafts, formed, dropped) = self.with_registry(take);
        if dropped > 0 {
            tracing::warn!(
                dropped,
                "schemas settled faster than versions were created; some have no version"
            );
        }
        let drafted = drafts
            .into_iter()
            .flat_map(|(id, drafts)| drafts.into_iter().map(move |draft| (id.clone(), draft)));
        let lost = formed.iter().filter_map(|id| Some((id.clone(), self.lost(id)?)));
        // Lost drafts come after the others.
        for (id, draft) in drafted.chain(lost) {
            if let Err(error) = self.create(&id, draft) {
                tracing::error!(tool = %id, %error, "a version could not be created");
            }
        }
        // Before promotions: a version must not be promoted that contains a drift not reported yet.
        self.report_drift();
        self.promote_due(&mut policy);
    }

    /// Promotes the candidates that the setting `auto_promote` says.
    fn promote_due(&self, policy: &mut Policy) {
        let settings = self.settings.now();
        let rule = (settings.auto_promote, settings.promote_after);
        if rule != (policy.auto_promote, policy.promote_after) {
            // Every candidate is judged again.
            (policy.auto_promote, policy.promote_after) = rule;
            policy.judged.clear();
        }
        if settings.auto_promote == AutoPromote::Never {
            return;
        }
        for (id, version, tool) in self.due(policy) {
            match self.promote(&id, version, &tool, settings.promote_after) {
                Ok(true) => drop(policy.judged.remove(&id)),
                Ok(false) => drop(policy.judged.insert(id, (version, tool.shape.observations()))),
                Err(error) => tracing::error!(tool = %id, %error, "a version could not be promoted"),
            }
        }
    }

    /// Candidates to judge, with their tools. One that was not ready is judged again after as many results as a
    /// promotion needs.
    fn due(&self, policy: &Policy) -> Vec<(ToolId, u32, Tool)> {
        self.with_registry(|registry| {
            let due = |(id, tool): (&ToolId, &Tool)| {
                // Not the candidate, which may be what others decided.
                let newest = self.decisions.newest_inferred(id)?;
                let judged = policy.judged.get(id).filter(|(judged, _)| *judged == newest);
                // Where texts were found to be failures, there are fewer.
                let since = judged.and_then(|(_, at)| tool.shape.observations().checked_sub(*at));
                if since.is_some_and(|since| since < policy.promote_after) {
                    return None;
                }
                let version = self.decisions.to_promote(id, &tool.form, || tool.inferred_quality())?;
                Some((id.clone(), version, tool.clone()))
            };
            registry.tools().iter().filter_map(due).collect()
        })
    }

    /// A draft whose version was not written because of a kill.
    fn lost(&self, id: &ToolId) -> Option<Draft> {
        let versions = self.decisions.tool(id);
        self.with_registry(|registry| {
            let tool = registry.tool(id)?;
            let exists = versions.versions().rev().any(|version| {
                let is_same = version.evidence.learned_since == tool.learned_since();
                is_same && tool.form.was_drafted(&version.digest)
            });
            // Without any version there is nothing to decide about until the schema has held again.
            let has_none = versions.newest().is_none();
            if exists { None } else { registry.redraft(id, has_none) }
        })
    }

    /// Promotes a candidate if it is ready. Returns whether it was.
    fn promote(
        &self,
        id: &ToolId,
        version: u32,
        tool: &Tool,
        promote_after: u64,
    ) -> Result<bool, NotWritten> {
        let contest = Contest::of(self.decisions.tool(id), version, tool)?;
        let verdict = contest.judge(&self.reader, id, JUDGED_OBSERVATIONS, promote_after)?;
        if !verdict.obstacles.is_empty() {
            return Ok(false);
        }
        let reason = format!(
            "its quality is high, and {} of {} results since it was created match it (auto_promote at_high)",
            verdict.trials.of.fits,
            verdict.trials.of.count()
        );
        let proposal = Proposal {
            tool: id.clone(),
            actor: Actor::policy(),
            reason: Some(reason.into()),
            known: Some(known(tool)),
        };
        let promote = |versions: &ToolVersions| {
            let is_unchanged = versions.decided() == contest.decided();
            is_unchanged
                .then_some(AuditEvent::Promote { version })
                .ok_or(Refused::NoCandidate { kept: Vec::new() })
        };
        let written = match self.decisions.write(proposal, promote) {
            // Someone decided meanwhile.
            Err(NotWritten::Refused(_)) => return Ok(false),
            written => written?,
        };
        self.announce(id, written.changes_clients());
        Ok(true)
    }

    /// Notifies fronts, and clients if what is advertised to them changes.
    pub(crate) fn announce(&self, id: &ToolId, clients: bool) {
        self.events.declared(std::iter::once(id));
        if clients {
            self.hub.announce_tools();
        }
    }

    /// Notifies clients that listings have changed.
    pub(super) fn announce_tools(&self) {
        self.hub.announce_tools();
    }

    /// Gives every front a new snapshot.
    pub(super) fn renew_fronts(&self) {
        self.events.renewed();
    }

    /// Names of all servers.
    pub(super) fn server_names(&self) -> impl Iterator<Item = String> + use<> {
        self.hub.status().into_iter().map(|server| server.name)
    }

    /// Observations and quality of a tool, if it is known.
    pub(crate) fn known(&self, id: &ToolId) -> Option<(u64, Quality)> {
        self.with_registry(|registry| registry.tool(id).map(known))
    }

    /// Creates a version of a schema that was not learned here, and returns its number. Blocks.
    pub(crate) fn create_from(
        &self,
        id: &ToolId,
        schema: &Value,
        origin: VersionOrigin,
        actor: Actor,
    ) -> Result<u32, NotWritten> {
        let _updating = self.updating.lock();
        let nothing = Tool::default();
        let evidence = self.with_registry(|registry| evidence(registry.tool(id).unwrap_or(&nothing)));
        let versions = self.decisions.tool(id);
        let version = versions.next();
        let mut cut = Cut { version, origin, schema: to_raw_value(schema)?, evidence };
        let known = Some((cut.evidence.observation_count, cut.evidence.quality));
        self.examples(id, &mut cut.evidence, schema, versions.newest().map(Arc::as_ref));
        let proposal = Proposal { tool: id.clone(), actor, reason: None, known };
        self.decisions.write(proposal, |_| Ok(AuditEvent::Cut(Box::new(cut))))?;
        self.announce(id, false);
        Ok(version)
    }

    fn create(&self, id: &ToolId, draft: Draft) -> Result<(), NotWritten> {
        let versions = self.decisions.tool(id);
        if !versions.wants(&draft) {
            return Ok(());
        }
        let mut cut = Cut {
            version: versions.next(),
            origin: VersionOrigin::Inferred,
            schema: to_raw_value(&draft.schema)?,
            evidence: draft.evidence,
        };
        let known = (cut.evidence.observation_count, cut.evidence.quality);
        self.examples(id, &mut cut.evidence, &draft.schema, versions.newest().map(Arc::as_ref));
        let (tool, actor) = (id.clone(), Actor::policy());
        let proposal = Proposal { tool, actor, reason: None, known: Some(known) };
        self.decisions.write(proposal, |versions| {
            // An import may have taken the number meanwhile.
            cut.version = versions.next();
            Ok(AuditEvent::Cut(Box::new(cut)))
        })?;
        self.announce(id, false);
        Ok(())
    }

    /// Finds the latest observations that the schema accepts, and among them those that the version before rejects.
    /// There are none if the store cannot be read.
    fn examples(&self, id: &ToolId, evidence: &mut Evidence, schema: &Value, before: Option<&Version>) {
        let now = Judge::new(schema);
        let before = before.map(|version| Judge::new(&version.schema));
        let Evidence { examples, counter_examples, .. } = evidence;
        let unlearned =
            self.with_registry(|registry| registry.tool(id).map(Unlearned::of)).unwrap_or_default();
        let found =
            Observations::latest(&self.reader, id, &unlearned, SEARCHED_OBSERVATIONS, |call, observation| {
                let json = &*observation.json;
                let enough = examples.len() == MAX_EXAMPLES && counter_examples.len() == MAX_EXAMPLES;
                if enough || now.check_stored(json) != Conformance::Fits {
                    return;
                }
                if examples.len() < MAX_EXAMPLES {
                    let end = (0..=json.len().min(MAX_EXAMPLE)).rev().find(|at| json.is_char_boundary(*at));
                    let json = json[..end.unwrap_or(0)].to_owned();
                    examples.push(Example { id: call.id, json });
                }
                let violated = before.as_ref().filter(|_| counter_examples.len() < MAX_EXAMPLES);
                if let Some(Conformance::Violates(violations)) =
                    violated.map(|before| before.check_stored(json))
                {
                    let first = violations.into_iter().next();
                    counter_examples.extend(first.map(|violation| ImpactedCall {
                        id: call.id,
                        at: call.at,
                        violation,
                    }));
                }
            });
        if let Err(error) = found {
            tracing::warn!(tool = %id, %error, "a version's examples cannot be read");
        }
    }

    pub(super) fn with_registry<T>(&self, ask: impl FnOnce(&mut Registry) -> T) -> T {
        ask(&mut self.registry.lock())
    }
}

impl Service for VersionDrafter {
    /// Updates whenever something was recorded.
    fn start(self: Arc<Self>, tasks: &Tasks) {
        let mut changes = self.events.changes();
        tasks.spawn(async move {
            loop {
                let drafter = Arc::clone(&self);
                if tokio::task::spawn_blocking(move || drafter.update()).await.is_err() {
                    tracing::error!("creating versions failed");
                }
                tokio::time::sleep(UPDATE_INTERVAL).await;
                if changes.changed().await.is_err() {
                    return;
                }
            }
        });
    }

    /// Creates versions for the last calls.
    fn stop(&self) {
        self.update();
    }
}
