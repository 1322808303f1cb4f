//! The bound of a tree: what it keeps, and trimming.

use super::Tree;
use crate::node::{Id, Node, Shelters, Step};
use crate::rank::Rank;

/// What exceeds the bound of a tree.
#[derive(Debug)]
pub(crate) struct Excess {
    /// Lowest rank that is removed, unless it is sheltered.
    pub(crate) cut: Option<Rank>,
    /// By node, what it shelters; empty while there is no excess.
    sheltered: Vec<Shelters>,
    /// By node, whether it is removed; empty if none is.
    pub(crate) gone: Vec<bool>,
}

/// Returns the most tables for this many nodes: one for each, and some more. It bounds the memory,
/// although one node may need six tables.
fn most_tables(cap: usize) -> usize {
    cap.saturating_add(cap / 4).saturating_add(16)
}

impl Tree {
    /// Lowers the cut to `cut`, and further until the tree is within its bound. Returns the new id of
    /// each node that stays, if any was removed.
    pub(crate) fn trim(&mut self, cap: usize, cut: Option<Rank>) -> Option<Vec<Option<Id>>> {
        self.cut = lower(self.cut, cut);
        let Excess { cut, sheltered, gone } = self.excess(cap);
        self.cut = cut;
        for (node, shelters) in self.nodes.iter_mut().zip(sheltered) {
            node.shelters = shelters;
        }
        self.stale = false;
        (!gone.is_empty()).then(|| self.remove(&gone))
    }

    /// Returns whether the tree is certainly within its bound, which may be exceeded by one part in
    /// `slack`; `None` allows no excess.
    pub(crate) fn is_within(&self, cap: usize, slack: Option<usize>) -> bool {
        let more = |most: usize| most.saturating_add(slack.map_or(0, |slack| most / slack + 16));
        self.len() <= more(cap) && self.tables <= more(most_tables(cap))
    }

    /// Returns what must be removed so that at most `cap` nodes stay below the root with all their
    /// tables: nothing until there is more, then what is neither [sheltered](Tree::sheltered) nor
    /// among the lowest ranks of the others.
    ///
    /// Paths and tables are only ever added, and a node that is not sheltered never is again. The
    /// others only become more, so the cut only falls, and no removed node would have stayed in any
    /// merge.
    pub(crate) fn excess(&self, cap: usize) -> Excess {
        if self.cut.is_none() && self.is_within(cap, None) && !self.stale {
            return Excess { cut: None, sheltered: Vec::new(), gone: Vec::new() };
        }
        let (sheltered, stays) = self.sheltered(cap / 2);
        let others = || self.nodes.iter().zip(&stays).filter(|(_, stays)| !**stays).map(|(node, _)| node);
        let ranks: Vec<(Rank, usize)> = others().map(|node| (node.rank, node.tables())).collect();
        let room = most_tables(cap).saturating_sub(cap / 2 + self.nodes[0].tables());
        let cut = lower(self.cut, first_out(ranks, cap - cap / 2, room));
        let mut gone: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for (node, stays) in self.nodes.iter().zip(&stays) {
            let excluded = !stays && cut.is_some_and(|cut| node.rank >= cut);
            // Another part of the whole lost it, so it is not complete.
            let lost = match node.step {
                Step::Members => self.node(node.parent).lost_members,
                Step::Values => self.node(node.parent).lost_values,
                _ => false,
            };
            gone.push(excluded || lost || gone.get(node.parent as usize) == Some(&true));
        }
        if !gone.contains(&true) {
            gone.clear();
        }
        Excess { cut, sheltered, gone }
    }

