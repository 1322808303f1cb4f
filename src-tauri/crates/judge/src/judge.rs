//! Validation of values against a compiled schema, with bounded cost.

use serde_json::Value;

use crate::survey::{Effort, Unusable, effort};

/// Steps that a pattern may take on one text before it counts as not matching.
const PATTERN_STEPS: usize = 100_000;
/// Steps that validating a document may take: some seconds in the worst case, usually a small
/// fraction of that.
const MAX_STEPS: u64 = 1 << 26;
/// Levels of recursion that fit on a thread's stack.
const MAX_LEVELS: usize = 2_000;
/// Most characters of a place in messages.
const MAX_PLACE_CHARS: usize = 200;
/// Bytes of text read in one step.
const TEXT_BYTES_PER_STEP: usize = 32;

/// A compiled schema. An unusable schema gives no answer for any value.
#[derive(Debug)]
pub struct Judge(Result<Compiled, Unusable>);

#[derive(Debug)]
struct Compiled {
    validator: jsonschema::Validator,
    effort: Effort,
}

impl Default for Judge {
    fn default() -> Self {
        Self::UNUSABLE
    }
}

impl Judge {
    /// Judge without a schema, which gives no answer.
    pub const UNUSABLE: Self = Self(Err(Unusable::TooMuch));

    /// Compiles a schema: draft 2020-12 unless it names another.
    pub fn new(schema: &Value) -> Self {
        Self(compile(schema))
    }

    /// Returns whether the schema can be used.
    pub fn is_usable(&self) -> bool {
        self.0.is_ok()
    }

    /// Returns whether the schema is broken, as opposed to too expensive.
    pub fn is_broken(&self) -> bool {
        matches!(self.0, Err(Unusable::Broken))
    }

    /// Returns the most steps that a document of this many bytes can take, if it is not rejected
    /// because of them.
    pub fn max_steps(&self, bytes: usize) -> u64 {
        let max = self.0.as_ref().map_or(1, |compiled| compiled.effort.max_applications());
        max.saturating_mul(bytes as u64)
    }

    /// Returns whether a document fits. Returns `None` if the schema cannot be used, the document
    /// cannot be read, or validation would take too long.
    pub fn fits(&self, json: &str) -> Option<bool> {
        let (validator, document) = self.prepare(json)?;
        Some(validator.is_valid(&document))
    }

    /// Describes the first rule a document breaks and where, without values. Returns `None` if it
    /// fits or cannot be validated.
    pub fn violation(&self, json: &str) -> Option<String> {
        let (validator, document) = self.prepare(json)?;
        let error = validator.iter_errors(&document).next()?;
        let short = |place: &str| place.chars().take(MAX_PLACE_CHARS).collect::<String>();
        let (place, rule) = (short(error.instance_path().as_str()), short(error.schema_path().as_str()));
        Some(format!("{place:?} breaks {rule:?}"))
    }

    /// Returns the first rule a document breaks, as a path in the schema. Returns `None` if it fits
    /// or cannot be validated.
    pub fn broken_rule(&self, json: &str) -> Option<String> {
        let (validator, document) = self.prepare(json)?;
        let error = validator.iter_errors(&document).next()?;
        Some(error.schema_path().as_str().chars().take(MAX_PLACE_CHARS).collect())
    }

    /// Parses a document. Returns `None` if it cannot be validated.
    pub(crate) fn prepare(&self, json: &str) -> Option<(&jsonschema::Validator, Value)> {
        let Compiled { validator, effort } = self.0.as_ref().ok()?;
        let document = schemascope_json::value(json).ok()?;
        let Size { levels, values } = size(&document);
        let affordable = levels.saturating_mul(effort.height) <= MAX_LEVELS
            && effort.applications(levels).saturating_mul(values) <= MAX_STEPS;
        affordable.then_some((validator, document))
    }
}

fn compile(schema: &Value) -> Result<Compiled, Unusable> {
    let effort = effort(schema)?;
    let patterns = jsonschema::PatternOptions::fancy_regex().backtrack_limit(PATTERN_STEPS);
    let mut options = jsonschema::options().with_pattern_options(patterns);
    if schema.get("$schema").is_none() {
        options = options.with_draft(jsonschema::Draft::Draft202012);
    }
    let validator = options.build(schema).map_err(|_| Unusable::Broken)?;
    Ok(Compiled { validator, effort })
}

/// Size of a document.
struct Size {
    levels: usize,
    /// Number of values in it. Long texts count as several.
    values: u64,
}

