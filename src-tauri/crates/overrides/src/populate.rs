//! Filling gaps.
//!
//! Owns: which gaps there are: schemas an upstream declares and an entry does not have. They are marked as following
//! the upstream, so that they override nothing. Refuses to know: anything that is there already.

use schemascope_model::ToolId;
use serde_json::Value;

use crate::document::Document;
use crate::entry::Field;
use crate::problem::Problem;
use crate::read::FOLLOWS;
use crate::reconcile::edited;

/// The document with the gaps of these tools filled by what their upstreams declare (input, output), and what was
/// filled.
#[expect(clippy::type_complexity, reason = "one pair, told above")]
pub fn populate(
    document: Document,
    declared: impl IntoIterator<Item = (ToolId, [Option<Value>; 2])>,
) -> Result<(Document, Vec<(ToolId, Vec<Field>)>), Problem> {
    let (mut edits, mut filled) = (Vec::new(), Vec::new());
    for (tool, declared) in declared {
        let entry = document.says().entry(tool.server(), tool.tool());
        let mut follows = entry.map(|entry| entry.follows.clone()).unwrap_or_default();
        let (mut set, mut fields) = (Vec::new(), Vec::new());
        for (field, schema) in Field::ALL.into_iter().zip(declared) {
            let is_gap = entry.is_none_or(|entry| entry.schema(field).is_none());
            if let Some(schema) = schema.filter(|schema| is_gap && schema.is_object()) {
                set.push((field.key(), schema));
                follows.insert(field);
                fields.push(field);
            }
        }
        if !fields.is_empty() {
            set.push((FOLLOWS, follows.iter().map(|field| Value::from(field.key())).collect()));
            edits.push((tool.clone(), set, Vec::new()));
            filled.push((tool, fields));
        }
    }
    Ok((edited(document, edits)?, filled))
}
