//! Evidence: the fold over the flows of all calls. Its counts only add up, so the order of calls and
//! the way they are split over machines do not matter.

use std::collections::BTreeMap;
use std::hash::Hasher;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use siphasher::sip::SipHasher13;

use crate::scalars;
use crate::seen::{Distinct, EXACT_VALUES, Seen, Taken};
use crate::shares::Machines;
use schemascope_model::Flow;

/// Number of inputs and pairs of fields of one tool that evidence is kept for.
pub(crate) const MAX_PAIRS: usize = 8_192;
/// Format of stored evidence.
pub(crate) const VERSION: u32 = 1;
/// Credit for a value is divided in this many parts.
pub(crate) const WHOLE: u64 = 60;

/// Evidence of the calls of one tool: what it took, and from where.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolEvidence {
    /// Format of the stored form.
    pub(crate) version: u32,
    /// Successful calls.
    pub(crate) calls: u64,
    /// Outputs that repeated an argument: how often.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) echoes: BTreeMap<Box<str>, u64>,
    /// By the path that took.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) inputs: BTreeMap<Box<str>, Taken>,
    /// By the tool that gave.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) tools: BTreeMap<Box<str>, Seen>,
    /// Successful calls by the tool that was called before.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) previous: BTreeMap<Box<str>, u64>,
    /// Flows between fields that were added, whether their pair is still kept or not.
    pub(crate) flows: u64,
    /// Number of inputs, outputs that repeat, and pairs that are kept.
    pub(crate) kept: usize,
    /// These are kept if the hash of their names is below `u64::MAX >> halvings`.
    pub(crate) halvings: u32,
    /// Whose calls these are.
    #[serde(default, skip_serializing_if = "Machines::is_empty")]
    pub(crate) machines: Machines,
}

/// Evidence of all tools. The evidence of a tool depends on its own calls alone, so that it can be stored,
/// loaded and advanced by itself. Copies share it until they change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence(BTreeMap<Box<str>, Arc<ToolEvidence>>);

/// One stored call.
#[derive(Debug, Clone, Copy)]
pub struct Stored<'a> {
    /// Session.
    pub session: &'a str,
    /// Tool as `server__tool`.
    pub tool: &'a str,
    /// Number of the machine that recorded it.
    pub machine: u64,
    /// Time of the call, in milliseconds.
    pub at: u64,
    /// Arguments as stored, redacted.
    pub arguments: &'a Value,
    /// Whether the call had a result that is no error.
    pub ok: bool,
    /// What was computed before redaction.
    pub flow: &'a Flow,
}

impl ToolEvidence {
    /// Reads a stored form.
    pub(crate) fn read(state: &[u8]) -> Result<Self, String> {
        let read: Self = serde_json::from_slice(state).map_err(|error| error.to_string())?;
        if read.version > VERSION {
            return Err(format!(
                "version {} of evidence; this program reads version {VERSION}",
                read.version
            ));
        }
        Ok(read)
    }

    pub(crate) fn add(&mut self, call: &Stored<'_>, key: (u64, u64)) {
        self.calls += 1;
        if let Some(previous) = &call.flow.previous {
            *self.previous.entry(previous.clone()).or_default() += 1;
        }
        for echo in &call.flow.echoes {
            if self.keeps(key, ["", &echo.output, call.tool, ""]) {
                self.kept += usize::from(!self.echoes.contains_key(&echo.output));
                *self.echoes.entry(echo.output.clone()).or_default() += 1;
            }
        }
        let mut values: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        scalars::each(call.arguments, crate::window::MAX_VALUES, &mut |value| {
            let kept = values.entry(value.path.to_owned()).or_default();
            if kept.len() < EXACT_VALUES {
                let marker = schemascope_model::Redacted::of(value.text).is_some();
                // Two equal markers need not be the same value: each session counts as one.
                let own = if marker { call.session } else { value.text };
                kept.push(short(key, own));
            }
        });
        for input in values.keys() {
            if !self.keeps(key, ["", "", call.tool, input]) {
                continue;
            }
            self.kept += usize::from(!self.inputs.contains_key(input.as_str()));
            let taken = self.inputs.entry(input.as_str().into()).or_default();
            taken.calls += 1;
            for tool in &call.flow.after {
                *taken.after.entry(tool.clone()).or_default() += 1;
            }
        }
        self.add_links(call, &values, key);
        self.trim(call.tool, key);
    }

