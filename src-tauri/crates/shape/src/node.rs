//! The counts kept per path, and how they merge.
//!
//! Owns: the monoid. Refuses to know: how documents are read and what schemas look like.

use std::collections::BTreeMap;

use crate::MAX_NODES;
use crate::format::Format;
use crate::rank::Rank;

/// The types told apart. JSON Schema's, and `Opaque` for what lies deeper than [`crate::MAX_DEPTH`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// A number written without fraction or exponent that fits 64 bits.
    Integer,
    /// Any other number.
    Number,
    /// A string.
    String,
    /// An object.
    Object,
    /// An array.
    Array,
    /// Not looked into.
    Opaque,
}

impl Type {
    /// All types, in the order states and reports list them.
    pub const ALL: [Self; 8] = [
        Self::Null,
        Self::Boolean,
        Self::Integer,
        Self::Number,
        Self::String,
        Self::Object,
        Self::Array,
        Self::Opaque,
    ];

    /// The name JSON Schema uses; `"any"` for what was not looked into.
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::String => "string",
            Self::Object => "object",
            Self::Array => "array",
            Self::Opaque => "any",
        }
    }
}

/// What was seen at one path. For a field, `present` counts the parent objects that have it, which
/// differs from the sum of `counts` only where documents repeat a key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) present: u64,
    pub(crate) counts: [u64; Type::ALL.len()],
    pub(crate) fields: BTreeMap<Box<str>, Node>,
    pub(crate) items: Option<Box<Node>>,
    /// Strings of each format.
    pub(crate) formats: [u64; Format::ALL.len()],
    /// Values of children that were not kept, by type.
    pub(crate) other: [u64; Type::ALL.len()],
    pub(crate) mark: Mark,
}

/// The last parent object a field was seen in, so that a repeated key counts its parent once.
/// Meaningful only while one document is read; never part of the state.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mark(pub(crate) u64);

impl PartialEq for Mark {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Mark {}

impl Node {
    pub(crate) fn count(&self, kind: Type) -> u64 {
        self.counts[kind as usize]
    }

    pub(crate) fn add(&mut self, kind: Type) {
        self.counts[kind as usize] += 1;
    }

    /// Counts a string; which, decides its format.
    pub(crate) fn add_string(&mut self, text: &str) {
        self.add(Type::String);
        if let Some(format) = Format::of(text) {
            self.formats[format as usize] += 1;
        }
    }

    /// The format all strings seen here have.
    pub(crate) fn format(&self) -> Option<Format> {
        let strings = self.count(Type::String);
        Format::ALL.into_iter().find(|format| strings > 0 && self.formats[*format as usize] == strings)
    }

    /// Values seen here, of any type.
    pub(crate) fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Adds another node's counts; returns how many nodes came in below this one.
    pub(crate) fn merge(&mut self, theirs: &Self) -> usize {
        self.present += theirs.present;
        add(&mut self.counts, &theirs.counts);
        add(&mut self.other, &theirs.other);
        add(&mut self.formats, &theirs.formats);
        let mut new = 0;
        for (key, field) in &theirs.fields {
            match self.fields.get_mut(key) {
                Some(mine) => new += mine.merge(field),
                None => {
                    new += 1 + field.descendants();
                    self.fields.insert(key.clone(), field.clone());
                }
            }
        }
        if let Some(items) = &theirs.items {
            new += usize::from(self.items.is_none());
            new += self.items.get_or_insert_default().merge(items);
        }
        new
    }

    pub(crate) fn children(&self) -> impl Iterator<Item = &Self> {
        self.fields.values().chain(self.items.as_deref())
    }

    pub(crate) fn descendants(&self) -> usize {
        self.children().map(|child| 1 + child.descendants()).sum()
    }

    /// Ranks of all nodes below this one.
    fn ranks(&self, own: Rank, into: &mut Vec<Rank>) {
        for (key, field) in &self.fields {
            let rank = own.field(key);
            into.push(rank);
            field.ranks(rank, into);
        }
        if let Some(items) = &self.items {
            let rank = own.items();
            into.push(rank);
            items.ranks(rank, into);
        }
    }

    /// Drops every node from `cut` on and counts its values here. Returns how many stay.
    fn trim(&mut self, own: Rank, cut: Rank) -> usize {
        let mut kept = 0;
        let Self { fields, items, other, .. } = self;
        fields.retain(|key, field| {
            let rank = own.field(key);
            if rank >= cut {
                add(other, &field.counts);
                return false;
            }
            kept += 1 + field.trim(rank, cut);
            true
        });
        if let Some(node) = items {
            let rank = own.items();
            if rank >= cut {
                add(other, &node.counts);
                *items = None;
            } else {
                kept += 1 + node.trim(rank, cut);
            }
        }
        kept
    }
}

fn add<const N: usize>(mine: &mut [u64; N], theirs: &[u64; N]) {
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        *mine += theirs;
    }
}

/// The summary of all observations of one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    pub(crate) observations: u64,
    pub(crate) root: Node,
    /// Nodes below the root.
    pub(crate) nodes: usize,
    /// Nodes that may be kept below the root.
    pub(crate) cap: usize,
    /// The lowest rank that was not kept, once something was not.
    pub(crate) cut: Option<Rank>,
}

impl Default for Shape {
    fn default() -> Self {
        Self::with_cap(MAX_NODES)
    }
}

impl Shape {
    /// A shape of nothing, the neutral element of [`Shape::merge`].
    pub fn new() -> Self {
        Self::default()
    }

    /// A shape of nothing that keeps so many paths at most.
    pub fn with_cap(cap: usize) -> Self {
        Self { observations: 0, root: Node::default(), nodes: 0, cap, cut: None }
    }

    /// Documents counted.
    pub fn observations(&self) -> u64 {
        self.observations
    }

    /// Whether there were more paths than could be kept.
    pub fn is_trimmed(&self) -> bool {
        self.cut.is_some()
    }

    /// Adds another shape's counts. Commutative and associative, exactly; of different caps the smaller
    /// holds from then on.
    pub fn merge(&mut self, other: &Self) {
        self.observations += other.observations;
        let new = self.root.merge(&other.root);
        self.nodes += new;
        let before = self.cut;
        self.cap = self.cap.min(other.cap);
        self.cut = lower(self.cut, other.cut);
        if let Some(cut) = self.cut
            && (new > 0 || before != self.cut)
        {
            self.nodes = self.root.trim(Rank::ROOT, cut);
        }
        self.fit_cap();
    }

    /// Keeps the `cap` lowest ranks.
    pub(crate) fn fit_cap(&mut self) {
        if self.nodes <= self.cap {
            return;
        }
        let mut ranks = Vec::with_capacity(self.nodes);
        self.root.ranks(Rank::ROOT, &mut ranks);
        let (_, first_out, _) = ranks.select_nth_unstable(self.cap);
        let cut = *first_out;
        self.cut = lower(self.cut, Some(cut));
        self.nodes = self.root.trim(Rank::ROOT, cut);
    }
}

/// The lower of two cuts; none is above all.
pub(crate) fn lower(a: Option<Rank>, b: Option<Rank>) -> Option<Rank> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
