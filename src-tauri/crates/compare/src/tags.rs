//! Tags: fields with one fixed value, which distinguish the alternatives of a union.
//!
//! They give a quick check that a piece and a schema have nothing in common. ChangeKind it misses may
//! still be proven elsewhere.

use serde_json::Value;

use crate::document::Place;
use crate::keyword::{Kind, entries, is_uncertain, type_names};
use crate::number::equal;
use crate::piece::{Fact, Piece};

/// Returns the only value that a schema allows, if it states it directly.
fn constant(schema: &Value) -> Option<&Value> {
    if schema.as_object().is_none_or(is_uncertain) {
        return None;
    }
    schema.get("const").or_else(|| match schema.get("enum")?.as_array()?.as_slice() {
        [only] => Some(only),
        _ => None,
    })
}

/// Returns the tags of an alternative.
pub(crate) fn tags<'a>(piece: &Piece<'a>) -> Vec<(&'a str, &'a Value)> {
    let value = |fact: Fact<'a>| match fact {
        Fact::Is(place) => constant(place.value),
        Fact::Equals(value) => Some(value),
        Fact::Not(_) | Fact::Kind(_) => None,
    };
    let tag = |name: &'a str| piece.field(name).into_iter().find_map(value).map(|value| (name, value));
    piece.required().into_iter().filter_map(tag).collect()
}

/// Returns whether the schema obviously accepts nothing in the piece.
pub(crate) fn is_clearly_disjoint(piece: &Piece<'_>, schema: Place<'_>) -> bool {
    let schema = schema.target().unwrap_or(schema);
    let Some(map) = schema.value.as_object().filter(|map| !is_uncertain(map)) else { return false };
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
