//! Validation of values against a compiled schema, with bounded cost.

use serde_json::Value;

use crate::survey::{Effort, Unusable, effort};

/// Steps that a pattern may take on one text before it counts as not matching.
pub(crate) const PATTERN_STEPS: usize = 100_000;
/// Steps that validating a document may take: some seconds in the worst case, usually a small
/// fraction of that.
const MAX_STEPS: u64 = 1 << 26;
/// Levels of recursion that fit on a thread's stack.
const MAX_LEVELS: usize = 2_000;
/// Most characters of a place in messages.
const MAX_PLACE_CHARS: usize = 200;
/// Bytes of text read in one step.
const TEXT_BYTES_PER_STEP: usize = 32;
/// Most errors that a document is described by: the validator collects them all, of some hundred bytes each.
const MAX_ERRORS: u64 = 1 << 21;
/// Errors that one schema can give for one value, besides one for each required name.
const ERRORS_PER_SCHEMA: u64 = 4;

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
        Some(self.prepare(json)?.is_valid())
    }

    /// Describes the first rule a document breaks and where, without values. Returns `None` if it
    /// fits or cannot be validated.
    pub fn violation(&self, json: &str) -> Option<String> {
        let prepared = self.prepare(json).filter(|prepared| !prepared.is_valid())?;
        let Some(error) = prepared.error() else { return Some("it breaks a rule of the schema".to_owned()) };
        let short = |place: &str| place.chars().take(MAX_PLACE_CHARS).collect::<String>();
        let (place, rule) = (short(error.instance_path().as_str()), short(error.schema_path().as_str()));
        Some(format!("{place:?} breaks {rule:?}"))
    }

    /// Returns the first rule a document breaks, as a path in the schema: the whole schema if finding it would take too
    /// much memory. Returns `None` if it fits or cannot be validated.
    pub fn broken_rule(&self, json: &str) -> Option<String> {
        let prepared = self.prepare(json).filter(|prepared| !prepared.is_valid())?;
        let rule = prepared.error().map(|error| error.schema_path().as_str().to_owned());
        Some(rule.unwrap_or_default().chars().take(MAX_PLACE_CHARS).collect())
    }

    /// Parses a document. Returns `None` if it cannot be validated.
    fn prepare(&self, json: &str) -> Option<Prepared<'_>> {
        self.prepared(schemascope_json::value(json).ok()?)
    }

    /// Parses a stored document, also one with numbers that not every client can read: one such number would otherwise
    /// hide what else is wrong.
    pub(crate) fn prepare_stored(&self, json: &str) -> Option<Prepared<'_>> {
        self.prepared(schemascope_json::value_in_range(json).ok()?)
    }

    fn prepared(&self, document: Value) -> Option<Prepared<'_>> {
        let Compiled { validator, effort } = self.0.as_ref().ok()?;
        let levels = values_by_level(&document);
        let steps = effort.steps(&levels);
        let affordable = levels.len().saturating_mul(effort.height) <= MAX_LEVELS && steps <= MAX_STEPS;
        affordable.then_some(Prepared { validator, document, effort, steps })
    }
}

/// A document that can be validated.
pub(crate) struct Prepared<'j> {
    validator: &'j jsonschema::Validator,
    pub(crate) document: Value,
    effort: &'j Effort,
    /// Number of schemas applied to its values.
    steps: u64,
}

