//! Written form of a shape: flat, with a format number, and the same bytes for the same counts.
//!
//! Nodes are listed parents first with their depth, so that neither writing nor reading nests.

mod foreign;
mod forget;
mod older;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::node::{Id, Node, Step, Type};
use crate::rank::{HashKey, Rank};
use crate::scan::Oddities;
use crate::shape::Shape;
use crate::signatures::Signatures;
use crate::tags::{self, Companion, Tags};
use crate::times::{EPOCHS, Times};
use crate::tree::{Cuts, ROOT, Tree};
use crate::values::{Arrays, Numbers, POSITIONS, Strings};
use crate::veil::{self, Veil};
use crate::{MAX_DEPTH, MAX_WHOLE};

/// Format number in every state. States of the three formats before are converted as far as possible. What
/// states of other formats lack is still in the calls, so they are learned again from those.
const FORMAT: u32 = 6;

/// Format before members were counted together. Nothing has to be converted.
const WITHOUT_MEMBERS: u32 = 4;

/// Format before paths were kept bare: what was not kept whole was not kept.
const WITHOUT_BARE: u32 = 5;

/// Largest plausible count. It ensures that sums of many states fit in 64 bits.
const MAX_COUNT: u64 = 1 << 48;

/// Reason why a state cannot be read.
#[derive(Debug)]
pub enum InvalidState {
    /// The state was written by another version of Schemascope.
    UnknownFormat(u32),
    /// The bytes are not a state, or are damaged.
    Malformed(String),
}

impl fmt::Display for InvalidState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownFormat(found) => {
                write!(
                    f,
                    "shape state has format {found}, but this version of Schemascope reads format {FORMAT}"
                )
            }
            Self::Malformed(reason) => write!(f, "shape state is damaged: {reason}"),
        }
    }
}

impl std::error::Error for InvalidState {}

#[derive(Serialize, Deserialize)]
struct State {
    version: u32,
    /// Omitted from shared states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<HashKey>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    veil: Option<Veil>,
    observations: u64,
    cap: usize,
    cut: Option<Rank>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bare: Option<Rank>,
    epochs: BTreeMap<u32, u64>,
    signatures: Signatures,
    oddities: Oddities,
    nodes: Vec<WrittenNode>,
}

/// A node. Absent fields are zero or empty.
#[derive(Serialize, Deserialize)]
struct WrittenNode {
    #[serde(rename = "d")]
    depth: usize,
    #[serde(rename = "k", default, skip_serializing_if = "Option::is_none")]
    name: Option<Box<str>>,
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    gathers: Option<Gathers>,
    #[serde(rename = "p", default, skip_serializing_if = "is_zero")]
    present: u64,
    #[serde(rename = "r", default, skip_serializing_if = "is_zero")]
    repeated: u64,
    #[serde(rename = "l", default, skip_serializing_if = "is_false")]
    lost_members: bool,
    #[serde(rename = "v", default, skip_serializing_if = "is_false")]
    lost_values: bool,
    #[serde(rename = "n")]
    documents: u64,
    #[serde(rename = "c")]
    counts: Vec<(u8, u64)>,
    #[serde(rename = "o", default, skip_serializing_if = "Vec::is_empty")]
    other: Vec<(u8, u64)>,
    #[serde(rename = "f")]
    first: Vec<(u8, u32)>,
    #[serde(rename = "e", default, skip_serializing_if = "Vec::is_empty")]
    recent: Vec<(u32, Vec<(u8, u32)>)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    numbers: Option<Box<Numbers>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    strings: Option<Box<Strings>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    arrays: Option<Box<Arrays>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<tags::Written>,
    /// Of each field, in order. States before had none.
    #[serde(rename = "t", default, skip_serializing_if = "Vec::is_empty")]
    together: Vec<Companion>,
}

/// Kind of a node that is not a field.
#[derive(Clone, Copy, Serialize, Deserialize)]
enum Gathers {
    #[serde(rename = "*")]
    Items,
    #[serde(rename = "{")]
    Values,
    #[serde(rename = "+")]
    Members,
}

