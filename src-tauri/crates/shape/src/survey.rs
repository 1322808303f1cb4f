//! Finding out which paths of one huge document will stay, in bounded memory.
//!
//! Owns: the lowest ranks of a document's paths. Refuses to know: counts.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::MAX_DEPTH;
use crate::rank::Rank;

/// The first rank that does not stay when `cap` paths of the document do; none when all do.
pub(crate) fn cut(document: &[u8], cap: usize) -> serde_json::Result<Option<Rank>> {
    let mut lowest = Lowest { ranks: BTreeSet::new(), keep: cap + 1 };
    let mut reader = serde_json::Deserializer::from_slice(document);
    Value { rank: Rank::ROOT, depth: 0, lowest: &mut lowest }.deserialize(&mut reader)?;
    reader.end()?;
    Ok(lowest.ranks.into_iter().nth(cap))
}

/// The lowest ranks seen, `keep` at most.
struct Lowest {
    ranks: BTreeSet<Rank>,
    keep: usize,
}

impl Lowest {
    /// Takes a rank; whether it is among the lowest.
    fn take(&mut self, rank: Rank) -> bool {
        if self.ranks.len() == self.keep && self.ranks.last().is_some_and(|last| rank > *last) {
            return false;
        }
        self.ranks.insert(rank);
        if self.ranks.len() > self.keep {
            self.ranks.pop_last();
        }
        true
    }
}

struct Value<'a> {
    rank: Rank,
    depth: usize,
    lowest: &'a mut Lowest,
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.depth == MAX_DEPTH {
            return deserializer.deserialize_ignored_any(IgnoredAny).map(drop);
        }
        deserializer.deserialize_any(self)
    }
}

/// An item: its path exists because the item does, and is looked into if it stays.
struct Item<'a> {
    rank: Rank,
    depth: usize,
    lowest: &'a mut Lowest,
}

impl<'de> DeserializeSeed<'de> for Item<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let Self { rank, depth, lowest } = self;
        if lowest.take(rank) {
            Value { rank, depth, lowest }.deserialize(deserializer)
        } else {
            // Below a path that does not stay none does.
            deserializer.deserialize_ignored_any(IgnoredAny).map(drop)
        }
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<(), A::Error> {
        let Self { rank, depth, lowest } = self;
        let rank = rank.items();
        while sequence.next_element_seed(Item { rank, depth: depth + 1, lowest: &mut *lowest })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { rank, depth, lowest } = self;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            let rank = rank.field(&key);
            if lowest.take(rank) {
                map.next_value_seed(Value { rank, depth: depth + 1, lowest: &mut *lowest })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}
