//! Reading one document into a shape: a streaming visitor, no document tree.
//!
//! Owns: what counts at which path. Refuses to know: schemas, and everything about the document
//! but its structure. A document that cannot be read to its end counts nothing.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::MAX_DEPTH;
use crate::node::{Mark, Node, Shape, Type};

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
        let mut one = Self { observations: 1, root: Node::default() };
        let mut reader = serde_json::Deserializer::from_slice(document);
        let mut reading = Reading { objects: 0, stands_for };
        Value { node: &mut one.root, depth: 0, reading: &mut reading }
            .deserialize(&mut reader)
            .and_then(|()| reader.end())
            .map_err(Unreadable)?;
        self.merge(&one);
        Ok(())
    }
}

/// What is the same for all values of a document.
struct Reading<'r> {
    /// Objects met so far; numbers them from 1.
    objects: u64,
    stands_for: &'r dyn Fn(&str) -> Option<Type>,
}

/// A value to be counted at `node`.
struct Value<'a, 'r> {
    node: &'a mut Node,
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
        self.node.add((self.reading.stands_for)(text).unwrap_or(Type::String));
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<(), A::Error> {
        self.node.add(Type::Array);
        let Self { node, depth, reading } = self;
        // No item, no node: the state says whether anything was ever inside.
        let mut items = node.items.take().unwrap_or_default();
        while sequence
            .next_element_seed(Value { node: &mut items, depth: depth + 1, reading: &mut *reading })?
            .is_some()
        {}
        node.items = (items.total() > 0).then_some(items);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.node.add(Type::Object);
        let Self { node, depth, reading } = self;
        reading.objects += 1;
        let parent = reading.objects;
        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            let field = match node.fields.get_mut(key.as_ref()) {
                Some(field) => field,
                None => node.fields.entry(key.into()).or_default(),
            };
            // A repeated key is one presence of the field, with the types of all its values:
            // readers disagree on which of them counts, and a schema must fit either.
            if field.mark.0 != parent {
                field.mark = Mark(parent);
                field.present += 1;
            }
            map.next_value_seed(Value { node: field, depth: depth + 1, reading: &mut *reading })?;
        }
        Ok(())
    }
}
