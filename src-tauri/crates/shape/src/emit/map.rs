//! Maps: objects whose keys are data.

use std::borrow::Cow;

use serde_json::Value;

use super::{Emitter, Kinds, Schema};
use crate::format::Format;
use crate::node::{Id, Node, Step, Type, add};
use crate::path;
use crate::tree::{ROOT, Tree};
use crate::values::Agreed;

/// Distinct keys an object needs before it may be taken for a map.
const MIN_KEYS: usize = 8;
/// The same where all keys look like data.
const MIN_DATA_KEYS: usize = 3;
/// Keys and objects from which on it tells that no key is in most of the objects.
const MANY_KEYS: usize = 16;
const MANY_OBJECTS: u64 = 8;
const FEW_OBJECTS: u64 = 4;

/// All values of a map as one node, and the tree it is in.
pub(crate) struct MapValues<'t> {
    pub(crate) tree: Cow<'t, Tree>,
    pub(crate) id: Id,
}

/// The keys of an object, as far as they tell whether it is a map.
pub(crate) struct Keys {
    objects: u64,
    keys: usize,
    /// Keys seen in one object only.
    once: usize,
    /// Objects that have the most frequent key.
    most: u64,
    /// All of them look like data.
    data: bool,
    /// All of them are ids, dates, addresses or numbers.
    certain: bool,
    /// Some that look like data were not kept.
    more: bool,
}

impl Keys {
    fn of(tree: &Tree, id: Id) -> Self {
        let node = tree.node(id);
        let mut keys = Self {
            objects: node.count(Type::Object),
            keys: node.fields.len(),
            once: 0,
            most: 0,
            data: true,
            certain: true,
            more: false,
        };
        let mut kept = 0;
        for (name, field) in node.fields.iter() {
            let field = tree.node(field);
            keys.certain = keys.certain && is_certainly_data(name);
            keys.once += usize::from(field.present == 1);
            keys.most = keys.most.max(field.present);
            let data = field.step == (Step::Field { data: true });
            keys.data &= data;
            kept += if data { field.total() } else { 0 };
        }
        if let Some(values) = node.values {
            keys.more |= tree.node(values).total() > kept;
        }
        keys
    }
}

impl<'t> MapValues<'t> {
    /// All values of an object as one node, if the object is a key-value map rather than a record: many keys,
    /// values alike, none in more than half of the objects, and half of the keys in one object only or very
    /// many keys. Where all keys look like data, fewer tell, and values need not be alike; where all certainly
    /// are data, two do, however often they come again. Records have fields that are mostly there.
    pub(crate) fn of(tree: &'t Tree, id: Id) -> Option<Self> {
        let node = tree.node(id);
        if node.fields.is_empty() && node.values.is_none() {
            return None;
        }
        let keys = Keys::of(tree, id);
        let seldom = keys.most * 2 <= keys.objects;
        let varied = keys.once * 2 >= keys.keys || seldom;
        let by_data = keys.data
            && !node.has_other()
            && (keys.keys == 0
                || keys.more
                || keys.certain && keys.keys >= 2
                || varied && (keys.objects >= 2 && keys.keys >= MIN_DATA_KEYS || keys.keys >= MIN_KEYS));
        // Of two or three objects few keys can be in more than one.
        let min_keys = if keys.objects < FEW_OBJECTS { MANY_KEYS } else { MIN_KEYS };
        let many = keys.keys >= MANY_KEYS && keys.objects >= MANY_OBJECTS;
        let by_count = keys.objects >= 2
            && keys.keys >= min_keys
            && seldom
            && (keys.once * 2 >= keys.keys || many)
            && alike(tree, node);
        (by_data || by_count).then(|| Self::gather(tree, id))
    }

    /// Whether its values had to be put together.
    pub(crate) fn is_gathered(&self) -> bool {
        matches!(self.tree, Cow::Owned(_))
    }

