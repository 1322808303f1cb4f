//! A tree as its bound leaves it, without cutting it back.
//!
//! While documents come in, a tree may be larger than its bound allows. Whoever reads it sees it through a
//! view, in which what will be cut is gone already and counted at its parent. Owns: what is seen. Refuses to
//! know: where the cut lies, and what the reader makes of it.

use crate::node::{Counts, Id, Node, add};
use crate::rank::Rank;
use crate::tags::Tags;
use crate::tree::{Tree, is_folded};

#[derive(Clone, Copy)]
pub(crate) struct View<'t> {
    tree: &'t Tree,
    /// The lowest rank that is not seen, if not all is.
    cut: Option<Rank>,
}

impl<'t> View<'t> {
    pub(crate) fn new(tree: &'t Tree, cut: Option<Rank>) -> Self {
        Self { tree, cut }
    }

    /// The tree behind it, with what is not seen.
    pub(crate) fn tree(self) -> &'t Tree {
        self.tree
    }

    /// What was counted at a node itself. Its children and what it has of others must be asked for here.
    #[inline]
    pub(crate) fn node(self, id: Id) -> &'t Node {
        self.tree.node(id)
    }

    #[inline]
    pub(crate) fn shows(self, id: Id) -> bool {
        self.cut.is_none_or(|cut| self.node(id).rank < cut)
    }

    /// All nodes seen.
    pub(crate) fn nodes(self) -> impl Iterator<Item = (Id, &'t Node)> {
        let all = (0..).zip(self.tree.nodes());
        all.filter(move |(id, _)| self.shows(*id))
    }

    /// An object's fields in order of name.
    pub(crate) fn fields(self, id: Id) -> impl Iterator<Item = (&'t str, Id)> {
        self.node(id).fields.iter().filter(move |(_, field)| self.shows(*field))
    }

    pub(crate) fn items(self, id: Id) -> Option<Id> {
        self.node(id).items.filter(|items| self.shows(*items))
    }

    pub(crate) fn values(self, id: Id) -> Option<Id> {
        self.node(id).values.filter(|values| self.shows(*values))
    }

    /// Everything right below a node.
    pub(crate) fn children(self, id: Id) -> impl Iterator<Item = Id> {
        self.node(id).children().filter(move |child| self.shows(*child))
    }

    /// Values of children that are not seen, by type.
    pub(crate) fn other(self, id: Id) -> Counts {
        let mut other = self.node(id).other;
        self.folded(id).for_each(|child| add(&mut other, &child.counts));
        other
    }

    pub(crate) fn has_other(self, id: Id) -> bool {
        self.node(id).has_other() || self.folded(id).next().is_some()
    }

    /// The joint counts of an object's fields, if all are seen.
    pub(crate) fn tags(self, id: Id) -> Option<&'t Tags> {
        self.node(id).tags().filter(|_| self.hidden(id).next().is_none())
    }

    /// Children that are not seen.
    fn hidden(self, id: Id) -> impl Iterator<Item = &'t Node> {
        // Where all is seen there is nothing to look through.
        let node = self.cut.map(|_| self.node(id));
        let children = node.into_iter().flat_map(Node::children);
        children.filter(move |child| !self.shows(*child)).map(move |child| self.node(child))
    }

    /// Those of them that their parent counts.
    fn folded(self, id: Id) -> impl Iterator<Item = &'t Node> {
        let parent = self.node(id);
        self.hidden(id).filter(move |child| is_folded(parent, child))
    }
}
