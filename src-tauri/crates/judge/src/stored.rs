//! What of a stored document breaks which rule.
//!
//! Stored values are redacted. A marker stands for a value of its type of which nothing else is known, so it
//! breaks a rule about types and no other. What is told of a violation are places of the schema and names it
//! has, never values. Owns: those two rules. Refuses to know: where documents come from.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use schemascope_model::{Marker, Redacted, Violation};
use serde_json::{Map, Value};

use crate::Judge;

/// Errors looked at in one document for one that counts.
const MAX_ERRORS: usize = 1_000;
/// Longest name that is told.
const MAX_NAME: usize = 60;

/// How a stored document fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stored {
    /// It does, as far as can be told.
    Fits,
    /// This is the first thing that does not.
    Violates(Violation),
    /// The schema cannot be used, the document not be read, or judging it would take too long.
    Unknown,
}

impl Judge {
    /// How a stored document fits.
    pub fn stored(&self, json: &str) -> Stored {
        let Some((validator, mut document)) = self.hear(json) else { return Stored::Unknown };
        let mut hidden = Hidden::default();
        if json.contains(MARKER) {
            hidden.reveal(&mut document, &mut String::new());
        }
        if validator.is_valid(&document) {
            return Stored::Fits;
        }
        let mut errors = validator.iter_errors(&document).take(MAX_ERRORS);
        errors
            .find(|error| !hidden.excuse(error))
            .map_or(Stored::Fits, |error| Stored::Violates(told(&error)))
    }
}

/// How every marker begins.
const MARKER: &str = "⟦redacted ";

/// Where markers were, as JSON pointers.
#[derive(Default)]
struct Hidden(Vec<String>);

impl Hidden {
    /// Puts a value of its type in the place of each marker. Recursion is bounded by what serde_json reads.
    fn reveal(&mut self, value: &mut Value, path: &mut String) {
        let length = path.len();
        match value {
            Value::String(text) => {
                let Ok(Marker(redacted)) = text.parse() else { return };
                *value = match redacted {
                    // No value says it all: lengths that were real would suggest that the text is.
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

    /// Whether what is hidden may well be what the error is about.
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
            // Its type and whether it is there are known.
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

/// Place and rule of an error, in words of the schema.
fn told(error: &ValidationError<'_>) -> Violation {
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

/// A name as programs have them; what else stands in its place may be data.
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
        match Judge::new(schema).stored(&document.to_string()) {
            Stored::Fits => None,
            Stored::Violates(found) => Some((found.path, found.rule)),
            Stored::Unknown => panic!("{schema} cannot be used"),
        }
    }

    fn some(path: &str, rule: &str) -> Option<(String, String)> {
        Some((path.to_owned(), rule.to_owned()))
    }

    #[test]
    fn places_are_told_in_words_of_the_schema() {
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
    fn markers_are_wildcards_of_their_type() {
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
    fn what_cannot_be_judged_is_unknown() {
        assert_eq!(Judge::new(&json!({"type": 7})).stored("1"), Stored::Unknown);
        assert_eq!(Judge::new(&json!({})).stored("{"), Stored::Unknown);
    }
}
