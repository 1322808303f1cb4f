//! Reading one document into a shape: a streaming visitor, no document tree.
//!
//! Owns: what counts at which path. Refuses to know: schemas, and everything about the document
//! but its structure. A document that cannot be read to its end counts nothing.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::MAX_DEPTH;
use crate::node::{Mark, Node, Shape, Type, lower};
use crate::rank::Rank;
use crate::{strict, survey};

/// Why a document was not counted: not JSON, cut short, or not text.
#[derive(Debug)]
pub struct Unreadable(serde_json::Error);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a JSON document: {}", self.0)
    }
}

impl std::error::Error for Unreadable {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

impl Unreadable {
    fn because(reason: impl fmt::Display) -> Self {
        Self(serde::de::Error::custom(reason))
    }
}

impl Shape {
    /// Counts one JSON document. On an error the shape is as it was.
    pub fn observe(&mut self, document: &[u8]) -> Result<(), Unreadable> {
        self.observe_redacted(document, &|_| None)
    }

    /// Counts one document in which some values were replaced by strings. `stands_for` tells which type
    /// a string stands for, if it is such a replacement.
    pub fn observe_redacted(
        &mut self,
        document: &[u8],
        stands_for: &dyn Fn(&str) -> Option<Type>,
    ) -> Result<(), Unreadable> {
        // One document may hold any number of paths. When it holds many more than can stay, those that
        // will are found first, so that neither pass keeps more than it may.
        let mut cut = self.cut;
        std::str::from_utf8(document).map_err(Unreadable::because)?;
        let root = loop {
            if let Some(flaw) = cut.and_then(|_| strict::flaw(document)) {
                return Err(Unreadable::because(flaw));
            }
            let limit = self.cap.saturating_mul(4);
            let mut reading = Reading { objects: 0, nodes: 0, limit, cut, stands_for };
            match read(document, &mut reading) {
                Ok(root) => break root,
                Err(_) if reading.nodes > limit => {
                    let found = survey::cut(document, self.cap).map_err(Unreadable)?;
                    cut = lower(cut, found);
                }
                Err(error) => return Err(Unreadable(error)),
            }
        };
        let nodes = root.descendants();
        let mut one = Self { observations: 1, root, nodes, cap: self.cap, cut };
        one.fit_cap();
        self.merge(&one);
        Ok(())
    }
}

fn read(document: &[u8], reading: &mut Reading<'_>) -> serde_json::Result<Node> {
    let mut root = Node::default();
    let mut reader = serde_json::Deserializer::from_slice(document);
    Value { node: &mut root, rank: Rank::ROOT, depth: 0, reading }.deserialize(&mut reader)?;
    reader.end()?;
    Ok(root)
}

/// What is the same for all values of a document.
struct Reading<'r> {
    /// Objects met so far; numbers them from 1.
    objects: u64,
    /// Nodes made so far, and how many may be.
    nodes: usize,
    limit: usize,
    /// From this rank on values are only counted at their parent.
    cut: Option<Rank>,
    stands_for: &'r dyn Fn(&str) -> Option<Type>,
}

impl Reading<'_> {
    /// The rank a child has; of no interest, and not computed, while everything is kept.
    fn rank(&self, rank: impl FnOnce() -> Rank) -> Rank {
        if self.cut.is_some() { rank() } else { Rank::ROOT }
    }

    fn keeps(&self, rank: Rank) -> bool {
        self.cut.is_none_or(|cut| rank < cut)
    }

    /// Notes a new node; an error when there are too many, which ends the reading.
    fn count_node<E: serde::de::Error>(&mut self) -> Result<(), E> {
        self.nodes += 1;
        if self.nodes > self.limit { Err(E::custom("too many paths")) } else { Ok(()) }
    }
}

/// A value to be counted at `node`.
struct Value<'a, 'r> {
    node: &'a mut Node,
    rank: Rank,
    depth: usize,
    reading: &'a mut Reading<'r>,
}

impl<'de> DeserializeSeed<'de> for Value<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.depth == MAX_DEPTH {
            // `IgnoredAny` is skipped without recursion, so depth costs nothing from here on.
            deserializer.deserialize_ignored_any(IgnoredAny)?;
            self.node.add(Type::Opaque);
            return Ok(());
        }
        deserializer.deserialize_any(self)
    }
}

/// A value of which only the type is counted.
struct Counted<'a, 'r> {
    counts: &'a mut [u64; Type::ALL.len()],
    depth: usize,
    reading: &'a Reading<'r>,
}

impl<'de> DeserializeSeed<'de> for Counted<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.depth == MAX_DEPTH {
            // As for values that are kept.
            self.counts[Type::Opaque as usize] += 1;
            return deserializer.deserialize_ignored_any(IgnoredAny).map(drop);
        }
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        let kind = match raw.as_bytes().first() {
            Some(b'n') => Type::Null,
            Some(b't' | b'f') => Type::Boolean,
            Some(b'{') => Type::Object,
            Some(b'[') => Type::Array,
            Some(b'"') => {
                let text: Option<Cow<'_, str>> = serde_json::from_str(raw).ok();
                text.and_then(|text| (self.reading.stands_for)(&text)).unwrap_or(Type::String)
            }
            // What serde_json reads as floats: minus zero, and what needs more than 64 bits.
            _ if raw == "-0" => Type::Number,
            _ if raw.parse::<i64>().is_ok() || raw.parse::<u64>().is_ok() => Type::Integer,
            _ => Type::Number,
        };
        self.counts[kind as usize] += 1;
        Ok(())
    }
}

impl<'de> Visitor<'de> for Value<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.node.add(Type::Null);
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        self.node.add(Type::Boolean);
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        self.node.add(Type::Integer);
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        self.node.add(Type::Integer);
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        self.node.add(Type::Number);
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        match (self.reading.stands_for)(text) {
            // What a replaced string looked like is not known.
            Some(kind) => self.node.add(kind),
            None => self.node.add_string(text),
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<(), A::Error> {
        self.node.add(Type::Array);
        let Self { node, rank, depth, reading } = self;
        let rank = reading.rank(|| rank.items());
        if !reading.keeps(rank) {
            while sequence
                .next_element_seed(Counted { counts: &mut node.other, depth: depth + 1, reading })?
                .is_some()
            {}
            return Ok(());
        }
        // No item, no node: the state says whether anything was ever inside.
        let known = node.items.is_some();
        let mut items = node.items.take().unwrap_or_default();
        while sequence
            .next_element_seed(Value { node: &mut items, rank, depth: depth + 1, reading: &mut *reading })?
            .is_some()
        {}
        if items.total() > 0 {
            node.items = Some(items);
            if !known {
                reading.count_node()?;
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.node.add(Type::Object);
        let Self { node, rank: own, depth, reading } = self;
        reading.objects += 1;
        let parent = reading.objects;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            let rank = reading.rank(|| own.field(&key));
            if !reading.keeps(rank) {
                map.next_value_seed(Counted { counts: &mut node.other, depth: depth + 1, reading })?;
                continue;
            }
            if !node.fields.contains_key(key.as_ref()) {
                reading.count_node()?;
            }
            let field = node.fields.entry(key.into()).or_default();
            // A repeated key is one presence of the field, with the types of all its values:
            // readers disagree on which of them counts, and a schema must fit either.
            if field.mark.0 != parent {
                field.mark = Mark(parent);
                field.present += 1;
            }
            map.next_value_seed(Value { node: field, rank, depth: depth + 1, reading: &mut *reading })?;
        }
        Ok(())
    }
}
