//! The form in which a client gets the values of a tool.
//!
//! In the session era `structuredContent` must be an object, so other values are wrapped in a field `result`.
//! Clients of 2026-07-28 get every value as it is.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::effective::Effective;

/// Limit of references followed in a row.
const MAX_REFERENCES: usize = 16;
/// Limit of schemas read to find out whether one describes objects: nested alternatives grow exponentially.
const MAX_SCHEMAS: usize = 1_000;

/// The form of a tool's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Objects as they are; other values, which the schema does not allow, in `result`.
    Object,
    /// All values in `result`.
    Result,
    /// All values as they are.
    Bare,
}

impl Form {
    /// The form for a tool and a client. Without a schema, values are objects.
    pub(super) fn of(effective: &Effective, modern: bool) -> Self {
        match effective.schema() {
            None => Self::Object,
            Some(schema) if is_about_objects(&schema.schema) => Self::Object,
            Some(_) if modern => Self::Bare,
            Some(_) => Self::Result,
        }
    }

    /// Returns a value in this form.
    pub(super) fn present(self, json: &str) -> Cow<'_, str> {
        match self {
            Self::Bare => json.into(),
            Self::Object if is_object(json) => json.into(),
            Self::Object | Self::Result => in_result(json).into(),
        }
    }
}

/// `{"result": …}`
pub(super) fn in_result(json: &str) -> String {
    format!("{{\"result\":{json}}}")
}

pub(super) fn is_object(json: &str) -> bool {
    json.trim_ascii_start().starts_with('{')
}

/// Whether a schema describes only objects. A schema without a type that describes fields counts as well, because
/// that is what its author meant.
pub(super) fn is_about_objects(schema: &Value) -> bool {
    let mut left = MAX_SCHEMAS;
    about_objects(schema, schema, MAX_REFERENCES, &mut left)
}

fn about_objects(schema: &Value, root: &Value, steps: usize, left: &mut usize) -> bool {
    let (Some(map), Some(steps)) = (schema.as_object(), steps.checked_sub(1)) else { return false };
    let Some(fewer) = left.checked_sub(1) else { return false };
    *left = fewer;
    if let Some(kind) = map.get("type") {
        return kind == "object" || kind.as_array().is_some_and(|kinds| kinds == &["object"]);
    }
    if let Some(value) = map.get("const") {
        return value.is_object();
    }
    if let Some(values) = map.get("enum").and_then(Value::as_array) {
        return values.iter().all(Value::is_object) && !values.is_empty();
    }
    let list = |key| map.get(key).and_then(Value::as_array).filter(|list| !list.is_empty());
    let mut is = |one: &Value| about_objects(one, root, steps, left);
    target(map, root).is_some_and(&mut is)
        || list("allOf").is_some_and(|all| all.iter().any(&mut is))
        || ["anyOf", "oneOf"].iter().any(|key| list(key).is_some_and(|all| all.iter().all(&mut is)))
        || ["properties", "required", "additionalProperties"].iter().any(|key| map.contains_key(*key))
}

/// The schema that a `$ref` with a JSON pointer points to.
fn target<'a>(map: &Map<String, Value>, root: &'a Value) -> Option<&'a Value> {
    root.pointer(map.get("$ref")?.as_str()?.strip_prefix('#')?)
}

/// The type of a field's values, if it is a single one.
pub(super) fn field_type<'a>(schema: &'a Value, name: &str) -> Option<&'a str> {
    let field = followed(schema, schema).get("properties")?.get(name)?;
    followed(field, schema).get("type")?.as_str()
}

/// The field that a schema requires, if it requires exactly one.
pub(super) fn sole_required(schema: &Value) -> Option<&str> {
    match followed(schema, schema).get("required")?.as_array()?.as_slice() {
        [only] => only.as_str(),
        _ => None,
    }
}

/// The fields whose values have this type.
pub(super) fn fields_of_type<'a>(schema: &'a Value, kind: &str) -> Vec<&'a str> {
    let fields = followed(schema, schema).get("properties").and_then(Value::as_object);
    let names = fields.into_iter().flat_map(Map::keys).map(String::as_str);
    names.filter(|name| field_type(schema, name) == Some(kind)).collect()
}

fn followed<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let mut at = schema;
    for _ in 0..MAX_REFERENCES {
        match at.as_object().and_then(|map| target(map, root)) {
            Some(next) => at = next,
            None => break,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn is_about_objects_follows_references_and_alternatives() {
        for schema in [
            json!({"type": "object"}),
            json!({"type": ["object"]}),
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}}),
            json!({"oneOf": [{"type": "object"}, {"properties": {"a": {}}}]}),
            json!({"allOf": [{"minProperties": 1}, {"required": ["a"]}]}),
            json!({"enum": [{}]}),
        ] {
            assert!(is_about_objects(&schema), "{schema}");
        }
        for schema in [
            json!(true),
            json!({}),
            json!({"type": "array"}),
            json!({"type": ["object", "null"]}),
            json!({"anyOf": [{"type": "object"}, {"type": "string"}]}),
            json!({"$ref": "#"}),
            json!({"enum": [{}, 1]}),
            json!({"type": "string", "properties": {}}),
            json!({"allOf": vec![json!({"$ref": "#"}); 100]}),
        ] {
            assert!(!is_about_objects(&schema), "{schema}");
        }
    }

    #[test]
    fn present_wraps_values_as_the_form_says() {
        for (form, value, shown) in [
            (Form::Object, r#"{"a":1.0}"#, r#"{"a":1.0}"#),
            (Form::Object, "[1.0]", r#"{"result":[1.0]}"#),
            (Form::Result, r#"{"a":1.0}"#, r#"{"result":{"a":1.0}}"#),
            (Form::Bare, "1.0", "1.0"),
        ] {
            assert_eq!(form.present(value), shown);
        }
    }
}
