//! Evidence by machine, so that a team counts every call once, and evidence from other machines.
//!
//! While all calls of a tool are of one machine, the tool's evidence is that machine's. From the first call of another
//! machine on, each machine is counted apart as well.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::evidence::{Evidence, MAX_PAIRS, Stored, ToolEvidence, VERSION, WHOLE};
use crate::path::MAX_PATH;
use crate::seen::{EXACT_VALUES, Seen};

/// Machines that are counted apart; calls of further ones count for the first.
const MAX_MACHINES: usize = 64;
/// Stands for an unknown machine.
const UNKNOWN: u64 = u64::MAX;
/// Flows that one call can have.
const MAX_LINKS: u64 = crate::session::MAX_LINKS as u64;
/// Bytes of a tool's id.
const MAX_ID: usize = 600;

/// What other machines may see: names of fields, and no keys that are data.
pub trait Shareable {
    /// Whether a tool may be named.
    fn is_tool(&self, tool: &str) -> bool;
    /// Whether a path of a tool's results has names only.
    fn is_output(&self, tool: &str, path: &str) -> bool;
    /// Whether a path of a tool's arguments has names only.
    fn is_input(&self, tool: &str, path: &str) -> bool;
}

/// All of it, for this machine itself.
#[derive(Debug, Clone, Copy)]
pub struct All;

impl Shareable for All {
    fn is_tool(&self, _: &str) -> bool {
        true
    }
    fn is_output(&self, _: &str, _: &str) -> bool {
        true
    }
    fn is_input(&self, _: &str, _: &str) -> bool {
        true
    }
}

/// Whose calls were counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Machines {
    /// The machine of all calls; none if that is unknown, or if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    only: Option<u64>,
    /// Evidence of each machine; empty while there is one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    apart: BTreeMap<u64, ToolEvidence>,
}

impl Machines {
    pub(crate) fn is_empty(&self) -> bool {
        self.only.is_none() && self.apart.is_empty()
    }

    /// The evidence of a machine that is counted apart.
    fn of(&mut self, machine: u64) -> &mut ToolEvidence {
        let has_room = self.apart.len() < MAX_MACHINES || self.apart.contains_key(&machine);
        let first = self.apart.keys().next().copied().filter(|_| !has_room);
        self.apart.entry(first.unwrap_or(machine)).or_default()
    }
}

impl ToolEvidence {
    /// Notes whose calls were counted before states said so.
    pub(crate) fn of_machine(&mut self, machine: u64) {
        if self.calls > 0 && self.machines.is_empty() {
            self.machines.only = Some(machine);
        }
    }

    /// Counts a call for its machine, before it is counted for the tool.
    pub(crate) fn add_for_machine(&mut self, call: &Stored<'_>, key: (u64, u64)) {
        let machine = call.machine;
        if self.machines.apart.is_empty() {
            let first = *self.machines.only.get_or_insert(machine);
            if machine == first {
                return;
            }
            let before = self.alone();
            self.machines = Machines { only: None, apart: BTreeMap::from([(first, before)]) };
        }
        let own = self.machines.of(machine);
        own.version = VERSION;
        own.add(call, key);
    }

    /// Merges the evidence of each machine, before the evidence of the tool is merged.
    pub(crate) fn merge_machines(&mut self, own_id: &str, other: &Self, key: (u64, u64)) {
        let is_empty = |evidence: &Self| evidence.calls == 0 && evidence.machines.is_empty();
        let is_one = |evidence: &Self| evidence.machines.apart.is_empty();
        if is_empty(other) || is_one(self) && is_one(other) && self.machines.only == other.machines.only {
            return;
        }
        if is_empty(self) {
            self.machines = other.machines.clone();
            return;
        }
        self.machines = Machines { only: None, apart: self.by_machine(UNKNOWN) };
        for (machine, evidence) in other.by_machine(UNKNOWN) {
            self.machines.of(machine).merge(own_id, &evidence, key);
        }
    }

    /// Evidence by machine. Calls of an unknown machine are of `own`.
    fn by_machine(&self, own: u64) -> BTreeMap<u64, Self> {
        match self.machines.apart.is_empty() {
            true => BTreeMap::from([(self.machines.only.unwrap_or(own), self.alone())]),
            false => self.machines.apart.clone(),
        }
    }

    /// The same without the machines.
    fn alone(&self) -> Self {
        Self { machines: Machines::default(), ..self.clone() }
    }