    fn add_links(&mut self, call: &Stored<'_>, values: &BTreeMap<String, Vec<u32>>, key: (u64, u64)) {
        let mut fields: BTreeMap<(&str, &str, &str), Seen> = BTreeMap::new();
        let mut tools: BTreeMap<&str, Seen> = BTreeMap::new();
        for link in &call.flow.links {
            let mut one = Seen {
                flows: 1,
                weak: u64::from(link.weak),
                credit: WHOLE / u64::from(link.rivals.max(1)),
                sessions: u64::from(link.first),
                last_at: call.at,
                values: Distinct::default(),
                how: BTreeMap::from([(link.how, 1)]),
            };
            for hash in values.get(&*link.input).into_iter().flatten() {
                one.values.add(*hash);
            }
            let own = tools.entry(&link.tool).or_default();
            own.values.merge(&one.values);
            own.flows = 1;
            own.last_at = call.at;
            own.weak = own.weak.max(one.weak);
            own.sessions = own.sessions.max(u64::from(link.opens));
            let field = fields.entry((&link.tool, &link.output, &link.input)).or_default();
            // Several earlier calls of one tool may have given values of one list: one flow.
            let sessions = field.sessions.max(one.sessions);
            let credit = field.credit.max(one.credit);
            field.merge(&one);
            (field.flows, field.weak, field.sessions, field.credit) =
                (1, field.weak.min(1), sessions, credit);
            field.how = field.how.keys().map(|how| (*how, 1)).collect();
        }
        for ((tool, output, input), seen) in fields {
            self.flows += 1;
            if !self.keeps(key, [tool, output, call.tool, input])
                || !self.keeps(key, ["", "", call.tool, input])
            {
                continue;
            }
            if !self.inputs.contains_key(input) {
                // The arguments were too large to be stored.
                self.kept += 1;
            }
            let outputs = self.inputs.entry(input.into()).or_default().from.entry(tool.into()).or_default();
            self.kept += usize::from(!outputs.contains_key(output));
            outputs.entry(output.into()).or_default().merge(&seen);
        }
        for (tool, seen) in tools {
            self.tools.entry(tool.into()).or_default().merge(&seen);
        }
    }

    pub(crate) fn merge(&mut self, own_id: &str, other: &Self, key: (u64, u64)) {
        self.merge_machines(own_id, other, key);
        self.version = VERSION;
        self.calls += other.calls;
        for (output, count) in &other.echoes {
            *self.echoes.entry(output.clone()).or_default() += count;
        }
        for (input, taken) in &other.inputs {
            let own = self.inputs.entry(input.clone()).or_default();
            own.calls += taken.calls;
            for (from, count) in &taken.after {
                *own.after.entry(from.clone()).or_default() += count;
            }
            for (from, outputs) in &taken.from {
                for (output, seen) in outputs {
                    let pairs = own.from.entry(from.clone()).or_default();
                    pairs.entry(output.clone()).or_default().merge(seen);
                }
            }
        }
        for (from, count) in &other.previous {
            *self.previous.entry(from.clone()).or_default() += count;
        }
        for (from, seen) in &other.tools {
            self.tools.entry(from.clone()).or_default().merge(seen);
        }
        self.flows += other.flows;
        self.halvings = self.halvings.max(other.halvings);
        self.drop_above(own_id, key);
        self.trim(own_id, key);
    }

    /// Counts what is kept.
    pub(crate) fn count_kept(&mut self) {
        let pairs =
            self.inputs.values().flat_map(|taken| taken.from.values()).map(BTreeMap::len).sum::<usize>();
        self.kept = self.echoes.len() + self.inputs.len() + pairs;
    }

    fn keeps(&self, key: (u64, u64), names: [&str; 4]) -> bool {
        self.halvings == 0 || rank(key, names) <= u64::MAX >> self.halvings.min(63)
    }

    /// Halves the share of inputs and pairs that are kept until there are few enough. The result
    /// depends on the set of pairs alone, not on their order.
    fn trim(&mut self, own_id: &str, key: (u64, u64)) {
        while self.kept > MAX_PAIRS && self.halvings < 63 {
            self.halvings += 1;
            self.drop_above(own_id, key);
        }
    }

    /// Drops what is above the bound and counts what is left.
    fn drop_above(&mut self, own_id: &str, key: (u64, u64)) {
        let bound = if self.halvings == 0 { u64::MAX } else { u64::MAX >> self.halvings.min(63) };
        self.echoes.retain(|output, _| rank(key, ["", output, own_id, ""]) <= bound);
        self.inputs.retain(|input, _| rank(key, ["", "", own_id, input]) <= bound);
        let mut kept = self.echoes.len() + self.inputs.len();
        for (input, taken) in &mut self.inputs {
            for (from, outputs) in &mut taken.from {
                outputs.retain(|output, _| rank(key, [from, output, own_id, input]) <= bound);
                kept += outputs.len();
            }
            taken.from.retain(|_, outputs| !outputs.is_empty());
        }
        self.kept = kept;
    }

    fn evicted_flows(&self) -> u64 {
        let taken = self.inputs.values().flat_map(|taken| taken.from.values());
        let kept: u64 = taken.flat_map(BTreeMap::values).map(|seen| seen.flows).sum();
        self.flows.saturating_sub(kept)
    }
}

impl Evidence {
    /// Adds a stored call. `key` is that of the data directory.
    pub fn add(&mut self, call: &Stored<'_>, key: (u64, u64)) {
        let own = self.entry(call.tool);
        if call.ok {
            own.add_for_machine(call, key);
            own.add(call, key);
        }
    }

