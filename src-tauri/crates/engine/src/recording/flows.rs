//! Evidence of provides edges: the fold over the flows that are stored with calls.
//!
//! Calls that were stored before flows were recorded are observed while the journal is read, in its order, which is
//! that of the calls' ends.

use std::collections::BTreeSet;

use schemascope_compose::{Evidence, Flow, Observed, Stored, Windows, read_document};
use schemascope_model::{CallRecord, Client, Origin, Outcome, ToolId};
use schemascope_proxy::OWN_SERVER;
use schemascope_registry::Observation;
use schemascope_shape::HashKey;
use schemascope_store::Entry;
use serde_json::Value;

use super::fold::Fold;

/// Name of the fold in stored states.
const NAME: &str = "edges";

/// What values flowed from call to call, by the tool that took them.
pub(crate) struct Flows {
    key: (u64, u64),
    /// The machine of calls that were counted before states said whose they are.
    machine: Option<u64>,
    evidence: Evidence,
    unsaved: BTreeSet<ToolId>,
    /// Tools whose evidence changed since the graph looked.
    changed: BTreeSet<Box<str>>,
    /// Sessions of calls that were stored without a flow.
    earlier: Option<Box<Windows>>,
    outdated: bool,
}

impl Flows {
    /// Creates an empty fold. Hashes depend on the key.
    pub(crate) fn new(HashKey(first, second): HashKey, machine: Option<u64>) -> Self {
        Self {
            key: (first, second),
            machine,
            evidence: Evidence::default(),
            unsaved: BTreeSet::new(),
            changed: BTreeSet::new(),
            earlier: None,
            outdated: false,
        }
    }

    /// Evidence so far. A copy is cheap.
    pub(crate) fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// Tools whose evidence changed since this was last called.
    pub(crate) fn take_changed(&mut self) -> BTreeSet<Box<str>> {
        std::mem::take(&mut self.changed)
    }

    /// Number of flows whose pair of fields is no longer kept.
    pub(crate) fn evicted_flows(&self) -> u64 {
        self.evidence.evicted_flows()
    }

    /// Forgets all sessions, once the journal is read.
    pub(super) fn settle(&mut self) {
        self.earlier = None;
    }

    fn change(&mut self, tool: &ToolId) {
        self.changed.insert(tool.to_string().into());
        if !self.unsaved.contains(tool) {
            self.unsaved.insert(tool.clone());
        }
    }

    fn add(&mut self, call: &CallRecord, observation: Option<&Observation<'_>>) {
        let tool = call.tool_id.to_string();
        let observed;
        let flow = match &call.flow {
            Some(flow) => flow,
            None => {
                let key = self.key;
                let windows = self.earlier.get_or_insert_with(|| Box::new(Windows::new(key)));
                observed = observe(windows, call, observation.map(|one| &*one.json));
                &observed
            }
        };
        let arguments = call.arguments.as_deref().map_or(Value::Null, |raw| read_document(raw.get()));
        let session = session(call);
        let stored = Stored {
            session: &session.name,
            tool: &tool,
            machine: call.id.node(),
            at: call.at.as_millis(),
            arguments: &arguments,
            ok: call.outcome == Outcome::Ok,
            flow,
        };
        self.evidence.add(&stored, self.key);
    }
}

/// The session that a call belongs to.
struct Session {
    name: String,
    /// Whether there is none, so that the client's last ten minutes count.
    stateless: bool,
}

fn session(call: &CallRecord) -> Session {
    session_of(call.session.as_deref(), call.client.as_ref())
}

/// Name of the session of a caller, under which its calls are followed.
pub(crate) fn session_name(session: Option<&str>, client: Option<&Client>) -> String {
    session_of(session, client).name
}

fn session_of(session: Option<&str>, client: Option<&Client>) -> Session {
    match (session, client) {
        (Some(session), _) => Session { name: format!("session {session}"), stateless: false },
        (None, Some(client)) => {
            Session { name: format!("client {} {}", client.name, client.version), stateless: true }
        }
        (None, None) => Session { name: String::new(), stateless: true },
    }
}

/// Takes a call into the sessions in progress and returns what it took from earlier results. `observed` is the JSON
/// text of what its result teaches.
pub(super) fn observe(windows: &mut Windows, call: &CallRecord, observed: Option<&str>) -> Flow {
    // Arguments from a file come from no result.
    if call.tool_id.server() == OWN_SERVER || call.origin == Origin::Discovery {
        return Flow::default();
    }
    let session = session(call);
    let start = call.at.as_millis();
    let arguments = call.arguments.as_deref().map_or(Value::Null, |raw| read_document(raw.get()));
    let is_ok = call.outcome == Outcome::Ok;
    let seen = Observed {
        id: call.id,
        session: &session.name,
        stateless: session.stateless,
        tool: &call.tool_id.to_string(),
        start,
        end: start.saturating_add(call.total_us.unwrap_or(0) / 1_000),
        arguments: &arguments,
        result: is_ok.then_some(&Value::Null),
    };
    match observed.filter(|_| is_ok) {
        Some(result) => windows.observe_text(&seen, result),
        None => windows.observe(&seen),
    }
}

impl Fold for Flows {
    fn name(&self) -> &'static str {
        NAME
    }

    fn apply(&mut self, entry: &Entry, observation: Option<&Observation<'_>>) -> Result<(), String> {
        match entry {
            Entry::Call(call) if call.tool_id.server() != OWN_SERVER && call.origin != Origin::Discovery => {
                self.add(call, observation);
            }
            // Every tool has a state, so that states from before flows were recorded are recognised.
            Entry::Call(_) | Entry::Declared(_) => {
                if !self.evidence.know(&entry.tool().to_string()) {
                    return Ok(());
                }
            }
            Entry::State { tool, state } => self.evidence.load(&tool.to_string(), state, self.machine)?,
        }
        self.change(entry.tool());
        Ok(())
    }

    fn load(&mut self, tool: &ToolId, state: &[u8]) -> Result<(), String> {
        self.evidence.load(&tool.to_string(), state, self.machine)?;
        self.changed.insert(tool.to_string().into());
        self.unsaved.remove(tool);
        Ok(())
    }

    fn lacks(&mut self, tool: &ToolId, saved: bool) {
        if saved {
            self.outdated = true;
        } else if self.evidence.know(&tool.to_string()) {
            self.change(tool);
        }
    }

    fn is_outdated(&self) -> bool {
        self.outdated
    }

    fn clear(&mut self) {
        *self = Self::new(HashKey(self.key.0, self.key.1), self.machine);
    }

    fn tools(&self) -> Vec<ToolId> {
        self.evidence.tools().filter_map(|tool| tool.parse().ok()).collect()
    }

    fn state(&self, tool: &ToolId) -> Option<Vec<u8>> {
        self.evidence.state(&tool.to_string())
    }

    fn comparable(&self, tool: &ToolId) -> Option<Vec<u8>> {
        self.state(tool)
    }

    fn take_unsaved(&mut self) -> Vec<(ToolId, Vec<u8>)> {
        let unsaved = std::mem::take(&mut self.unsaved);
        unsaved.into_iter().filter_map(|tool| self.state(&tool).map(|state| (tool, state))).collect()
    }
}
