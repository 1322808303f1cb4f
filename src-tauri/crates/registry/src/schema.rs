//! Digests of schemas, and a cache of the validators in use.

use std::collections::HashMap;
use std::sync::Arc;

use schemascope_judge::Judge;
use schemascope_model::Fit;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::observation::Observation;

/// An output schema as an upstream declares it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct DeclaredSchema {
    /// Identifies it.
    pub digest: Box<str>,
    /// The schema.
    pub schema: Arc<Value>,
}

/// Validators kept at most; beyond that the cache is emptied.
const MAX_VALIDATORS: usize = 1_000;

/// Identifies a schema by its content: 16 hex digits, the same for any order of keys.
pub fn digest(schema: &Value) -> Box<str> {
    let mut canonical = Vec::new();
    write_canonical(schema, &mut canonical);
    Sha256::digest(&canonical).iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>().into()
}

/// Writes with sorted keys. Recursion is bounded by what serde_json reads (128 levels).
fn write_canonical(value: &Value, into: &mut Vec<u8>) {
    match value {
        Value::Object(object) => {
            let mut entries: Vec<_> = object.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            into.push(b'{');
            for (key, value) in entries {
                into.extend_from_slice(Value::from(key.as_str()).to_string().as_bytes());
                into.push(b':');
                write_canonical(value, into);
                into.push(b',');
            }
            into.push(b'}');
        }
        Value::Array(items) => {
            into.push(b'[');
            for item in items {
                write_canonical(item, into);
                into.push(b',');
            }
            into.push(b']');
        }
        scalar => into.extend_from_slice(scalar.to_string().as_bytes()),
    }
}

/// Compiled schemas by digest. A cache, never part of a state; its owner validates without holding
/// anybody else up.
#[derive(Default)]
pub struct Validators(HashMap<Box<str>, Judge>);

impl Validators {
    /// How an observation fits a schema its tool declares. To be asked before redaction, which would
    /// change what is judged. None when the schema cannot be used, or judging would take too long.
    pub fn judge(&mut self, declared: &DeclaredSchema, observation: &Observation<'_>) -> Option<Fit> {
        let judge = self.of(declared);
        let mut fits = judge.fits(&observation.json)?;
        if let Some(sent) = observation.sent.as_deref().filter(|_| !fits) {
            fits = judge.fits(sent)?;
        }
        let rule = if fits { None } else { judge.broken_rule(&observation.json) };
        Some(Fit { schema: declared.digest.clone(), fits, rule: rule.map(Into::into) })
    }

    /// Stops validating by this schema, because it took longer than estimated.
    pub fn retire(&mut self, digest: &str) {
        self.0.insert(digest.into(), Judge::UNUSABLE);
    }

    fn of(&mut self, declared: &DeclaredSchema) -> &Judge {
        if self.0.len() >= MAX_VALIDATORS && !self.0.contains_key(&declared.digest) {
            self.0.clear();
        }
        self.0.entry(declared.digest.clone()).or_insert_with(|| Judge::new(&declared.schema))
    }
}

#[cfg(test)]
mod tests {
    use schemascope_model::Carrier;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_digest_knows_content_not_order() {
        let a: Value = serde_json::from_str(r#"{"a":1,"b":{"x":[1,2],"y":2}}"#).unwrap();
        let b: Value = serde_json::from_str(r#"{"b":{"y":2,"x":[1,2]},"a":1}"#).unwrap();
        assert_eq!(digest(&a), digest(&b));
        assert_ne!(digest(&a), digest(&json!({"a": 1, "b": {"x": [2, 1], "y": 2}})));
    }

    #[test]
    fn what_cannot_be_used_judges_nothing_and_neither_does_what_is_retired() {
        let mut validators = Validators::default();
        let mut judge = |schema: &Value, json: &'static str| {
            let declared = DeclaredSchema { digest: digest(schema), schema: Arc::new(schema.clone()) };
            let observation = Observation::new(Carrier::Structured, json);
            let fit = validators.judge(&declared, &observation).map(|fit| fit.fits);
            validators.retire(&declared.digest);
            (fit, validators.judge(&declared, &observation))
        };
        for schema in [json!({"type": 7}), json!({"$ref": "http://127.0.0.1:1/x.json"}), json!({"$ref": "#"})]
        {
            assert_eq!(judge(&schema, "1"), (None, None), "{schema}");
        }
        assert_eq!(judge(&json!({"type": "integer"}), "1"), (Some(true), None));
        assert_eq!(judge(&json!({"type": "number"}), "\"x\""), (Some(false), None));
    }
}
