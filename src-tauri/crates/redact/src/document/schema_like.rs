//! JSON Schemas inside of data: the schema of a field named `password` contains no password, except in the keywords that
//! list values.

use schemascope_json::{Members, container_end};

/// Longest text that is examined.
const MAX_BYTES: usize = 64 << 10;

/// Keywords whose values are values of the field.
const VALUES: &[&str] = &["const", "default", "enum", "example", "examples"];

/// All other keywords of an object that is a schema.
const KEYWORDS: &[&str] = &[
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicRef",
    "$id",
    "$ref",
    "$schema",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "definitions",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "description",
    "discriminator",
    "else",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "nullable",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "readOnly",
    "required",
    "then",
    "title",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "writeOnly",
];

const TYPES: &[&str] = &["array", "boolean", "integer", "null", "number", "object", "string"];

/// Whether a keyword of a schema contains values of the field.
pub(super) fn has_values(keyword: &str) -> bool {
    VALUES.contains(&keyword)
}

/// Whether a keyword contains values of the field that are not part of what is allowed there.
pub(super) fn has_examples(keyword: &str) -> bool {
    matches!(keyword, "default" | "example" | "examples")
}

/// Whether the object that a text begins with is a schema: it has keywords only, and one of them says what it describes.
pub(super) fn is_schema(json: &str) -> bool {
    let bytes = &json.as_bytes()[..json.len().min(MAX_BYTES)];
    let object = container_end(bytes, 0).and_then(|end| Members::of(&bytes[..end]));
    let Some(object) = object else { return false };
    let mut describes = false;
    for (key, value) in object.except(&[]) {
        match key.trim_matches('"') {
            "type" if !is_type(value) => return false,
            "type" => describes = true,
            "$ref" => describes |= value.starts_with("\"#"),
            "allOf" | "anyOf" | "oneOf" => describes |= value.starts_with('['),
            "properties" => describes |= value.starts_with('{'),
            key if has_values(key) || KEYWORDS.contains(&key) => {}
            _ => return false,
        }
    }
    describes
}

fn is_type(value: &str) -> bool {
    let types = value.strip_prefix('[').and_then(|list| list.strip_suffix(']')).unwrap_or(value);
    types.split(',').all(|one| TYPES.contains(&one.trim().trim_matches('"')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_schema_needs_keywords_and_a_description() {
        for (json, expected) in [
            (r#"{"type": "string", "minLength": 8} trailing"#, true),
            (r#"{"type": ["string", "null"], "description": "d", "default": "x"}"#, true),
            (r##"{"$ref": "#/$defs/secret"}"##, true),
            (r#"{"anyOf": [{"type": "string"}, {"type": "null"}]}"#, true),
            (r#"{"type": "hunter2"}"#, false),
            (r#"{"type": "string", "value": "hunter2"}"#, false),
            (r#"{"title": "hunter2"}"#, false),
            (r#"{"$ref": "hunter2"}"#, false),
            ("{}", false),
            (r#"{"type": "string""#, false),
        ] {
            assert_eq!(is_schema(json), expected, "{json}");
        }
    }
}