impl State {
    fn parse(bytes: &[u8]) -> Result<Self, InvalidState> {
        #[derive(Deserialize)]
        struct FormatNumber {
            version: u32,
        }
        let malformed = |error: serde_json::Error| InvalidState::Malformed(error.to_string());
        let FormatNumber { version } = serde_json::from_slice(bytes).map_err(malformed)?;
        if ![older::FORMAT, WITHOUT_MEMBERS, WITHOUT_BARE, FORMAT].contains(&version) {
            return Err(InvalidState::UnknownFormat(version));
        }
        let mut state: Self = serde_json::from_slice(bytes).map_err(malformed)?;
        if version < FORMAT {
            state.bare = state.cut;
        }
        if version == older::FORMAT {
            state.nodes = older::convert(state.nodes);
        }
        Ok(state)
    }

    /// Rejects counts of which sums might overflow.
    fn check_counts(&self) -> Result<(), InvalidState> {
        match self.counts().any(|count| count > MAX_COUNT) {
            true => Err(InvalidState::Malformed("a count is too large".into())),
            false => Ok(()),
        }
    }

    fn counts(&self) -> impl Iterator<Item = u64> {
        let odd = &self.oddities;
        let odd = [odd.surrogates, odd.out_of_range, odd.long_strings];
        let all = self.epochs.values().copied().chain(self.signatures.counts());
        all.chain(odd).chain([self.observations]).chain(self.nodes.iter().flat_map(WrittenNode::counts))
    }
}

