//! Whether a value conforms to a schema.
//!
//! Owns: the compiled schema, and that its use ends. Refuses to know: tools and results.

use serde_json::Value;

use crate::survey::{Effort, Hopeless, effort};

/// Steps a pattern may take on one text before it counts as not matching.
const PATTERN_STEPS: usize = 100_000;
/// Steps judging a document may take: some seconds at the very worst, and mostly a small part of that.
const MAX_STEPS: u64 = 1 << 26;
/// Levels judging may go: what a thread's stack takes.
const MAX_LEVELS: usize = 2_000;
/// Characters of a place that are told.
const LONGEST: usize = 200;
/// Bytes of text read in one step.
const TEXT: usize = 32;

/// A schema that can be asked. One that cannot be used knows nothing of any value.
#[derive(Debug)]
pub struct Judge(Result<Compiled, Hopeless>);

#[derive(Debug)]
struct Compiled {
    validator: jsonschema::Validator,
    effort: Effort,
}

impl Default for Judge {
    fn default() -> Self {
        Self::NOTHING
    }
}

impl Judge {
    /// Of no schema at all.
    pub const NOTHING: Self = Self(Err(Hopeless::TooMuch));

    /// Compiles a schema: draft 2020-12 unless it says otherwise.
    pub fn new(schema: &Value) -> Self {
        Self(compile(schema))
    }

    /// Whether it can be used.
    pub fn is_usable(&self) -> bool {
        self.0.is_ok()
    }

    /// Whether nobody could use it.
    pub fn is_broken(&self) -> bool {
        matches!(self.0, Err(Hopeless::Broken))
    }

    /// How many steps a document of so many bytes takes at most, unless it is refused for them.
    pub fn work(&self, bytes: usize) -> u64 {
        let most = self.0.as_ref().map_or(1, |compiled| compiled.effort.most());
        most.saturating_mul(bytes as u64)
    }

    /// Whether a document fits. None when the schema cannot be used, the document not be read, or judging it
    /// would take too long.
    pub fn fits(&self, json: &str) -> Option<bool> {
        let (validator, document) = self.hear(json)?;
        Some(validator.is_valid(&document))
    }

    /// What of a document breaks which rule, without values; none when it fits or nothing is known.
    pub fn violation(&self, json: &str) -> Option<String> {
        let (validator, document) = self.hear(json)?;
        let error = validator.iter_errors(&document).next()?;
        let short = |place: &str| place.chars().take(LONGEST).collect::<String>();
        let (place, rule) = (short(error.instance_path().as_str()), short(error.schema_path().as_str()));
        Some(format!("{place:?} breaks {rule:?}"))
    }

    /// The first rule a document breaks, by its place in the schema; none when it fits or nothing is known.
    pub fn broken_rule(&self, json: &str) -> Option<String> {
        let (validator, document) = self.hear(json)?;
        let error = validator.iter_errors(&document).next()?;
        Some(error.schema_path().as_str().chars().take(LONGEST).collect())
    }

    /// The document, if it can be judged.
    pub(crate) fn hear(&self, json: &str) -> Option<(&jsonschema::Validator, Value)> {
        let Compiled { validator, effort } = self.0.as_ref().ok()?;
        let document: Value = serde_json::from_str(json).ok()?;
        let Size { levels, values } = size(&document);
        let bearable = levels.saturating_mul(effort.height) <= MAX_LEVELS
            && effort.asked(levels).saturating_mul(values) <= MAX_STEPS;
        bearable.then_some((validator, document))
    }
}

fn compile(schema: &Value) -> Result<Compiled, Hopeless> {
    let effort = effort(schema)?;
    let patterns = jsonschema::PatternOptions::fancy_regex().backtrack_limit(PATTERN_STEPS);
    let mut options = jsonschema::options().with_pattern_options(patterns);
    if schema.get("$schema").is_none() {
        options = options.with_draft(jsonschema::Draft::Draft202012);
    }
    let validator = options.build(schema).map_err(|_| Hopeless::Broken)?;
    Ok(Compiled { validator, effort })
}

/// How large a document is.
struct Size {
    levels: usize,
    /// Values in it, long texts as several.
    values: u64,
}

/// Recursion is bounded by what serde_json reads (128 levels).
fn size(value: &Value) -> Size {
    let add = |sum: Size, inner: &Value| {
        let Size { levels, values } = size(inner);
        Size { levels: sum.levels.max(levels + 1), values: sum.values + values }
    };
    let one = Size { levels: 1, values: 1 };
    match value {
        Value::Array(items) => items.iter().fold(one, add),
        Value::Object(map) => map.values().fold(one, add),
        Value::String(text) => Size { levels: 1, values: 1 + (text.len() / TEXT) as u64 },
        _ => one,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_that_cannot_be_used_judges_nothing() {
        for schema in [
            json!({"type": 7}),
            json!({"pattern": "("}),
            json!({"$ref": "http://127.0.0.1:1/x.json"}),
            json!({"$ref": "file:///etc/passwd"}),
            json!({"$schema": "urn:nobody-knows"}),
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

    /// Texts that keep a pattern trying do not keep us.
    #[test]
    fn patterns_have_a_limit() {
        let judge = Judge::new(&json!({"pattern": "^(?=(a+)+$)(a|a?)+\\1$"}));
        assert_eq!(judge.fits(&format!("\"{}b\"", "a".repeat(5_000))), Some(false));
    }

    /// On a stack as threads have it.
    fn on_a_thread(work: impl FnOnce() + Send + 'static) {
        let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap();
        thread.join().unwrap();
    }

    /// Alternatives of alternatives, over again with each level of the document.
    #[test]
    fn neither_time_nor_stack_run_out() {
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

    /// References as far as they may go.
    #[test]
    fn compiling_ends() {
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
    fn large_documents_and_lists_are_judged_while_it_is_bearable() {
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