impl Prepared<'_> {
    pub(crate) fn is_valid(&self) -> bool {
        self.validator.is_valid(&self.document)
    }

    /// One of its errors. Returns `None` without one, or if it would take too much memory.
    pub(crate) fn error(&self) -> Option<jsonschema::ValidationError<'_>> {
        match self.has_few_errors() {
            true => self.validator.iter_errors(&self.document).next(),
            // An error has the errors of all alternatives in it.
            false if self.effort.has_alternatives => None,
            false => self.validator.validate(&self.document).err(),
        }
    }

    /// All its errors. Returns `None` if they would take too much memory.
    pub(crate) fn errors(&self) -> Option<impl Iterator<Item = jsonschema::ValidationError<'_>>> {
        self.has_few_errors().then(|| self.validator.iter_errors(&self.document))
    }

    /// Whether all errors that it can have may be collected.
    fn has_few_errors(&self) -> bool {
        let of_names = objects(&self.document).saturating_mul(self.effort.required);
        self.steps.saturating_mul(ERRORS_PER_SCHEMA).saturating_add(of_names) <= MAX_ERRORS
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

/// Number of objects in a document. Recursion is bounded by the depth that serde_json reads.
fn objects(value: &Value) -> u64 {
    match value {
        Value::Array(items) => items.iter().map(objects).sum(),
        Value::Object(map) => 1 + map.values().map(objects).sum::<u64>(),
        _ => 0,
    }
}

/// Number of values of a document by their level. Long texts count as several.
fn values_by_level(document: &Value) -> Vec<u64> {
    /// Recursion is bounded by the depth that serde_json reads (128 levels).
    fn count(value: &Value, level: usize, counts: &mut Vec<u64>) {
        if counts.len() <= level {
            counts.push(0);
        }
        if let Some(count) = counts.get_mut(level) {
            *count += match value {
                Value::String(text) => 1 + (text.len() / TEXT_BYTES_PER_STEP) as u64,
                _ => 1,
            };
        }
        match value {
            Value::Array(items) => items.iter().for_each(|item| count(item, level + 1, counts)),
            Value::Object(map) => map.values().for_each(|item| count(item, level + 1, counts)),
            _ => {}
        }
    }
    let mut counts = Vec::new();
    count(document, 0, &mut counts);
    counts
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

    /// All errors were collected to describe one: a result of 3 MB took all memory.
    #[test]
    fn errors_are_bounded_in_memory() {
        let names: Vec<String> = (0..1_000).map(|n| format!("n{n}")).collect();
        let items = json!({"items": {"required": names}});
        let document = format!("[{}]", vec!["{}"; 30_000].join(","));
        let plain = Judge::new(&items);
        assert_eq!(plain.broken_rule(&document).as_deref(), Some("/items/required"));
        assert!(plain.violation(&document).is_some_and(|text| text.starts_with("\"/0\" breaks")));
        let hidden = Judge::new(&json!({"anyOf": [items, {"type": "null"}]}));
        assert_eq!(hidden.broken_rule(&document).as_deref(), Some(""));
        assert_eq!(hidden.violation(&document).as_deref(), Some("it breaks a rule of the schema"));
    }

    /// Many texts that each make a pattern backtrack took minutes.
    #[test]
    fn patterns_that_backtrack_cost_what_they_can_take() {
        let slow = json!({"items": {"anyOf": [{"pattern": "^(?=(a+)+$)(a|a?)+\\1$"}, {}]}});
        let texts: Vec<String> = (0..100_000).map(|n| format!("{}b{n}", "a".repeat(25))).collect();
        assert_eq!(Judge::new(&slow).fits(&serde_json::to_string(&texts).unwrap()), None);
        assert_eq!(Judge::new(&slow).fits(&serde_json::to_string(&texts[..10]).unwrap()), Some(true));
        let quick = json!({"items": {"pattern": "^a+b\\d+$"}});
        assert_eq!(Judge::new(&quick).fits(&serde_json::to_string(&texts).unwrap()), Some(true));
    }

    /// A root of many fields was counted as if it were applied to each value.
    #[test]
    fn wide_root_is_applied_once() {
        let names: Vec<String> = (0..4_000).map(|n| format!("n{n}")).collect();
        let properties: serde_json::Map<String, Value> =
            names.iter().map(|name| (name.clone(), json!({"items": {"type": "integer"}}))).collect();
        let judge = Judge::new(&json!({"properties": properties, "required": names}));
        let document: serde_json::Map<String, Value> =
            names.iter().map(|name| (name.clone(), json!(vec![7; 100]))).collect();
        assert_eq!(judge.fits(&serde_json::to_string(&document).unwrap()), Some(true));
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
