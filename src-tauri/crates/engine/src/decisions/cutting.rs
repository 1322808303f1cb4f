//! Drafts become versions, and versions are promoted where that is switched on.
//!
//! Looked at behind the recorder and before whoever asks for versions, so that an answer includes all that was
//! recorded. Owns: gathering a version's examples. Refuses to know: when a schema has settled (see `registry`).

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use schemascope_judge::{Judge, Stored};
use schemascope_model::{Evidence, Example, ImpactedCall, Quality, ToolId, VersionOrigin};
use schemascope_proxy::Hub;
use schemascope_registry::versions::{
    Actor, AuditEvent, Cut, Draft, MAX_EXAMPLE, MAX_EXAMPLES, Version, evidence,
};
use schemascope_registry::{Registry, Tool};
use schemascope_store::Reader;
use serde_json::Value;
use serde_json::value::to_raw_value;

use crate::decisions::{Decisions, NotWritten, Observations, Proposal, known};
use crate::events::Events;
use crate::settings::{AutoPromote, LiveSettings};

/// Pause between two looks.
const PAUSE: Duration = Duration::from_millis(500);
/// Observations searched for examples, and for what the version before does not allow.
const SEARCHED: u64 = 100;

/// Cuts versions.
pub(crate) struct Cutter {
    pub(crate) registry: Arc<Mutex<Registry>>,
    pub(crate) reader: Reader,
    pub(crate) decisions: Arc<Decisions>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) events: Arc<Events>,
    pub(crate) settings: Arc<LiveSettings>,
    /// Held while they are cut, so that whoever asks meanwhile waits for it. The policy of the look before.
    pub(crate) cutting: Mutex<AutoPromote>,
}

impl Cutter {
    /// Looks whenever something was recorded, as long as anybody holds this.
    pub(crate) fn start(self: &Arc<Self>) {
        let mut happened = self.events.changes();
        let cutter: Weak<Self> = Arc::downgrade(self);
        tokio::spawn(async move {
            loop {
                let Some(cutter) = cutter.upgrade() else { return };
                if tokio::task::spawn_blocking(move || cutter.look()).await.is_err() {
                    tracing::error!("cutting versions failed");
                }
                tokio::time::sleep(PAUSE).await;
                if happened.changed().await.is_err() {
                    return;
                }
            }
        });
    }

