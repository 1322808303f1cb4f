//! All tools: the fold over stored entries. It also knows which tools changed since they were last saved, and which
//! parts of a listing are new.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use schemascope_model::{CallRecord, Timestamp, ToolId};
use schemascope_shape::HashKey;
use serde_json::value::RawValue;

use crate::learning::LearningRules;
use crate::observation::Observation;
use crate::schema::DeclaredSchema;
use crate::state::InvalidState;
use crate::tool::Tool;
use crate::versions::{Draft, HOLD};

/// All tools ever listed or called.
#[derive(Default)]
pub struct Registry {
    /// Of tools that are new here.
    key: Newcomers,
    tools: BTreeMap<ToolId, Tool>,
    unsaved: BTreeSet<ToolId>,
}

/// What tools begin with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Newcomers {
    /// What their hashes depend on.
    pub(crate) key: HashKey,
    /// Observations their schema must have been the same for to become a version.
    pub(crate) hold: u64,
    /// The machine of calls that were counted before states said whose they are.
    pub(crate) machine: Option<u64>,
}

impl Default for Newcomers {
    fn default() -> Self {
        Self { key: HashKey::default(), hold: HOLD, machine: None }
    }
}

/// One difference between what is known and what an upstream lists now.
#[derive(Debug, Clone)]
pub struct DeclaredChange {
    /// The tool.
    pub tool: ToolId,
    /// Its definition; none when it is listed no longer.
    pub definition: Option<Box<RawValue>>,
}

impl Registry {
    /// A registry of nothing; the hashes of tools that are new to it depend on `key`.
    pub fn with_key(key: HashKey) -> Self {
        Self { key: Newcomers { key, ..Newcomers::default() }, ..Self::default() }
    }

    /// The same, in which a schema becomes a version when it was the same for so many observations.
    pub fn holding(self, hold: u64) -> Self {
        Self { key: Newcomers { hold, ..self.key }, ..self }
    }

    /// The machine of calls that were counted before states said whose they are, if it is known.
    pub fn first_machine(&self) -> Option<u64> {
        self.key.machine
    }

    /// The same, in which calls were made by this machine where an older state does not say whose they are.
    pub fn of_machine(self, machine: u64) -> Self {
        Self { key: Newcomers { machine: Some(machine), ..self.key }, ..self }
    }

    /// From now on a schema becomes a version when it was the same for so many observations.
    pub fn hold(&mut self, hold: u64) {
        self.key.hold = hold;
        self.tools.values_mut().for_each(|tool| tool.hold(hold));
    }

    /// What the hashes of new tools depend on.
    pub fn key(&self) -> HashKey {
        self.key.key
    }

    /// All tools, by id.
    pub fn tools(&self) -> &BTreeMap<ToolId, Tool> {
        &self.tools
    }

    /// One tool.
    pub fn tool(&self, id: &ToolId) -> Option<&Tool> {
        self.tools.get(id)
    }

    /// Takes a tool's saved state, replacing what is known of it.
    pub fn load(&mut self, id: ToolId, state: &[u8]) -> Result<(), InvalidState> {
        self.unsaved.remove(&id);
        let Newcomers { hold, machine, .. } = self.key;
        self.tools.insert(id, Tool::from_state(state)?.holding(hold).of_machine(machine));
        Ok(())
    }

    /// Takes a tool's state from a snapshot: like [`Registry::load`], but it is still to be saved.
    pub fn restore(&mut self, id: &ToolId, state: &[u8]) -> Result<(), InvalidState> {
        let Newcomers { hold, machine, .. } = self.key;
        *self.change(id) = Tool::from_state(state)?.holding(hold).of_machine(machine);
        Ok(())
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = self.emptied();
    }

    /// An empty registry in which tools begin as they do here.
    pub fn emptied(&self) -> Self {
        Self { key: self.key, ..Self::default() }
    }

    /// From now on a tool learns by these rules.
    pub fn set_learning_rules(&mut self, id: &ToolId, rules: &LearningRules) {
        self.change(id).set_learning_rules(rules);
    }

    /// Takes a tool's state that counts more calls than are known. What was learned here since the time that was decided
    /// stays, unless the state was learned since then, too.
    pub fn restore_counts(&mut self, id: &ToolId, state: &[u8]) -> Result<(), InvalidState> {
        let known = self.tools.get(id).filter(|tool| tool.learned_since().is_some()).cloned();
        self.restore(id, state)?;
        let tool = self.change(id);
        if let Some(known) = known.filter(|known| known.learned_since() != tool.learned_since()) {
            tool.take_learned(&known);
        }
        Ok(())
    }

    /// Ends learning from results before the time since which a tool learns, after all calls before it were counted.
    pub fn settle_learning(&mut self, id: &ToolId) {
        self.change(id).settle_learning();
    }

    /// Counts a call.
    pub fn record(&mut self, call: &CallRecord) {
        self.change(&call.tool_id).record(call);
    }

