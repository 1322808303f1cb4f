//! Versions are cut when schemas have settled, and promoted where that is switched on.
//!
//! Looked at behind the recorder and before whoever asks for versions, so that an answer includes all that was
//! recorded. Owns: gathering a version's evidence. Refuses to know: when a schema has settled (see `registry`).

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use schemascope_model::{Example, ImpactedCall, ToolId, VersionOrigin};
use schemascope_proxy::Hub;
use schemascope_registry::versions::{
    Actor, AuditEvent, Cut, HOLD, MAX_EXAMPLES, Replayer, ToolVersions, Version, evidence,
};
use schemascope_registry::{Registry, Tool, digest};
use schemascope_shape::Policy;
use schemascope_store::Reader;
use serde_json::value::to_raw_value;

use crate::decisions::{Decisions, NotWritten, Observations, Proposal, known};
use crate::events::Events;

/// Pause between two looks.
const PAUSE: Duration = Duration::from_millis(500);
/// Observations searched for examples, and for what the version before does not allow.
const SEARCHED: u64 = 100;

/// Whether versions are promoted without a person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AutoPromote {
    /// Never.
    #[default]
    Never,
    /// A candidate whose quality is high, unless something is pinned or a person took it back.
    AtHigh,
}

/// When versions are cut and promoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VersionPolicy {
    /// Observations a schema must have been the same for.
    pub(crate) hold: u64,
    pub(crate) auto_promote: AutoPromote,
}

impl Default for VersionPolicy {
    fn default() -> Self {
        Self { hold: HOLD, auto_promote: AutoPromote::Never }
    }
}

/// Cuts versions.
pub(crate) struct Cutter {
    pub(crate) registry: Arc<Mutex<Registry>>,
    pub(crate) reader: Reader,
    pub(crate) decisions: Arc<Decisions>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) events: Arc<Events>,
    pub(crate) policy: VersionPolicy,
    /// Held while they are cut, so that whoever asks meanwhile waits for it.
    pub(crate) cutting: Mutex<()>,
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

    /// Cuts what is due. Blocks.
    pub(crate) fn look(&self) {
        let _cutting = self.cutting.lock().unwrap_or_else(PoisonError::into_inner);
        let formed = self.with_registry(Registry::take_formed);
        for id in formed {
            if let Err(error) = self.look_at(&id) {
                // When its schema is looked at next there is another try.
                tracing::warn!(tool = %id, %error, "a version could not be cut");
            }
        }
    }

    fn look_at(&self, id: &ToolId) -> Result<(), NotWritten> {
        let look = |registry: &mut Registry| {
            registry.tool(id).map(|tool| (tool.form.clone(), tool.inferred_quality()))
        };
        let Some((form, quality)) = self.with_registry(look) else { return Ok(()) };
        let versions = self.decisions.tool(id);
        if versions.is_due(&form, quality, self.policy.hold) {
            let tool = self.with_registry(|registry| registry.tool(id).cloned());
            if let Some(tool) = tool {
                self.cut(id, &tool, form.digest(), versions.newest().map(Arc::as_ref))?;
            }
        }
        if self.policy.auto_promote == AutoPromote::AtHigh {
            let candidate = |versions: &ToolVersions| versions.to_promote(&form, quality);
            if let Some(version) = candidate(&self.decisions.tool(id)) {
                let proposal = Proposal {
                    tool: id.clone(),
                    actor: Actor::policy(),
                    reason: Some("its quality is high (auto-promote at_high)".into()),
                    known: self.with_registry(|registry| registry.tool(id).map(known)),
                };
                let written = self.decisions.write(proposal, |_| Ok(AuditEvent::Promote { version }))?;
                self.tell(id, written.changes_clients());
            }
        }
        Ok(())
    }

    /// Tells fronts, and clients where they are told something else of the tool from now on.
    pub(crate) fn tell(&self, id: &ToolId, clients: bool) {
        self.events.declared(std::iter::once(id));
        if clients {
            self.hub.announce_tools();
        }
    }

    fn cut(&self, id: &ToolId, tool: &Tool, form: &str, before: Option<&Version>) -> Result<(), NotWritten> {
        let schema = tool.shape.schema(&Policy::default());
        if *digest(&schema) != *form {
            // Changed just now, behind the look.
            return Ok(());
        }
        let (examples, counter_examples) = self.examples(id, before);
        let cut = Cut {
            version: 0,
            origin: VersionOrigin::Inferred,
            schema: to_raw_value(&schema)?,
            evidence: evidence(tool, examples, counter_examples),
        };
        let (tool, actor, known) = (id.clone(), Actor::policy(), Some(known(tool)));
        let proposal = Proposal { tool, actor, reason: None, known };
        self.decisions.write(proposal, |versions| {
            let version = versions.next();
            Ok(AuditEvent::Cut(Box::new(Cut { version, ..cut })))
        })?;
        self.tell(id, false);
        Ok(())
    }

    /// The latest observations, and those that the version before does not allow. Without the store there are
    /// none.
    fn examples(&self, id: &ToolId, before: Option<&Version>) -> (Vec<Example>, Vec<ImpactedCall>) {
        let (mut examples, mut counter_examples) = (Vec::new(), Vec::new());
        let replayer = before.and_then(|version| Replayer::new(&version.schema));
        let found = Observations::latest(&self.reader, id, SEARCHED, |call, json| {
            if examples.len() < MAX_EXAMPLES {
                examples.push(Example { id: call.id, json: json.to_owned() });
            }
            let violation = replayer.as_ref().filter(|_| counter_examples.len() < MAX_EXAMPLES);
            if let Some(violation) = violation.and_then(|replayer| replayer.violation(json)) {
                counter_examples.push(ImpactedCall { id: call.id, at: call.at, violation });
            }
        });
        if let Err(error) = found {
            tracing::warn!(tool = %id, %error, "a version's examples cannot be read");
        }
        (examples, counter_examples)
    }

    fn with_registry<T>(&self, ask: impl FnOnce(&mut Registry) -> T) -> T {
        ask(&mut self.registry.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
