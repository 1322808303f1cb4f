//! Update of a schema, from the root down to the changed parts.
//!
//! Every node's part has its place in that of its parent. If a node's decisions changed, its own
//! part is written again and the parts of its children are put back. Parts that occur several times
//! are written again with everything around them. The first pass decides, the second writes.

use serde_json::Value;

use super::decided::{NodeDecisions, Placement, Placements};
use super::{Emitter, Kinds, Limits, Schema, document};
use crate::node::{Id, Type};
use crate::tree::ROOT;
use crate::view::View;

/// Nodes whose counts changed. The parent of each is also one of them.
#[derive(Clone, Copy)]
pub(super) struct ChangedNodes<'t> {
    /// Documents after this one have changed the nodes they met.
    pub(super) since: u64,
    /// By node: whether less is visible of it or of something below it, or another threshold applies there. Empty if
    /// that is true of none.
    pub(super) stale: &'t [bool],
}

impl ChangedNodes<'_> {
    fn has(self, tree: View<'_>, id: Id) -> bool {
        tree.node(id).mark.document > self.since || self.stale.get(id as usize) == Some(&true)
    }
}

/// How much of a node's part has to be written again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Stale {
    #[default]
    Nothing,
    /// Parts of its children.
    Below,
    /// Its own part.
    Own,
    /// All of it: the placement of its children changed.
    Whole,
}

/// Decisions about a node and what they mean for its part. Outdated for nodes that did not change.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NodeStatus {
    decided: NodeDecisions,
    stale: Stale,
}

/// Update of a schema to the decisions of its nodes.
pub(super) struct Refresh<'t> {
    pub(super) tree: View<'t>,
    pub(super) limits: &'t Limits,
    /// Status by node.
    pub(super) written: &'t mut [NodeStatus],
}

