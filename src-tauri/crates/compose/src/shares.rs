//! Evidence by machine, so that a team counts every call once, and evidence from other machines.
//!
//! While all calls of a tool are of one machine, the tool's evidence is that machine's. From the first call of another
//! machine on, each machine is counted apart as well.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::evidence::{Evidence, MAX_PAIRS, Stored, ToolEvidence, VERSION, WHOLE};
use crate::path::{self, MAX_PATH, Step};
use crate::seen::{EXACT_VALUES, Seen};

/// Machines that are counted apart; calls of further ones count together.
const MAX_MACHINES: usize = 64;
/// Number under which calls of further machines count.
const FURTHER: u64 = u64::MAX;
/// Flows that one call can have.
const MAX_LINKS: u64 = crate::session::MAX_LINKS as u64;
/// Bytes of a tool's id.
const MAX_ID: usize = 600;

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
}

impl ToolEvidence {
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
        let apart = &mut self.machines.apart;
        let has_room = apart.len() < MAX_MACHINES || apart.contains_key(&machine);
        let own = apart.entry(if has_room { machine } else { FURTHER }).or_default();
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
        let mut apart = self.by_machine(FURTHER);
        for (machine, evidence) in other.by_machine(FURTHER) {
            let own = apart.entry(machine).or_default();
            own.merge(own_id, &evidence, key);
        }
        self.machines = Machines { only: None, apart };
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

    /// Without pairs whose paths have keys that are data, and without the machines.
    fn shared(&self, is_name: &dyn Fn(&str) -> bool) -> Self {
        let has_names = |written: &str| {
            path::steps(written).iter().all(|step| match step {
                Step::Name(name) => is_name(name),
                Step::Items | Step::Values | Step::Key => true,
            })
        };
        let mut shared = self.alone();
        shared.echoes.retain(|output, _| has_names(output));
        shared.inputs.retain(|input, _| has_names(input));
        for taken in shared.inputs.values_mut() {
            for outputs in taken.from.values_mut() {
                outputs.retain(|output, _| has_names(output));
            }
            taken.from.retain(|_, outputs| !outputs.is_empty());
        }
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
        let others = self.tools.len().max(self.previous.len());
        (self.kept > 2 * MAX_PAIRS || others > MAX_PAIRS)
            .then_some("its evidence of edges has too many pairs")
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
    /// The evidence of a tool by machine, as JSON for other machines: without values and without keys that are data.
    /// Calls of an unknown machine are of `own`. `is_name` says whether a key is the name of a field.
    pub fn shares(&self, tool: &str, own: u64, is_name: impl Fn(&str) -> bool) -> Vec<(u64, String)> {
        let Some(evidence) = self.tool(tool).filter(|evidence| evidence.calls > 0) else { return Vec::new() };
        let json =
            |evidence: &ToolEvidence| serde_json::to_string(&evidence.shared(&is_name)).unwrap_or_default();
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
