//! Validates instances by draft 2020-12 with formats asserted, in the same way for every schema.

use anyhow::{Result, anyhow};
use jsonschema::{Draft, Validator};
use serde_json::Value;

/// A judge for a schema.
pub fn compile(schema: &Value) -> Result<Validator> {
    compile_as(schema, Draft::Draft202012)
}

/// A judge for a published schema of an older draft.
pub fn compile_draft7(schema: &Value) -> Result<Validator> {
    compile_as(schema, Draft::Draft7)
}

/// A judge for a published schema of the draft that it names.
pub fn compile_as_it_says(schema: &Value) -> Result<Validator> {
    let draft = Draft::default().detect(schema);
    compile_as(schema, draft)
}

fn compile_as(schema: &Value, draft: Draft) -> Result<Validator> {
    jsonschema::options()
        .with_draft(draft)
        .should_validate_formats(true)
        .build(schema)
        .map_err(|error| anyhow!("not a schema: {error}"))
}
