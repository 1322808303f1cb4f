//! Written form of joint counts.

use serde::{Deserialize, Serialize};

use super::{Companion, Companions, MAX_MEMBERS, MAX_VALUES, MemberCount, OwnedValue, Row, Tags};
use crate::rank::HashKey;
use crate::veil;

impl Tags {
    /// Returns the written form. `place` returns a member's place in the written order.
    pub(crate) fn write(&self, place: impl Fn(usize) -> usize) -> Vec<Written> {
        let row = |row: &Row| {
            let seen = row.members.iter().enumerate().filter(|(_, seen)| seen.count > 0);
            let seen: Vec<(usize, MemberCount)> = seen.map(|(at, seen)| (place(at), *seen)).collect();
            let members = seen.iter().map(|(at, _)| at + 1).max().unwrap_or_default();
            let (mut counts, mut kinds) = (vec![0; members], vec![0; members]);
            for (at, seen) in seen {
                (counts[at], kinds[at]) = (seen.count, seen.kinds);
            }
            WrittenRow(row.value.clone(), row.count, counts, kinds)
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

    /// Returns the companions of members, in the order of a list of their places.
    pub(crate) fn write_companions(&self, places: &[u32]) -> Vec<Companion> {
        self.companions.write(places)
    }

    /// Reads the written form. Members are numbered as written.
    pub(crate) fn read<'n>(
        (written, companions): (Vec<Written>, Vec<Companion>),
        key: HashKey,
        members: usize,
        name: impl Fn(usize) -> &'n str,
    ) -> Self {
        let members = members.min(MAX_MEMBERS);
        let mut tags = Self { companions: Companions::read(companions, members), ..Self::default() };
        for Written(member, rows) in written.into_iter().filter(|written| written.0 < members) {
            let Some(field) = tags.field(member, key, &name) else { continue };
            field.rows = rows.map(|rows| {
                let read = |WrittenRow(value, count, counts, kinds)| {
                    let mut row = Row::new(value, count);
                    for (at, (count, kinds)) in counts.into_iter().zip(kinds).take(members).enumerate() {
                        row.count_member(at, kinds, count);
                    }
                    row
                };
                rows.into_iter().take(MAX_VALUES).filter(|row| row.0.may_be()).map(read).collect()
            });
            if field.rows.is_none() {
                tags.drop_rows(member);
            }
        }
        tags
    }
}

/// A field in the written form: its member, and its values unless there were too many.
#[derive(Serialize, Deserialize)]
pub(crate) struct Written(usize, Option<Vec<WrittenRow>>);

impl Written {
    /// Returns the member, by its place among all fields.
    pub(crate) fn member(&self) -> usize {
        self.0
    }

    /// Drops the counts if one of the values has to be removed, as if there were too many values.
    /// Returns whether it did.
    pub(crate) fn forget(&mut self, forgets: impl Fn(&str) -> bool) -> bool {
        let text = |row: &WrittenRow| matches!(&row.0, OwnedValue::Text(text) if forgets(text));
        let any = self.1.iter().flatten().any(text);
        if any {
            self.1 = None;
        }
        any
    }

    /// Returns the same counts with hashes in place of texts.
    pub(crate) fn veiled(mut self, key: HashKey) -> Self {
        for rows in self.1.iter_mut() {
            for row in rows.iter_mut() {
                if let OwnedValue::Text(text) = &row.0
                    && !veil::is_pseudonym(text)
                {
                    row.0 = OwnedValue::Text(veil::of_value(text, key).into());
                }
            }
            rows.sort_by(|a, b| a.0.cmp(&b.0));
        }
        self
    }

    /// Returns the number of objects for each value.
    pub(crate) fn counts(&self) -> impl Iterator<Item = u64> {
        self.1.iter().flatten().map(|row| row.1)
    }
}

/// A value, the number of its objects, and by member the number of objects that have it and its
/// types.
#[derive(Serialize, Deserialize)]
struct WrittenRow(OwnedValue, u64, Vec<u32>, Vec<u8>);
