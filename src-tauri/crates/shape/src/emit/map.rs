//! Maps: objects whose keys are data.

use serde_json::Value;

use super::{Emitter, Schema};
use crate::format::Format;
use crate::node::{Counts, Id, Node, Step, Type, add};
use crate::path;
use crate::tree::{ROOT, Tree};
use crate::veil;
use crate::view::View;

/// Fewest distinct keys of an object that may be a map.
const MIN_KEYS: usize = 8;
/// The same if all keys look like data.
const MIN_DATA_KEYS: usize = 3;
/// Numbers of keys and objects above which it is significant that no key is in most of the objects.
const MANY_KEYS: usize = 16;
const MANY_OBJECTS: u64 = 8;
/// Number of keys of which, by chance, one is in most of a few objects.
const VERY_MANY_KEYS: usize = 128;
const FEW_OBJECTS: u64 = 4;

/// All values of a map as one node.
pub(crate) enum MapValues<'t> {
    /// The values were counted together when they were observed.
    Counted(View<'t>, Id),
    /// The values were merged, at the root of a tree of their own.
    Gathered(Box<Tree>),
}

/// Statistics of an object's keys that show whether it is a map.
pub(crate) struct Keys {
    objects: u64,
    keys: usize,
    /// Number of keys present in one object only.
    once: usize,
    /// Number of objects with the most frequent key.
    most: u64,
    /// Number of keys that look like data.
    data: usize,
    /// Whether some keys that look like data were not kept.
    more: bool,
}

impl Keys {
    fn of(tree: View<'_>, id: Id) -> Self {
        let node = tree.node(id);
        let mut keys =
            Self { objects: node.count(Type::Object), keys: 0, once: 0, most: 0, data: 0, more: false };
        let mut kept = 0;
        for (_, field) in tree.fields(id) {
            let field = tree.node(field);
            keys.keys += 1;
            keys.once += usize::from(field.present == 1);
            keys.most = keys.most.max(field.present);
            let data = field.step == (Step::Field { data: true });
            keys.data += usize::from(data);
            kept += if data { field.total() } else { 0 };
        }
        if let Some(values) = tree.values(id) {
            keys.more |= tree.node(values).total() > kept;
        }
        keys
    }
}

/// Returns whether an object is a key-value map instead of a record. A map has many keys and
/// similar values, or values of several types under many keys, no key in more than half of the objects, and either half of the keys in one
/// object only, very many keys, or many objects. If very many keys are mostly in one object only, some may be in
/// three quarters of the objects, or more if the keys are more than a hundred. If the keys look like
/// data, fewer keys are enough, however often they recur; if they certainly are data, two are enough. A
/// record has fields that are mostly present. If not all fields were kept, that nine in ten members are
/// objects that are counted together is enough.
pub(crate) fn is_map(tree: View<'_>, id: Id) -> bool {
    if tree.fields(id).next().is_none() && tree.values(id).is_none() && tree.members(id).is_none() {
        return false;
    }
    let keys = Keys::of(tree, id);
    let seldom = keys.most * 2 <= keys.objects;
    let certain = || keys.keys >= 2 && tree.fields(id).all(|(name, _)| is_certainly_data(name));
    // Some keys of a map of hosts are plain words, such as `localhost`.
    let mostly = || keys.data >= MIN_DATA_KEYS && keys.data * 3 >= keys.keys * 2 && alike(tree, id);
    let by_data = (keys.data == keys.keys || mostly())
        && (keys.keys == 0
            || keys.more
            || keys.objects >= 2 && keys.keys >= MIN_DATA_KEYS
            || keys.keys >= MIN_KEYS
            || certain())
        && !tree.has_other(id);
    // In two or three objects, few keys can recur at all.
    let min_keys = if keys.objects < FEW_OBJECTS { MANY_KEYS } else { MIN_KEYS };
    let many = keys.keys >= MANY_KEYS && keys.objects >= MANY_OBJECTS;
    let by_count = || {
        keys.objects >= 2
            && keys.keys >= min_keys
            && (seldom
                || many && keys.once * 2 >= keys.keys && keys.most * 4 <= keys.objects * 3
                || keys.keys >= VERY_MANY_KEYS && keys.once * 2 >= keys.keys)
            && (keys.once * 2 >= keys.keys || many || seldom && keys.objects >= MANY_OBJECTS)
            && (alike(tree, id) || seldom && are_fickle(tree, id))
    };
    let by_members = || {
        let members = tree.members(id).map(|members| tree.node(members).total());
        let all = || tree.fields(id).map(|(_, field)| tree.node(field).total()).sum::<u64>();
        let are_objects = |members| members * 10 >= (all() + tree.other(id).iter().sum::<u64>()) * 9;
        keys.objects >= 2 && seldom && tree.has_other(id) && members.is_some_and(are_objects)
    };
    by_data || by_count() || by_members()
}

