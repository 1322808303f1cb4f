//! Limit on the nesting of schemas to what JSON readers accept.
//!
//! Unions and alternatives add levels to those of the documents, so the limit on documents does not
//! limit schemas.

use serde_json::{Map, Value};

use crate::MAX_DEPTH;
use crate::node::Node;

/// Records nested as deep as shapes look just fit. Readers accept 128 levels, and schemas are sent
/// inside messages.
const LEVELS: usize = 2 * MAX_DEPTH + 2;

/// Most levels of a schema for each level of the documents.
const PER_LEVEL: usize = 6;

/// Replaces everything that is nested too deep by the schema that accepts everything.
pub(super) fn bound(schema: &mut Map<String, Value>, deepest: usize) {
    if may_exceed(deepest) {
        within(schema, LEVELS);
    }
}

/// Returns whether a schema for documents with this many levels may exceed the limit.
pub(super) fn may_exceed(deepest: usize) -> bool {
    (deepest + 1) * PER_LEVEL > LEVELS
}

/// Returns the depth of the deepest node.
pub(super) fn deepest<'n>(nodes: impl Iterator<Item = &'n Node>) -> usize {
    nodes.map(|node| usize::from(node.rank.depth)).max().unwrap_or_default()
}

fn within(schema: &mut Map<String, Value>, room: usize) {
    let has = |keyword: &str| schema.contains_key(keyword);
    let needs = if has("oneOf") {
        // Alternatives are distinguished by their tags, so these must fit as well.
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