/// Recursion is bounded by the depth that serde_json reads (128 levels).
fn size(value: &Value) -> Size {
    let add = |sum: Size, inner: &Value| {
        let Size { levels, values } = size(inner);
        Size { levels: sum.levels.max(levels + 1), values: sum.values + values }
    };
    let one = Size { levels: 1, values: 1 };
    match value {
        Value::Array(items) => items.iter().fold(one, add),
        Value::Object(map) => map.values().fold(one, add),
        Value::String(text) => Size { levels: 1, values: 1 + (text.len() / TEXT_BYTES_PER_STEP) as u64 },
        _ => one,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unusable_schema_gives_no_answer() {
        for schema in [
            json!({"type": 7}),
            json!({"pattern": "("}),
            json!({"$ref": "http://127.0.0.1:1/x.json"}),
            json!({"$ref": "file:///etc/passwd"}),
            json!({"$schema": "urn:unknown"}),
        ] {
            let judge = Judge::new(&schema);
            assert!(!judge.is_usable(), "{schema}");
            assert_eq!(judge.fits("1"), None);
        }
    }

    #[test]
    fn drafts_differ() {
        let schema =
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}]});
        assert_eq!(Judge::new(&schema).fits("[1]"), Some(false));
        let judge = Judge::new(&json!({"properties": {"a": {"type": "integer"}}, "required": ["a"]}));
        assert_eq!((judge.fits(r#"{"a":1.0}"#), judge.fits("{}")), (Some(true), Some(false)));
        assert_eq!(judge.violation(r#"{"a":1}"#), None);
        assert_eq!(judge.violation(r#"{"a":"x"}"#).as_deref(), Some(r#""/a" breaks "/properties/a/type""#));
    }

    /// Texts that make a pattern backtrack do not delay validation.
    #[test]
    fn patterns_have_a_step_limit() {
        let judge = Judge::new(&json!({"pattern": "^(?=(a+)+$)(a|a?)+\\1$"}));
        assert_eq!(judge.fits(&format!("\"{}b\"", "a".repeat(5_000))), Some(false));
    }

    /// Runs `max_steps` on a stack of the usual size of threads.
    fn on_a_thread(work: impl FnOnce() + Send + 'static) {
        let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap();
        thread.join().unwrap();
    }

    /// Nested alternatives that apply again at each level of the document.
    #[test]
    fn nested_alternatives_exhaust_neither_time_nor_stack() {
        on_a_thread(|| {
            let deep = format!("{}1{}", "{\"a\":".repeat(120), "}".repeat(120));
            let low = r#"{"a":{"a":1}}"#;
            for (key, times, chain) in
                [("allOf", 1, 1), ("allOf", 1, 15), ("allOf", 1, 60), ("anyOf", 2, 1), ("oneOf", 100, 2)]
            {
                let mut root = serde_json::json!({"properties": {"a": {"$ref": "#"}}, "type": "object"});
                for _ in 0..chain {
                    root = serde_json::json!({key: vec![root; times]});
                }
                let judge = Judge::new(&root);
                assert!(judge.fits(&deep) != Some(true), "{key} {times} {chain}");
                assert!(judge.violation(&deep).is_none_or(|text| text.len() < 500));
                assert!(judge.fits(low) != Some(true), "{key} {times} {chain}");
            }
        });
    }

    /// Chains of references as long as allowed, and longer.
    #[test]
    fn chains_of_references_compile_in_bounded_time() {
        on_a_thread(|| {
            for (length, times) in [(1_500, 1), (150, 2), (20_000, 1)] {
                let mut defs = serde_json::Map::new();
                for n in 0..length {
                    let next = json!({"$ref": format!("#/$defs/d{}", n + 1)});
                    let next = json!({"anyOf": vec![next; times]});
                    defs.insert(format!("d{n}"), json!({"properties": {"a": next}}));
                }
                defs.insert(format!("d{length}"), json!({"type": "string"}));
                let judge = Judge::new(&json!({"$ref": "#/$defs/d0", "$defs": defs}));
                let fits = judge.fits(r#"{"a":{"a":1}}"#);
                assert_eq!(fits, (length < 10_000).then_some(true));
            }
        });
    }

    #[test]
    fn documents_are_validated_up_to_the_step_limit() {
        let names: Vec<String> = (0..50_000).map(|n| format!("n{n}")).collect();
        let judge = Judge::new(&json!({"items": {"enum": names}}));
        let few = serde_json::to_string(&names[..100]).unwrap();
        assert_eq!(
            (judge.fits(&few), judge.fits(&serde_json::to_string(&names).unwrap())),
            (Some(true), None)
        );
        let plain = Judge::new(&json!({"items": {"type": "string"}}));
        assert_eq!(plain.fits(&serde_json::to_string(&names).unwrap()), Some(true));
    }
}
