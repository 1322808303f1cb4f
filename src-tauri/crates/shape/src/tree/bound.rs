//! The bound of a tree: what it keeps, and trimming.

use super::Tree;
use crate::node::{Id, Node, Shelters, Step};
use crate::rank::Rank;

/// How much of a path is kept, from most to least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kept {
    /// Everything.
    Whole,
    /// Its counts, without times and values.
    Bare,
    /// Nothing. Its values are counted at its parent.
    Gone,
}

/// Lowest ranks of which less is kept, unless they are sheltered. They only fall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Cuts {
    /// Lowest rank that is kept bare, once there is one.
    pub(crate) bare: Option<Rank>,
    /// Lowest rank that is not kept, once there is one.
    pub(crate) gone: Option<Rank>,
}

impl Cuts {
    fn none(self) -> bool {
        self == Self::default()
    }

    /// Returns how much is kept of a path of this rank that is not sheltered.
    pub(crate) fn kept(self, rank: Rank) -> Kept {
        let is_cut = |cut: Option<Rank>| cut.is_some_and(|cut| rank >= cut);
        if is_cut(self.gone) {
            Kept::Gone
        } else if is_cut(self.bare) {
            Kept::Bare
        } else {
            Kept::Whole
        }
    }

    fn lower(self, other: Self) -> Self {
        Self { bare: lower(self.bare, other.bare), gone: lower(self.gone, other.gone) }
    }
}

/// What exceeds the bound of a tree.
#[derive(Debug)]
pub(crate) struct Excess {
    pub(crate) cuts: Cuts,
    /// By node, what it shelters; empty while there is no excess.
    sheltered: Vec<Shelters>,
    /// By node, how much of it is kept; empty if all nodes stay as they are.
    pub(crate) kept: Vec<Kept>,
}

/// Returns the most nodes below the root if this many are kept whole. A bare node takes at most a quarter of the memory
/// of one with a table.
pub(crate) fn most_nodes(cap: usize) -> usize {
    cap.saturating_add(cap / 4 * 5)
}

/// Returns the most tables for this many whole nodes: one for each, and some more. It bounds the memory, although one
/// node may need seven tables.
fn most_tables(cap: usize) -> usize {
    cap.saturating_add(cap / 8).saturating_add(16)
}

impl Tree {
    /// Lowers the cuts to `cuts`, and further until the tree is within its bound. Returns the new id of each node that
    /// stays, if less is kept of any than before.
    pub(crate) fn trim(&mut self, cap: usize, cuts: Cuts) -> Option<Vec<Option<Id>>> {
        self.cuts = self.cuts.lower(cuts);
        let Excess { cuts, sheltered, kept } = self.excess(cap);
        self.cuts = cuts;
        for (node, shelters) in self.nodes.iter_mut().zip(sheltered) {
            node.shelters = shelters;
        }
        self.stale = false;
        (!kept.is_empty()).then(|| self.reduce(&kept))
    }

    /// Returns whether the tree is certainly within its bound, which may be exceeded by one part in
    /// `slack`; `None` allows no excess.
    pub(crate) fn is_within(&self, cap: usize, slack: Option<usize>) -> bool {
        let more = |most: usize| most.saturating_add(slack.map_or(0, |slack| most / slack + 16));
        self.len() <= more(most_nodes(cap))
            && self.whole <= more(cap)
            && self.tables <= more(most_tables(cap))
    }

    /// Returns whether more is kept whole than `cap` nodes, or their tables.
    pub(crate) fn keeps_more_than(&self, cap: usize) -> bool {
        self.whole > cap || self.tables > most_tables(cap)
    }

    /// Returns how many nodes may certainly be added before the bound is reached.
    pub(crate) fn room(&self, cap: usize) -> usize {
        let (whole, all) = (cap.saturating_sub(self.whole), most_nodes(cap).saturating_sub(self.len()));
        if self.cuts.bare.is_some() { all } else { whole.min(all) }
    }

