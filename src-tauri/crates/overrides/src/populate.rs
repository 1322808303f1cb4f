//! Adds the schemas that upstreams declare to entries without one.
//!
//! They are marked as following the upstream, so that they override nothing. Existing schemas stay.

use schemascope_model::ToolId;
use serde_json::Value;

use crate::document::Document;
use crate::entry::Field;
use crate::problem::Problem;
use crate::read::FOLLOWS;
use crate::reconcile::edited;

/// Adds the declared schemas (input, output) of these tools. Returns the document and the schemas that were added.
#[expect(clippy::type_complexity, reason = "a pair that the comment above explains")]
pub fn populate(
    document: Document,
    declared: impl IntoIterator<Item = (ToolId, [Option<Value>; 2])>,
) -> Result<(Document, Vec<(ToolId, Vec<Field>)>), Problem> {
    let (mut edits, mut added) = (Vec::new(), Vec::new());
    for (tool, declared) in declared {
        let entry = document.overrides().entry(tool.server(), tool.tool());
        let mut follows = entry.map(|entry| entry.follows.clone()).unwrap_or_default();
        let (mut set, mut fields) = (Vec::new(), Vec::new());
        for (field, schema) in Field::ALL.into_iter().zip(declared) {
            let is_missing = entry.is_none_or(|entry| entry.schema(field).is_none());
            if let Some(schema) = schema.filter(|schema| is_missing && schema.is_object()) {
                set.push((field.key(), schema));
                follows.insert(field);
                fields.push(field);
            }
        }
        if !fields.is_empty() {
            set.push((FOLLOWS, follows.iter().map(|field| Value::from(field.key())).collect()));
            edits.push((tool.clone(), set, Vec::new()));
            added.push((tool, fields));
        }
    }
    Ok((edited(document, edits)?, added))
}
