//! Keywords: which are understood, and whether their values are well formed.

use serde_json::{Map, Value};

use crate::number::{Num, count};

/// How well a keyword is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Understanding {
    /// It does not affect which values are allowed.
    Annotation,
    /// Its meaning is known, and its value is well formed.
    Understood,
    /// No draft defines it: validators ignore it, but it may mean something to its authors.
    Unknown,
    /// Its value is malformed, or it changes the meaning of its neighbours, so nothing in the
    /// schema is certain.
    Uncertain,
}

/// Returns how well this keyword with this value is understood.
pub(crate) fn understanding(key: &str, value: &Value) -> Understanding {
    let well_formed = match key {
        "$schema" | "$id" | "id" | "$anchor" | "$dynamicAnchor" | "$comment" | "$defs" | "$vocabulary"
        | "definitions" | "title" | "description" | "default" | "examples" | "example" | "deprecated"
        | "readOnly" | "writeOnly" | "contentEncoding" | "contentMediaType" | "contentSchema" => {
            return Understanding::Annotation;
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
        _ if key.starts_with("x-") => return Understanding::Annotation,
        _ => return Understanding::Unknown,
    };
    if well_formed { Understanding::Understood } else { Understanding::Uncertain }
}

/// Returns whether a keyword in this schema makes all of it uncertain.
pub(crate) fn is_uncertain(schema: &Map<String, Value>) -> bool {
    schema.iter().any(|(key, value)| understanding(key, value) == Understanding::Uncertain)
}

/// Returns whether a value is allowed where a schema is expected.
pub(crate) fn is_schema(value: &Value) -> bool {
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

/// Kinds of values that keywords distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    /// `null`.
    Null,
    /// `true` and `false`.
    Boolean,
    /// Any number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Kind {
    /// All kinds.
    pub(crate) const ALL: [Self; 6] =
        [Self::Null, Self::Boolean, Self::Number, Self::String, Self::Array, Self::Object];

    /// Returns the kind of a value.
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }

    /// Returns the name used by the keyword `type`.
    pub(crate) fn name(self) -> &'static str {
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

/// Returns whether a well-formed `type` contains this name.
pub(crate) fn type_names(value: &Value, name: &str) -> bool {
    match value {
        Value::String(one) => one == name,
        Value::Array(many) => many.iter().any(|one| one == name),
        _ => false,
    }
}

/// Returns the entries of an array keyword; empty if it is absent.
pub(crate) fn list<'a>(schema: &'a Map<String, Value>, key: &str) -> &'a [Value] {
    schema.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the entries of an object keyword; empty if it is absent.
pub(crate) fn entries<'a>(
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

/// Returns the names in an array keyword.
pub(crate) fn names<'a>(schema: &'a Map<String, Value>, key: &str) -> impl Iterator<Item = &'a str> {
    list(schema, key).iter().filter_map(Value::as_str)
}

/// Returns the schema of the fields that no other keyword covers, if there is one.
///
/// `unevaluatedProperties` equals `additionalProperties` where no neighbour evaluates fields.
pub(crate) fn additional(schema: &Map<String, Value>) -> Option<&Value> {
    schema
        .get("additionalProperties")
        .or_else(|| schema.get("unevaluatedProperties").filter(|_| !evaluates_elsewhere(schema)))
}

/// Returns the schema of the items after the tuple, if there is one.
pub(crate) fn further(schema: &Map<String, Value>) -> Option<&Value> {
    schema.get("items").or_else(|| {
        schema
            .get("unevaluatedItems")
            .filter(|_| !evaluates_elsewhere(schema) && !schema.contains_key("contains"))
    })
}

/// Returns whether an `unevaluated…` keyword depends on more than [`additional`] and [`further`]
/// cover.
pub(crate) fn is_entangled(schema: &Map<String, Value>) -> bool {
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
