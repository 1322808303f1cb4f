//! Counts by machine, for a data directory with calls of several machines: one that was copied, or that read the calls
//! of another one.
//!
//! While all calls of a tool are of one machine, the tool's counts are that machine's. From the first call of another
//! machine on, each machine is counted apart as well, so that a team counts every call once.

use std::collections::BTreeMap;

use schemascope_model::CallRecord;
use schemascope_shape::{Arguments, Shape};

use crate::exchange::{MAX_NODES, Position};
use crate::observation::Observation;
use crate::tool::Tool;

/// Whose calls were counted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Machines {
    /// The machine of the first call, once it is known.
    pub(crate) first: Option<u64>,
    /// Counts of each machine; empty while there is one machine.
    pub(crate) apart: BTreeMap<u64, Tool>,
}

impl Tool {
    /// Notes whose calls were counted before states said so.
    pub(crate) fn of_machine(mut self, machine: Option<u64>) -> Self {
        if self.calls > 0 {
            self.machines.first = self.machines.first.or(machine);
        }
        self
    }

    /// Counts a call for its machine, before it is counted for the tool.
    pub(crate) fn count_for_machine(&mut self, call: &CallRecord, observation: Option<&Observation<'_>>) {
        let machine = call.id.node();
        let first = *self.machines.first.get_or_insert(machine);
        if self.machines.apart.is_empty() {
            if machine == first {
                return;
            }
            let before = self.counts();
            self.machines.apart.insert(first, before);
        }
        let empty = self.empty();
        let apart = &mut self.machines.apart;
        // Calls of further machines count for the first one.
        let has_room = apart.len() < MAX_NODES || apart.contains_key(&machine);
        let machine = if has_room { machine } else { first };
        apart.entry(machine).or_insert(empty).count(call, observation);
    }

    /// Counts by machine. Calls of an unknown machine are of `own`.
    pub(crate) fn by_machine(&self, own: u64) -> impl Iterator<Item = (u64, &Self)> {
        let whole = self.machines.apart.is_empty().then(|| (self.machines.first.unwrap_or(own), self));
        let apart = self.machines.apart.iter().map(|(machine, counts)| (*machine, counts));
        whole.into_iter().chain(apart)
    }

    /// How far a machine had counted the tool. Calls of an unknown machine are of this one.
    pub fn position_of(&self, machine: u64) -> Position {
        let mine = self.by_machine(machine).find(|(one, _)| *one == machine);
        let position =
            |(_, counts): (u64, &Self)| Position { calls: counts.calls, latest: counts.last_called };
        mine.map(position).unwrap_or_default()
    }

    fn counts(&self) -> Self {
        Self {
            calls: self.calls,
            failures: self.failures,
            unanswered: self.unanswered,
            carriers: self.carriers,
            fits: self.fits.clone(),
            last_called: self.last_called,
            last_observed: self.last_observed,
            shape: self.shape.clone(),
            recurring: self.recurring.clone(),
            sends_items: self.sends_items,
            failing_texts: self.failing_texts.clone(),
            learned_since: self.learned_since,
            ..self.empty()
        }
    }

    fn empty(&self) -> Self {
        let key = self.shape.key();
        Self {
            shape: Shape::with_key(key),
            arguments: Arguments::with_key(key),
            failing_texts: self.failing_texts.emptied(),
            learned_since: self.learned_since,
            ..Self::default()
        }
    }
}
