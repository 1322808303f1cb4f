//! The counts kept per path, and how they merge.
//!
//! Owns: the monoid. Refuses to know: how documents are read and what schemas look like.

use std::collections::BTreeMap;

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

    /// Values seen here, of any type.
    pub(crate) fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.present += other.present;
        for (mine, theirs) in self.counts.iter_mut().zip(other.counts) {
            *mine += theirs;
        }
        for (key, theirs) in &other.fields {
            match self.fields.get_mut(key) {
                Some(mine) => mine.merge(theirs),
                None => {
                    self.fields.insert(key.clone(), theirs.clone());
                }
            }
        }
        if let Some(theirs) = &other.items {
            self.items.get_or_insert_default().merge(theirs);
        }
    }
}

/// The summary of all observations of one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shape {
    pub(crate) observations: u64,
    pub(crate) root: Node,
}

impl Shape {
    /// A shape of nothing, the neutral element of [`Shape::merge`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Documents counted.
    pub fn observations(&self) -> u64 {
        self.observations
    }

    /// Adds another shape's counts. Commutative and associative, exactly.
    pub fn merge(&mut self, other: &Self) {
        self.observations += other.observations;
        self.root.merge(&other.root);
    }
}