    /// Cuts what is drafted, promotes, and tells of drift. Blocks.
    pub(crate) fn look(&self) {
        let mut policy = self.cutting.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *policy, self.settings.now().auto_promote);
        let take = |registry: &mut Registry| {
            (registry.take_drafts(), registry.take_formed(), registry.take_dropped_drafts())
        };
        let (drafts, formed, dropped) = self.with_registry(take);
        if dropped > 0 {
            tracing::warn!(dropped, "schemas settled faster than versions were cut; some have none");
        }
        let drafted = drafts
            .into_iter()
            .flat_map(|(id, drafts)| drafts.into_iter().map(move |draft| (id.clone(), draft)));
        let lost = formed.iter().filter_map(|id| Some((id.clone(), self.lost(id)?)));
        // Those that are lost are looked for behind the others.
        for (id, draft) in drafted.chain(lost) {
            if let Err(error) = self.cut(&id, draft) {
                tracing::error!(tool = %id, %error, "a version could not be cut");
            }
        }
        if *policy == AutoPromote::AtHigh {
            // Where it was switched on just now, whatever waits.
            let waiting = match before {
                AutoPromote::AtHigh => formed,
                AutoPromote::Never => {
                    self.with_registry(|registry| registry.tools().keys().cloned().collect())
                }
            };
            for id in &waiting {
                if let Err(error) = self.promote(id) {
                    tracing::error!(tool = %id, %error, "a version could not be promoted");
                }
            }
        }
        self.tell_drift();
    }

    /// A draft that a kill kept from becoming a version.
    fn lost(&self, id: &ToolId) -> Option<Draft> {
        let versions = self.decisions.tool(id);
        self.with_registry(|registry| {
            let tool = registry.tool(id)?;
            let is_there = versions.versions().rev().any(|version| tool.form.was_drafted(&version.digest));
            if is_there { None } else { tool.redraft() }
        })
    }

    fn promote(&self, id: &ToolId) -> Result<(), NotWritten> {
        let look = |registry: &mut Registry| {
            let tool = registry.tool(id)?;
            Some((tool.form.clone(), known(tool)))
        };
        let Some((form, known)) = self.with_registry(look) else { return Ok(()) };
        let Some(version) = self.decisions.tool(id).to_promote(&form, known.1) else { return Ok(()) };
        let proposal = Proposal {
            tool: id.clone(),
            actor: Actor::policy(),
            reason: Some("its quality is high (auto-promote at_high)".into()),
            known: Some(known),
        };
        let written = self.decisions.write(proposal, |_| Ok(AuditEvent::Promote { version }))?;
        self.tell(id, written.changes_clients());
        Ok(())
    }

    /// Tells fronts, and clients where they are told something else of the tool from now on.
    pub(crate) fn tell(&self, id: &ToolId, clients: bool) {
        self.events.declared(std::iter::once(id));
        if clients {
            self.hub.announce_tools();
        }
    }

    /// Observations and quality of a tool, where it is known.
    pub(crate) fn known(&self, id: &ToolId) -> Option<(u64, Quality)> {
        self.with_registry(|registry| registry.tool(id).map(known))
    }

    /// Cuts a version of a schema that was not learned here; its number. Blocks.
    pub(crate) fn cut_from(
        &self,
        id: &ToolId,
        schema: &Value,
        origin: VersionOrigin,
        actor: Actor,
    ) -> Result<u32, NotWritten> {
        let _cutting = self.cutting.lock().unwrap_or_else(PoisonError::into_inner);
        let nothing = Tool::default();
        let evidence = self.with_registry(|registry| evidence(registry.tool(id).unwrap_or(&nothing)));
        let versions = self.decisions.tool(id);
        let version = versions.next();
        let mut cut = Cut { version, origin, schema: to_raw_value(schema)?, evidence };
        let known = Some((cut.evidence.observation_count, cut.evidence.quality));
        self.examples(id, &mut cut.evidence, schema, versions.newest().map(Arc::as_ref));
        let proposal = Proposal { tool: id.clone(), actor, reason: None, known };
        self.decisions.write(proposal, |_| Ok(AuditEvent::Cut(Box::new(cut))))?;
        self.tell(id, false);
        Ok(version)
    }

    fn cut(&self, id: &ToolId, draft: Draft) -> Result<(), NotWritten> {
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
        // Nobody else cuts: numbers follow one another.
        self.decisions.write(proposal, |_| Ok(AuditEvent::Cut(Box::new(cut))))?;
        self.tell(id, false);
        Ok(())
    }

    /// Finds the latest observations the schema allows, and among them those that the version before does not.
    /// Without the store there are none.
    fn examples(&self, id: &ToolId, evidence: &mut Evidence, schema: &Value, before: Option<&Version>) {
        let now = Judge::new(schema);
        let before = before.map(|version| Judge::new(&version.schema));
        let Evidence { examples, counter_examples, .. } = evidence;
        let found = Observations::latest(&self.reader, id, SEARCHED, |call, json| {
            let enough = examples.len() == MAX_EXAMPLES && counter_examples.len() == MAX_EXAMPLES;
            if enough || now.stored(json) != Stored::Fits {
                return;
            }
            if examples.len() < MAX_EXAMPLES {
                let end = (0..=json.len().min(MAX_EXAMPLE)).rev().find(|at| json.is_char_boundary(*at));
                let json = json[..end.unwrap_or(0)].to_owned();
                examples.push(Example { id: call.id, json });
            }
            let violated = before.as_ref().filter(|_| counter_examples.len() < MAX_EXAMPLES);
            if let Some(Stored::Violates(violation)) = violated.map(|before| before.stored(json)) {
                counter_examples.push(ImpactedCall { id: call.id, at: call.at, violation });
            }
        });
        if let Err(error) = found {
            tracing::warn!(tool = %id, %error, "a version's examples cannot be read");
        }
    }

    pub(super) fn with_registry<T>(&self, ask: impl FnOnce(&mut Registry) -> T) -> T {
        ask(&mut self.registry.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