    /// The same for one whose result was read already; see [`Tool::record_read`].
    pub fn record_read(&mut self, call: &CallRecord, observation: Option<&Observation<'_>>) {
        self.change(&call.tool_id).record_read(call, observation);
    }

    /// Notes what an upstream says of a tool; none when it lists it no longer.
    pub fn declare(&mut self, id: &ToolId, at: Timestamp, definition: Option<Box<RawValue>>) {
        self.change(id).declare(at, definition);
    }

    fn change(&mut self, id: &ToolId) -> &mut Tool {
        if !self.unsaved.contains(id) {
            self.unsaved.insert(id.clone());
        }
        self.tools.entry(id.clone()).or_insert_with(|| Tool::new(self.key))
    }

    /// What of a server's complete listing differs from what is known. Later entries of the same name
    /// win, as they do for clients.
    pub fn compare(&self, server: &str, listed: &BTreeMap<ToolId, Box<RawValue>>) -> Vec<DeclaredChange> {
        let known = |id: &ToolId| self.tools.get(id).and_then(|tool| tool.declaration.as_ref());
        let changed = listed
            .iter()
            .filter(|(id, definition)| {
                known(id).is_none_or(|known| known.definition.get() != definition.get())
            })
            .map(|(id, definition)| DeclaredChange {
                tool: id.clone(),
                definition: Some(definition.clone()),
            });
        let gone = self
            .tools
            .iter()
            .filter(|(id, tool)| {
                id.server() == server && tool.declaration.is_some() && !listed.contains_key(id)
            })
            .map(|(id, _)| DeclaredChange { tool: id.clone(), definition: None });
        changed.chain(gone).collect()
    }

    /// The output schema a tool declares now.
    pub fn declared_schema(&self, id: &ToolId) -> Option<DeclaredSchema> {
        self.tools.get(id)?.declaration.as_ref()?.output_schema().cloned()
    }

    /// Tools whose schema's form was looked at, or that were loaded, since this was last called.
    pub fn take_formed(&mut self) -> BTreeSet<ToolId> {
        let looked = |tool: &mut Tool| std::mem::take(&mut tool.drafts.looked);
        self.tools.iter_mut().filter_map(|(id, tool)| looked(tool).then(|| id.clone())).collect()
    }

    /// Tools that had drift to report, or were loaded, since the last call of this function.
    pub fn take_drifted(&mut self) -> BTreeSet<ToolId> {
        let told = |tool: &mut Tool| std::mem::take(&mut tool.drifted);
        self.tools.iter_mut().filter_map(|(id, tool)| told(tool).then(|| id.clone())).collect()
    }

    /// Marks a tool's drift to be taken again.
    pub fn keep_drifted(&mut self, id: &ToolId) {
        if let Some(tool) = self.tools.get_mut(id) {
            tool.drifted = true;
        }
    }

    /// Schemas that are to become versions, oldest first, since this was last called.
    pub fn take_drafts(&mut self) -> BTreeMap<ToolId, VecDeque<Draft>> {
        let drafts = self.tools.iter_mut().map(|(id, tool)| (id, tool.drafts.take()));
        drafts.filter(|(_, drafts)| !drafts.is_empty()).map(|(id, drafts)| (id.clone(), drafts)).collect()
    }

    /// Drafts a tool's schema once more whose last draft became no version because of a kill, as long as the schema is
    /// still that; if `moved_on` and no draft waits to be taken, also if it has changed since.
    pub fn redraft(&mut self, id: &ToolId, moved_on: bool) -> Option<Draft> {
        let draft = self.tools.get_mut(id)?.redraft(moved_on)?;
        self.unsaved.insert(id.clone());
        Some(draft)
    }

    /// Drafts that were dropped because they were not taken in time, since the last call of this function.
    pub fn take_dropped_drafts(&mut self) -> u64 {
        self.tools.values_mut().map(|tool| tool.drafts.take_dropped()).sum()
    }

    /// States of the tools that changed since this was last called.
    pub fn take_unsaved(&mut self) -> Vec<(ToolId, Vec<u8>)> {
        let unsaved = std::mem::take(&mut self.unsaved);
        let state = |id: ToolId| self.tools.get(&id).map(|tool| (id, tool.to_state()));
        unsaved.into_iter().filter_map(state).collect()
    }

    /// The state of one tool.
    pub fn state(&self, id: &ToolId) -> Option<Vec<u8>> {
        self.tools.get(id).map(Tool::to_state)
    }

    /// The state of one tool but for what was drafted last, which depends on how long schemas had to hold.
    pub fn learned(&self, id: &ToolId) -> Option<Vec<u8>> {
        let tool = self.tools.get(id)?;
        Some(Tool { form: tool.form.undrafted(), ..tool.clone() }.to_state())
    }

    /// States of all tools.
    pub fn states(&self) -> Vec<(ToolId, Vec<u8>)> {
        self.tools.iter().map(|(id, tool)| (id.clone(), tool.to_state())).collect()
    }
}
