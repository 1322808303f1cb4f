//! Conformance of check_stored documents, which are redacted.
//!
//! A marker stands for an unknown value of its type, so it can break a rule about types and no
//! other rule. A violation names places and names of the schema, never values.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use schemascope_model::{Marker, Redacted, Violation};
use serde_json::{Map, Value};

use crate::Judge;

/// Most errors examined in one document to find those that no marker explains.
const MAX_ERRORS: usize = 1_000;
/// Most violations listed of one document.
const MAX_VIOLATIONS: usize = 32;
/// Longest name in a violation.
const MAX_NAME: usize = 60;

/// Conformance of a check_stored document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conformance {
    /// The document fits, as far as its markers show.
    Fits,
    /// The document does not fit; each rule that it violates at a place of the schema once, the first one first.
    Violates(Vec<Violation>),
    /// The schema cannot be used, the document cannot be read, or validation would take too long.
    Unknown,
}

impl Judge {
    /// Checks a check_stored document.
    pub fn check_stored(&self, json: &str) -> Conformance {
        let Some((validator, mut document)) = self.prepare(json) else { return Conformance::Unknown };
        let mut hidden = Hidden::default();
        if json.contains(MARKER) {
            hidden.reveal(&mut document, &mut String::new());
        }
        if validator.is_valid(&document) {
            return Conformance::Fits;
        }
        let errors = validator.iter_errors(&document).take(MAX_ERRORS);
        let mut violations: Vec<Violation> = Vec::new();
        for error in errors.filter(|error| !hidden.excuse(error)) {
            let violation = violation_at(&error);
            if !violations.contains(&violation) {
                violations.push(violation);
            }
            if violations.len() == MAX_VIOLATIONS {
                break;
            }
        }
        if violations.is_empty() { Conformance::Fits } else { Conformance::Violates(violations) }
    }
}

/// Beginning of every marker.
const MARKER: &str = "⟦redacted ";

/// Places of markers, as JSON pointers.
#[derive(Default)]
struct Hidden(Vec<String>);

impl Hidden {
    /// Replaces each marker by a value of its type. Recursion is bounded by the depth that
    /// serde_json reads.
    fn reveal(&mut self, value: &mut Value, path: &mut String) {
        let length = path.len();
        match value {
            Value::String(text) => {
                let Ok(Marker(redacted)) = text.parse() else { return };
                *value = match redacted {
                    // The marker of a string stays, because no other text would be more accurate.
                    Redacted::String(_) => return self.0.push(path.clone()),
                    Redacted::Integer => 0.into(),
                    Redacted::Number => 0.5.into(),
                };
                self.0.push(path.clone());
            }
            Value::Array(items) => {
                for (at, item) in items.iter_mut().enumerate() {
                    path.push_str(&format!("/{at}"));
                    self.reveal(item, path);
                    path.truncate(length);
                }
            }
            Value::Object(fields) => self.reveal_fields(fields, path),
            _ => {}
        }
    }

    fn reveal_fields(&mut self, fields: &mut Map<String, Value>, path: &mut String) {
        let length = path.len();
        for (name, field) in fields {
            path.push('/');
            path.push_str(&name.replace('~', "~0").replace('/', "~1"));
            self.reveal(field, path);
            path.truncate(length);
        }
    }

    /// Returns whether the error may be due to a marker.
    fn excuse(&self, error: &ValidationError<'_>) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let at = error.instance_path().as_str();
        let within = |place: &String| {
            place.strip_prefix(at).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        match error.kind() {
            ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
                context.iter().any(|branch| branch.iter().all(|error| self.excuse(error)))
            }
            // A marker keeps the type of its value and the presence of the field.
            ValidationErrorKind::Type { .. }
            | ValidationErrorKind::Required { .. }
            | ValidationErrorKind::AdditionalProperties { .. }
            | ValidationErrorKind::AdditionalItems { .. }
            | ValidationErrorKind::MinItems { .. }
            | ValidationErrorKind::MaxItems { .. }
            | ValidationErrorKind::MinProperties { .. }
            | ValidationErrorKind::MaxProperties { .. }
            | ValidationErrorKind::PropertyNames { .. }
            | ValidationErrorKind::FalseSchema => false,
            _ => self.0.iter().any(within),
        }
    }
}

/// Converts an error to its place and rule, in the notation of schemas.
fn violation_at(error: &ValidationError<'_>) -> Violation {
    let mut path = String::new();
    let mut segments = error.schema_path().as_str().split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        match segment {
            "properties" if segments.peek().is_some() => {
                let name = segments.next().unwrap_or_default().replace("~1", "/").replace("~0", "~");
                push(&mut path, &name);
            }
            "items" | "prefixItems" if segments.peek().is_some() => path.push_str("[]"),
            "additionalProperties" | "patternProperties" if segments.peek().is_some() => path.push_str("{}"),
            _ => {}
        }
    }
    match error.kind() {
        ValidationErrorKind::Required { property: Value::String(name) } => push(&mut path, name),
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            if let Some(name) = unexpected.first().filter(|name| is_name(name)) {
                push(&mut path, name);
            }
        }
        _ => {}
    }
    Violation { path, rule: error.kind().keyword().to_owned() }
}

