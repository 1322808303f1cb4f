//! Which keywords are understood, and whether their values are what they must be.
//!
//! Owns: the vocabulary. Refuses to know: what keywords mean together.

use serde_json::{Map, Value};

use super::number::{Num, count};

/// What is known of a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It says nothing about which values are allowed.
    Silent,
    /// Its meaning is known, and its value is well formed.
    Understood,
    /// A word no draft has: it is nothing to validators, but may be something to people.
    Unknown,
    /// Its value is malformed, or it changes what its neighbours mean: nothing beside it is certain.
    Puzzling,
}

/// What is known of this keyword with this value.
pub(super) fn standing(key: &str, value: &Value) -> Standing {
    let well_formed = match key {
        "$schema" | "$id" | "id" | "$anchor" | "$dynamicAnchor" | "$comment" | "$defs" | "$vocabulary"
        | "definitions" | "title" | "description" | "default" | "examples" | "example" | "deprecated"
        | "readOnly" | "writeOnly" | "contentEncoding" | "contentMediaType" | "contentSchema" => {
            return Standing::Silent;
        }
        "const" => true,
        "type" => is_type(value),
        "enum" | "prefixItems" => value.is_array(),
        "allOf" | "anyOf" | "oneOf" => value.as_array().is_some_and(|list| !list.is_empty()),
        "not"
        | "if"
        | "then"
        | "else"
        | "items"
        | "contains"
        | "additionalProperties"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties" => is_schema(value),
        "properties" | "patternProperties" | "dependentSchemas" => value.is_object(),
        "required" => is_names(value),
        "dependentRequired" => value.as_object().is_some_and(|map| map.values().all(is_names)),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
        | "minContains" | "maxContains" => count(value).is_some(),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => value.is_number(),
        "multipleOf" => match Num::from_value(value) {
            Some(Num::Whole(whole)) => whole > 0,
            Some(Num::Real(real)) => real > 0.0,
            None => false,
        },
        "uniqueItems" => value.is_boolean(),
        "pattern" | "format" | "$ref" => value.is_string(),
        "$dynamicRef" | "$recursiveRef" | "$recursiveAnchor" | "additionalItems" | "dependencies" => false,
        "nullable" => value == &Value::Bool(false),
        _ if key.starts_with("x-") => return Standing::Silent,
        _ => return Standing::Unknown,
    };
    if well_formed { Standing::Understood } else { Standing::Puzzling }
}

/// Whether this schema holds a keyword after which nothing in it is certain.
pub(super) fn is_puzzling(schema: &Map<String, Value>) -> bool {
    schema.iter().any(|(key, value)| standing(key, value) == Standing::Puzzling)
}

/// Whether a value may stand where a schema is expected.
pub(super) fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

fn is_names(value: &Value) -> bool {
    value.as_array().is_some_and(|names| names.iter().all(Value::is_string))
}

fn is_type(value: &Value) -> bool {
    match value {
        Value::String(name) => is_type_name(name),
        Value::Array(names) => {
            !names.is_empty() && names.iter().all(|name| name.as_str().is_some_and(is_type_name))
        }
        _ => false,
    }
}

fn is_type_name(name: &str) -> bool {
    matches!(name, "null" | "boolean" | "number" | "integer" | "string" | "array" | "object")
}

/// The kinds of values that keywords tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    /// `null`.
    Null,
    /// `true` and `false`.
    Boolean,
    /// Every number.
    Number,
    /// Text.
    String,
    /// Lists.
    Array,
    /// Fields and values.
    Object,
}

impl Kind {
    /// All of them.
    pub(super) const ALL: [Self; 6] =
        [Self::Null, Self::Boolean, Self::Number, Self::String, Self::Array, Self::Object];

    /// The kind of a value.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }

    /// Its name as `type` has it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

/// Whether a well-formed `type` names this type.
pub(super) fn type_names(value: &Value, name: &str) -> bool {
    match value {
        Value::String(one) => one == name,
        Value::Array(many) => many.iter().any(|one| one == name),
        _ => false,
    }
}

/// The entries of an array keyword; none when it is absent.
pub(super) fn list<'a>(schema: &'a Map<String, Value>, key: &str) -> &'a [Value] {
    schema.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The entries of an object keyword; none when it is absent.
pub(super) fn entries<'a>(
    schema: &'a Map<String, Value>,
    key: &str,
) -> impl Iterator<Item = (&'a str, &'a Value)> {
    schema
        .get(key)
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.as_str(), value))
}

/// The names an array keyword lists.
pub(super) fn names<'a>(schema: &'a Map<String, Value>, key: &str) -> impl Iterator<Item = &'a str> {
    list(schema, key).iter().filter_map(Value::as_str)
}

/// What holds of the fields no other keyword speaks of; none when nothing is said.
///
/// `unevaluatedProperties` says the same as `additionalProperties` where no neighbour evaluates fields.
pub(super) fn additional(schema: &Map<String, Value>) -> Option<&Value> {
    schema
        .get("additionalProperties")
        .or_else(|| schema.get("unevaluatedProperties").filter(|_| !evaluates_elsewhere(schema)))
}

/// What holds of the items after the tuple; none when nothing is said.
pub(super) fn further(schema: &Map<String, Value>) -> Option<&Value> {
    schema.get("items").or_else(|| {
        schema
            .get("unevaluatedItems")
            .filter(|_| !evaluates_elsewhere(schema) && !schema.contains_key("contains"))
    })
}

/// Whether an `unevaluated` keyword here depends on more than [`additional`] and [`further`] tell.
pub(super) fn is_entangled(schema: &Map<String, Value>) -> bool {
    let fields = schema.contains_key("unevaluatedProperties") && !schema.contains_key("additionalProperties");
    let items = schema.contains_key("unevaluatedItems") && !schema.contains_key("items");
    (fields && evaluates_elsewhere(schema))
        || (items && (evaluates_elsewhere(schema) || schema.contains_key("contains")))
}

fn evaluates_elsewhere(schema: &Map<String, Value>) -> bool {
    ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "$ref", "dependentSchemas"]
        .iter()
        .any(|key| schema.contains_key(*key))
}
