//! No schema nests deeper than JSON readers take.
//!
//! Unions and alternatives add levels to those of the documents, so a bound on documents is none on schemas.
//! Owns: the bound, and what gives way to it. Refuses to know: counts.

use serde_json::{Map, Value};

use crate::MAX_DEPTH;
use crate::node::Node;

/// Records nested as deep as is looked into just fit; readers take 128, and schemas travel within messages.
const LEVELS: usize = 2 * MAX_DEPTH + 2;

/// Levels a schema has at most for each of the documents' levels.
const PER_LEVEL: usize = 6;

/// Replaces what lies too deep by the schema that accepts everything, where documents have so many levels.
pub(super) fn bound(schema: &mut Map<String, Value>, deepest: usize) {
    if may_exceed(deepest) {
        within(schema, LEVELS);
    }
}

/// Whether a schema of documents with so many levels may need to give way.
pub(super) fn may_exceed(deepest: usize) -> bool {
    (deepest + 1) * PER_LEVEL > LEVELS
}

/// Levels of the deepest of some nodes.
pub(super) fn deepest<'n>(nodes: impl Iterator<Item = &'n Node>) -> usize {
    nodes.map(|node| usize::from(node.rank.depth)).max().unwrap_or_default()
}

fn within(schema: &mut Map<String, Value>, room: usize) {
    let has = |keyword: &str| schema.contains_key(keyword);
    let needs = if has("oneOf") {
        // Alternatives are told apart by their tags, so these must fit as well.
        6
    } else if has("properties") || has("anyOf") || has("prefixItems") {
        3
    } else {
        2
    };
    if room < needs {
        schema.clear();
        return;
    }
    for (keyword, value) in schema.iter_mut() {
        match (keyword.as_str(), value) {
            ("properties", Value::Object(fields)) => within_each(fields.values_mut(), room - 2),
            ("anyOf" | "oneOf" | "prefixItems", Value::Array(all)) => within_each(all.iter_mut(), room - 2),
            ("items" | "additionalProperties", Value::Object(inner)) => within(inner, room - 1),
            _ => {}
        }
    }
}

fn within_each<'v>(schemas: impl Iterator<Item = &'v mut Value>, room: usize) {
    schemas.filter_map(Value::as_object_mut).for_each(|schema| within(schema, room));
}
