//! Fields that results have, as goals of plans.

use std::collections::BTreeSet;

use crate::graph::Graph;
use crate::path::Step;
use crate::plan::{Goal, at_hand};
use crate::tool::Place;

impl Graph {
    /// Returns the tools that give a field of this name, with its path, the best first: those with exactly this
    /// name, then those whose words mean it, and of these the tools that need least.
    pub fn givers(&self, field: &str, limit: usize) -> Vec<Goal> {
        let leaf = |place: &Place| match place.steps().iter().rev().find(|step| !matches!(step, Step::Items))
        {
            Some(Step::Name(name)) => name == field,
            _ => false,
        };
        let mut found = Vec::new();
        for id in self.tools() {
            let Some(known) = self.known(id).filter(|known| known.tool.usable) else { continue };
            let needed = known.required().count();
            for place in known.outputs.iter().filter(|place| !place.echo) {
                let rank = if *place.path == *field || leaf(place) {
                    0
                } else if at_hand(field, place) {
                    1
                } else {
                    continue;
                };
                let calls = std::cmp::Reverse(self.evidence().calls(id));
                let depth = place.steps().len();
                found.push((rank, needed, !known.tool.read_only, calls, depth, id, &*place.path));
            }
        }
        found.sort_unstable();
        let mut tools = BTreeSet::new();
        found.retain(|(.., id, _)| tools.insert(*id));
        found.truncate(limit);
        found.into_iter().map(|(.., id, path)| Goal::Output(id.into(), path.into())).collect()
    }

    /// Whether an argument or a result of any tool has a field of this name.
    pub fn has_field(&self, name: &str) -> bool {
        let known = self.tools().filter_map(|id| self.known(id));
        let mut places = known.flat_map(|known| known.inputs.iter().chain(&known.outputs));
        places.any(|place| *place.path == *name || place.steps().iter().any(|step| step.is_named(name)))
    }

    /// Returns the names of all fields that results have.
    pub fn field_names(&self) -> BTreeSet<String> {
        let places = self.tools().filter_map(|id| self.known(id)).flat_map(|known| &known.outputs);
        let names = places.flat_map(Place::steps).filter_map(|step| match step {
            Step::Name(name) => Some(name),
            _ => None,
        });
        names.collect()
    }
}
