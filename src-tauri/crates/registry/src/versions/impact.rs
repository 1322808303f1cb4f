//! What a schema would have made of observations that are stored.
//!
//! Stored values are redacted. A marker stands for a value of its type of which nothing else is known, so it
//! breaks a rule about types and no other. What is told of a violation are places of the schema and names it
//! has, never values. Owns: judging and counting. Refuses to know: where observations come from.

use std::collections::BTreeMap;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use schemascope_model::{CallId, ImpactedCall, Marker, Redacted, RuleCount, Timestamp, Violation};
use serde_json::{Map, Value};

/// Steps a pattern may take on one text before it counts as not matching.
const PATTERN_STEPS: usize = 100_000;
/// Errors looked at in one document for one that counts.
const MAX_ERRORS: usize = 1_000;
/// Kinds of violation counted one by one.
const MAX_RULES: usize = 100;
/// Calls named, in all and of each kind.
const MAX_CALLS: usize = 50;
const MAX_CALLS_OF_RULE: usize = 3;
/// Longest name that is told.
const MAX_NAME: usize = 60;

/// A schema that judges stored observations.
pub struct Replayer(Validator);

/// What a schema made of observations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Impact {
    /// Observations judged.
    pub judged: u64,
    /// Those that do not fit.
    pub violating: u64,
    /// The first ones that were given, 50 at most.
    pub calls: Vec<ImpactedCall>,
    rules: BTreeMap<Violation, (u64, Vec<CallId>)>,
    /// Violations of further kinds.
    pub other_rules: u64,
}

impl Impact {
    /// Counts one observation.
    pub fn add(&mut self, id: CallId, at: Timestamp, violation: Option<Violation>) {
        self.judged += 1;
        let Some(violation) = violation else { return };
        self.violating += 1;
        if self.calls.len() < MAX_CALLS {
            self.calls.push(ImpactedCall { id, at, violation: violation.clone() });
        }
        if self.rules.len() >= MAX_RULES && !self.rules.contains_key(&violation) {
            self.other_rules += 1;
            return;
        }
        let (count, calls) = self.rules.entry(violation).or_default();
        *count += 1;
        if calls.len() < MAX_CALLS_OF_RULE {
            calls.push(id);
        }
    }

    /// Rules that were broken, the most frequent first.
    pub fn rules(&self) -> Vec<RuleCount> {
        let mut rules: Vec<RuleCount> = self
            .rules
            .iter()
            .map(|(violation, (count, calls))| RuleCount {
                violation: violation.clone(),
                count: *count,
                calls: calls.clone(),
            })
            .collect();
        rules.sort_by_key(|rule| std::cmp::Reverse(rule.count));
        rules
    }
}

impl Replayer {
    /// Compiles a schema; none when it cannot be used. References to the network or to files are not followed.
    pub fn new(schema: &Value) -> Option<Self> {
        let patterns = jsonschema::PatternOptions::fancy_regex().backtrack_limit(PATTERN_STEPS);
        let mut options = jsonschema::options().with_pattern_options(patterns);
        if schema.get("$schema").is_none() {
            options = options.with_draft(jsonschema::Draft::Draft202012);
        }
        options.build(schema).ok().map(Self)
    }

    /// The first thing in a stored document that does not fit; none when it does, as far as can be told.
    pub fn violation(&self, json: &str) -> Option<Violation> {
        let mut document: Value = serde_json::from_str(json).ok()?;
        let mut hidden = Hidden::default();
        if json.contains(MARKER) {
            hidden.reveal(&mut document, &mut String::new());
        }
        if self.0.is_valid(&document) {
            return None;
        }
        let mut errors = self.0.iter_errors(&document).take(MAX_ERRORS);
        errors.find(|error| !hidden.excuse(error)).map(|error| told(&error))
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
        let found = Replayer::new(schema).unwrap().violation(&document.to_string());
        found.map(|found| (found.path, found.rule))
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
    fn kinds_of_violation_are_counted_and_bounded() {
        let mut impact = Impact::default();
        let id = CallId::from_bytes([0; 16]);
        for n in 0..200 {
            let violation = Violation { path: format!("f{}", n % 150), rule: "type".into() };
            impact.add(id, Timestamp::from_millis(n), Some(violation));
        }
        impact.add(id, Timestamp::from_millis(0), None);
        assert_eq!((impact.judged, impact.violating, impact.other_rules), (201, 200, 50));
        assert_eq!((impact.calls.len(), impact.rules().len(), impact.rules()[0].count), (50, 100, 2));
    }
}
