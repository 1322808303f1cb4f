//! Which nodes of a growing tree its bound leaves.
//!
//! Owns: the lowest ranks, as many as may stay, taken in as the tree grows. Refuses to know: what nodes
//! count, and when the tree is really cut back.

use std::collections::BinaryHeap;

use crate::node::Id;
use crate::rank::Rank;
use crate::tree::Tree;

/// The nodes that stay, of as many as were taken in.
#[derive(Debug, Clone, Default)]
pub(super) struct Bound {
    /// Empty until there are more than may stay.
    stay: BinaryHeap<(Rank, Id)>,
    /// Nodes below the root taken in.
    taken: usize,
    /// The lowest rank that must go.
    pub(super) cut: Option<Rank>,
}

impl Bound {
    /// Takes in the nodes that are new; the ones that must go now.
    pub(super) fn take_in(&mut self, tree: &Tree, cap: usize) -> Vec<Id> {
        let mut gone = Vec::new();
        if tree.len() <= cap {
            return gone;
        }
        let new = (0..).zip(tree.nodes()).skip(1 + self.taken);
        self.stay.extend(new.map(|(id, node)| (node.rank, id)));
        self.taken = tree.len();
        while self.stay.len() > cap
            && let Some((rank, id)) = self.stay.pop()
        {
            self.cut = Some(self.cut.map_or(rank, |cut| cut.min(rank)));
            gone.push(id);
        }
        gone
    }
}
