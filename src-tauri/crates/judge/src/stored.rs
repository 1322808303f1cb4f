//! Conformance of stored documents, which are redacted.
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

/// Conformance of a stored document.
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
    /// Returns whether a stored document fits, as [`Self::check_stored`] does, without the time to find out why not.
    pub fn fits_stored(&self, json: &str) -> Option<bool> {
        if json.contains(MARKER) {
            return match self.check_stored(json) {
                Conformance::Fits => Some(true),
                Conformance::Violates(_) => Some(false),
                Conformance::Unknown => None,
            };
        }
        Some(self.prepare_stored(json)?.is_valid())
    }

    /// Checks a stored document.
    pub fn check_stored(&self, json: &str) -> Conformance {
        let Some(mut prepared) = self.prepare_stored(json) else { return Conformance::Unknown };
        let mut hidden = Hidden::default();
        if json.contains(MARKER) {
            hidden.reveal(&mut prepared.document, &mut String::new());
        }
        if prepared.is_valid() {
            return Conformance::Fits;
        }
        let Some(mut errors) = prepared.errors() else {
            return match prepared.error() {
                Some(error) if !hidden.excuse(&error) => Conformance::Violates(vec![violation_at(&error)]),
                // Which rule it is would take too much memory to find out.
                None if hidden.is_empty() => {
                    Conformance::Violates(vec![Violation { path: String::new(), rule: "schema".to_owned() }])
                }
                _ => Conformance::Unknown,
            };
        };
        let mut violations: Vec<Violation> = Vec::new();
        for error in errors.by_ref().take(MAX_ERRORS).filter(|error| !hidden.excuse(error)) {
            let violation = violation_at(&error);
            if !violations.contains(&violation) {
                violations.push(violation);
            }
            if violations.len() == MAX_VIOLATIONS {
                break;
            }
        }
        match violations.is_empty() {
            false => Conformance::Violates(violations),
            true if errors.next().is_some() => Conformance::Unknown,
            true => Conformance::Fits,
        }
    }
}

/// Beginning of every marker.
const MARKER: &str = "⟦redacted ";

/// Places of markers, as JSON pointers.
#[derive(Default)]
struct Hidden {
    /// Of values.
    values: Vec<String>,
    /// Of objects with keys that are hidden.
    keys: Vec<String>,
}

impl Hidden {
    fn is_empty(&self) -> bool {
        self.values.is_empty() && self.keys.is_empty()
    }

    /// Replaces each marker by a value of its type. Recursion is bounded by the depth that
    /// serde_json reads.
    fn reveal(&mut self, value: &mut Value, path: &mut String) {
        let length = path.len();
        match value {
            Value::String(text) => {
                let Ok(Marker(redacted)) = text.parse() else { return };
                *value = match redacted {
                    // The marker of a string stays, because no other text would be more accurate.
                    Redacted::String(_) => return self.values.push(path.clone()),
                    Redacted::Integer => 0.into(),
                    Redacted::Number => 0.5.into(),
                };
                self.values.push(path.clone());
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
        if fields.keys().any(|name| name.starts_with(MARKER)) {
            self.keys.push(path.clone());
        }
        for (name, field) in fields {
            path.push('/');
            path.push_str(&name.replace('~', "~0").replace('/', "~1"));
            self.reveal(field, path);
            path.truncate(length);
        }
    }

    /// Returns whether the error may be due to a marker.
    fn excuse(&self, error: &ValidationError<'_>) -> bool {
        if self.is_empty() {
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
            // Any name may be behind a hidden key.
            ValidationErrorKind::Required { .. } => self.keys.iter().any(|object| object == at),
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                unexpected.iter().all(|name| name.starts_with(MARKER))
            }
            ValidationErrorKind::PropertyNames { error } => {
                error.instance().as_str().is_some_and(|name| name.starts_with(MARKER))
            }
            // A marker keeps the type of its value and the number of fields.
            ValidationErrorKind::Type { .. }
            | ValidationErrorKind::AdditionalItems { .. }
            | ValidationErrorKind::MinItems { .. }
            | ValidationErrorKind::MaxItems { .. }
            | ValidationErrorKind::MinProperties { .. }
            | ValidationErrorKind::MaxProperties { .. }
            | ValidationErrorKind::FalseSchema => false,
            _ => self.values.iter().any(within),
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
        let (judge, document) = (Judge::new(schema), document.to_string());
        let found = judge.check_stored(&document);
        assert_eq!(judge.fits_stored(&document), Some(found == Conformance::Fits), "{document}");
        match found {
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

    /// They were rejected as additional keys, or for what was missing.
    #[test]
    fn hidden_keys_may_be_any_keys() {
        let hashes = json!({"patternProperties": {"^[0-9a-f]+$": {"type": "integer"}}, "additionalProperties": false,
            "required": ["c0ffee"]});
        assert_eq!(violation(&hashes, &json!({"⟦redacted key 1⟧": 1})), None);
        assert_eq!(violation(&hashes, &json!({"zz": 1, "c0ffee": 1})), some("zz", "additionalProperties"));
        let both = json!({"⟦redacted key 1⟧": 1, "zz": 1, "c0ffee": 1});
        assert!(violation(&hashes, &both).is_some_and(|(_, rule)| rule == "additionalProperties"));
        assert_eq!(violation(&hashes, &json!({})), some("c0ffee", "required"));
    }

    /// Documents counted as fitting whose first thousand errors could be explained.
    #[test]
    fn more_errors_than_are_looked_at_leave_it_open() {
        let schema = json!({"items": {"properties": {"mail": {"enum": ["a"]}, "n": {"type": "integer"}}}});
        let mut rows = vec![json!({"mail": "⟦redacted string 7⟧", "n": 1}); 1_200];
        assert_eq!(
            Judge::new(&schema).check_stored(&Value::from(rows.clone()).to_string()),
            Conformance::Unknown
        );
        rows.push(json!({"mail": "a", "n": "x"}));
        assert_ne!(Judge::new(&schema).check_stored(&Value::from(rows).to_string()), Conformance::Fits);
    }

    /// A number that cannot be read hid every other violation from the check in CI.
    #[test]
    fn number_beyond_every_float_hides_nothing() {
        let judge =
            Judge::new(&json!({"properties": {"result": {"type": "integer"}, "y": {"type": "number"}}}));
        let broken = judge.check_stored(r#"{"result": "x", "y": 1e400}"#);
        assert!(matches!(&broken, Conformance::Violates(found) if found[0].path == "result"), "{broken:?}");
        assert_eq!(judge.check_stored(r#"{"result": 3, "y": 1e400}"#), Conformance::Fits);
        assert_eq!(judge.fits_stored(r#"{"result": 3, "y": 1e400}"#), Some(true));
        // What is added to a result must be readable by every client.
        assert_eq!(judge.fits(r#"{"result": 3, "y": 1e400}"#), None);
    }

    #[test]
    fn invalid_schema_or_document_is_unknown() {
        assert_eq!(Judge::new(&json!({"type": 7})).check_stored("1"), Conformance::Unknown);
        assert_eq!(Judge::new(&json!({})).check_stored("{"), Conformance::Unknown);
    }
}
