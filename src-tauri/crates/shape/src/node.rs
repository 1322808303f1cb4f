//! What is counted at one path, and the types told apart.
//!
//! Owns: the counts of a path and its children's names. Refuses to know: the tree they form, how documents
//! are read, and what schemas look like.

use serde::{Deserialize, Serialize};

use crate::rank::Rank;
use crate::tags::{self, Tags};
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

    /// Values seen here, of any type.
    pub(crate) fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The nodes right below.
    pub(crate) fn children(&self) -> impl Iterator<Item = Id> {
        let fields = self.fields.list.iter().map(|(_, id)| *id);
        fields.chain(self.items).chain(self.values)
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

/// An object's fields by name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fields {
    /// In the order they came.
    list: Vec<(Box<str>, Id)>,
    /// Places in the list, in order of name.
    sorted: Vec<u32>,
}

impl Fields {
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// The place of a field, guessed first.
    #[inline]
    pub(crate) fn place(&self, name: &str, guess: usize) -> Option<usize> {
        if self.list.get(guess).is_some_and(|(known, _)| **known == *name) {
            return Some(guess);
        }
        self.search(name).ok()
    }

    pub(crate) fn get(&self, name: &str) -> Option<Id> {
        self.search(name).ok().map(|place| self.list[place].1)
    }

    /// The field at a place.
    #[inline]
    pub(crate) fn at(&self, place: usize) -> (&str, Id) {
        let (name, id) = &self.list[place];
        (name, *id)
    }

    fn search(&self, name: &str) -> Result<usize, usize> {
        let found = self.sorted.binary_search_by(|place| (*self.list[*place as usize].0).cmp(name));
        found.map(|at| self.sorted[at] as usize)
    }

    /// Adds a field that is not there yet; its place.
    pub(crate) fn insert(&mut self, name: &str, id: Id) -> usize {
        let place = self.list.len();
        if let Err(at) = self.search(name) {
            self.sorted.insert(at, place as u32);
            self.list.push((name.into(), id));
        }
        place
    }

    /// In order of name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Id)> {
        self.sorted.iter().map(|place| self.at(*place as usize))
    }

    /// The place of each in order of name.
    pub(crate) fn places(&self) -> &[u32] {
        &self.sorted
    }

    /// Keeps those whose node has a new id.
    pub(crate) fn renumber(&mut self, new: impl Fn(Id) -> Option<Id>) {
        let before = self.list.len();
        self.list.retain_mut(|(_, id)| match new(*id) {
            Some(new) => {
                *id = new;
                true
            }
            None => false,
        });
        if self.list.len() < before {
            self.sorted = (0..self.list.len() as u32).collect();
            let list = &self.list;
            self.sorted.sort_by(|a, b| list[*a as usize].0.cmp(&list[*b as usize].0));
        }
    }
}

/// Epochs told apart.
pub(crate) const EPOCHS: usize = 8;

/// When values were seen. Epochs are numbers that grow with time; how long one is, the caller knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Times {
    /// The first epoch of each type; the largest number where there is none.
    pub(crate) first: [u32; Type::ALL.len()],
    /// Documents by type in the newest epochs, in order.
    pub(crate) recent: Vec<(u32, [u32; Type::ALL.len()])>,
}

impl Default for Times {
    fn default() -> Self {
        Self { first: [u32::MAX; Type::ALL.len()], recent: Vec::new() }
    }
}

impl Times {
    /// Counts a document with a value of this type.
    #[inline]
    pub(crate) fn add(&mut self, epoch: u32, kind: Type) {
        match self.recent.last_mut() {
            Some((last, counts)) if *last == epoch && counts[kind as usize] > 0 => {
                counts[kind as usize] = counts[kind as usize].saturating_add(1);
            }
            _ => self.add_new(epoch, kind),
        }
    }

    /// The first of a type in an epoch, or one of an epoch that is not the newest.
    #[cold]
    fn add_new(&mut self, epoch: u32, kind: Type) {
        let first = &mut self.first[kind as usize];
        *first = epoch.min(*first);
        let mut counts = [0; Type::ALL.len()];
        counts[kind as usize] = 1;
        self.add_recent(epoch, &counts);
    }

    fn add_recent(&mut self, epoch: u32, counts: &[u32; Type::ALL.len()]) {
        match self.recent.binary_search_by_key(&epoch, |(epoch, _)| *epoch) {
            Ok(at) => {
                for (mine, theirs) in self.recent[at].1.iter_mut().zip(counts) {
                    *mine = mine.saturating_add(*theirs);
                }
            }
            Err(at) => self.recent.insert(at, (epoch, *counts)),
        }
    }

    pub(crate) fn merge(&mut self, theirs: &Self) {
        for (mine, theirs) in self.first.iter_mut().zip(&theirs.first) {
            *mine = (*mine).min(*theirs);
        }
        for (epoch, counts) in &theirs.recent {
            self.add_recent(*epoch, counts);
        }
    }

    /// Forgets counts of epochs before this one.
    pub(crate) fn forget(&mut self, before: u32) {
        self.recent.retain(|(epoch, _)| *epoch >= before);
    }
}