impl Refresh<'_> {
    /// Updates the whole schema, or writes it if the changed nodes are unknown. Returns whether it
    /// changed.
    pub(super) fn root(&mut self, schema: &mut Schema, met: Option<ChangedNodes<'_>>) -> bool {
        let stale = self.decide(ROOT, met);
        match met {
            Some(met) => stale && self.refresh(ROOT, schema, met),
            None => self.replace(ROOT, schema),
        }
    }

    /// Decides again at a node and below it: where counts changed, or everywhere. Returns whether
    /// any part has to be written again.
    fn decide(&mut self, id: Id, met: Option<ChangedNodes<'_>>) -> bool {
        if met.is_some_and(|met| !met.has(self.tree, id)) {
            return false;
        }
        let before = self.written[id as usize].decided;
        let now = NodeDecisions::of(self.tree, id, self.limits);
        // The decisions of a child that did not occur are outdated.
        let met = met.filter(|_| now.form == before.form);
        let mut stale = match now == before {
            true => Stale::Nothing,
            false if now.form == before.form => Stale::Own,
            false => Stale::Whole,
        };
        for (child, standing) in now.form.children(self.tree, id) {
            if self.decide(child, met) {
                stale = stale.max(if standing == Placement::Combined { Stale::Own } else { Stale::Below });
            }
        }
        self.written[id as usize] = NodeStatus { decided: now, stale };
        stale > Stale::Nothing
    }

    /// Updates the part of a node. Returns whether it changed.
    fn refresh(&self, id: Id, part: &mut Schema, met: ChangedNodes<'_>) -> bool {
        let NodeStatus { decided: NodeDecisions { form, .. }, stale } = self.written[id as usize];
        let mut changed = match stale {
            Stale::Nothing => return false,
            Stale::Below => false,
            Stale::Own => self.rewrite(id, part),
            Stale::Whole => return self.replace(id, part),
        };
        let tree = self.tree;
        let is_stale =
            |child: Id| met.has(tree, child) && self.written[child as usize].stale > Stale::Nothing;
        if form.fields == Placement::Direct
            && let Some(properties) = place(part, Type::Object, "properties")
        {
            for (name, field) in tree.fields(id).filter(|(_, field)| is_stale(*field)) {
                if let Some(Value::Object(part)) = properties.get_mut(name) {
                    changed |= self.refresh(field, part, met);
                }
            }
        }
        for (child, kind, keyword) in only_children(tree, id, form) {
            if is_stale(child)
                && let Some(part) = place(part, kind, keyword)
            {
                changed |= self.refresh(child, part, met);
            }
        }
        changed
    }

    /// Writes the part of a node with everything below it. Returns whether it changed.
    fn replace(&self, id: Id, part: &mut Schema) -> bool {
        let new = self.write(id);
        let changed = *part != new;
        *part = new;
        changed
    }

    fn write(&self, id: Id) -> Schema {
        let mut part = Schema::new();
        self.rewrite(id, &mut part);
        part
    }

    /// Writes a node's own part again, puts the parts of its children back, and writes new ones.
    /// Returns whether its own part changed.
    fn rewrite(&self, id: Id, part: &mut Schema) -> bool {
        let form = self.written[id as usize].decided.form;
        let mut own = self.own(id);
        let plain = form.fields == Placement::Direct;
        let fields = take(part, Type::Object, "properties", plain);
        let others: Vec<_> = only_children(self.tree, id, form)
            .map(|(child, kind, keyword)| (child, kind, keyword, take(part, kind, keyword, true)))
            .collect();
        let mut changed = *part != own;
        if plain && let Some(properties) = place(&mut own, Type::Object, "properties") {
            changed |= self.rewrite_fields(id, fields.unwrap_or_default(), properties);
        }
        for (child, kind, keyword, known) in others {
            if let Some(part) = place(&mut own, kind, keyword) {
                *part = known.unwrap_or_else(|| self.write(child));
            }
        }
        *part = own;
        changed
    }

    /// Puts the parts of fields back. Returns whether the set of fields changed.
    fn rewrite_fields(&self, id: Id, known: Schema, properties: &mut Schema) -> bool {
        let mut changed = false;
        *properties = Schema::with_capacity(known.len());
        // Both are ordered by name.
        let mut known = known.into_iter().peekable();
        for (name, field) in self.tree.fields(id) {
            while known.next_if(|(known, _)| known.as_str() < name).is_some() {
                changed = true;
            }
            let (name, part) = known.next_if(|(known, _)| known == name).unwrap_or_else(|| {
                changed = true;
                (name.to_owned(), self.write(field).into())
            });
            properties.insert(name, part);
        }
        changed || known.next().is_some()
    }

    /// Returns a node's own part, with empty parts for its children.
    fn own(&self, id: Id) -> Schema {
        let mut emitter = Emitter { own: true, ..Emitter::new(self.limits) };
        let part = emitter.value(self.tree, id, Kinds::ALL);
        if id == ROOT { document(part) } else { part }
    }
}

/// Returns the children other than fields that occur once in a part, with the type and keyword
/// below which they occur.
fn only_children(tree: View<'_>, id: Id, form: Placements) -> impl Iterator<Item = (Id, Type, &'static str)> {
    let items = tree.items(id).filter(|_| form.items == Placement::Direct);
    let values = tree.values(id).filter(|_| form.values == Placement::Direct);
    let items = items.map(|items| (items, Type::Array, "items"));
    items.into_iter().chain(values.map(|values| (values, Type::Object, "additionalProperties")))
}

/// Returns the value of a keyword in the part for one type.
fn place<'p>(part: &'p mut Schema, kind: Type, keyword: &str) -> Option<&'p mut Schema> {
    let of_type = if part.contains_key("anyOf") {
        let all = part.get_mut("anyOf")?.as_array_mut()?.iter_mut();
        all.filter_map(Value::as_object_mut).find(|part| part["type"] == *kind.name())?
    } else {
        part
    };
    of_type.get_mut(keyword)?.as_object_mut()
}

/// Removes and returns the value of a keyword, if wanted.
fn take(part: &mut Schema, kind: Type, keyword: &str, wanted: bool) -> Option<Schema> {
    if wanted { place(part, kind, keyword).map(std::mem::take) } else { None }
}