    /// Returns what each node shelters, and whether it is sheltered itself. Sheltered nodes stay whatever their rank.
    /// The root has a budget for them. Half of a node's budget is for its members counted together, and half of the
    /// rest for values of keys that are data, if there are any. A node whose other children fit in what is left
    /// shelters them and divides the remainder evenly between those that contain something. Other children of the same node, however many documents they came from,
    /// can therefore not displace any node elsewhere. A budget only ever shrinks, and a node that exceeds it gives up
    /// all of its children.
    fn sheltered(&self, budget: usize) -> (Vec<Shelters>, Vec<bool>) {
        let mut shelters = vec![Shelters::default(); self.nodes.len()];
        let mut stays = vec![false; self.nodes.len()];
        let mut budgets = vec![0; self.nodes.len()];
        (stays[0], budgets[0]) = (true, budget);
        for (id, node) in self.nodes.iter().enumerate() {
            if !stays[id] {
                continue;
            }
            let mut budget = budgets[id];
            let weight = |child: &Node| child.tables().max(1);
            let together = [(node.members, node.lost_members), (node.values, node.lost_values)];
            let is_sheltered = together.map(|(child, lost)| {
                // Once there is one, half is for it, also if it is lost: it must not depend on when.
                if child.is_none() && !lost {
                    return true;
                }
                let half = budget / 2;
                budget -= half;
                let child = child.filter(|_| !lost);
                let rest = child.and_then(|child| half.checked_sub(weight(self.node(child))));
                if let (Some(child), Some(rest)) = (child, rest) {
                    (stays[child as usize], budgets[child as usize]) = (true, rest);
                }
                rest.is_some()
            });
            [shelters[id].members, shelters[id].values] = is_sheltered;
            // Values that are not kept are counted like children that are not.
            if node.has_other() || !shelters[id].values {
                continue;
            }
            let children = || {
                let children = node.children().map(|child| (child as usize, self.node(child)));
                children.filter(|(_, child)| matches!(child.step, Step::Field { data: false } | Step::Items))
            };
            let weight: usize = children().map(|(_, child)| weight(child)).sum();
            let Some(rest) = usize::checked_sub(budget, weight) else { continue };
            let containers = children().filter(|(_, child)| child.contains()).count();
            shelters[id].children = true;
            for (child, _) in children() {
                (stays[child], budgets[child]) = (true, rest / containers.max(1));
            }
        }
        (shelters, stays)
    }

    /// Removes nodes and counts their values at their parent.
    fn remove(&mut self, gone: &[bool]) -> Vec<Option<Id>> {
        let mut new: Vec<Option<Id>> = Vec::with_capacity(self.nodes.len());
        let mut kept = 0;
        for is_gone in gone {
            new.push((!is_gone).then_some(kept));
            kept += Id::from(!is_gone);
        }
        let nodes = std::mem::replace(&mut self.nodes, Vec::with_capacity(kept as usize));
        for (mut node, is_gone) in nodes.into_iter().zip(gone) {
            if *is_gone {
                // The parent comes before it. If the parent was removed as well, the values are not
                // counted anywhere.
                if let Some(parent) = new[node.parent as usize] {
                    self.fold(parent, &node);
                    self.lose(parent, node.step);
                }
                continue;
            }
            node.parent = new[node.parent as usize].unwrap_or_default();
            let fields = node.fields.len();
            node.fields.renumber(|id| new[id as usize]);
            if node.fields.len() < fields {
                // Members are numbered by place.
                node.tags = None;
            }
            node.items = node.items.and_then(|id| new[id as usize]);
            node.values = node.values.and_then(|id| new[id as usize]);
            node.members = node.members.and_then(|id| new[id as usize]);
            self.nodes.push(node);
        }
        for id in 0..self.nodes.len() {
            let node = &mut self.nodes[id];
            if !node.may_have_tags() {
                node.tags = None;
            }
            let children: Vec<Id> = (0..node.fields.len()).map(|place| node.fields.at(place).1).collect();
            for (place, child) in children.into_iter().enumerate() {
                self.node_mut(child).place = place as u32;
            }
        }
        self.count_tables();
        new
    }
}

/// Returns the lowest rank that must be removed so that at most `most` of these nodes stay, with all
/// their tables in this room.
fn first_out(mut nodes: Vec<(Rank, usize)>, most: usize, mut room: usize) -> Option<Rank> {
    if nodes.iter().map(|(_, tables)| tables).sum::<usize>() <= room {
        return (nodes.len() > most).then(|| nodes.select_nth_unstable(most).1.0);
    }
    nodes.sort_unstable();
    let mut stays = |(at, (_, tables)): (usize, &(Rank, usize))| match room.checked_sub(*tables) {
        Some(left) if at < most => {
            room = left;
            true
        }
        _ => false,
    };
    nodes.iter().enumerate().find(|node| !stays(*node)).map(|(_, (rank, _))| *rank)
}

/// Returns the lower of two cuts; `None` is above all.
fn lower(a: Option<Rank>, b: Option<Rank>) -> Option<Rank> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