/// Returns the node of a map's values, if all of them were counted together.
pub(crate) fn counted_together(tree: View<'_>, id: Id) -> Option<Id> {
    let values = tree.values(id)?;
    let words = tree.fields(id).any(|(_, field)| is_separate(tree, id, field));
    (!words && !tree.has_other(id)).then_some(values)
}

impl<'t> MapValues<'t> {
    /// Returns all values of an object as one node, if it [is a map](is_map).
    pub(crate) fn of(tree: View<'t>, id: Id) -> Option<Self> {
        is_map(tree, id).then(|| match counted_together(tree, id) {
            Some(values) => Self::Counted(tree, values),
            None => Self::Gathered(Box::new(gather(tree, id))),
        })
    }

    /// Returns the node and its tree.
    pub(crate) fn node(&self) -> (View<'_>, Id) {
        match self {
            Self::Counted(tree, id) => (*tree, *id),
            Self::Gathered(tree) => (View::new(tree, &[]), ROOT),
        }
    }

    /// Returns whether the values had to be merged.
    pub(crate) fn is_gathered(&self) -> bool {
        matches!(self, Self::Gathered(_))
    }
}

/// Merges all values of a map into one node.
pub(super) fn gather(tree: View<'_>, id: Id) -> Tree {
    let node = tree.node(id);
    let mut gathered = Tree::new(tree.tree().key);
    gathered.uneven = true;
    gathered.veil.clone_from(&tree.tree().veil);
    let fields = tree.fields(id).map(|(_, field)| field);
    let separate = fields.filter(|field| is_separate(tree, id, *field));
    let members = tree.members(id);
    let in_part = |field: &Id| members.is_some() && is_member(tree.node(*field));
    let (in_part, whole): (Vec<Id>, Vec<Id>) = separate.partition(in_part);
    let from: Vec<Id> = whole.into_iter().chain(tree.values(id)).chain(members).collect();
    gathered.merge_without_objects(ROOT, tree, &in_part);
    gathered.merge(ROOT, tree, &from);
    // A document may have several of the keys, and counts once.
    for below in gathered.nodes_mut() {
        below.documents = below.documents.min(node.documents);
    }
    let root = gathered.node_mut(ROOT);
    let others = unknown(tree, id);
    add_others(root, &others);
    if from.len() + in_part.len() > 1 || others != Counts::default() {
        blur(&mut gathered);
    }
    gathered
}

/// Returns the values of members that were not kept, by type, without those that were counted together.
fn unknown(tree: View<'_>, id: Id) -> Counts {
    let mut others = tree.other(id);
    if let Some(members) = tree.members(id) {
        let kept = tree.fields(id).map(|(_, field)| tree.node(field)).filter(|field| is_member(field));
        let kept: u64 = kept.map(|field| field.count(Type::Object)).sum();
        let gone = tree.node(members).count(Type::Object).saturating_sub(kept);
        let objects = &mut others[Type::Object as usize];
        *objects = objects.saturating_sub(gone);
    }
    others
}

/// Returns whether a field's objects may also be counted together with those of the other members.
fn is_member(field: &Node) -> bool {
    field.step == (Step::Field { data: false })
}

