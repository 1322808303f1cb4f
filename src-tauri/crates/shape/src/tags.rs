//! Which of an object's fields tells what else is in it.
//!
//! For a few fields with few values it is counted, by value, which fields of which type came with it. Which
//! fields are looked at depends on their names and the hash key alone; one with too many values is dropped
//! for good. So merging is exact in every order. Owns: those joint counts. Refuses to know: what a union is.

mod written;

use serde::{Deserialize, Serialize};

use crate::distinct::written_length;
use crate::node::Type;
use crate::print::Print;
use crate::rank::HashKey;
pub(crate) use written::Written;

/// Fields looked at per object, and values of each.
const MAX_FIELDS: usize = 4;
const MAX_VALUES: usize = 12;
/// Bytes of a value that may be a tag.
pub(crate) const MAX_LENGTH: usize = 32;
/// Fields an object may have to be looked at.
pub(crate) const MAX_MEMBERS: usize = 48;

/// A tag's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Value<'a> {
    Boolean(bool),
    Text(&'a str),
}

/// The same, kept.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Kept {
    Boolean(bool),
    Text(Box<str>),
}

impl Value<'_> {
    #[inline(always)]
    fn print(self) -> Print {
        match self {
            Self::Boolean(true) => Print::of("true"),
            Self::Boolean(false) => Print::of("false"),
            Self::Text(text) => Print::of(text),
        }
    }
}

impl Kept {
    fn print(&self) -> Print {
        match self {
            Self::Boolean(value) => Value::Boolean(*value).print(),
            Self::Text(text) => Value::Text(text).print(),
        }
    }

    /// Whether it can have been seen: longer texts are no tags.
    fn may_be(&self) -> bool {
        match self {
            Self::Boolean(_) => true,
            Self::Text(text) => written_length(text) <= MAX_LENGTH,
        }
    }

    fn is(&self, value: Value<'_>) -> bool {
        match (self, value) {
            (Self::Boolean(mine), Value::Boolean(theirs)) => *mine == theirs,
            (Self::Text(mine), Value::Text(theirs)) => **mine == *theirs,
            _ => false,
        }
    }
}

impl From<Value<'_>> for Kept {
    fn from(value: Value<'_>) -> Self {
        match value {
            Value::Boolean(value) => Self::Boolean(value),
            Value::Text(text) => Self::Text(text.into()),
        }
    }
}

/// Joint counts of an object's fields. Fields are numbered by their place among the object's children.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tags {
    /// The lowest ranks.
    fields: Vec<Field>,
    /// Fields that rank too high or have too many values, a bit each.
    untold: u64,
}

#[derive(Debug, Clone)]
struct Field {
    rank: (bool, u64),
    member: usize,
    /// None where there were too many.
    rows: Option<Vec<Row>>,
}

/// Objects in which a field has one value.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    print: Print,
    pub(crate) value: Kept,
    pub(crate) count: u64,
    /// What came with it, by member.
    came: Vec<Came>,
}

/// A member of the objects of a row.
#[derive(Debug, Clone, Copy, Default)]
struct Came {
    /// How many of them have it.
    count: u32,
    /// Its types, a bit each.
    kinds: u8,
}

impl Row {
    fn new(value: Kept, count: u64) -> Self {
        Self { print: value.print(), value, count, came: Vec::new() }
    }

    /// How many of the objects have the member.
    pub(crate) fn with(&self, member: usize) -> u64 {
        self.came.get(member).map_or(0, |came| u64::from(came.count))
    }

    /// Whether the member has values of this type in any of the objects.
    pub(crate) fn has(&self, member: usize, kind: Type) -> bool {
        self.came.get(member).is_some_and(|came| came.kinds >> kind as u8 & 1 == 1)
    }

    #[inline(always)]
    fn count_member(&mut self, member: usize, kinds: u8, count: u32) {
        if member >= self.came.len() {
            self.grow(member);
        }
        let came = &mut self.came[member];
        // Saturating adds are still commutative and associative.
        came.count = came.count.saturating_add(count);
        came.kinds |= kinds;
    }

    #[cold]
    fn grow(&mut self, member: usize) {
        self.came.reserve_exact(member + 1 - self.came.len());
        self.came.resize(member + 1, Came::default());
    }

    /// Adds the objects of another row. `member` gives the number here of one of theirs.
    fn merge(&mut self, theirs: &Self, member: impl Fn(usize) -> Option<usize>) {
        self.count += theirs.count;
        for (at, came) in theirs.came.iter().enumerate().filter(|(_, came)| came.count > 0) {
            if let Some(member) = member(at) {
                self.count_member(member, came.kinds, came.count);
            }
        }
    }
}

