//! Schemas as identities and as judges.
//!
//! Owns: digests and validation. References to the network or to files are never followed: the
//! validator is built without the means. Refuses to know: tools.

use std::collections::HashMap;
use std::sync::Arc;

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

/// Validators kept at most; beyond that the cache starts anew.
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
pub struct Validators(HashMap<Box<str>, Option<jsonschema::Validator>>);

impl Validators {
    /// How an observation fits a schema its tool declares. To be asked before redaction, which would
    /// change what is judged. None when the schema cannot be used.
    pub fn judge(&mut self, declared: &DeclaredSchema, observation: &Observation<'_>) -> Option<Fit> {
        let document = serde_json::from_str(&observation.json).ok()?;
        let fits = self.fits(&declared.digest, &declared.schema, &document)?;
        Some(Fit { schema: declared.digest.clone(), fits })
    }

    /// Whether a document fits; none when the schema itself cannot be used.
    fn fits(&mut self, digest: &str, schema: &Value, document: &Value) -> Option<bool> {
        if self.0.len() >= MAX_VALIDATORS && !self.0.contains_key(digest) {
            self.0.clear();
        }
        let validator = self.0.entry(digest.into()).or_insert_with(|| compile(schema));
        validator.as_ref().map(|validator| validator.is_valid(document))
    }
}

/// MCP's schemas are draft 2020-12 unless they say otherwise.
fn compile(schema: &Value) -> Option<jsonschema::Validator> {
    if schema.get("$schema").is_some() {
        jsonschema::validator_for(schema).ok()
    } else {
        jsonschema::draft202012::new(schema).ok()
    }
}

#[cfg(test)]
mod tests {
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
    fn a_schema_that_cannot_be_used_judges_nothing() {
        let mut validators = Validators::default();
        for schema in [
            json!({"type": 7}),
            json!({"$ref": "http://127.0.0.1:1/x.json"}),
            json!({"$ref": "file:///etc/passwd"}),
        ] {
            assert_eq!(validators.fits(&digest(&schema), &schema, &json!(1)), None, "{schema}");
        }
        let schema = json!({"type": "integer"});
        assert_eq!(validators.fits(&digest(&schema), &schema, &json!(1)), Some(true));
        assert_eq!(validators.fits(&digest(&schema), &schema, &json!("x")), Some(false));
    }
}