    fn gather(tree: &'t Tree, id: Id) -> Self {
        let node = tree.node(id);
        let words = node.fields.iter().any(|(_, field)| is_separate(tree, node, field));
        match node.values {
            Some(values) if !words && !node.has_other() => Self { tree: Cow::Borrowed(tree), id: values },
            values => {
                let mut gathered = Tree::new(tree.key);
                let fields = node.fields.iter().map(|(_, field)| field);
                let fields: Vec<Id> =
                    fields.filter(|field| is_separate(tree, node, *field)).chain(values).collect();
                gathered.merge(ROOT, tree, &fields);
                blur(&mut gathered);
                // A document may have several of the keys, and counts once.
                for below in gathered.nodes_mut() {
                    below.documents = below.documents.min(node.documents);
                }
                let root = gathered.node_mut(ROOT);
                // Of values not kept only the type is known; what was inside them may be anything.
                let mut other = node.other;
                for kind in [Type::Object, Type::Array] {
                    other[Type::Opaque as usize] += std::mem::take(&mut other[kind as usize]);
                }
                add(&mut root.counts, &other);
                if other[Type::String as usize] > 0
                    && let Some(strings) = &mut root.strings
                {
                    strings.format = Agreed::Not;
                }
                Self { tree: Cow::Owned(gathered), id: ROOT }
            }
        }
    }
}

/// Where something was not kept in one of the trees gathered, what another one kept of it is not all.
fn blur(gathered: &mut Tree) {
    for id in 0..gathered.nodes().len() as Id {
        let node = gathered.node(id);
        if node.has_other() {
            let fields = node.fields.iter().map(|(_, field)| field);
            let children: Vec<Id> = fields.chain(node.items).chain(node.values).collect();
            for child in children {
                gathered.node_mut(child).counts[Type::Opaque as usize] += 1;
            }
        }
    }
}

/// Whether a field's values are not among those counted together.
fn is_separate(tree: &Tree, node: &Node, field: Id) -> bool {
    node.values.is_none() || tree.node(field).step != (Step::Field { data: true })
}

/// Whether a key can hardly be the name of a field.
fn is_certainly_data(key: &str) -> bool {
    let hexadecimal = || key.len() >= 16 && key.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = || !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit());
    Format::of(key).is_some() || number() || hexadecimal()
}

/// Whether nine in ten fields mostly have values of the same type.
fn alike(tree: &Tree, node: &Node) -> bool {
    let mut families = [0_usize; Type::ALL.len()];
    let mut total = 0;
    for (_, field) in node.fields.iter() {
        if let Some((family, _)) = dominant(tree.node(field)) {
            families[family as usize] += 1;
            total += 1;
        }
    }
    families.into_iter().max().unwrap_or_default() * 10 >= total * 9
}

/// The most frequent type but null, with integers counted as numbers; ties go to the first of
/// [`Type::ALL`].
pub(crate) fn dominant(node: &Node) -> Option<(Type, u64)> {
    Type::ALL
        .into_iter()
        .filter(|kind| !matches!(kind, Type::Null | Type::Integer))
        .map(|kind| match kind {
            Type::Number => (kind, node.count(Type::Number) + node.count(Type::Integer)),
            _ => (kind, node.count(kind)),
        })
        .filter(|(_, count)| *count > 0)
        .max_by_key(|(kind, count)| (*count, std::cmp::Reverse(*kind)))
}

impl Emitter<'_> {
    pub(super) fn map(&mut self, tree: &Tree, id: Id, values: &MapValues<'_>) -> Schema {
        self.decide(|| {
            let Keys { objects, keys, once, most, more, .. } = Keys::of(tree, id);
            let more = if more { " and more" } else { "" };
            let because = format!(
                "{keys} keys{more} in {objects} objects, {once} of them once, none in more than {most}"
            );
            let kinds = super::kinds(values.tree.node(values.id));
            let of =
                if let [only] = kinds.as_slice() { format!("map of {}", only.name()) } else { "map".into() };
            (of, because)
        });
        let values =
            self.below(path::Step::Values, |emitter| emitter.value(&values.tree, values.id, Kinds::ALL));
        let mut schema = super::typed(Type::Object);
        schema.insert("additionalProperties".into(), Value::Object(values));
        schema
    }
}
