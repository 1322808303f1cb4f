//! Whether a value conforms to a schema.
//!
//! Owns: the compiled schema and what its use costs. References to the network or to files are never followed:
//! the validator is built without the means. Refuses to know: tools and results.

use serde_json::Value;

use super::survey::{Hopeless, weight};

/// Steps a pattern may take on one text before it counts as not matching.
const PATTERN_STEPS: usize = 100_000;

/// A schema that can be asked. One that cannot be used knows nothing of any value.
#[derive(Debug)]
pub(crate) struct Judge {
    validator: Result<jsonschema::Validator, Hopeless>,
    weight: u64,
}

impl Default for Judge {
    fn default() -> Self {
        Self::NOTHING
    }
}

impl Judge {
    /// Of no schema at all.
    pub(crate) const NOTHING: Self = Self { validator: Err(Hopeless::TooMuch), weight: 0 };

    /// Compiles a schema: draft 2020-12 unless it says otherwise.
    pub(crate) fn new(schema: &Value) -> Self {
        let weight = match weight(schema) {
            Ok(weight) => weight,
            Err(hopeless) => return Self { validator: Err(hopeless), weight: 0 },
        };
        let patterns = jsonschema::PatternOptions::fancy_regex().backtrack_limit(PATTERN_STEPS);
        let mut options = jsonschema::options().with_pattern_options(patterns);
        if schema.get("$schema").is_none() {
            options = options.with_draft(jsonschema::Draft::Draft202012);
        }
        Self { validator: options.build(schema).map_err(|_| Hopeless::Broken), weight }
    }

    /// Whether it can be used.
    pub(crate) fn is_usable(&self) -> bool {
        self.validator.is_ok()
    }

    /// Whether nobody could use it.
    pub(crate) fn is_broken(&self) -> bool {
        matches!(self.validator, Err(Hopeless::Broken))
    }

    /// About how many steps a document of so many bytes takes.
    pub(crate) fn work(&self, bytes: usize) -> u64 {
        self.weight.max(1).saturating_mul(bytes as u64)
    }

    /// Whether a document fits; none when the schema cannot be used, or the document not be read.
    pub(crate) fn fits(&self, json: &str) -> Option<bool> {
        let document: Value = serde_json::from_str(json).ok()?;
        Some(self.validator.as_ref().ok()?.is_valid(&document))
    }

    /// What of a document breaks which rule, without values; none when it fits or nothing is known.
    pub(crate) fn violation(&self, json: &str) -> Option<String> {
        const LONGEST: usize = 200;
        let document: Value = serde_json::from_str(json).ok()?;
        let error = self.validator.as_ref().ok()?.iter_errors(&document).next()?;
        let short = |place: &str| place.chars().take(LONGEST).collect::<String>();
        let (place, rule) = (short(error.instance_path().as_str()), short(error.schema_path().as_str()));
        Some(format!("{place:?} breaks {rule:?}"))
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
}
