//! Joint counts that show which field of an object determines the others.
//!
//! For a few fields with few values they count, by value, which fields of which type came with it.
//! Which fields are counted depends only on their names and the hash key, and a field with too many
//! values is dropped permanently, so merging is exact in every order.

mod companions;
mod written;

use serde::{Deserialize, Serialize};

use crate::distinct::written_length;
use crate::fingerprint::Fingerprint;
use crate::node::Type;
use crate::rank::HashKey;
pub(crate) use companions::{Companion, Companions};
pub(crate) use written::Written;

/// Most fields counted per object, and most values of each.
const MAX_FIELDS: usize = 4;
const MAX_VALUES: usize = 12;
/// Most bytes of a value that may be a tag.
pub(crate) const MAX_LENGTH: usize = 32;
/// Most fields of an object for which tags are counted.
pub(crate) const MAX_MEMBERS: usize = 48;

/// Value of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Value<'a> {
    Boolean(bool),
    Text(&'a str),
}

/// Value of a tag, owned.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum OwnedValue {
    Boolean(bool),
    Text(Box<str>),
}

impl Value<'_> {
    #[inline(always)]
    fn fingerprint(self) -> Fingerprint {
        match self {
            Self::Boolean(true) => Fingerprint::of("true"),
            Self::Boolean(false) => Fingerprint::of("false"),
            Self::Text(text) => Fingerprint::of(text),
        }
    }
}

impl OwnedValue {
    fn fingerprint(&self) -> Fingerprint {
        match self {
            Self::Boolean(value) => Value::Boolean(*value).fingerprint(),
            Self::Text(text) => Value::Text(text).fingerprint(),
        }
    }

    /// Returns whether the value is possible: longer texts cannot be tags.
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

impl From<Value<'_>> for OwnedValue {
    fn from(value: Value<'_>) -> Self {
        match value {
            Value::Boolean(value) => Self::Boolean(value),
            Value::Text(text) => Self::Text(text.into()),
        }
    }
}

/// Joint counts of an object's fields. Fields are numbered by their place among the object's
/// children.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tags {
    /// Fields with the lowest ranks.
    fields: Vec<Field>,
    /// Fields that rank too high or have too many values, one bit each.
    ignored: u64,
    companions: Companions,
}

#[derive(Debug, Clone)]
struct Field {
    rank: (bool, u64),
    member: usize,
    /// `None` if there were too many values.
    rows: Option<Vec<Row>>,
}

/// Objects in which a field has one value.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    fingerprint: Fingerprint,
    pub(crate) value: OwnedValue,
    pub(crate) count: u64,
    /// Fields that came with it, by member.
    members: Vec<MemberCount>,
}

/// Counts of a member in the objects of a row.
#[derive(Debug, Clone, Copy, Default)]
struct MemberCount {
    /// Number of objects that have it.
    count: u32,
    /// Its types, one bit each.
    kinds: u8,
}

impl Row {
    fn new(value: OwnedValue, count: u64) -> Self {
        Self { fingerprint: value.fingerprint(), value, count, members: Vec::new() }
    }

    /// Returns how many of the objects have the member.
    pub(crate) fn with(&self, member: usize) -> u64 {
        self.members.get(member).map_or(0, |seen| u64::from(seen.count))
    }

    /// Returns whether the member has values of this type in any of the objects.
    pub(crate) fn has(&self, member: usize, kind: Type) -> bool {
        self.members.get(member).is_some_and(|seen| seen.kinds >> kind as u8 & 1 == 1)
    }

    #[inline(always)]
    fn count_member(&mut self, member: usize, kinds: u8, count: u32) {
        if member >= self.members.len() {
            self.grow(member);
        }
        let seen = &mut self.members[member];
        // Saturating addition is still commutative and associative.
        seen.count = seen.count.saturating_add(count);
        seen.kinds |= kinds;
    }

    #[cold]
    fn grow(&mut self, member: usize) {
        self.members.reserve_exact(member + 1 - self.members.len());
        self.members.resize(member + 1, MemberCount::default());
    }

    /// Adds the objects of another row. `member` maps their member numbers to ours.
    fn merge(&mut self, theirs: &Self, member: impl Fn(usize) -> Option<usize>) {
        self.count += theirs.count;
        for (at, seen) in theirs.members.iter().enumerate().filter(|(_, seen)| seen.count > 0) {
            if let Some(member) = member(at) {
                self.count_member(member, seen.kinds, seen.count);
            }
        }
    }
}

impl Tags {
    /// Returns the fields that need no counting any more, one bit for each place.
    pub(crate) fn ignored(&self) -> u64 {
        self.ignored
    }

    /// Returns joint counts of which nothing is known.
    pub(crate) fn lost() -> Self {
        Self { companions: Companions::lost(), ..Self::default() }
    }

    /// Drops which fields come together, because an object was not counted.
    pub(crate) fn lose_companions(&mut self) {
        self.companions = Companions::lost();
    }

    /// Returns which fields come together.
    pub(crate) fn companions(&self) -> &Companions {
        &self.companions
    }

    /// Notes that an object has the fields at these places, one bit each.
    #[inline]
    pub(crate) fn add_fields(&mut self, fields: u64) {
        self.companions.add(fields);
    }

    /// Counts one object: its members with their types, and those that may be a tag. `name` returns
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
            let fingerprint = value.fingerprint();
            let at = match rows.iter().position(|row| row.fingerprint == fingerprint && row.value.is(*value))
            {
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

    /// Drops the counts of a field with too many values.
    fn drop_rows(&mut self, member: usize) {
        self.ignored |= 1 << member;
        self.fields.iter_mut().filter(|field| field.member == member).for_each(|field| field.rows = None);
    }

    /// Returns the counts of a member, if it ranks low enough.
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
            self.ignored |= 1 << member;
            return None;
        }
        if self.fields.len() == MAX_FIELDS
            && let Some(out) = self.fields.pop()
        {
            self.ignored |= 1 << out.member;
        }
        self.fields.insert(at, Field { rank, member, rows: Some(Vec::new()) });
        Some(at)
    }

    /// Adds another object's counts. `member` maps their member numbers to ours.
    pub(crate) fn merge<'n>(
        &mut self,
        theirs: &Self,
        key: HashKey,
        member: impl Fn(usize) -> Option<usize>,
        name: impl Fn(usize) -> &'n str,
    ) {
        self.companions.merge(&theirs.companions, &member);
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

    /// Returns the fields with few values: each member and its values in order.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (usize, Vec<&Row>)> {
        self.fields.iter().filter_map(|field| {
            let mut rows: Vec<&Row> = field.rows.as_ref()?.iter().collect();
            rows.sort_by(|a, b| a.value.cmp(&b.value));
            Some((field.member, rows))
        })
    }
}

/// Returns the rank of a field: names that suggest a tag come first.
fn rank(name: &str, key: HashKey) -> (bool, u64) {
    const TAG_NAMES: &[&str] = &[
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
    let suggests_tag = TAG_NAMES.contains(&last) || lower.ends_with("type") || lower.ends_with("kind");
    (!suggests_tag, key.hash(name))
}
