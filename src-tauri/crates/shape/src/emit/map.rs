//! Maps: objects whose keys are data.

use serde_json::Value;

use super::{Emitter, Schema};
use crate::format::Format;
use crate::node::{Id, Node, Step, Type, add};
use crate::path;
use crate::tree::{ROOT, Tree};
use crate::values::Agreed;
use crate::veil;
use crate::view::View;

/// Distinct keys an object needs before it may be taken for a map.
const MIN_KEYS: usize = 8;
/// The same where all keys look like data.
const MIN_DATA_KEYS: usize = 3;
/// Keys and objects from which on it tells that no key is in most of the objects.
const MANY_KEYS: usize = 16;
const MANY_OBJECTS: u64 = 8;
const FEW_OBJECTS: u64 = 4;

/// All values of a map as one node.
pub(crate) enum MapValues<'t> {
    /// They were counted together as they came.
    Counted(View<'t>, Id),
    /// They had to be put together, at the root of a tree of their own.
    Gathered(Box<Tree>),
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
    /// Some that look like data were not kept.
    more: bool,
}

impl Keys {
    fn of(tree: View<'_>, id: Id) -> Self {
        let node = tree.node(id);
        let mut keys =
            Self { objects: node.count(Type::Object), keys: 0, once: 0, most: 0, data: true, more: false };
        let mut kept = 0;
        for (_, field) in tree.fields(id) {
            let field = tree.node(field);
            keys.keys += 1;
            keys.once += usize::from(field.present == 1);
            keys.most = keys.most.max(field.present);
            let data = field.step == (Step::Field { data: true });
            keys.data &= data;
            kept += if data { field.total() } else { 0 };
        }
        if let Some(values) = tree.values(id) {
            keys.more |= tree.node(values).total() > kept;
        }
        keys
    }
}

/// Whether an object is a key-value map rather than a record: many keys, values alike, none in more than half of
/// the objects, and half of the keys in one object only or very many keys. Where all keys look like data, fewer
/// tell, and values need not be alike; where all certainly are data, two do, however often they come again.
/// Records have fields that are mostly there.
pub(crate) fn is_map(tree: View<'_>, id: Id) -> bool {
    if tree.fields(id).next().is_none() && tree.values(id).is_none() {
        return false;
    }
    let keys = Keys::of(tree, id);
    let seldom = keys.most * 2 <= keys.objects;
    let varied = keys.once * 2 >= keys.keys || seldom;
    let certain = || keys.keys >= 2 && tree.fields(id).all(|(name, _)| is_certainly_data(name));
    let by_data = keys.data
        && (keys.keys == 0
            || keys.more
            || varied && (keys.objects >= 2 && keys.keys >= MIN_DATA_KEYS || keys.keys >= MIN_KEYS)
            || certain())
        && !tree.has_other(id);
    // Of two or three objects few keys can be in more than one.
    let min_keys = if keys.objects < FEW_OBJECTS { MANY_KEYS } else { MIN_KEYS };
    let many = keys.keys >= MANY_KEYS && keys.objects >= MANY_OBJECTS;
    let by_count = || {
        keys.objects >= 2
            && keys.keys >= min_keys
            && seldom
            && (keys.once * 2 >= keys.keys || many)
            && alike(tree, id)
    };
    by_data || by_count()
}

/// The node of a map's values, if all of them were counted together.
pub(crate) fn counted_together(tree: View<'_>, id: Id) -> Option<Id> {
    let values = tree.values(id)?;
    let words = tree.fields(id).any(|(_, field)| is_separate(tree, id, field));
    (!words && !tree.has_other(id)).then_some(values)
}

impl<'t> MapValues<'t> {
    /// All values of an object as one node, if it [is a map](is_map).
    pub(crate) fn of(tree: View<'t>, id: Id) -> Option<Self> {
        is_map(tree, id).then(|| match counted_together(tree, id) {
            Some(values) => Self::Counted(tree, values),
            None => Self::Gathered(Box::new(gather(tree, id))),
        })
    }

    /// The node, and where it is.
    pub(crate) fn node(&self) -> (View<'_>, Id) {
        match self {
            Self::Counted(tree, id) => (*tree, *id),
            Self::Gathered(tree) => (View::new(tree, None), ROOT),
        }
    }

    /// Whether its values had to be put together.
    pub(crate) fn is_gathered(&self) -> bool {
        matches!(self, Self::Gathered(_))
    }
}

/// All values of a map as one node, put together from several.
pub(super) fn gather(tree: View<'_>, id: Id) -> Tree {
    let node = tree.node(id);
    let mut gathered = Tree::new(tree.tree().key);
    gathered.veil.clone_from(&tree.tree().veil);
    let fields = tree.fields(id).map(|(_, field)| field);
    let fields: Vec<Id> =
        fields.filter(|field| is_separate(tree, id, *field)).chain(tree.values(id)).collect();
    gathered.merge(ROOT, tree, &fields);
    blur(&mut gathered);
    // A document may have several of the keys, and counts once.
    for below in gathered.nodes_mut() {
        below.documents = below.documents.min(node.documents);
    }
    let root = gathered.node_mut(ROOT);
    // Of values not kept only the type is known; what was inside them may be anything.
    let mut other = tree.other(id);
    for kind in [Type::Object, Type::Array] {
        other[Type::Opaque as usize] += std::mem::take(&mut other[kind as usize]);
    }
    add(&mut root.counts, &other);
    if other[Type::String as usize] > 0
        && let Some(strings) = &mut root.strings
    {
        strings.format = Agreed::Not;
    }
    gathered
}

/// Where something was not kept in one of the trees gathered, what another one kept of it is not all.
fn blur(gathered: &mut Tree) {
    for id in 0..gathered.nodes().len() as Id {
        let node = gathered.node(id);
        if node.has_other() {
            for child in node.children().collect::<Vec<Id>>() {
                gathered.node_mut(child).counts[Type::Opaque as usize] += 1;
            }
        }
    }
}

/// Whether a field's values are not among those counted together.
fn is_separate(tree: View<'_>, id: Id, field: Id) -> bool {
    tree.values(id).is_none() || tree.node(field).step != (Step::Field { data: true })
}

/// Whether a key can hardly be the name of a field.
pub(crate) fn is_certainly_data(key: &str) -> bool {
    let hexadecimal = || key.len() >= 16 && key.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = || !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit());
    Format::of(key).is_some() || number() || hexadecimal() || veil::was_certainly_data(key)
}

/// Whether nine in ten fields mostly have values of the same type.
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

/// The most frequent type but null, with integers counted as numbers; ties go to the first of
/// [`Type::ALL`].
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
        self.decide(|| {
            let Keys { objects, keys, once, most, more, .. } = Keys::of(tree, id);
            let more = if more { " and more" } else { "" };
            let because = format!(
                "{keys} keys{more} in {objects} objects, {once} of them once, none in more than {most}"
            );
            let (tree, id) = values.node();
            let kinds = super::kinds(tree.node(id));
            let of =
                if let [only] = kinds.as_slice() { format!("map of {}", only.name()) } else { "map".into() };
            (of, because)
        });
        let values = self.below(path::Step::Values, |emitter| match values {
            MapValues::Counted(tree, id) => emitter.child(*tree, *id),
            MapValues::Gathered(tree) => emitter.whole(View::new(tree, None), ROOT),
        });
        let mut schema = super::typed(Type::Object);
        schema.insert("additionalProperties".into(), Value::Object(values));
        schema
    }
}
