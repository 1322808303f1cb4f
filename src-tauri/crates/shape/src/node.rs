//! What is counted at one path, and the types told apart.
//!
//! Owns: the counts of a path and its children's names. Refuses to know: the tree they form, how documents
//! are read, and what schemas look like.

use serde::{Deserialize, Serialize};

use crate::fields::Fields;
use crate::rank::Rank;
use crate::tags::{self, Tags};
use crate::times::Times;
use crate::values::{Arrays, Numbers, Strings};

/// The types told apart. JSON Schema's, and `Opaque` for what lies deeper than [`crate::MAX_DEPTH`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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

    /// Tables that the first value of this type needs where the types counted here were seen before: one for
    /// strings, for numbers of both types and for arrays. Joint counts of an object's fields take as much as
    /// three.
    pub(crate) fn tables(self, seen: &Counts) -> usize {
        match self {
            _ if seen[self as usize] > 0 => 0,
            Self::Integer if seen[Self::Number as usize] > 0 => 0,
            Self::Number if seen[Self::Integer as usize] > 0 => 0,
            Self::Integer | Self::Number | Self::String | Self::Array => 1,
            Self::Object => 3,
            Self::Null | Self::Boolean | Self::Opaque => 0,
        }
    }

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

/// A count for each type.
pub(crate) type Counts = [u64; Type::ALL.len()];

pub(crate) fn add(mine: &mut Counts, theirs: &Counts) {
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        *mine += theirs;
    }
}

/// A node's place in its tree. Parents come before their children.
pub(crate) type Id = u32;

/// How a node hangs off its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// It has none.
    Root,
    Field {
        /// Its key looks like data.
        data: bool,
    },
    /// The items of an array.
    Items,
    /// The values of all keys that look like data, together.
    Values,
}

/// What was seen at one path.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) rank: Rank,
    pub(crate) parent: Id,
    pub(crate) step: Step,
    /// Of a field, its place among its parent's.
    pub(crate) place: u32,
    /// Steps to it that are [`Step::Values`].
    pub(crate) gathered: u8,
    pub(crate) fields: Fields,
    pub(crate) items: Option<Id>,
    pub(crate) values: Option<Id>,
    /// Parent objects that have the field. Differs from the sum of `counts` only where documents repeat a
    /// key.
    pub(crate) present: u64,
    /// Documents with a value here.
    pub(crate) documents: u64,
    pub(crate) counts: Counts,
    /// Values here whose object has the key already.
    pub(crate) repeated: u64,
    /// Values of children that were not kept, by type. Keys that look like data are not counted here but
    /// at `values`, or with it once that is not kept.
    pub(crate) other: Counts,
    pub(crate) times: Times,
    pub(crate) numbers: Option<Box<Numbers>>,
    pub(crate) strings: Option<Box<Strings>>,
    pub(crate) arrays: Option<Box<Arrays>>,
    pub(crate) tags: Option<Box<Tags>>,
    pub(crate) mark: Mark,
}

/// What a node was last counted for. Never part of the state.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mark {
    /// The document, and the types seen in it, a bit each.
    pub(crate) document: u64,
    pub(crate) types: u8,
    /// The parent object.
    pub(crate) parent: u64,
}

impl Node {
    pub(crate) fn new(rank: Rank, parent: Id, step: Step, gathered: u8) -> Self {
        Self {
            rank,
            parent,
            step,
            place: 0,
            gathered,
            fields: Fields::default(),
            items: None,
            values: None,
            present: 0,
            documents: 0,
            counts: Counts::default(),
            repeated: 0,
            other: Counts::default(),
            times: Times::default(),
            numbers: None,
            strings: None,
            arrays: None,
            tags: None,
            mark: Mark::default(),
        }
    }

    pub(crate) fn count(&self, kind: Type) -> u64 {
        self.counts[kind as usize]
    }

    /// How much room what is kept of its values may take, in tables (see [`Type::tables`]).
    pub(crate) fn tables(&self) -> usize {
        let mut tables = 0;
        let mut seen = [0; Type::ALL.len()];
        for kind in Type::ALL {
            if self.count(kind) > 0 {
                tables += kind.tables(&seen);
                seen[kind as usize] = 1;
            }
        }
        tables
    }

    /// Values seen here, of any type.
    pub(crate) fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The nodes right below.
    pub(crate) fn children(&self) -> impl Iterator<Item = Id> {
        self.fields.ids().chain(self.items).chain(self.values)
    }

    /// Whether any child's values were not kept.
    pub(crate) fn has_other(&self) -> bool {
        self.other.iter().any(|count| *count > 0)
    }

    /// The joint counts of its fields, while it has few enough and all are kept. Once it has not, it never
    /// has again, whoever merges what.
    pub(crate) fn tags(&self) -> Option<&Tags> {
        self.tags.as_deref().filter(|_| self.may_have_tags())
    }

    pub(crate) fn may_have_tags(&self) -> bool {
        self.fields.len() <= tags::MAX_MEMBERS && self.values.is_none() && !self.has_other()
    }
}
