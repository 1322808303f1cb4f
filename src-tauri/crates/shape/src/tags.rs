//! Which of an object's fields tells what else is in it.
//!
//! For a few fields with few values it is counted, by value, which fields of which type came with it. Which
//! fields are looked at depends on their names and the hash key alone; one with too many values is dropped
//! for good. So merging is exact in every order. Owns: those joint counts. Refuses to know: what a union is.

use serde::{Deserialize, Serialize};

use crate::node::Type;
use crate::rank::HashKey;

/// Fields looked at per object, and values of each.
const MAX_FIELDS: usize = 4;
const MAX_VALUES: usize = 12;
/// Bytes of a value that may be a tag.
pub(crate) const MAX_LENGTH: usize = 32;
/// Fields an object may have to be looked at.
pub(crate) const MAX_MEMBERS: usize = 48;

const TYPES: usize = Type::ALL.len();

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

impl Kept {
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
    /// Fields that rank too high, a bit each.
    rejected: u64,
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
    pub(crate) value: Kept,
    pub(crate) count: u64,
    /// How many of them have which member, by type, eight to a member.
    seen: Vec<u32>,
}

impl Row {
    /// How many of the objects have the member with a value of this type.
    pub(crate) fn with(&self, member: usize, kind: Type) -> u64 {
        u64::from(self.seen.get(member * TYPES + kind as usize).copied().unwrap_or_default())
    }

    fn count_member(&mut self, member: usize, kind: usize, count: u32) {
        let at = member * TYPES + kind;
        if at >= self.seen.len() {
            self.seen.resize((member + 1) * TYPES, 0);
        }
        // Saturating adds are still commutative and associative.
        self.seen[at] = self.seen[at].saturating_add(count);
    }
}

impl Tags {
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
            let member = *member as usize;
            if self.rejected >> member & 1 == 1 {
                continue;
            }
            let Some(field) = self.field(member, key, &name) else { continue };
            let Some(rows) = &mut field.rows else { continue };
            let row = match rows.iter().position(|row| row.value.is(*value)) {
                Some(at) => &mut rows[at],
                None if rows.len() == MAX_VALUES => {
                    field.rows = None;
                    continue;
                }
                None => {
                    rows.push(Row { value: (*value).into(), count: 0, seen: Vec::new() });
                    let last = rows.len() - 1;
                    &mut rows[last]
                }
            };
            row.count += 1;
            for (member, kind) in members {
                row.count_member(*member as usize, *kind as usize, 1);
            }
        }
    }

    /// The counts of a member, if it ranks low enough.
    fn field<'n>(
        &mut self,
        member: usize,
        key: HashKey,
        name: impl Fn(usize) -> &'n str,
    ) -> Option<&mut Field> {
        let at = match self.fields.iter().position(|field| field.member == member) {
            Some(at) => at,
            None => {
                let rank = rank(name(member), key);
                let at = self.fields.partition_point(|field| field.rank < rank);
                if at == MAX_FIELDS {
                    self.rejected |= 1 << member;
                    return None;
                }
                self.fields.insert(at, Field { rank, member, rows: Some(Vec::new()) });
                if self.fields.len() > MAX_FIELDS
                    && let Some(out) = self.fields.pop()
                {
                    self.rejected |= 1 << out.member;
                }
                at
            }
        };
        self.fields.get_mut(at)
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
            let Some(mine) = member(their.member).and_then(|member| self.field(member, key, &name)) else {
                continue;
            };
            let (Some(rows), Some(their_rows)) = (&mut mine.rows, &their.rows) else {
                mine.rows = None;
                continue;
            };
            for row in their_rows {
                let at = rows.iter().position(|known| known.value == row.value).unwrap_or_else(|| {
                    rows.push(Row { value: row.value.clone(), count: 0, seen: Vec::new() });
                    rows.len() - 1
                });
                rows[at].count += row.count;
                for (at_theirs, count) in row.seen.iter().enumerate().filter(|(_, count)| **count > 0) {
                    if let Some(member) = member(at_theirs / TYPES) {
                        rows[at].count_member(member, at_theirs % TYPES, *count);
                    }
                }
            }
            if rows.len() > MAX_VALUES {
                mine.rows = None;
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

    /// The written form. `place` gives a member's place among all in the order written.
    pub(crate) fn write(&self, place: impl Fn(usize) -> usize) -> Vec<Written> {
        let row = |row: &Row| {
            let mut seen: Vec<(usize, u32)> = row
                .seen
                .iter()
                .enumerate()
                .filter(|(_, count)| **count > 0)
                .map(|(at, count)| (place(at / TYPES) * TYPES + at % TYPES, *count))
                .collect();
            seen.sort_unstable();
            WrittenRow(row.value.clone(), row.count, seen)
        };
        let fields = self.fields.iter().map(|field| {
            let rows = field.rows.as_ref().map(|rows| {
                let mut rows: Vec<&Row> = rows.iter().collect();
                rows.sort_by(|a, b| a.value.cmp(&b.value));
                rows.into_iter().map(row).collect()
            });
            Written(place(field.member), rows)
        });
        fields.collect()
    }

    /// Reads the written form back; members are numbered as written.
    pub(crate) fn read<'n>(
        written: Vec<Written>,
        key: HashKey,
        members: usize,
        name: impl Fn(usize) -> &'n str,
    ) -> Self {
        let mut tags = Self::default();
        for Written(member, rows) in
            written.into_iter().filter(|written| written.0 < members.min(MAX_MEMBERS))
        {
            let Some(field) = tags.field(member, key, &name) else { continue };
            field.rows = rows.map(|rows| {
                let read = |WrittenRow(value, count, seen)| {
                    let mut row = Row { value, count, seen: Vec::new() };
                    for (at, count) in seen.into_iter().filter(|(at, _)| at / TYPES < members) {
                        row.count_member(at / TYPES, at % TYPES, count);
                    }
                    row
                };
                rows.into_iter().take(MAX_VALUES).map(read).collect()
            });
        }
        tags
    }
}

/// A field of the written form: its member, and its values unless there were too many.
#[derive(Serialize, Deserialize)]
pub(crate) struct Written(usize, Option<Vec<WrittenRow>>);

impl Written {
    /// The objects of each value.
    pub(crate) fn counts(&self) -> impl Iterator<Item = u64> {
        self.1.iter().flatten().map(|row| row.1)
    }
}

/// A value, its objects, and how many of them have which member of which type.
#[derive(Serialize, Deserialize)]
struct WrittenRow(Kept, u64, Vec<(usize, u32)>);

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