    /// Makes a tool known, if it is not. Returns whether it was unknown.
    pub fn know(&mut self, tool: &str) -> bool {
        let is_new = !self.0.contains_key(tool);
        self.entry(tool);
        is_new
    }

    fn entry(&mut self, tool: &str) -> &mut ToolEvidence {
        let own = self.0.entry(tool.into()).or_default();
        let own = Arc::make_mut(own);
        own.version = VERSION;
        own
    }

    /// Returns the stored form of a tool's evidence: equal evidence gives equal bytes.
    pub fn state(&self, tool: &str) -> Option<Vec<u8>> {
        serde_json::to_vec(self.0.get(tool)?.as_ref()).ok()
    }

    /// Takes the stored form of a tool's evidence, replacing what is known.
    ///
    /// Calls that were counted before states named machines are of `machine`.
    pub fn load(&mut self, tool: &str, state: &[u8], machine: Option<u64>) -> Result<(), String> {
        let mut read = ToolEvidence::read(state)?;
        machine.into_iter().for_each(|machine| read.of_machine(machine));
        self.0.insert(tool.into(), Arc::new(read));
        Ok(())
    }

    /// Takes a tool's evidence from another copy. Returns whether it differs.
    pub fn take(&mut self, tool: &str, other: &Self) -> bool {
        let (own, other) = (self.0.get(tool), other.0.get(tool));
        match (own, other) {
            (Some(own), Some(other)) if Arc::ptr_eq(own, other) => return false,
            (None, None) => return false,
            (_, Some(other)) => drop(self.0.insert(tool.into(), Arc::clone(other))),
            (_, None) => drop(self.0.remove(tool)),
        }
        true
    }

    /// Returns the tools that are known, by id.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(|tool| &**tool)
    }

    /// Adds the evidence of another machine with the same key.
    pub fn merge(&mut self, other: &Self, key: (u64, u64)) {
        for (tool, evidence) in &other.0 {
            self.entry(tool).merge(tool, evidence, key);
        }
    }

    pub(crate) fn tool(&self, tool: &str) -> Option<&ToolEvidence> {
        self.0.get(tool).map(Arc::as_ref)
    }

    pub(crate) fn merge_tool(&mut self, tool: &str, other: &ToolEvidence, key: (u64, u64)) {
        self.entry(tool).merge(tool, other, key);
    }

    /// Number of flows that belong to pairs that are no longer kept.
    pub fn evicted_flows(&self) -> u64 {
        self.0.values().map(|own| own.evicted_flows()).sum()
    }

    /// Returns what the inputs of a tool have taken.
    pub fn taken(&self, tool: &str) -> impl Iterator<Item = (&str, &Taken)> {
        let inputs = self.0.get(tool).into_iter().flat_map(|own| &own.inputs);
        inputs.map(|(input, taken)| (&**input, taken))
    }

    /// Returns the tools whose inputs have taken something.
    pub fn takers(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, own)| !own.inputs.is_empty()).map(|(tool, _)| &**tool)
    }

    /// Returns the evidence between two tools.
    pub fn between(&self, from: &str, to: &str) -> Option<&Seen> {
        self.0.get(to)?.tools.get(from)
    }

    /// Returns the tools that were called next after a tool, with their numbers of calls.
    pub fn next(&self, tool: &str) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().filter_map(move |(to, own)| Some((&**to, *own.previous.get(tool)?)))
    }

    /// Returns the number of successful calls of a tool.
    pub fn calls(&self, tool: &str) -> u64 {
        self.0.get(tool).map_or(0, |own| own.calls)
    }

    /// Returns the share of a tool's results in which an output repeats an argument, in thousandths.
    pub fn echo(&self, tool: &str, output: &str) -> Option<u64> {
        let own = self.0.get(tool).filter(|own| own.calls > 0)?;
        Some(own.echoes.get(output).copied().unwrap_or(0) * 1000 / own.calls)
    }

    /// Returns a schema of a tool's arguments as far as calls show it, for tools whose server does not say. What all
    /// calls had is required.
    pub fn input_schema(&self, tool: &str) -> Option<Value> {
        let paths: Vec<&str> = self.taken(tool).map(|(path, _)| path).collect();
        let calls = self.calls(tool);
        let always = self.taken(tool).filter(|(_, taken)| taken.calls >= calls);
        let always: Vec<&str> =
            always.map(|(path, _)| path).filter(|path| crate::path::is_name(path)).collect();
        (!paths.is_empty()).then(|| crate::path::schema(&paths, &always))
    }
}

fn short(key: (u64, u64), text: &str) -> u32 {
    let mut hasher = SipHasher13::new_with_keys(key.0, key.1);
    hasher.write(text.as_bytes());
    u32::try_from(hasher.finish() >> 32).unwrap_or(0)
}

fn rank(key: (u64, u64), names: [&str; 4]) -> u64 {
    let mut hasher = SipHasher13::new_with_keys(key.0, key.1);
    for name in names {
        hasher.write(name.as_bytes());
        hasher.write_u8(0xff);
    }
    hasher.finish()
}
