//! Going down a schema to what changed in it.
//!
//! Every node's part stands at its place in that of its parent. Where a node's decisions changed its own part
//! is written anew, and the parts of its children are put back into it. Parts that stand several times are
//! written anew with all around them. Owns: that way down, first to decide, then to write. Refuses to know:
//! what decisions depend on, and how a part is written.

use serde_json::Value;

use super::decided::{Decided, Form, Standing};
use super::{Emitter, Kinds, Policy, Schema, document};
use crate::node::{Id, Type};
use crate::tree::ROOT;
use crate::view::View;

/// The nodes whose counts changed. With each its parent is one of them.
#[derive(Clone, Copy)]
pub(super) struct Met<'t> {
    /// Those met by documents after this one.
    pub(super) since: u64,
    /// By node, those below which something is not seen any more; empty if there are none.
    pub(super) cut: &'t [bool],
}

impl Met<'_> {
    fn has(self, tree: View<'_>, id: Id) -> bool {
        tree.node(id).mark.document > self.since || self.cut.get(id as usize) == Some(&true)
    }
}

/// What of a node's part has to be written anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Stale {
    #[default]
    Nothing,
    /// Parts of its children.
    Below,
    /// Its own part.
    Own,
    /// All of it: its children stand in it in other ways.
    Whole,
}

/// What a node has decided, and what that means for its part. Of nodes that were not met it is out of date.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Written {
    decided: Decided,
    stale: Stale,
}

/// Keeps a schema as its nodes decide.
pub(super) struct Refresh<'t> {
    pub(super) tree: View<'t>,
    pub(super) policy: &'t Policy,
    pub(super) varied: bool,
    /// By node.
    pub(super) written: &'t mut [Written],
}

impl Refresh<'_> {
    /// Brings the whole schema up to date, or writes it where it is not known what was met; whether it is
    /// another one now.
    pub(super) fn root(&mut self, schema: &mut Schema, met: Option<Met<'_>>) -> bool {
        let stale = self.decide(ROOT, met);
        match met {
            Some(met) => stale && self.refresh(ROOT, schema, met),
            None => self.replace(ROOT, schema),
        }
    }

    /// Decides anew at a node and below it, where it was met or everywhere; whether any part has to be written
    /// anew.
    fn decide(&mut self, id: Id, met: Option<Met<'_>>) -> bool {
        if met.is_some_and(|met| !met.has(self.tree, id)) {
            return false;
        }
        let before = self.written[id as usize].decided;
        let now = Decided::of(self.tree, id, self.policy, self.varied);
        // What was absent from its part has not decided for a while.
        let met = met.filter(|_| now.form == before.form);
        let mut stale = match now == before {
            true => Stale::Nothing,
            false if now.form == before.form => Stale::Own,
            false => Stale::Whole,
        };
        for (child, standing) in now.form.children(self.tree, id) {
            if self.decide(child, met) {
                stale = stale.max(if standing == Standing::Woven { Stale::Own } else { Stale::Below });
            }
        }
        self.written[id as usize] = Written { decided: now, stale };
        stale > Stale::Nothing
    }

    /// Brings the part of a node up to date; whether it is another one now.
    fn refresh(&self, id: Id, part: &mut Schema, met: Met<'_>) -> bool {
        let Written { decided: Decided { form, .. }, stale } = self.written[id as usize];
        let mut changed = match stale {
            Stale::Nothing => return false,
            Stale::Below => false,
            Stale::Own => self.rewrite(id, part),
            Stale::Whole => return self.replace(id, part),
        };
        let tree = self.tree;
        let is_stale =
            |child: Id| met.has(tree, child) && self.written[child as usize].stale > Stale::Nothing;
        if form.fields == Standing::Plain
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

    /// Writes the part of a node with all below; whether it is another one now.
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

    /// Writes a node's own part anew and puts those of its children back, or writes those that are new;
    /// whether its own is another one now.
    fn rewrite(&self, id: Id, part: &mut Schema) -> bool {
        let form = self.written[id as usize].decided.form;
        let mut own = self.own(id);
        let plain = form.fields == Standing::Plain;
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

    /// Puts the parts of fields back; whether they are other fields now.
    fn rewrite_fields(&self, id: Id, known: Schema, properties: &mut Schema) -> bool {
        let mut changed = false;
        *properties = Schema::with_capacity(known.len());
        // Both are in order of name.
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

    /// A node's own part, with nothing where those of its children stand.
    fn own(&self, id: Id) -> Schema {
        let mut emitter = Emitter { own: true, ..Emitter::new(self.policy, self.varied) };
        let part = emitter.value(self.tree, id, Kinds::ALL);
        if id == ROOT { document(part) } else { part }
    }
}

/// The children but fields that stand plainly in a part: below which of its types, and at which keyword.
fn only_children(tree: View<'_>, id: Id, form: Form) -> impl Iterator<Item = (Id, Type, &'static str)> {
    let items = tree.items(id).filter(|_| form.items == Standing::Plain);
    let values = tree.values(id).filter(|_| form.values == Standing::Plain);
    let items = items.map(|items| (items, Type::Array, "items"));
    items.into_iter().chain(values.map(|values| (values, Type::Object, "additionalProperties")))
}

/// What stands at a keyword in what a part says of one type.
fn place<'p>(part: &'p mut Schema, kind: Type, keyword: &str) -> Option<&'p mut Schema> {
    let of_type = if part.contains_key("anyOf") {
        let all = part.get_mut("anyOf")?.as_array_mut()?.iter_mut();
        all.filter_map(Value::as_object_mut).find(|part| part["type"] == *kind.name())?
    } else {
        part
    };
    of_type.get_mut(keyword)?.as_object_mut()
}

/// Takes it away where it is wanted.
fn take(part: &mut Schema, kind: Type, keyword: &str, wanted: bool) -> Option<Schema> {
    if wanted { place(part, kind, keyword).map(std::mem::take) } else { None }
}
