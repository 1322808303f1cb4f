//! A full validator.

use jsonschema::{Draft, ValidationError, Validator};
use serde_json::Value;

/// Returns a validator that also checks formats.
pub fn compile(schema: &Value) -> Result<Validator, ValidationError<'static>> {
    jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(true).build(schema)
}
