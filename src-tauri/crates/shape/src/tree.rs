//! The tree of all paths of a shape, and merging.
//!
//! Nodes are in one list, parents before children, so nothing here recurses.

mod bound;

use crate::keys::{looks_like_data, may_be_kept, names_several};
use crate::node::{Counts, Id, Node, Shelters, Step, Type, add};
use crate::rank::{HashKey, Rank};
use crate::tags::Tags;
use crate::veil::{self, Veil};
use crate::view::View;
pub(crate) use bound::{Cuts, Kept};

/// Number of nested keys whose values are counted together, below which data has no paths of its own and members are
/// not counted together.
pub(crate) const MAX_GATHERED: u8 = 3;

/// Most members on a path that are counted by themselves and with the others, below which members are counted together.
/// Each level doubles the work, so a document nested on purpose could otherwise multiply it.
const MAX_DOUBLED: u8 = 1;

/// Id of the root.
pub(crate) const ROOT: Id = 0;

#[derive(Debug, Clone)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    pub(crate) key: HashKey,
    /// What is hidden in the tree, if anything is.
    pub(crate) veil: Option<Veil>,
    /// Ranks from which paths were not kept, or not whole, unless they were sheltered.
    pub(crate) cuts: Cuts,
    /// Number of nodes below the root that are kept whole.
    whole: usize,
    /// Number of tables of all nodes that are kept whole.
    pub(crate) tables: usize,
    /// Whether it has what another tree that was merged had lost. Never part of the state.
    pub(crate) stale: bool,
    /// Whether nodes of different paths are merged here, so that members may be counted together in some only.
    pub(crate) uneven: bool,
}

impl Tree {
    pub(crate) fn new(key: HashKey) -> Self {
        let nodes = vec![Node::new(Rank::ROOT, ROOT, Step::Root, 0)];
        let cuts = Cuts::default();
        Self { nodes, key, veil: None, cuts, whole: 0, tables: 0, stale: false, uneven: false }
    }

