//! The intake of bundles: what cannot be true is set aside, and of two shares of a machine the later one counts.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use schemascope_model::{Timestamp, ToolId};
use schemascope_shape::HashKey;
use serde_json::Value;

use super::bundle::{Bundle, Node};
use super::share::{Share, latest_plausible};

/// A part of a bundle that is not imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// The machine that counted it; none if it is no count.
    pub machine: Option<String>,
    /// The tool; none for all tools of the machine.
    pub tool: Option<ToolId>,
    /// Why.
    pub reason: String,
}

impl Bundle {
    /// Removes what cannot be true, and returns it with the reasons. `now` is the time here. `check_edges` checks evidence
    /// of edges from so many calls, at last at a time in milliseconds; its error says what is wrong.
    pub fn set_aside(
        &mut self,
        key: HashKey,
        now: Timestamp,
        check_edges: impl Fn(&str, u64, u64) -> Result<(), String>,
    ) -> Vec<SetAside> {
        let mut aside = Vec::new();
        self.nodes.retain(|machine, node| {
            let mut put = |tool: Option<&ToolId>, reason: String| {
                aside.push(SetAside { machine: Some(machine.clone()), tool: tool.cloned(), reason });
            };
            let wrong = node.implausible(now);
            if let Some(reason) = wrong {
                put(None, reason);
                return false;
            }
            node.revised = node.revised.filter(|at| *at <= latest_plausible(now));
            node.tools.retain(|id, share| {
                if let Some(reason) = share.implausible(key, now) {
                    put(Some(id), reason);
                    return false;
                }
                let position = share.position();
                let latest = position.latest.unwrap_or_default().as_millis();
                let edges = share.edges().map(|edges| check_edges(edges, position.calls, latest));
                if let Some(Err(reason)) = edges {
                    put(Some(id), format!("only its evidence of edges: {reason}"));
                    share.edges = None;
                }
                true
            });
            true
        });
        for (id, tool) in &mut self.tools {
            if let Some(at) = tool.listed.filter(|at| *at > latest_plausible(now)) {
                let reason = format!("its definition is dated {at}, in the future");
                aside.push(SetAside { machine: None, tool: Some(id.clone()), reason });
                (tool.definition, tool.listed) = (None, None);
            }
        }
        aside
    }

    /// What is known of one machine from this part and an earlier one. A bundle of some tools leaves the others as
    /// they are.
    pub fn updating(mut self, machine: &str, known: &Self) -> Self {
        self.values |= known.values;
        if let (Some(new), Some(old)) = (self.nodes.get_mut(machine), known.nodes.get(machine)) {
            new.keep_later(old);
        }
        for (id, tool) in &known.tools {
            if self.tools.get(id).is_none_or(|new| new.listed < tool.listed) {
                self.tools.insert(id.clone(), tool.clone());
            }
        }
        self
    }
}

impl Node {
    fn implausible(&self, now: Timestamp) -> Option<String> {
        let calls = self.tools.values().map(Share::calls).fold(0, u64::saturating_add);
        let called = self.tools.values().filter_map(|share| share.position().latest).max();
        if self.position.calls < calls || self.position.latest < called {
            return Some("its position is before calls that it has counted".to_owned());
        }
        let future = self.position.latest.filter(|at| *at > latest_plausible(now));
        future.map(|at| format!("its position is dated {at}, in the future"))
    }

    /// Keeps, of each tool, the later one of two shares of the same machine. The earlier evidence of edges stays where it
    /// names other tools: a bundle of some tools has none of edges to the others.
    pub(super) fn keep_later(&mut self, other: &Self) {
        let is_earlier = (self.revised, self.position) < (other.revised, other.position);
        self.position = self.position.max(other.position);
        self.revised = self.revised.max(other.revised);
        for (id, share) in &other.tools {
            let Some(mine) = self.tools.get_mut(id) else {
                self.tools.insert(id.clone(), share.clone());
                continue;
            };
            let is_later = match mine.position().cmp(&share.position()) {
                Ordering::Equal => !is_earlier,
                order => order.is_gt(),
            };
            let earlier = if is_later { share.clone() } else { std::mem::replace(mine, share.clone()) };
            if !tools_of_edges(&earlier).is_subset(&tools_of_edges(mine)) {
                mine.edges = earlier.edges;
            }
        }
    }
}

/// The tools that a share's evidence of edges names.
fn tools_of_edges(share: &Share) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut values =
        vec![share.edges().and_then(|edges| serde_json::from_str(edges).ok()).unwrap_or(Value::Null)];
    while let Some(value) = values.pop() {
        if let Value::Object(members) = value {
            for (key, value) in members {
                if key.parse::<ToolId>().is_ok() {
                    found.insert(key);
                }
                values.push(value);
            }
        }
    }
    found
}
