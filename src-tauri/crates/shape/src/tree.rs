//! All paths of a shape: how trees merge, and how one is cut back.
//!
//! Nodes lie in one list, parents before children, so that nothing here recurses. Owns: that list and the
//! bound on it. Refuses to know: how documents are read.

use crate::node::{Counts, Id, Node, Step, add};
use crate::rank::{HashKey, Rank, looks_like_data, may_be_kept};
use crate::veil::{self, Veil};
use crate::view::View;

/// The root's place.
pub(crate) const ROOT: Id = 0;

#[derive(Debug, Clone)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    pub(crate) key: HashKey,
    /// What is not told of it, if anything is not.
    pub(crate) veil: Option<Veil>,
    /// The lowest rank that was not kept, once something was not.
    pub(crate) cut: Option<Rank>,
    /// Tables of all nodes.
    pub(crate) tables: usize,
}

/// Tables that the nodes kept may need together, where so many nodes may be kept: one each, and some more. Thus
/// the room they take is bounded although one node may need six.
fn most_tables(cap: usize) -> usize {
    cap.saturating_add(cap / 4).saturating_add(16)
}

impl Tree {
    pub(crate) fn new(key: HashKey) -> Self {
        let nodes = vec![Node::new(Rank::ROOT, ROOT, Step::Root, 0)];
        Self { nodes, key, veil: None, cut: None, tables: 0 }
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

    /// Nodes below the root.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    pub(crate) fn keeps(&self, rank: Rank) -> bool {
        self.cut.is_none_or(|cut| rank < cut)
    }

