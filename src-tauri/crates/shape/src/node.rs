//! Counts at one path, and the types that are distinguished.

use serde::{Deserialize, Serialize};

use crate::fields::Fields;
use crate::rank::Rank;
use crate::tags::{self, Tags};
use crate::times::Times;
use crate::values::{Arrays, Numbers, Strings};

/// Types that are distinguished: those of JSON Schema, and `Opaque` for values deeper than
/// [`crate::MAX_DEPTH`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Type {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// A number written without fraction or exponent that fits in 64 bits.
    Integer,
    /// Any other number.
    Number,
    /// A string.
    String,
    /// An object.
    Object,
    /// An array.
    Array,
    /// A value that was not examined.
    Opaque,
}

impl Type {
    /// All types, in the order of states and reports.
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

    /// Returns how many tables the first value of this type needs, given the types counted so far:
    /// one each for strings, for numbers of both types, and for arrays. Joint counts of an object's
    /// fields count as four.
    pub(crate) fn tables(self, seen: &Counts) -> usize {
        match self {
            _ if seen[self as usize] > 0 => 0,
            Self::Integer if seen[Self::Number as usize] > 0 => 0,
            Self::Number if seen[Self::Integer as usize] > 0 => 0,
            Self::Integer | Self::Number | Self::String | Self::Array => 1,
            Self::Object => 4,
            Self::Null | Self::Boolean | Self::Opaque => 0,
        }
    }

    /// Returns the name used by JSON Schema, or `"any"` for a value that was not examined.
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

/// Index of a node in its tree. Parents come before their children.
pub(crate) type Id = u32;

/// Relation of a node to its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// The node has no parent.
    Root,
    Field {
        /// Whether its key looks like data.
        data: bool,
    },
    /// The items of an array.
    Items,
    /// The values of all keys that look like data, together.
    Values,
    /// The objects among the members of an object whose name is a plural, together, without those of keys that look
    /// like data.
    Members,
}

/// Counts at one path.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) rank: Rank,
    pub(crate) parent: Id,
    pub(crate) step: Step,
    /// Place of a field among its parent's fields.
    pub(crate) place: u32,
    /// Whether only its counts are kept: no times, and nothing of its values. Once that is so, it stays.
    pub(crate) bare: bool,
    /// Whether its members are counted together. Follows from its path.
    pub(crate) plural: bool,
    /// Number of members on the path to it whose parent counts its members together as well.
    pub(crate) doubled: u8,
    /// Number of steps to the node that are [`Step::Values`] or [`Step::Members`].
    pub(crate) gathered: u8,
    pub(crate) fields: Fields,
    pub(crate) items: Option<Id>,
    pub(crate) values: Option<Id>,
    pub(crate) members: Option<Id>,
    /// Whether `members` and `values` were not kept.
    pub(crate) lost_members: bool,
    pub(crate) lost_values: bool,
    /// Number of parent objects that have the field. Differs from the sum of `counts` only if
    /// documents have duplicate keys.
    pub(crate) present: u64,
    /// Number of documents with a value here.
    pub(crate) documents: u64,
    pub(crate) counts: Counts,
    /// Number of values whose object already had the key.
    pub(crate) repeated: u64,
    /// Values of children that were not kept, by type. Values of keys that look like data are
    /// counted at `values` instead, or with it if that node is not kept.
    pub(crate) other: Counts,
    pub(crate) times: Times,
    pub(crate) numbers: Option<Box<Numbers>>,
    pub(crate) strings: Option<Box<Strings>>,
    pub(crate) arrays: Option<Box<Arrays>>,
    pub(crate) tags: Option<Box<Tags>>,
    pub(crate) mark: Mark,
    /// What may be kept below it whatever the rank. Never part of the state.
    pub(crate) shelters: Shelters,
}

/// What a node shelters: its children, and the nodes where several of them are counted together.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Shelters {
    pub(crate) children: bool,
    pub(crate) members: bool,
    pub(crate) values: bool,
}

impl Shelters {
    pub(crate) fn all(shelters: bool) -> Self {
        Self { children: shelters, members: shelters, values: shelters }
    }
}

/// What a node was last counted for. Never part of the state.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mark {
    /// Document, and the types seen in it, one bit each.
    pub(crate) document: u64,
    pub(crate) types: u8,
    /// Parent object.
    pub(crate) parent: u64,
}

impl Node {
    pub(crate) fn new(rank: Rank, parent: Id, step: Step, gathered: u8) -> Self {
        Self {
            rank,
            parent,
            step,
            place: 0,
            bare: false,
            plural: false,
            doubled: 0,
            gathered,
            fields: Fields::default(),
            items: None,
            values: None,
            members: None,
            lost_members: false,
            lost_values: false,
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
            shelters: Shelters::all(step == Step::Root),
        }
    }

    pub(crate) fn count(&self, kind: Type) -> u64 {
        self.counts[kind as usize]
    }

    /// Returns the largest room that the kept values may take, in tables (see [`Type::tables`]).
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

    /// Drops all but the counts.
    pub(crate) fn make_bare(&mut self) {
        self.bare = true;
        self.times = Times::default();
        (self.numbers, self.strings, self.arrays, self.tags) = (None, None, None, None);
    }

    /// Returns whether a value here was an object or an array.
    pub(crate) fn contains(&self) -> bool {
        self.count(Type::Object) > 0 || self.count(Type::Array) > 0
    }

    /// Returns the number of values observed here, of any type.
    pub(crate) fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the direct children.
    pub(crate) fn children(&self) -> impl Iterator<Item = Id> {
        self.fields.ids().chain(self.items).chain(self.values).chain(self.members)
    }

    /// Returns whether values of any child were not kept.
    pub(crate) fn has_other(&self) -> bool {
        self.other.iter().any(|count| *count > 0)
    }

    /// Returns the joint counts of its fields, while there are few enough fields and all are kept.
    /// Once that is no longer so, it never is again, whatever is merged.
    pub(crate) fn tags(&self) -> Option<&Tags> {
        self.tags.as_deref().filter(|_| self.may_have_tags())
    }

    pub(crate) fn may_have_tags(&self) -> bool {
        !self.bare && self.fields.len() <= tags::MAX_MEMBERS && self.values.is_none() && !self.has_other()
    }
}