impl Tags {
    /// Fields that need not be looked at any more, a bit for each place.
    pub(crate) fn untold(&self) -> u64 {
        self.untold
    }

    /// Counts one object: its members with their types, and those of them that may be a tag. `name` gives
    /// a member's name.
    pub(crate) fn add<'n>(
        &mut self,
        members: &[(u32, Type)],
        values: &[(u32, Value<'_>)],
        key: HashKey,
        name: impl Fn(usize) -> &'n str,
    ) {
        for (member, value) in values {
            let Some(field) = self.field(*member as usize, key, &name) else { continue };
            let Some(rows) = &mut field.rows else { continue };
            let print = value.print();
            let at = match rows.iter().position(|row| row.print == print && row.value.is(*value)) {
                Some(at) => at,
                None if rows.len() == MAX_VALUES => {
                    self.drop_rows(*member as usize);
                    continue;
                }
                None => {
                    rows.reserve_exact(1);
                    rows.push(Row::new((*value).into(), 0));
                    rows.len() - 1
                }
            };
            let row = &mut rows[at];
            row.count += 1;
            for (member, kind) in members {
                row.count_member(*member as usize, 1 << *kind as u8, 1);
            }
        }
    }

    /// Notes that a field has too many values.
    fn drop_rows(&mut self, member: usize) {
        self.untold |= 1 << member;
        self.fields.iter_mut().filter(|field| field.member == member).for_each(|field| field.rows = None);
    }

    /// The counts of a member, if it ranks low enough.
    #[inline]
    fn field<'n>(
        &mut self,
        member: usize,
        key: HashKey,
        name: impl Fn(usize) -> &'n str,
    ) -> Option<&mut Field> {
        let at = match self.fields.iter().position(|field| field.member == member) {
            Some(at) => at,
            None => self.new_field(member, rank(name(member), key))?,
        };
        self.fields.get_mut(at)
    }

    #[cold]
    fn new_field(&mut self, member: usize, rank: (bool, u64)) -> Option<usize> {
        let at = self.fields.partition_point(|field| field.rank < rank);
        if at == MAX_FIELDS {
            self.untold |= 1 << member;
            return None;
        }
        if self.fields.len() == MAX_FIELDS
            && let Some(out) = self.fields.pop()
        {
            self.untold |= 1 << out.member;
        }
        self.fields.insert(at, Field { rank, member, rows: Some(Vec::new()) });
        Some(at)
    }

    /// Adds another object's counts. `member` gives the number here of one of theirs.
    pub(crate) fn merge<'n>(
        &mut self,
        theirs: &Self,
        key: HashKey,
        member: impl Fn(usize) -> Option<usize>,
        name: impl Fn(usize) -> &'n str,
    ) {
        for their in &theirs.fields {
            let Some(place) = member(their.member) else { continue };
            let Some(mine) = self.field(place, key, &name) else { continue };
            let mut few = false;
            if let (Some(rows), Some(their_rows)) = (&mut mine.rows, &their.rows) {
                for row in their_rows {
                    let at = rows.iter().position(|known| known.value == row.value).unwrap_or_else(|| {
                        rows.reserve_exact(1);
                        rows.push(Row::new(row.value.clone(), 0));
                        rows.len() - 1
                    });
                    rows[at].merge(row, &member);
                }
                few = rows.len() <= MAX_VALUES;
            }
            if !few {
                self.drop_rows(place);
            }
        }
    }

    /// Fields with few values: the member, and its values in order.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (usize, Vec<&Row>)> {
        self.fields.iter().filter_map(|field| {
            let mut rows: Vec<&Row> = field.rows.as_ref()?.iter().collect();
            rows.sort_by(|a, b| a.value.cmp(&b.value));
            Some((field.member, rows))
        })
    }
}

/// Names that say of themselves that they tell come first.
fn rank(name: &str, key: HashKey) -> (bool, u64) {
    const TELLING: &[&str] = &[
        "type",
        "kind",
        "event",
        "action",
        "op",
        "operation",
        "method",
        "variant",
        "shape",
        "mode",
        "class",
        "category",
        "format",
        "role",
        "status",
        "state",
        "object",
        "model",
        "tag",
        "schema",
        "ok",
        "success",
    ];
    let lower = name.to_ascii_lowercase();
    let last = lower.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let telling = TELLING.contains(&last) || lower.ends_with("type") || lower.ends_with("kind");
    (!telling, key.hash(name))
}
