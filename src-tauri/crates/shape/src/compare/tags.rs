//! Tags: fields that always have one value, and so tell the alternatives of a union apart at a glance.
//!
//! Owns: finding them, and the quick "these two have nothing in common" that follows. Refuses to know: proofs;
//! what is not seen at a glance here may still be proven elsewhere.

use serde_json::Value;

use super::document::Place;
use super::keyword::{Kind, entries, is_puzzling, type_names};
use super::number::equal;
use super::piece::{Fact, Piece};

/// The one value a schema allows, where it says so itself.
fn constant(schema: &Value) -> Option<&Value> {
    if schema.as_object().is_none_or(is_puzzling) {
        return None;
    }
    schema.get("const").or_else(|| match schema.get("enum")?.as_array()?.as_slice() {
        [only] => Some(only),
        _ => None,
    })
}

/// The tags of an alternative.
pub(super) fn tags<'a>(piece: &Piece<'a>) -> Vec<(&'a str, &'a Value)> {
    let value = |fact: Fact<'a>| match fact {
        Fact::Is(place) => constant(place.value),
        Fact::Equals(value) => Some(value),
        Fact::Not(_) | Fact::Kind(_) => None,
    };
    let tag = |name: &'a str| piece.field(name).into_iter().find_map(value).map(|value| (name, value));
    piece.required().into_iter().filter_map(tag).collect()
}

/// Whether two alternatives are tagged alike.
pub(super) fn share_a_tag(one: &Piece<'_>, two: &Piece<'_>) -> bool {
    let theirs = tags(two);
    let mut shared = false;
    for (name, value) in tags(one) {
        if let Some((_, other)) = theirs.iter().find(|(own, _)| *own == name) {
            if equal(value, other) != Some(true) {
                return false;
            }
            shared = true;
        }
    }
    shared
}

/// Whether it is seen at a glance that the schema allows nothing of the piece.
pub(super) fn is_contrary(piece: &Piece<'_>, schema: Place<'_>) -> bool {
    let schema = schema.target().unwrap_or(schema);
    let Some(map) = schema.value.as_object().filter(|map| !is_puzzling(map)) else { return false };
    let other_kind = |types: &Value| {
        let whole = piece.kind == Kind::Number && type_names(types, "integer");
        !whole && !type_names(types, piece.kind.name())
    };
    if map.get("type").is_some_and(other_kind) {
        return true;
    }
    let mut tagged =
        entries(map, "properties").filter_map(|(name, one)| constant(one).map(|one| (name, one)));
    tagged.any(|(name, expected)| {
        let differs = |fields: &Value| {
            fields.get(name).and_then(constant).is_some_and(|own| equal(own, expected) == Some(false))
        };
        piece.kind == Kind::Object
            && piece.requires(name)
            && piece.each("properties").any(|(_, fields)| differs(fields))
    })
}
