//! Schemas without values, for sharing: they describe the structure only.
//!
//! The result accepts everything that the schema accepts: keywords that may quote a value are left
//! out if that only loosens the schema, and `oneOf` becomes `anyOf`.

use serde_json::{Map, Value, json};

use crate::keys::looks_like_data;
use crate::veil::is_pseudonym;

/// Returns a schema without `enum`, `const`, ranges, patterns, examples, and fields whose names are
/// data. It accepts everything that the schema accepts. Recursion is bounded by the depth that
/// serde_json reads.
pub fn schema_without_values(schema: &Value) -> Value {
    let Value::Object(schema) = schema else { return Value::Bool(*schema != Value::Bool(false)) };
    let mut kept = Map::new();
    let mut opened = schema.contains_key("patternProperties");
    for (keyword, value) in schema {
        let value = match keyword.as_str() {
            "$schema" | "type" | "format" | "title" | "description" | "minItems" | "maxItems" => {
                value.clone()
            }
            "properties" => {
                let fields = value.as_object().into_iter().flatten();
                let named: Map<String, Value> = fields
                    .filter(|(name, _)| is_public(name))
                    .map(|(name, field)| (name.clone(), schema_without_values(field)))
                    .collect();
                opened |= value.as_object().is_some_and(|all| all.len() > named.len());
                Value::Object(named)
            }
            "required" => {
                let names = value.as_array().into_iter().flatten();
                let kept: Vec<Value> =
                    names.filter(|name| name.as_str().is_some_and(is_public)).cloned().collect();
                if kept.is_empty() {
                    continue;
                }
                kept.into()
            }
            "$defs" => each(value),
            // Before 2020, those of a tuple.
            "items" if value.is_array() => list(value),
            "items" | "additionalProperties" => schema_without_values(value),
            "prefixItems" | "allOf" | "anyOf" => list(value),
            // Handled below, because it becomes `anyOf`.
            "oneOf" => continue,
            "$ref" if value.as_str().is_some_and(is_near) => value.clone(),
            _ => continue,
        };
        kept.insert(keyword.clone(), value);
    }
    if opened {
        kept.remove("additionalProperties");
    }
    if !kept.contains_key("type") {
        let values = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
        let kinds = kinds(values.chain(schema.get("const")));
        kept.extend(kinds.map(|kinds| ("type".to_owned(), kinds)));
    }
    if let Some(one_of) = schema.get("oneOf") {
        alternatives(&mut kept, list(one_of));
    }
    Value::Object(kept)
}

/// Adds alternatives, which may overlap now: each once, and in an order that reveals nothing.
fn alternatives(kept: &mut Map<String, Value>, alternatives: Value) {
    let mut any_of = match alternatives {
        Value::Array(any_of) => any_of,
        _ => return,
    };
    any_of.sort_by_cached_key(Value::to_string);
    any_of.dedup();
    if kept.contains_key("anyOf") {
        let all_of = kept.entry("allOf").or_insert_with(|| json!([]));
        if let Value::Array(all_of) = all_of {
            all_of.push(json!({"anyOf": any_of}));
        }
        return;
    }
    kept.insert("anyOf".to_owned(), any_of.into());
}

fn is_public(name: &str) -> bool {
    !looks_like_data(name) && !is_pseudonym(name)
}

fn is_near(reference: &str) -> bool {
    reference == "#" || reference.strip_prefix("#/$defs/").is_some_and(|name| !name.contains('/'))
}

fn list(schemas: &Value) -> Value {
    schemas.as_array().into_iter().flatten().map(schema_without_values).collect()
}

fn each(schemas: &Value) -> Value {
    let named = schemas.as_object().into_iter().flatten();
    Value::Object(named.map(|(name, schema)| (name.clone(), schema_without_values(schema))).collect())
}

/// Returns the types of these values, or `None` if there are none.
fn kinds<'v>(values: impl Iterator<Item = &'v Value>) -> Option<Value> {
    let kind = |value: &Value| match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let mut kinds: Vec<&str> = values.map(kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    match kinds.as_slice() {
        [] => None,
        [only] => Some((*only).into()),
        _ => Some(kinds.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_structure_is_kept() {
        let schema = json!({
            "type": "object",
            "properties": {
                "state": {"type": "string", "enum": ["open", "shut"]},
                "level": {"const": 7},
                "pair": {"items": [{"enum": ["secret"]}, true]},
                "odd": {"items": "secret"},
                "size": {"type": "integer", "minimum": 4, "maximum": 9},
                "user@example.org": {"type": "string"},
                "when": {"type": "string", "format": "date-time"},
                "shape": {"type": "object", "oneOf": [
                    {"properties": {"kind": {"const": "square"}, "side": {"type": "number"}}, "required": ["kind"]},
                    {"properties": {"kind": {"const": "circle"}}, "required": ["kind"]}]},
            },
            "required": ["state", "user@example.org"],
            "additionalProperties": false,
        });
        assert_eq!(
            schema_without_values(&schema),
            json!({
                "type": "object",
                "properties": {
                    "state": {"type": "string"},
                    "level": {"type": "integer"},
                    "pair": {"items": [{"type": "string"}, true]},
                    "odd": {"items": true},
                    "size": {"type": "integer"},
                    "when": {"type": "string", "format": "date-time"},
                    "shape": {"type": "object", "anyOf": [
                        {"properties": {"kind": {"type": "string"}, "side": {"type": "number"}}, "required": ["kind"]},
                        {"properties": {"kind": {"type": "string"}}, "required": ["kind"]}]},
                },
                "required": ["state"],
            })
        );
    }
}