    #[inline]
    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id as usize]
    }

    #[inline]
    pub(crate) fn node_mut(&mut self, id: Id) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub(crate) fn nodes_mut(&mut self) -> &mut [Node] {
        &mut self.nodes
    }

    /// Returns the number of nodes below the root.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Adds a field that does not exist yet. Returns `None` if it is not kept.
    pub(crate) fn add_field(&mut self, parent: Id, name: &str) -> Option<Id> {
        if !may_be_kept(name) {
            return None;
        }
        let above = self.node(parent).rank;
        let hash = self.veil.as_ref().and_then(|_| veil::hash(name));
        let rank = match hash {
            Some(hash) => above.hashed_field(looks_like_data(name), hash),
            None => above.field(name, self.key),
        };
        let data = looks_like_data(name);
        let id = self.add(parent, Step::Field { data }, rank)?;
        let node = self.node_mut(parent);
        let (place, doubled) = (node.fields.insert(name, id), node.doubled + u8::from(node.plural));
        let node = self.node_mut(id);
        (node.place, node.doubled) = (place, doubled);
        let is_deep = doubled > MAX_DOUBLED || node.gathered >= MAX_GATHERED;
        node.plural = !rank.data && !is_deep && names_several(name);
        Some(id)
    }

    /// Returns the node of an array's items, or `None` if it is not kept.
    #[inline]
    pub(crate) fn items(&mut self, parent: Id) -> Option<Id> {
        self.node(parent).items.or_else(|| self.add_items(parent))
    }

    #[cold]
    fn add_items(&mut self, parent: Id) -> Option<Id> {
        let id = self.add(parent, Step::Items, self.node(parent).rank.items(self.key))?;
        self.node_mut(parent).items = Some(id);
        Some(id)
    }

    /// Returns the node of all values whose keys look like data, or `None` if it is not kept.
    pub(crate) fn values(&mut self, parent: Id) -> Option<Id> {
        let node = self.node(parent);
        if node.values.is_some() || node.lost_values {
            return node.values;
        }
        let id = self.add(parent, Step::Values, self.node(parent).rank.values(self.key))?;
        self.node_mut(parent).values = Some(id);
        Some(id)
    }

    /// Returns the node of the objects of all members, or `None` if it is not kept.
    pub(crate) fn members(&mut self, parent: Id) -> Option<Id> {
        let node = self.node(parent);
        if node.members.is_some() || node.lost_members {
            return node.members;
        }
        let id = self.add(parent, Step::Members, self.node(parent).rank.members(self.key))?;
        self.node_mut(parent).members = Some(id);
        Some(id)
    }

    fn add(&mut self, parent: Id, step: Step, rank: Rank) -> Option<Id> {
        let above = self.node(parent);
        let shelters = match step {
            Step::Members => above.shelters.members,
            Step::Values => above.shelters.values,
            Step::Field { data: true } => false,
            _ => above.shelters.children,
        };
        let bare = match self.cuts.kept(rank) {
            _ if shelters => false,
            Kept::Whole => false,
            Kept::Bare => true,
            Kept::Gone => return None,
        };
        let gathered = above.gathered + u8::from(matches!(step, Step::Values | Step::Members));
        let doubled = above.doubled;
        reserve(&mut self.nodes);
        let node = Node::new(rank, parent, step, gathered);
        // The values of members may be maps in turn, once.
        let plural = step == Step::Members && gathered == 1;
        self.whole += usize::from(!bare);
        self.nodes.push(Node { bare, shelters: Shelters::all(shelters), plural, doubled, ..node });
        Some((self.nodes.len() - 1) as Id)
    }

    /// Removes the nodes added last, down to this many below the root.
    pub(crate) fn remove_added(&mut self, len: usize) {
        while self.len() > len
            && let Some(node) = self.nodes.pop()
        {
            self.whole -= usize::from(!node.bare);
            let parent = self.node_mut(node.parent);
            match node.step {
                Step::Root => {}
                Step::Field { .. } => parent.fields.pop(),
                Step::Items => parent.items = None,
                Step::Values => parent.values = None,
                Step::Members => parent.members = None,
            }
        }
    }

    /// Adds the counts of each of `from`, and of everything below them in another tree, to the node
    /// `to`.
    pub(crate) fn merge(&mut self, to: Id, theirs: View<'_>, from: &[Id]) {
        self.merge_pairs(from.iter().map(|id| (to, *id)).collect(), theirs);
    }

    /// The same without the objects among the values of each of `from`.
    pub(crate) fn merge_without_objects(&mut self, to: Id, theirs: View<'_>, from: &[Id]) {
        let mut pairs = Vec::new();
        for id in from {
            let node = theirs.node(*id);
            let mut other = theirs.other(*id);
            // What was not kept may be of its arrays.
            if node.count(Type::Array) == 0 {
                other = Counts::default();
            }
            self.merge_node(to, theirs, *id, &other);
            let objects = &mut self.node_mut(to).counts[Type::Object as usize];
            *objects -= node.count(Type::Object);
            if let Some(items) = theirs.items(*id)
                && let Some(own) = self.items(to)
            {
                pairs.push((own, items));
            }
        }
        self.merge_pairs(pairs, theirs);
        self.count_whole();
    }

    fn merge_pairs(&mut self, mut pairs: Vec<(Id, Id)>, theirs: View<'_>) {
        let mut at = 0;
        while let Some((ours, their)) = pairs.get(at).copied() {
            at += 1;
            let node = theirs.node(their);
            self.merge_node(ours, theirs, their, &theirs.other(their));
            let uneven = self.uneven;
            let mine = self.node_mut(ours);
            if uneven {
                mine.lost_members |= theirs.lacks_members(their);
            } else {
                mine.lost_members |= node.lost_members;
                mine.lost_values |= node.lost_values;
                let stale = mine.lost_members && mine.members.is_some();
                self.stale |= stale || mine.lost_values && mine.values.is_some();
            }
            for child in theirs.children(their) {
                let node = theirs.node(child);
                match self.child_like(ours, theirs, child) {
                    Some(id) => pairs.push((id, child)),
                    None => {
                        self.lose(ours, node.step);
                        self.fold(ours, node);
                    }
                }
            }
        }
        // Joint counts need all fields first.
        for (ours, their) in pairs {
            let node = theirs.node(their);
            match theirs.tags(their) {
                Some(tags) => self.merge_tags(ours, tags, node),
                None if node.fields.is_empty() => {}
                None => self.merge_tags(ours, &Tags::lost(), node),
            }
        }
    }

    /// Returns the node here that corresponds to a child there.
    fn child_like(&mut self, parent: Id, theirs: View<'_>, child: Id) -> Option<Id> {
        let node = theirs.node(child);
        match node.step {
            Step::Root => None,
            Step::Items => self.items(parent),
            Step::Values => self.values(parent),
            Step::Members => self.members(parent),
            Step::Field { .. } => {
                let (name, _) = theirs.node(node.parent).fields.at(node.place as usize);
                match self.node(parent).fields.get(name) {
                    Some(id) => Some(id),
                    None => self.add_field(parent, name),
                }
            }
        }
    }

    fn merge_node(&mut self, id: Id, tree: View<'_>, from: Id, other: &Counts) {
        if tree.is_bare(from) {
            self.make_bare(id);
        }
        let (key, theirs) = (self.key, tree.node(from));
        let mine = self.node_mut(id);
        mine.present += theirs.present;
        mine.documents += theirs.documents;
        mine.repeated += theirs.repeated;
        let tables = mine.tables();
        add(&mut mine.counts, &theirs.counts);
        let more = mine.tables() - tables;
        add(&mut mine.other, other);
        if mine.bare {
            return;
        }
        mine.times.merge(&theirs.times);
        if let Some(theirs) = &theirs.numbers {
            mine.numbers.get_or_insert_default().merge(theirs, key);
        }
        if let Some(theirs) = &theirs.strings {
            mine.strings.get_or_insert_default().merge(theirs, key);
        }
        if let Some(theirs) = &theirs.arrays {
            mine.arrays.get_or_insert_default().merge(theirs);
        }
        self.tables += more;
    }

    /// Drops joint counts if the name of a field is hidden, because the names decide which counts
    /// are kept.
    pub(crate) fn forget_hidden_tags(&mut self) {
        for node in &mut self.nodes {
            if node.fields.iter().any(|(name, _)| veil::hash(name).is_some()) {
                node.tags = Some(Box::new(Tags::lost()));
            }
        }
    }

    fn merge_tags(&mut self, id: Id, tags: &Tags, theirs: &Node) {
        let key = self.key;
        let mine = self.node_mut(id);
        if !mine.may_have_tags() {
            return;
        }
        let (merged, fields) = (mine.tags.get_or_insert_default(), &mine.fields);
        merged.merge(
            tags,
            key,
            |member| fields.place(theirs.fields.at(member).0),
            |member| fields.at(member).0,
        );
    }

    /// Notes that what is counted together is not kept.
    pub(crate) fn lose(&mut self, parent: Id, step: Step) {
        let parent = self.node_mut(parent);
        parent.lost_members |= step == Step::Members;
        parent.lost_values |= step == Step::Values;
    }

    /// Counts the values of a child that is not kept.
    fn fold(&mut self, parent: Id, child: &Node) {
        if is_folded(self.node(parent), child) {
            add(&mut self.node_mut(parent).other, &child.counts);
        }
    }

    /// Drops all but the counts of a node.
    fn make_bare(&mut self, id: Id) {
        let node = &mut self.nodes[id as usize];
        if !node.bare {
            self.tables -= node.tables();
            self.whole -= usize::from(node.step != Step::Root);
            node.make_bare();
        }
    }

    /// Counts again the nodes that are kept whole, and their tables.
    pub(crate) fn count_whole(&mut self) {
        self.whole = self.nodes[1..].iter().filter(|node| !node.bare).count();
        self.tables = self.nodes.iter().filter(|node| !node.bare).map(Node::tables).sum();
    }
}

/// Returns whether the values of a child that is not kept are counted at its parent. Values of keys
/// that look like data are counted together instead, and those of members counted together are counted elsewhere, too.
pub(crate) fn is_folded(parent: &Node, child: &Node) -> bool {
    match child.step {
        Step::Field { data: true } => parent.rank.data,
        Step::Members => false,
        _ => true,
    }
}

/// Reserves room for one more element and a few others. There are so many of these lists that
/// doubling would waste too much.
pub(crate) fn reserve<T>(list: &mut Vec<T>) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 8 + 4);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tags::Row;
    use crate::values::{Arrays, Numbers, Strings};

    /// Sizes from which the README derives the memory of a shape.
    #[test]
    fn sizes_match_the_memory_bound_in_the_readme() {
        assert!(size_of::<Node>() <= 328);
        assert!(size_of::<Row>() <= 72);
        let tables = [size_of::<Strings>(), size_of::<Numbers>(), size_of::<Arrays>()];
        assert!(tables.iter().all(|size| *size <= 128), "{tables:?}");
    }
}