    /// Returns whether not all paths are kept.
    pub(crate) fn lacks_paths(&self, cap: usize) -> bool {
        self.cuts.gone.is_some() || self.len() > most_nodes(cap)
    }

    /// Returns what must be reduced so that at most `cap` nodes below the root stay whole, with all their tables, and
    /// some more as bare ones: nothing until there is more, then what is neither [sheltered](Tree::sheltered) nor
    /// among the lowest ranks of the others.
    ///
    /// Paths and tables are only ever added, and a node that is not sheltered never is again. The
    /// others only become more, so the cuts only fall, and no reduced node would have stayed whole in any
    /// merge.
    pub(crate) fn excess(&self, cap: usize) -> Excess {
        if self.cuts.none() && self.is_within(cap, None) && !self.stale {
            return Excess { cuts: self.cuts, sheltered: Vec::new(), kept: Vec::new() };
        }
        let (sheltered, stays) = self.sheltered(cap / 2);
        let others = self.nodes.iter().zip(&stays).filter(|(_, stays)| !**stays).map(|(node, _)| node);
        let mut others: Vec<(Rank, usize)> = others.map(|node| (node.rank, node.tables())).collect();
        let room = most_tables(cap).saturating_sub(cap / 2 + self.nodes[0].tables());
        let cuts = self.cuts.lower(Cuts {
            gone: first_out(&mut others, most_nodes(cap) - cap / 2, usize::MAX),
            bare: first_out(&mut others, cap - cap / 2, room),
        });
        let mut kept: Vec<Kept> = Vec::with_capacity(self.nodes.len());
        let mut changes = false;
        for (node, stays) in self.nodes.iter().zip(&stays) {
            // Another part of the whole lost it, so it is not complete.
            let lost = match node.step {
                Step::Members => self.node(node.parent).lost_members,
                Step::Values => self.node(node.parent).lost_values,
                _ => false,
            };
            let gone = lost || kept.get(node.parent as usize) == Some(&Kept::Gone);
            let how = match cuts.kept(node.rank) {
                _ if gone => Kept::Gone,
                _ if *stays => Kept::Whole,
                kept => kept,
            };
            let how = if node.bare { how.max(Kept::Bare) } else { how };
            changes |= how == Kept::Gone || how == Kept::Bare && !node.bare;
            kept.push(how);
        }
        if !changes {
            kept.clear();
        }
        Excess { cuts, sheltered, kept }
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

    /// Removes nodes, counts their values at their parent, and makes others bare.
    fn reduce(&mut self, kept: &[Kept]) -> Vec<Option<Id>> {
        let mut new: Vec<Option<Id>> = Vec::with_capacity(self.nodes.len());
        let mut stay = 0;
        for kept in kept {
            new.push((*kept < Kept::Gone).then_some(stay));
            stay += Id::from(*kept < Kept::Gone);
        }
        let nodes = std::mem::replace(&mut self.nodes, Vec::with_capacity(stay as usize));
        for (mut node, kept) in nodes.into_iter().zip(kept) {
            if *kept == Kept::Gone {
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
            if *kept == Kept::Bare {
                node.make_bare();
            } else if node.fields.len() < fields {
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
        self.count_whole();
        new
    }
}

/// Returns the lowest rank of these nodes that must go so that at most `most` of them stay, with all
/// their tables in this room.
fn first_out(nodes: &mut [(Rank, usize)], most: usize, mut room: usize) -> Option<Rank> {
    let (low, beyond) = match nodes.len() > most {
        true => {
            let (low, beyond, _) = nodes.select_nth_unstable(most);
            (low, Some(beyond.0))
        }
        false => (nodes, None),
    };
    if low.iter().map(|(_, tables)| tables).sum::<usize>() <= room {
        return beyond;
    }
    low.sort_unstable();
    let mut stays = |tables: usize| room.checked_sub(tables).map(|left| room = left).is_some();
    low.iter().find(|(_, tables)| !stays(*tables)).map(|(rank, _)| *rank)
}

/// Returns the lower of two cuts; `None` is above all.
fn lower(a: Option<Rank>, b: Option<Rank>) -> Option<Rank> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