impl WrittenNode {
    fn counts(&self) -> impl Iterator<Item = u64> {
        let kinds = self.counts.iter().chain(&self.other).map(|(_, count)| *count);
        let numbers = self.numbers.iter().flat_map(|numbers| numbers.distinct.counts());
        let strings = self.strings.iter().flat_map(|strings| strings.distinct.counts());
        let redacted = self.strings.iter().map(|strings| strings.redacted);
        let positions = self.arrays.iter().flat_map(|arrays| arrays.positions.iter().flatten().copied());
        let tags = self.tags.iter().flat_map(tags::Written::counts);
        let own = [self.present, self.repeated, self.documents];
        kinds.chain(numbers).chain(strings).chain(redacted).chain(positions).chain(tags).chain(own)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
fn is_false(value: &bool) -> bool {
    !value
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

fn sparse<T: Copy + PartialEq>(counts: &[T; Type::ALL.len()], none: T) -> Vec<(u8, T)> {
    let listed = counts.iter().enumerate().filter(|(_, count)| **count != none);
    listed.map(|(kind, count)| (kind as u8, *count)).collect()
}

fn dense<T: Copy>(listed: Vec<(u8, T)>, none: T) -> Result<[T; Type::ALL.len()], InvalidState> {
    let mut counts = [none; Type::ALL.len()];
    for (kind, count) in listed {
        let slot = counts.get_mut(usize::from(kind));
        *slot.ok_or_else(|| InvalidState::Malformed(format!("unknown type {kind}")))? = count;
    }
    Ok(counts)
}

impl Shape {
    /// Writes the state. Equal shapes give equal bytes.
    pub fn to_state(&self) -> Vec<u8> {
        serde_json::to_vec(&self.written(Some(self.tree.key), self.tree.veil.clone())).unwrap_or_default()
    }

    /// Writes the state without the hash key, for sharing.
    pub fn to_shared(&self) -> Vec<u8> {
        serde_json::to_vec(&self.written(None, self.tree.veil.clone())).unwrap_or_default()
    }

    fn written(&self, key: Option<HashKey>, veil: Option<Veil>) -> State {
        let mut nodes = Vec::with_capacity(self.tree.nodes().len());
        let tree = self.tree();
        Writer { tree: &tree, veil: veil.as_ref().filter(|veil| Some(*veil) != tree.veil.as_ref()) }
            .write(ROOT, 0, None, &mut nodes);
        State {
            version: FORMAT,
            key,
            veil,
            observations: self.observations,
            cap: self.cap,
            cut: tree.cuts.gone,
            bare: tree.cuts.bare,
            epochs: self.epochs.clone(),
            signatures: self.signatures.clone(),
            oddities: self.oddities,
            nodes,
        }
    }

    /// The same shape, with everything hidden that a veil hides.
    pub(crate) fn with_veil(&self, veil: &Veil) -> Result<Self, InvalidState> {
        Self::of_written(self.written(Some(self.tree.key), Some(veil.clone())))
    }

    /// Reads a state written by [`Shape::to_state`].
    pub fn from_state(bytes: &[u8]) -> Result<Self, InvalidState> {
        Self::read(bytes, None)
    }

    /// Reads a state written by [`Shape::to_shared`], given the hash key.
    pub fn from_shared(bytes: &[u8], key: HashKey) -> Result<Self, InvalidState> {
        Self::read(bytes, Some(key))
    }

    pub(crate) fn read(bytes: &[u8], key: Option<HashKey>) -> Result<Self, InvalidState> {
        let state = State::parse(bytes)?;
        state.check_counts()?;
        Self::of_written(State { key: key.or(state.key), ..state })
    }

    /// Reads what [`Shape::written`] gives, without a bound on counts: sums may exceed that of what is read.
    fn of_written(state: State) -> Result<Self, InvalidState> {
        let key = state.key.ok_or_else(|| InvalidState::Malformed("it has no hash key".into()))?;
        let mut tree = read(state.nodes, key, state.veil)?;
        if state.version < WITHOUT_BARE {
            // Only newer observations would be counted together.
            tree.stale = true;
            for node in tree.nodes_mut() {
                node.lost_members |= node.plural && node.count(Type::Object) > 0;
                node.lost_values |= node.values.is_none() && node.has_other();
            }
        }
        let mut shape = Self {
            observations: state.observations,
            tree,
            cap: state.cap.min(MAX_WHOLE),
            epochs: state.epochs,
            signatures: state.signatures.bounded(),
            oddities: state.oddities,
            ..Self::default()
        };
        // Only affects states that Schemascope did not write.
        while shape.epochs.len() > EPOCHS {
            shape.epochs.pop_first();
        }
        shape.tree.trim(shape.cap, Cuts { bare: state.bare, gone: state.cut });
        Ok(shape)
    }
}

/// Lists nodes, with hashes in place of values and names if there is a `veil`.
struct Writer<'t> {
    tree: &'t Tree,
    veil: Option<&'t Veil>,
}

impl Writer<'_> {
    /// Lists a node and everything below it. The recursion is bounded by [`MAX_DEPTH`].
    fn write(&self, id: Id, depth: usize, name: Option<&str>, into: &mut Vec<WrittenNode>) {
        let (tree, node) = (self.tree, self.tree.node(id));
        let key = tree.key;
        let recent = node.times.recent().into_iter().map(|(epoch, counts)| (epoch, sparse(&counts, 0)));
        let (mut numbers, mut strings) = (node.numbers.clone(), node.strings.clone());
        let named = |(name, field)| match self.veil {
            Some(veil) => (veil.name(node, name, tree.node(field), tree.veil.is_some()), field),
            None => (Cow::Borrowed(name), field),
        };
        let mut fields: Vec<(Cow<'_, str>, Id)> = node.fields.iter().map(named).collect();
        if self.veil.is_some() {
            fields.sort();
        }
        let places: Vec<u32> = fields.iter().map(|(_, field)| tree.node(*field).place).collect();
        let (mut tags, mut together) = write_tags(node, &places);
        if self.veil.is_some() {
            numbers = numbers.map(|numbers| Box::new(numbers.veiled(key)));
            strings = strings.map(|strings| Box::new(strings.veiled(key)));
            let hidden = fields.iter().any(|(name, _)| veil::hash(name).is_some());
            if hidden {
                (tags, together) = (Vec::new(), Vec::new());
            }
            tags = tags.into_iter().map(|tags| tags.veiled(key)).collect();
        }
        into.push(WrittenNode {
            depth,
            name: name.map(Into::into),
            gathers: match node.step {
                Step::Items => Some(Gathers::Items),
                Step::Values => Some(Gathers::Values),
                Step::Members => Some(Gathers::Members),
                Step::Root | Step::Field { .. } => None,
            },
            present: node.present,
            repeated: node.repeated,
            lost_members: node.lost_members,
            lost_values: node.lost_values,
            documents: node.documents,
            counts: sparse(&node.counts, 0),
            other: sparse(&node.other, 0),
            first: sparse(&node.times.first(), u32::MAX),
            recent: recent.collect(),
            numbers,
            strings,
            arrays: node.arrays.clone(),
            tags,
            together,
        });
        for (name, field) in fields {
            self.write(field, depth + 1, Some(&name), into);
        }
        for child in node.items.into_iter().chain(node.values).chain(node.members) {
            self.write(child, depth + 1, None, into);
        }
    }
}

/// Writes joint counts, with members numbered by their written place.
fn write_tags(node: &Node, written: &[u32]) -> (Vec<tags::Written>, Vec<Companion>) {
    let Some(tags) = node.tags() else { return Default::default() };
    let mut places = vec![0; node.fields.len()];
    for (at, place) in written.iter().enumerate() {
        places[*place as usize] = at;
    }
    let rows = tags.write(|place| places.get(place).copied().unwrap_or_default());
    (rows, tags.write_companions(written))
}

fn read(nodes: Vec<WrittenNode>, key: HashKey, veil: Option<Veil>) -> Result<Tree, InvalidState> {
    let malformed = |reason: String| Err(InvalidState::Malformed(reason));
    let mut tree = Tree::new(key);
    tree.veil = veil;
    // Nodes above the next one, the root first.
    let mut path: Vec<Id> = Vec::new();
    let mut tagged = Vec::new();
    for flat in nodes {
        let Some(parent) = flat.depth.checked_sub(1) else {
            if !path.is_empty() {
                return malformed("two roots".into());
            }
            path.push(ROOT);
            tagged.extend(fill(&mut tree, ROOT, flat)?);
            continue;
        };
        if flat.depth > MAX_DEPTH {
            return malformed(format!("deeper than {MAX_DEPTH} levels"));
        }
        path.truncate(flat.depth);
        let Some(parent) = path.get(parent).copied() else {
            return malformed(format!("a node at depth {} has no parent", flat.depth));
        };
        let child = match (&flat.name, flat.gathers) {
            (Some(name), None) if tree.node(parent).fields.get(name).is_none() => {
                tree.add_field(parent, name)
            }
            (None, Some(Gathers::Items)) if tree.node(parent).items.is_none() => tree.items(parent),
            (None, Some(Gathers::Values)) if tree.node(parent).values.is_none() => tree.values(parent),
            (None, Some(Gathers::Members)) if tree.node(parent).members.is_none() => tree.members(parent),
            _ => return malformed("a node is duplicated or has no place".into()),
        };
        let Some(child) = child else { return malformed("a node is not allowed here".into()) };
        path.push(child);
        tagged.extend(fill(&mut tree, child, flat)?);
    }
    if path.is_empty() {
        return malformed("no root".into());
    }
    for (id, written) in tagged {
        let node = tree.node(id);
        if node.may_have_tags() {
            let tags = Tags::read(written, key, node.fields.len(), |place| node.fields.at(place).0);
            tree.node_mut(id).tags = Some(Box::new(tags));
        }
    }
    tree.count_whole();
    Ok(tree)
}

/// Joint counts of fields, and which come together.
type WrittenTags = (Vec<tags::Written>, Vec<Companion>);

/// Fills in a node's counts and returns its tags, which need the fields first.
fn fill(tree: &mut Tree, id: Id, flat: WrittenNode) -> Result<Option<(Id, WrittenTags)>, InvalidState> {
    let node = tree.node_mut(id);
    node.present = flat.present;
    node.repeated = flat.repeated;
    node.lost_members = flat.lost_members;
    node.lost_values = flat.lost_values;
    node.documents = flat.documents;
    node.counts = dense(flat.counts, 0)?;
    node.other = dense(flat.other, 0)?;
    node.times = Times::new(dense(flat.first, u32::MAX)?);
    for (epoch, counts) in flat.recent.into_iter().take(EPOCHS) {
        node.times.add_all(epoch, &dense(counts, 0)?);
    }
    (node.numbers, node.strings, node.arrays) = (flat.numbers, flat.strings, flat.arrays);
    node.strings.iter_mut().for_each(|strings| strings.complete());
    node.arrays.iter_mut().for_each(|arrays| arrays.positions.truncate(POSITIONS));
    let has_tags = node.count(Type::Object) > 0;
    Ok(has_tags.then_some((id, (flat.tags, flat.together))))
}