fn push(path: &mut String, name: &str) {
    let short: String = name.chars().take(MAX_NAME).collect();
    if is_name(&short) {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(&short);
    } else {
        path.push_str(&format!("[{}]", Value::from(short)));
    }
}

/// Returns whether the text looks like a name in a program. Other texts in the place of a name may
/// be data.
fn is_name(name: &str) -> bool {
    let ordinary = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$');
    !name.is_empty()
        && name.chars().count() <= MAX_NAME
        && name.chars().all(ordinary)
        && !name.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn violation(schema: &Value, document: &Value) -> Option<(String, String)> {
        match Judge::new(schema).check_stored(&document.to_string()) {
            Conformance::Fits => None,
            Conformance::Violates(found) => found.into_iter().next().map(|one| (one.path, one.rule)),
            Conformance::Unknown => panic!("{schema} cannot be used"),
        }
    }

    fn some(path: &str, rule: &str) -> Option<(String, String)> {
        Some((path.to_owned(), rule.to_owned()))
    }

    #[test]
    fn violations_name_places_of_the_schema() {
        let schema = json!({"type": "object", "required": ["a"], "additionalProperties": false, "properties": {
            "a": {"type": "array", "items": {"type": "object", "properties": {"b/c": {"type": "integer"}}}},
            "m": {"type": "object", "additionalProperties": {"enum": [1]}},
        }});
        assert_eq!(violation(&schema, &json!({"a": []})), None);
        assert_eq!(violation(&schema, &json!({})), some("a", "required"));
        assert_eq!(violation(&schema, &json!({"a": [{}, {"b/c": "x"}]})), some("a[][\"b/c\"]", "type"));
        assert_eq!(violation(&schema, &json!({"a": [], "m": {"joe@x.org": 2}})), some("m{}", "enum"));
        assert_eq!(violation(&schema, &json!({"a": [], "new": 2})), some("new", "additionalProperties"));
        assert_eq!(violation(&schema, &json!({"a": [], "joe@x.org": 2})), some("", "additionalProperties"));
    }

    #[test]
    fn each_violated_rule_is_listed_once() {
        let schema = json!({"properties": {"id": {"type": "integer"}, "name": {"type": "string"},
            "tags": {"items": {"type": "string"}}}});
        let document = json!({"id": "x", "name": null, "tags": [1, 2, 3]});
        let Conformance::Violates(found) = Judge::new(&schema).check_stored(&document.to_string()) else {
            panic!("it fits");
        };
        let mut paths: Vec<&str> = found.iter().map(|one| one.path.as_str()).collect();
        paths.sort_unstable();
        assert_eq!(paths, ["id", "name", "tags[]"]);
    }

    #[test]
    fn markers_match_any_value_of_their_type() {
        let text = json!("⟦redacted string 7⟧");
        let (integer, number) = (json!("⟦redacted integer⟧"), json!("⟦redacted number⟧"));
        for schema in [
            json!({"enum": ["a"]}),
            json!({"format": "date"}),
            json!({"pattern": "^x"}),
            json!({"maxLength": 2}),
        ] {
            assert_eq!(violation(&schema, &text), None, "{schema}");
        }
        assert_eq!(violation(&json!({"type": "integer", "minimum": 5}), &integer), None);
        assert_eq!(violation(&json!({"type": "integer"}), &number), some("", "type"));
        assert_eq!(violation(&json!({"type": "integer"}), &text), some("", "type"));
        let union =
            json!({"anyOf": [{"type": "object", "properties": {"k": {"const": "a"}}}, {"type": "null"}]});
        assert_eq!(violation(&union, &json!({"k": text})), None);
        assert_eq!(violation(&union, &json!({"k": "b"})), some("", "anyOf"));
        assert_eq!(violation(&union, &json!([text])), some("", "anyOf"));
        let tagged = json!({"oneOf": [{"properties": {"k": {"const": "a"}}, "required": ["k"]}, {"properties": {"k": {"const": "b"}}, "required": ["k"]}]});
        assert_eq!(violation(&tagged, &json!({"k": text})), None);
        assert_eq!(violation(&tagged, &json!({"other": text})), some("", "oneOf"));
    }

    #[test]
    fn invalid_schema_or_document_is_unknown() {
        assert_eq!(Judge::new(&json!({"type": 7})).check_stored("1"), Conformance::Unknown);
        assert_eq!(Judge::new(&json!({})).check_stored("{"), Conformance::Unknown);
    }
}
