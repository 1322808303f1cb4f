//! A view of a tree within its bound, without trimming the tree.
//!
//! While documents arrive, a tree may exceed its bound. In the view, nodes that will be removed are
//! already absent and counted at their parent, and those that will be bare have no values.

use crate::node::{Counts, Id, Node, Step, Type, add};
use crate::tags::Tags;
use crate::tree::{Kept, Tree, is_folded};
use crate::values::{Arrays, Numbers, Strings};

#[derive(Clone, Copy)]
pub(crate) struct View<'t> {
    tree: &'t Tree,
    /// By node, how much of it is visible; empty if all is.
    kept: &'t [Kept],
}

impl<'t> View<'t> {
    pub(crate) fn new(tree: &'t Tree, kept: &'t [Kept]) -> Self {
        Self { tree, kept }
    }

    /// Returns the tree behind the view, including nodes that are not visible.
    pub(crate) fn tree(self) -> &'t Tree {
        self.tree
    }

    /// Returns a node with its own counts. Its children, the values of others, and what is known of
    /// its own values must be read through the view.
    #[inline]
    pub(crate) fn node(self, id: Id) -> &'t Node {
        self.tree.node(id)
    }

    #[inline]
    pub(crate) fn shows(self, id: Id) -> bool {
        self.kept.get(id as usize) != Some(&Kept::Gone)
    }

    /// Returns whether only the counts of a node are visible.
    #[inline]
    pub(crate) fn is_bare(self, id: Id) -> bool {
        self.node(id).bare || self.kept.get(id as usize) == Some(&Kept::Bare)
    }

    /// Returns what is known of a node's strings.
    pub(crate) fn strings(self, id: Id) -> Option<&'t Strings> {
        self.node(id).strings.as_deref().filter(|_| !self.is_bare(id))
    }

    /// Returns what is known of a node's numbers.
    pub(crate) fn numbers(self, id: Id) -> Option<&'t Numbers> {
        self.node(id).numbers.as_deref().filter(|_| !self.is_bare(id))
    }

    /// Returns what is known of a node's arrays.
    pub(crate) fn arrays(self, id: Id) -> Option<&'t Arrays> {
        self.node(id).arrays.as_deref().filter(|_| !self.is_bare(id))
    }

    /// Returns all visible nodes.
    pub(crate) fn nodes(self) -> impl Iterator<Item = (Id, &'t Node)> {
        let all = (0..).zip(self.tree.nodes());
        all.filter(move |(id, _)| self.shows(*id))
    }

    /// Returns an object's fields, ordered by name.
    pub(crate) fn fields(self, id: Id) -> impl Iterator<Item = (&'t str, Id)> {
        self.node(id).fields.iter().filter(move |(_, field)| self.shows(*field))
    }

    pub(crate) fn items(self, id: Id) -> Option<Id> {
        self.node(id).items.filter(|items| self.shows(*items))
    }

    pub(crate) fn values(self, id: Id) -> Option<Id> {
        self.node(id).values.filter(|values| self.shows(*values))
    }

    pub(crate) fn members(self, id: Id) -> Option<Id> {
        let node = self.node(id);
        node.members.filter(|members| !node.lost_members && self.shows(*members))
    }

    /// Returns whether an object has objects that are not counted together.
    pub(crate) fn lacks_members(self, id: Id) -> bool {
        let is_object =
            |field: &Node| field.step == (Step::Field { data: false }) && field.count(Type::Object) > 0;
        self.members(id).is_none()
            && self.node(id).count(Type::Object) > 0
            && (self.other(id)[Type::Object as usize] > 0
                || self.fields(id).any(|(_, field)| is_object(self.node(field))))
    }

    /// Returns the direct children of a node.
    pub(crate) fn children(self, id: Id) -> impl Iterator<Item = Id> {
        self.node(id).children().filter(move |child| self.shows(*child))
    }

    /// Returns the values of children that are not visible, by type.
    pub(crate) fn other(self, id: Id) -> Counts {
        let mut other = self.node(id).other;
        self.folded(id).for_each(|child| add(&mut other, &child.counts));
        other
    }

    pub(crate) fn has_other(self, id: Id) -> bool {
        self.node(id).has_other() || self.folded(id).next().is_some()
    }

    /// Returns the joint counts of an object's fields, if all fields are visible.
    pub(crate) fn tags(self, id: Id) -> Option<&'t Tags> {
        self.node(id).tags().filter(|_| !self.is_bare(id) && self.hidden(id).next().is_none())
    }

    /// Returns children that are not visible.
    fn hidden(self, id: Id) -> impl Iterator<Item = &'t Node> {
        // If all nodes are visible, there is nothing to search.
        let node = (!self.kept.is_empty()).then(|| self.node(id));
        let children = node.into_iter().flat_map(Node::children);
        children.filter(move |child| !self.shows(*child)).map(move |child| self.node(child))
    }

    /// Returns those of them that their parent counts.
    fn folded(self, id: Id) -> impl Iterator<Item = &'t Node> {
        let parent = self.node(id);
        self.hidden(id).filter(move |child| is_folded(parent, child))
    }
}