    /// Without what other machines may not see, and without the machines.
    fn shared(&self, tool: &str, known: &dyn Shareable) -> Self {
        let mut shared = self.alone();
        shared.echoes.retain(|output, _| known.is_output(tool, output));
        shared.inputs.retain(|input, _| known.is_input(tool, input));
        for taken in shared.inputs.values_mut() {
            taken.after.retain(|other, _| known.is_tool(other));
            taken.from.retain(|from, outputs| {
                outputs.retain(|output, _| known.is_output(from, output));
                known.is_tool(from) && !outputs.is_empty()
            });
        }
        shared.previous.retain(|other, _| known.is_tool(other));
        shared.tools.retain(|other, _| known.is_tool(other));
        shared.count_kept();
        shared
    }

    /// Why evidence from another machine cannot be true, if it cannot. It comes from so many calls, the latest at a time
    /// in milliseconds.
    fn implausible(&self, calls: u64, latest: u64) -> Option<&'static str> {
        if self.calls > calls {
            return Some("its evidence of edges has more calls than the tool");
        }
        if self.flows > calls.saturating_mul(MAX_LINKS) {
            return Some("its evidence of edges has more flows than its calls can have");
        }
        let counts = self.echoes.values().chain(self.previous.values());
        let inputs = self.inputs.values().flat_map(|taken| taken.after.values().chain([&taken.calls]));
        if counts.chain(inputs).any(|count| *count > self.calls) {
            return Some("its evidence of edges has more uses of a field than calls");
        }
        let pairs = self.inputs.values().flat_map(|taken| taken.from.values()).flat_map(BTreeMap::values);
        let wrong = |seen: &Seen| !seen.is_plausible(self.calls, latest);
        if self.tools.values().chain(pairs).any(wrong) {
            return Some("its evidence of edges contradicts itself");
        }
        let paths = self.echoes.keys().chain(self.inputs.keys());
        let outputs = self.inputs.values().flat_map(|taken| taken.from.values().flat_map(BTreeMap::keys));
        let tools = self.inputs.values().flat_map(|taken| taken.from.keys().chain(taken.after.keys()));
        let mut tools = tools.chain(self.previous.keys()).chain(self.tools.keys());
        if paths.chain(outputs).any(|path| path.len() > 2 * MAX_PATH) || tools.any(|id| id.len() > MAX_ID) {
            return Some("its evidence of edges has names that are too long");
        }
        let others = self.inputs.values().map(|taken| taken.after.len()).max().unwrap_or_default();
        let others = others.max(self.tools.len()).max(self.previous.len());
        (self.kept > MAX_PAIRS || others > MAX_PAIRS).then_some("its evidence of edges has too many pairs")
    }
}

impl Seen {
    fn is_plausible(&self, calls: u64, latest: u64) -> bool {
        let forms = self.how.values().fold(0, |sum: u64, count| sum.max(*count));
        self.flows <= calls
            && self.weak <= self.flows
            && self.sessions <= self.flows
            && self.credit <= self.flows.saturating_mul(WHOLE)
            && forms <= self.flows
            && self.last_at <= latest
            && self.values.len() <= EXACT_VALUES
    }
}

impl Evidence {
    /// The evidence of a tool by machine, as JSON for other machines: without values, and with what they may see. Calls of
    /// an unknown machine are of `own`.
    pub fn shares(&self, tool: &str, own: u64, known: &dyn Shareable) -> Vec<(u64, String)> {
        let Some(evidence) = self.tool(tool).filter(|evidence| evidence.calls > 0) else { return Vec::new() };
        let json = |evidence: &ToolEvidence| {
            serde_json::to_string(&evidence.shared(tool, known)).unwrap_or_default()
        };
        evidence.by_machine(own).iter().map(|(machine, evidence)| (*machine, json(evidence))).collect()
    }

    /// Checks what another machine says of a tool that it called so often, at last at a time in milliseconds. The error
    /// says why it cannot be true.
    pub fn check_share(json: &str, calls: u64, latest: u64) -> Result<(), String> {
        Self::read_share(json, calls, latest).map(drop)
    }

    fn read_share(json: &str, calls: u64, latest: u64) -> Result<ToolEvidence, String> {
        let mut read = ToolEvidence::read(json.as_bytes())?.alone();
        read.count_kept();
        // What a machine dropped for want of room says nothing about what others keep.
        read.halvings = 0;
        match read.implausible(calls, latest) {
            Some(reason) => Err(reason.to_owned()),
            None => Ok(read),
        }
    }

    /// Adds what another machine says of a tool, as [`Self::check_share`] checks it.
    pub fn add_share(
        &mut self,
        tool: &str,
        json: &str,
        (calls, latest): (u64, u64),
        key: (u64, u64),
    ) -> Result<(), String> {
        let share = Self::read_share(json, calls, latest)?;
        self.merge_tool(tool, &share, key);
        Ok(())
    }
}