/// Adds values that were not kept. Only their types are known; objects and arrays may contain
/// anything.
fn add_others(node: &mut Node, others: &Counts) {
    add(&mut node.counts, others);
    let count = |kind: Type| others[kind as usize];
    node.other[Type::Opaque as usize] += count(Type::Object) + count(Type::Array);
    if count(Type::Array) > 0 {
        node.arrays = None;
    }
    if count(Type::String) > 0
        && let Some(strings) = &mut node.strings
    {
        strings.be_free();
    }
}

/// Adds the values that were not kept to each child of their parent: one tree may have dropped what
/// another kept.
fn blur(gathered: &mut Tree) {
    for id in 0..gathered.nodes().len() as Id {
        let node = gathered.node(id);
        if node.has_other() {
            let others = unknown(View::new(gathered, &[]), id);
            for child in node.children().collect::<Vec<Id>>() {
                add_others(gathered.node_mut(child), &others);
            }
        }
    }
}

/// Returns whether a field's values are not among those counted together.
fn is_separate(tree: View<'_>, id: Id, field: Id) -> bool {
    tree.values(id).is_none() || tree.node(field).step != (Step::Field { data: true })
}

/// Returns whether a key is very unlikely to be the name of a field.
pub(crate) fn is_certainly_data(key: &str) -> bool {
    let hexadecimal = || key.len() >= 16 && key.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = || !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit());
    Format::of(key).is_some() || number() || hexadecimal() || veil::was_certainly_data(key)
}

/// Returns whether nine in ten fields have mostly values of the same type.
fn alike(tree: View<'_>, id: Id) -> bool {
    let mut families = [0_usize; Type::ALL.len()];
    let mut total = 0;
    for (_, field) in tree.fields(id) {
        if let Some((family, _)) = dominant(tree.node(field)) {
            families[family as usize] += 1;
            total += 1;
        }
    }
    families.into_iter().max().unwrap_or_default() * 10 >= total * 9
}

/// Returns whether many fields that recur have values of several types: a cell of a table may be anything, where each field
/// of a record has a type of its own.
fn are_fickle(tree: View<'_>, id: Id) -> bool {
    let (mut recurring, mut fickle) = (0, 0);
    for field in tree.fields(id).map(|(_, field)| tree.node(field)).filter(|field| field.present > 1) {
        recurring += 1;
        let nulls = field.count(Type::Null);
        fickle += usize::from(dominant(field).is_some_and(|(_, most)| most + nulls < field.total()));
    }
    recurring >= MIN_KEYS && fickle * 4 >= recurring
}

/// Returns the most frequent type except null, with integers counted as numbers. A tie goes to the
/// first in [`Type::ALL`].
pub(crate) fn dominant(node: &Node) -> Option<(Type, u64)> {
    const KINDS: [Type; 6] =
        [Type::Boolean, Type::Number, Type::String, Type::Object, Type::Array, Type::Opaque];
    let mut most = None;
    for kind in KINDS {
        let integers = if kind == Type::Number { node.count(Type::Integer) } else { 0 };
        let count = node.count(kind) + integers;
        if count > most.map_or(0, |(_, most)| most) {
            most = Some((kind, count));
        }
    }
    most
}

impl Emitter<'_> {
    pub(super) fn map(&mut self, tree: View<'_>, id: Id, values: &MapValues<'_>) -> Schema {
        let integer_after = self.limits.integer_after;
        self.decide(|| {
            let Keys { objects, keys, once, most, more, .. } = Keys::of(tree, id);
            let more = if more { " and others" } else { "" };
            let because = format!(
                "{keys} keys{more} in {objects} objects: {once} seen once, the most frequent in {most}"
            );
            let (tree, id) = values.node();
            let kinds = super::kinds(tree.node(id), integer_after);
            let of =
                if let [only] = kinds.as_slice() { format!("map of {}", only.name()) } else { "map".into() };
            (of, because)
        });
        let values = self.below(path::Step::Values, |emitter| match values {
            MapValues::Counted(tree, id) => emitter.child(*tree, *id),
            MapValues::Gathered(tree) => emitter.whole(View::new(tree, &[]), ROOT),
        });
        let mut schema = super::typed(Type::Object);
        schema.insert("additionalProperties".into(), Value::Object(values));
        schema
    }
}