    /// Adds a field that is not there yet. None if it is not kept.
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
        let id = self.add(parent, Step::Field { data: looks_like_data(name) }, rank)?;
        self.node_mut(id).place = self.node_mut(parent).fields.insert(name, id);
        Some(id)
    }

    /// The node of an array's items. None if it is not kept.
    pub(crate) fn items(&mut self, parent: Id) -> Option<Id> {
        if let Some(id) = self.node(parent).items {
            return Some(id);
        }
        let id = self.add(parent, Step::Items, self.node(parent).rank.items(self.key))?;
        self.node_mut(parent).items = Some(id);
        Some(id)
    }

    /// The node of all values whose keys look like data. None if it is not kept.
    pub(crate) fn values(&mut self, parent: Id) -> Option<Id> {
        if let Some(id) = self.node(parent).values {
            return Some(id);
        }
        let id = self.add(parent, Step::Values, self.node(parent).rank.values(self.key))?;
        self.node_mut(parent).values = Some(id);
        Some(id)
    }

    fn add(&mut self, parent: Id, step: Step, rank: Rank) -> Option<Id> {
        if !self.keeps(rank) {
            return None;
        }
        let gathered = self.node(parent).gathered + u8::from(step == Step::Values);
        reserve(&mut self.nodes);
        self.nodes.push(Node::new(rank, parent, step, gathered));
        Some((self.nodes.len() - 1) as Id)
    }

    /// Takes back the nodes added last, so that there are so many below the root as there were.
    pub(crate) fn take_back(&mut self, len: usize) {
        while self.len() > len
            && let Some(node) = self.nodes.pop()
        {
            let parent = self.node_mut(node.parent);
            match node.step {
                Step::Root => {}
                Step::Field { .. } => parent.fields.pop(),
                Step::Items => parent.items = None,
                Step::Values => parent.values = None,
            }
        }
    }

    /// Adds the counts of each of `from` and all below them in another tree to the node `to`.
    pub(crate) fn merge(&mut self, to: Id, theirs: View<'_>, from: &[Id]) {
        let mut pairs: Vec<(Id, Id)> = from.iter().map(|id| (to, *id)).collect();
        let mut at = 0;
        while let Some((ours, their)) = pairs.get(at).copied() {
            at += 1;
            self.merge_node(ours, theirs.node(their), &theirs.other(their));
            for child in theirs.children(their) {
                match self.child_like(ours, theirs, child) {
                    Some(id) => pairs.push((id, child)),
                    None => self.fold(ours, theirs.node(child)),
                }
            }
        }
        // All fields must be there before their joint counts.
        for (ours, their) in pairs {
            if let Some(tags) = theirs.tags(their) {
                self.merge_tags(ours, tags, theirs.node(their));
            }
        }
    }

    /// The node here for a child there.
    fn child_like(&mut self, parent: Id, theirs: View<'_>, child: Id) -> Option<Id> {
        let node = theirs.node(child);
        match node.step {
            Step::Root => None,
            Step::Items => self.items(parent),
            Step::Values => self.values(parent),
            Step::Field { .. } => {
                let (name, _) = theirs.node(node.parent).fields.at(node.place as usize);
                match self.node(parent).fields.get(name) {
                    Some(id) => Some(id),
                    None => self.add_field(parent, name),
                }
            }
        }
    }

    fn merge_node(&mut self, id: Id, theirs: &Node, other: &Counts) {
        let key = self.key;
        let mine = self.node_mut(id);
        mine.present += theirs.present;
        mine.documents += theirs.documents;
        mine.repeated += theirs.repeated;
        let tables = mine.tables();
        add(&mut mine.counts, &theirs.counts);
        let more = mine.tables() - tables;
        add(&mut mine.other, other);
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

    /// Lets joint counts go where the name of a field is not told: which of them stay depends on names.
    pub(crate) fn forget_hidden_tags(&mut self) {
        for node in &mut self.nodes {
            if node.fields.iter().any(|(name, _)| veil::hash(name).is_some()) {
                node.tags = None;
            }
        }
    }

    fn merge_tags(&mut self, id: Id, tags: &crate::tags::Tags, theirs: &Node) {
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

    /// Counts the values of a child that is not kept.
    fn fold(&mut self, parent: Id, child: &Node) {
        if is_folded(self.node(parent), child) {
            add(&mut self.node_mut(parent).other, &child.counts);
        }
    }

    /// Counts the tables of all nodes anew.
    pub(crate) fn count_tables(&mut self) {
        self.tables = self.nodes.iter().map(Node::tables).sum();
    }

    /// Lowers the cut, to `cut` and so far that at most `cap` nodes stay below the root, with the tables they may
    /// have. Gives the new place of each node that stays, if any had to go.
    pub(crate) fn trim(&mut self, cap: usize, cut: Option<Rank>) -> Option<Vec<Option<Id>>> {
        let new_cut = lower(lower(self.cut, cut), self.first_out(cap));
        if new_cut == self.cut {
            return None;
        }
        self.cut = new_cut;
        if self.nodes[1..].iter().all(|node| self.keeps(node.rank)) {
            return None;
        }
        Some(self.drop_cut())
    }

    /// Whether it is within its bound, exceeded by one of so many at most; none is exceeded by nothing.
    pub(crate) fn is_within(&self, cap: usize, slack: Option<usize>) -> bool {
        let more = |most: usize| most.saturating_add(slack.map_or(0, |slack| most / slack + 16));
        self.len() <= more(cap) && self.tables <= more(most_tables(cap))
    }

    /// The lowest rank that must go for at most `cap` nodes to stay below the root with the tables they may
    /// have, if any must. Tables only come in, so whoever merges what, none that went would have stayed.
    pub(crate) fn first_out(&self, cap: usize) -> Option<Rank> {
        if self.is_within(cap, None) {
            return None;
        }
        let mut nodes: Vec<(Rank, usize)> =
            self.nodes[1..].iter().map(|node| (node.rank, node.tables())).collect();
        if self.tables <= most_tables(cap) {
            return Some(nodes.select_nth_unstable(cap).1.0);
        }
        nodes.sort_unstable();
        let mut room = most_tables(cap).saturating_sub(self.nodes[0].tables());
        let mut stays = |(at, (_, tables)): (usize, &(Rank, usize))| match room.checked_sub(*tables) {
            Some(left) if at < cap => {
                room = left;
                true
            }
            _ => false,
        };
        nodes.iter().enumerate().find(|node| !stays(*node)).map(|(_, (rank, _))| *rank)
    }

    fn drop_cut(&mut self) -> Vec<Option<Id>> {
        let mut new: Vec<Option<Id>> = Vec::with_capacity(self.nodes.len());
        let mut kept = 0;
        for node in &self.nodes {
            let keeps = node.step == Step::Root || self.keeps(node.rank);
            new.push(keeps.then_some(kept));
            kept += Id::from(keeps);
        }
        let nodes = std::mem::replace(&mut self.nodes, Vec::with_capacity(kept as usize));
        for mut node in nodes {
            if node.step != Step::Root && !self.keeps(node.rank) {
                // The parent comes before it; if it went as well there is nowhere to count.
                if let Some(parent) = new[node.parent as usize] {
                    self.fold(parent, &node);
                }
                continue;
            }
            node.parent = new[node.parent as usize].unwrap_or_default();
            let fields = node.fields.len();
            node.fields.renumber(|id| new[id as usize]);
            if node.fields.len() < fields {
                // They are numbered by place.
                node.tags = None;
            }
            node.items = node.items.and_then(|id| new[id as usize]);
            node.values = node.values.and_then(|id| new[id as usize]);
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

/// Whether the values of a child that is not kept are counted at its parent. Those of keys that look like data
/// are counted together.
pub(crate) fn is_folded(parent: &Node, child: &Node) -> bool {
    child.step != (Step::Field { data: true }) || parent.rank.data
}

/// The lower of two cuts; none is above all.
fn lower(a: Option<Rank>, b: Option<Rank>) -> Option<Rank> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Makes room for one more where there is none, and for some of those to come: there are so many of the lists that
/// twice the room would be too much.
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

    /// Of the figures from which the README reckons what a shape takes in memory.
    #[test]
    fn sizes_are_as_reckoned_with() {
        assert!(size_of::<Node>() <= 384);
        assert!(size_of::<Row>() <= 72);
        let tables = [size_of::<Strings>(), size_of::<Numbers>(), size_of::<Arrays>()];
        assert!(tables.iter().all(|size| *size <= 160), "{tables:?}");
    }
}
